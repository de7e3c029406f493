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

  T* operator[](int64_t row) const { return data + row * cols; }    // the first number of a row
  int64_t size() const { return rows * cols; }                      // how many numbers
  operator MatView<const T>() const { return {data, rows, cols}; }  // to read only
};

// A matrix that owns its numbers (zero at the start).
class Matrix {
 public:
  Matrix() = default;
  Matrix(int64_t rows, int64_t cols, float value = 0.0f)
      : rows_(rows), cols_(cols), data_(static_cast<size_t>(rows * cols), value) {}

  int64_t rows() const { return rows_; }              // how many rows
  int64_t cols() const { return cols_; }              // how many columns
  int64_t size() const { return rows_ * cols_; }      // how many numbers
  bool empty() const { return data_.empty(); }        // whether there is no number
  float* data() { return data_.data(); }              // all numbers, row by row
  const float* data() const { return data_.data(); }  // the same, to read
  float* operator[](int64_t row) { return data_.data() + row * cols_; }  // the first of a row
  const float* operator[](int64_t row) const { return data_.data() + row * cols_; }  // to read
  MatView<float> view() { return {data_.data(), rows_, cols_}; }  // of this matrix, to write
  MatView<const float> view() const { return {data_.data(), rows_, cols_}; }  // to read
  void fill(float value) { data_.assign(data_.size(), value); }               // sets every number

 private:
  int64_t rows_ = 0;
  int64_t cols_ = 0;
  std::vector<float> data_;
};

}  // namespace glgnn
