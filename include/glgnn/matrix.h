// Dense matrices: row-major, contiguous, two-dimensional, nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glgnn {

// A view of rows x cols numbers that somebody else owns; m[i] is row i.
template <class T>
struct MatView {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;

  T* operator[](int64_t row) const { return data + row * cols; }
  int64_t size() const { return rows * cols; }
  operator MatView<const T>() const { return {data, rows, cols}; }
};

// A matrix that owns its numbers (zero at the start).
class Matrix {
 public:
  Matrix() = default;
  Matrix(int64_t rows, int64_t cols, float value = 0.0f)
      : rows_(rows), cols_(cols), data_(static_cast<size_t>(rows * cols), value) {}

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t size() const { return rows_ * cols_; }
  bool empty() const { return data_.empty(); }
  float* data() { return data_.data(); }
  const float* data() const { return data_.data(); }
  float* operator[](int64_t row) { return data_.data() + row * cols_; }
  const float* operator[](int64_t row) const { return data_.data() + row * cols_; }
  MatView<float> view() { return {data_.data(), rows_, cols_}; }
  MatView<const float> view() const { return {data_.data(), rows_, cols_}; }
  void fill(float value) { data_.assign(data_.size(), value); }

 private:
  int64_t rows_ = 0;
  int64_t cols_ = 0;
  std::vector<float> data_;
};

}  // namespace glgnn
