#include <string>

#include "kernels/cuda/products.cuh"

namespace glgnn::cuda {
namespace {

void require_numbers(int64_t rows, int64_t cols) {
  require_memory(rows * cols * 4, std::to_string(rows) + " rows of " + std::to_string(cols),
                 "take fewer rows");
}

Plain plain(const HeldMatrix::Arrays& m) { return {m.numbers.data(), m.cols}; }

}  // namespace

HeldMatrix::HeldMatrix(MatView<const float> x) {
  const auto lock = lock_device();
  require_numbers(x.rows, x.cols);
  arrays_.reset(new Arrays{x.rows, x.cols, DeviceArray<float>(x.data, x.size())});
}

HeldMatrix::HeldMatrix(std::unique_ptr<const Arrays> arrays) : arrays_(std::move(arrays)) {}
HeldMatrix::HeldMatrix(HeldMatrix&&) noexcept = default;
HeldMatrix::~HeldMatrix() = default;

int64_t HeldMatrix::rows() const { return arrays_->rows; }
int64_t HeldMatrix::cols() const { return arrays_->cols; }

HeldMatrix HeldMatrix::times(MatView<const float> v) const {
  const auto lock = lock_device();
  const int64_t rows = arrays_->rows, inner = arrays_->cols;
  require_numbers(rows, v.cols);
  const DeviceArray<float> factor(v.data, v.size());
  std::unique_ptr<const Arrays> out(new Arrays{rows, v.cols, DeviceArray<float>(rows * v.cols)});
  product(plain(*arrays_), Plain{factor.data(), v.cols}, {rows, inner, v.cols},
          Store{out->numbers.data(), v.cols});
  return HeldMatrix(std::move(out));
}

Matrix HeldMatrix::transposed_times(const HeldMatrix& y) const {
  const auto lock = lock_device();
  const ProductShape shape{arrays_->cols, arrays_->rows, y.arrays_->cols};
  const DeviceArray<float> sums(shape.rows * shape.cols);
  transposed_product(plain(*arrays_), plain(*y.arrays_), shape, Store{sums.data(), shape.cols});
  Matrix out(shape.rows, shape.cols);
  sums.copy_to(out.data());
  return out;
}

Matrix HeldMatrix::column_squares() const {
  const auto lock = lock_device();
  const DeviceArray<float> sums(arrays_->cols);
  transposed_product(Ones{}, Squared{arrays_->numbers.data(), arrays_->cols},
                     {1, arrays_->rows, arrays_->cols}, Store{sums.data(), arrays_->cols});
  Matrix out(1, arrays_->cols);
  sums.copy_to(out.data());
  return out;
}

Matrix HeldMatrix::to_host() const {
  const auto lock = lock_device();
  Matrix out(arrays_->rows, arrays_->cols);
  arrays_->numbers.copy_to(out.data());
  return out;
}

}  // namespace glgnn::cuda
