// A matrix and a graph that stay on the device, their products and propagation.
//
// Propagation on the device: a warp for each row, whose lanes share the classes; lanes that are
// left take every second, fourth, ... neighbour, and their sums are added in a fixed order.
#include <string>
#include <utility>

#include "kernels/cuda/products.cuh"

namespace glgnn::cuda {
namespace {

void require_numbers(int64_t rows, int64_t cols) {
  require_memory(rows * cols * 4, std::to_string(rows) + " rows of " + std::to_string(cols),
                 "take fewer rows");
}

Plain plain(const HeldMatrix::Arrays& m) { return {m.numbers.data(), m.cols}; }

constexpr int kWarps = 8;

struct Step {
  const int64_t* row_ptr;
  const int32_t* col;
  const float *values, *last, *h;
  float* next;
  int64_t rows;
  int cols;
  float alpha;
};

template <int width>  // lanes for the classes
__global__ void propagate_step(const __grid_constant__ Step step) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= step.rows) return;
  const int lane = threadIdx.x % 32, part = lane / width;
  const int64_t begin = step.row_ptr[row], end = step.row_ptr[row + 1];
  for (int first = 0; first < step.cols; first += width) {
    const int c = first + lane % width;
    float sum = 0;
    if (c < step.cols) {
#pragma unroll 4
      for (int64_t e = begin + part; e < end; e += 32 / width) {
        sum = fmaf(step.values[e], step.last[int64_t{step.col[e]} * step.cols + c], sum);
      }
    }
    for (int distance = width; distance < 32; distance *= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    const int64_t at = row * step.cols + c;
    if (part == 0 && c < step.cols) {
      step.next[at] = fmaf(1.0f - step.alpha, sum, step.alpha * step.h[at]);
    }
  }
}

void launch(const Step& step) {
  const auto kernel = step.cols <= 4    ? propagate_step<4>
                      : step.cols <= 8  ? propagate_step<8>
                      : step.cols <= 16 ? propagate_step<16>
                                        : propagate_step<32>;
  kernel<<<static_cast<int>((step.rows + kWarps - 1) / kWarps), 32 * kWarps, 0, stream()>>>(step);
  check(cudaGetLastError(), "starting to propagate");
}

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

HeldGraph::HeldGraph(PatternView pattern, const float* values) {
  const auto lock = lock_device();
  const int64_t entries = pattern.nnz();
  require_memory(entries * 8 + pattern.rows * 8, "a graph of " + std::to_string(entries) + " edges",
                 "take fewer rows");
  arrays_.reset(new Arrays{pattern.rows, DeviceArray<int64_t>(pattern.row_ptr, pattern.rows + 1),
                           DeviceArray<int32_t>(pattern.col, entries),
                           DeviceArray<float>(values, entries)});
}

HeldGraph::~HeldGraph() = default;

float* HeldGraph::Arrays::propagate(float* z, float* spare, const float* h, int64_t cols,
                                    int64_t steps, float alpha) const {
  if (steps == 0) {
    check(cudaMemcpyAsync(z, h, rows * cols * sizeof(float), cudaMemcpyDeviceToDevice, stream()),
          "copying on the device");
  }
  const float* last = h;
  for (int64_t t = 0; t < steps; ++t) {
    if (t > 0) std::swap(z, spare);
    launch({.row_ptr = row_ptr.data(),
            .col = col.data(),
            .values = values.data(),
            .last = last,
            .h = h,
            .next = z,
            .rows = rows,
            .cols = static_cast<int>(cols),
            .alpha = alpha});
    last = z;
  }
  return z;
}

void HeldGraph::propagate(MatView<float> z, MatView<const float> h, int64_t steps,
                          float alpha) const {
  const auto lock = lock_device();
  if (h.size() == 0) return;
  require_memory(3 * h.size() * 4, "propagation over " + std::to_string(h.rows) + " rows",
                 "take fewer rows");
  const DeviceArray<float> own(h.data, h.size()), first(h.size()), second(h.size());
  const float* const found =
      arrays_->propagate(first.data(), second.data(), own.data(), h.cols, steps, alpha);
  (found == first.data() ? first : second).copy_to(z.data);
}

}  // namespace glgnn::cuda
