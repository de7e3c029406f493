// A matrix and a graph that stay on the device, their products and propagation.
//
// Propagation on the device: a warp for each row, whose lanes share the classes; lanes that are
// left take every second, fourth, ... neighbour, and their sums are added in a fixed order.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

constexpr int kThreads = 256;

int blocks_of(int64_t numbers, int64_t of_a_block = kThreads) {
  return static_cast<int>((numbers + of_a_block - 1) / of_a_block);
}

__global__ void standardise(float* out, const float* x, const double* mean, const double* spread,
                            int64_t numbers, int64_t cols) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= numbers) return;
  const int64_t f = at % cols;
  out[at] = spread[f] > 0 ? static_cast<float>((x[at] - mean[f]) / spread[f]) : 0.0f;
}

// Rows of the same numbers have the same key. The order of a sum of whole numbers does not matter.
__global__ void sum_bits(unsigned long long* keys, const float* x, int64_t rows, int64_t cols) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  unsigned long long key = 0;
  for (int64_t f = threadIdx.x % 32; f < cols; f += 32) {
    // A zero has one sign here: both are the same number.
    unsigned long long mixed = __float_as_uint(x[row * cols + f] + 0.0f);
    mixed = (mixed ^ static_cast<unsigned long long>(f) << 32) * 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ull;
    key += mixed ^ mixed >> 29;
  }
  for (int step = 16; step > 0; step /= 2) key += __shfl_xor_sync(0xffffffffu, key, step);
  if (threadIdx.x % 32 == 0) keys[row] = key;
}

// Landmarks: a number of a row times the weight of its column.
struct Weighed {
  const float *data, *weights;
  int64_t cols;
  __device__ float operator()(int64_t i, int64_t f) const {
    return data[i * cols + f] * weights[f];
  }
};
struct WeighedTransposed {
  Weighed rows;
  __device__ float operator()(int64_t f, int64_t i) const { return rows(i, f); }
};

// Half the square of each row's length.
__global__ void half_squares(float* half, const __grid_constant__ Weighed x, int64_t rows) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  double sum = 0;
  for (int64_t f = threadIdx.x % 32; f < x.cols; f += 32) {
    sum += double{x(row, f)} * x(row, f);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) half[row] = static_cast<float>(0.5 * sum);
}

DeviceArray<float> halves_of(const Weighed& x, int64_t rows) {
  DeviceArray<float> half(rows);
  if (rows == 0) return half;
  half_squares<<<blocks_of(rows, kWarps), 32 * kWarps, 0, stream()>>>(half.data(), x, rows);
  check(cudaGetLastError(), "starting to sum squares");
  return half;
}

struct StoreCurved {
  float* similar;
  int64_t cols;
  const float *half_row, *half_landmark;
  __device__ void operator()(int64_t i, int64_t t, float sum) const {
    similar[i * cols + t] = expf(fminf(sum - half_row[i] - half_landmark[t], 0.0f));
  }
};
struct StoreWithOffset {
  float* out;
  int64_t cols;
  const float* offset;
  __device__ void operator()(int64_t i, int64_t c, float sum) const {
    out[i * cols + c] = sum + offset[c];
  }
};
struct AddTo {
  float* out;
  int64_t cols;
  __device__ void operator()(int64_t i, int64_t c, float sum) const { out[i * cols + c] += sum; }
};

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

HeldMatrix HeldMatrix::standardised(std::span<const double> mean,
                                    std::span<const double> spread) const {
  const auto lock = lock_device();
  const int64_t rows = arrays_->rows, cols = arrays_->cols;
  require_numbers(rows, cols);
  const DeviceArray<double> means(mean.data(), cols), spreads(spread.data(), cols);
  std::unique_ptr<const Arrays> out(new Arrays{rows, cols, DeviceArray<float>(rows * cols)});
  if (rows * cols > 0) {
    standardise<<<blocks_of(rows * cols), kThreads, 0, stream()>>>(
        out->numbers.data(), arrays_->numbers.data(), means.data(), spreads.data(), rows * cols,
        cols);
    check(cudaGetLastError(), "starting to standardise");
  }
  return HeldMatrix(std::move(out));
}

int64_t HeldMatrix::distinct_rows() const {
  std::vector<unsigned long long> found(arrays_->rows);
  if (found.empty()) return 0;
  {
    const auto lock = lock_device();
    const DeviceArray<unsigned long long> keys(arrays_->rows);
    sum_bits<<<blocks_of(arrays_->rows, kWarps), 32 * kWarps, 0, stream()>>>(
        keys.data(), arrays_->numbers.data(), arrays_->rows, arrays_->cols);
    check(cudaGetLastError(), "starting to compare rows");
    keys.copy_to(found.data());
  }
  std::sort(found.begin(), found.end());
  return std::unique(found.begin(), found.end()) - found.begin();
}

Matrix HeldMatrix::logits(const CurvedHead& head) const {
  constexpr int64_t kMostAtOnce = int64_t{1} << 26;  // numbers of K
  const auto lock = lock_device();
  const int64_t rows = arrays_->rows, cols = arrays_->cols;
  const int64_t count = head.landmarks.rows, classes = head.links.cols;
  Matrix out(rows, classes);
  if (out.size() == 0) return out;
  const int64_t at_once = std::clamp<int64_t>(kMostAtOnce / std::max<int64_t>(1, count), 1, rows);
  require_memory(4 * (at_once * count + rows * (classes + 1)),
                 "comparing " + std::to_string(rows) + " rows with " + std::to_string(count),
                 "take fewer rows");
  const DeviceArray<float> landmarks(head.landmarks.data, head.landmarks.size()),
      weights(head.weights, cols), links(head.links.data, head.links.size()),
      linear(head.linear.data, head.linear.size()), offset(head.offset, classes);
  const Weighed own{arrays_->numbers.data(), weights.data(), cols};
  const Weighed others{landmarks.data(), weights.data(), cols};
  const DeviceArray<float> half = halves_of(own, rows), other_half = halves_of(others, count);
  const DeviceArray<float> similar(at_once * count), logits(rows * classes);
  product(plain(*arrays_), Plain{linear.data(), classes}, {rows, cols, classes},
          StoreWithOffset{logits.data(), classes, offset.data()});
  for (int64_t first = 0; first < rows; first += at_once) {
    const int64_t some = std::min(at_once, rows - first);
    product(Weighed{own.data + first * cols, own.weights, cols}, WeighedTransposed{others},
            {some, cols, count},
            StoreCurved{similar.data(), count, half.data() + first, other_half.data()});
    product(Plain{similar.data(), count}, Plain{links.data(), classes}, {some, count, classes},
            AddTo{logits.data() + first * classes, classes});
  }
  logits.copy_to(out.data());
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
