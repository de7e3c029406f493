// Dense matrices: row-major, contiguous, two-dimensional, nothing else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
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

// A matrix that owns its numbers (zero at the start), or reads somebody else's.
class Matrix {
 public:
  Matrix() = default;
  Matrix(int64_t rows, int64_t cols, float value = 0.0f)
      : rows_(rows), cols_(cols), own_(static_cast<size_t>(rows * cols), value) {}

  // Numbers that lie row by row in memory which `numbers` keeps; the first write copies them.
  static Matrix share(std::shared_ptr<const float> numbers, int64_t rows, int64_t cols) {
    Matrix matrix;
    matrix.rows_ = rows;
    matrix.cols_ = cols;
    matrix.shared_ = std::move(numbers);
    return matrix;
  }

  int64_t rows() const { return rows_; }                   // how many rows
  int64_t cols() const { return cols_; }                   // how many columns
  int64_t size() const { return rows_ * cols_; }           // how many numbers
  bool empty() const { return own_.empty() && !shared_; }  // whether there is no number
  bool is_shared() const { return shared_ != nullptr; }    // whether others own the numbers
  float* data() { return (make_own(), own_.data()); }      // all numbers, row by row
  const float* data() const { return shared_ ? shared_.get() : own_.data(); }  // the same, to read
  float* operator[](int64_t row) { return data() + row * cols_; }              // the first of a row
  const float* operator[](int64_t row) const { return data() + row * cols_; }  // to read
  MatView<float> view() { return {data(), rows_, cols_}; }              // of this matrix, to write
  MatView<const float> view() const { return {data(), rows_, cols_}; }  // to read
  // Sets every number.
  void fill(float value) {
    make_own();
    std::fill(own_.begin(), own_.end(), value);
  }

 private:
  void make_own() {
    if (!shared_) return;
    own_.assign(shared_.get(), shared_.get() + size());
    shared_.reset();
  }

  int64_t rows_ = 0;
  int64_t cols_ = 0;
  std::vector<float> own_;
  std::shared_ptr<const float> shared_;
};

}  // namespace glgnn
