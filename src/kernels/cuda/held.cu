// A matrix and classes that stay on the device, and their products.
#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/cuda/device.h"
#include "kernels/cuda/products.cuh"

namespace glgnn::cuda {
namespace {

void require_numbers(int64_t rows, int64_t cols) {
  require_memory(rows * cols * 4, std::to_string(rows) + " rows of " + std::to_string(cols),
                 "take fewer rows");
}

Plain plain(const HeldMatrix::Arrays& m) { return {m.numbers.data(), m.cols}; }

constexpr int kWarps = 8;

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

// parts: for each slice of rows the sum of each column; of squares of what differs from the mean,
// where there is one. And the bits of the largest size of all numbers, which sort like it.
__global__ void sum_columns(double* parts, int* largest, const float* x, const double* mean,
                            int64_t rows, int64_t cols, int64_t slice) {
  const int64_t f = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (f >= cols) return;
  const int64_t begin = blockIdx.y * slice, end = min(rows, begin + slice);
  const double centre = mean ? mean[f] : 0.0;
  double sum = 0;
  float most = 0;
#pragma unroll 4
  for (int64_t i = begin; i < end; ++i) {
    const double apart = x[i * cols + f] - centre;
    sum += mean ? apart * apart : apart;
    most = fmaxf(most, fabsf(x[i * cols + f]));
  }
  parts[blockIdx.y * cols + f] = sum;
  atomicMax(largest, __float_as_int(most));
}

__global__ void divide_sums(double* out, const double* parts, int64_t slices, int64_t cols,
                            int64_t rows) {
  const int64_t f = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (f >= cols) return;
  double sum = 0;
  for (int64_t s = 0; s < slices; ++s) sum += parts[s * cols + f];
  out[f] = sum / static_cast<double>(rows);
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

// One thread for each row of soft classes.
__global__ void softmax_rows(float* p, int64_t rows, int64_t classes) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= rows) return;
  float* const row = p + i * classes;
  float top = row[0], sum = 0;
  for (int64_t c = 1; c < classes; ++c) top = fmaxf(top, row[c]);
  for (int64_t c = 0; c < classes; ++c) sum += row[c] = expf(row[c] - top);
  for (int64_t c = 0; c < classes; ++c) row[c] /= sum;
}

}  // namespace

HeldMatrix::HeldMatrix(MatView<const float> x) {
  require_device();
  require_numbers(x.rows, x.cols);
  // To pin large memory for the copy takes less time than to copy it as it is.
  constexpr int64_t kWorthPinning = 1 << 24;
  void* const host = const_cast<float*>(x.data);
  const bool is_pinned =
      x.size() >= kWorthPinning &&
      cudaHostRegister(host, x.size() * sizeof(float), cudaHostRegisterDefault) == cudaSuccess;
  if (!is_pinned) cudaGetLastError();
  DeviceArray<float> numbers(x.data, x.size());
  wait_for_device();
  if (is_pinned) check(cudaHostUnregister(host), "unpinning memory");
  arrays_.reset(new Arrays{x.rows, x.cols, std::move(numbers)});
}

HeldMatrix::HeldMatrix(std::unique_ptr<const Arrays> arrays) : arrays_(std::move(arrays)) {}
HeldMatrix::HeldMatrix(HeldMatrix&&) noexcept = default;
HeldMatrix& HeldMatrix::operator=(HeldMatrix&&) noexcept = default;
HeldMatrix::~HeldMatrix() = default;

int64_t HeldMatrix::rows() const { return arrays_->rows; }
int64_t HeldMatrix::cols() const { return arrays_->cols; }

HeldMatrix HeldMatrix::times(MatView<const float> v) const {
  require_device();
  const int64_t rows = arrays_->rows, inner = arrays_->cols;
  require_numbers(rows, v.cols);
  const DeviceArray<float> factor(v.data, v.size());
  std::unique_ptr<const Arrays> out(new Arrays{rows, v.cols, DeviceArray<float>(rows * v.cols)});
  product(plain(*arrays_), Plain{factor.data(), v.cols}, {rows, inner, v.cols},
          Store{out->numbers.data(), v.cols});
  return HeldMatrix(std::move(out));
}

HeldMatrix HeldMatrix::softmax_times(MatView<const float> v, const float* offset) const {
  require_device();
  const int64_t rows = arrays_->rows;
  require_numbers(rows, v.cols);
  const DeviceArray<float> factor(v.data, v.size()), offsets(offset, v.cols);
  std::unique_ptr<const Arrays> out(new Arrays{rows, v.cols, DeviceArray<float>(rows * v.cols)});
  product(plain(*arrays_), Plain{factor.data(), v.cols}, {rows, arrays_->cols, v.cols},
          StoreWithOffset{out->numbers.data(), v.cols, offsets.data()});
  if (rows * v.cols > 0) {
    softmax_rows<<<blocks_of(rows), kThreads, 0, stream()>>>(out->numbers.data(), rows, v.cols);
    check(cudaGetLastError(), "starting a softmax");
  }
  return HeldMatrix(std::move(out));
}

Matrix HeldMatrix::transposed_times(const HeldMatrix& y) const {
  require_device();
  const ProductShape shape{arrays_->cols, arrays_->rows, y.arrays_->cols};
  const DeviceArray<float> sums(shape.rows * shape.cols);
  transposed_product(plain(*arrays_), plain(*y.arrays_), shape, Store{sums.data(), shape.cols});
  Matrix out(shape.rows, shape.cols);
  sums.copy_to(out.data());
  return out;
}

Matrix HeldMatrix::column_squares() const {
  require_device();
  const DeviceArray<float> sums(arrays_->cols);
  transposed_product(Ones{}, Squared{arrays_->numbers.data(), arrays_->cols},
                     {1, arrays_->rows, arrays_->cols}, Store{sums.data(), arrays_->cols});
  Matrix out(1, arrays_->cols);
  sums.copy_to(out.data());
  return out;
}

HeldMatrix HeldMatrix::standardised(std::span<const double> mean,
                                    std::span<const double> spread) const {
  require_device();
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
  wait_for_device();
  return HeldMatrix(std::move(out));
}

int64_t HeldMatrix::distinct_rows() const {
  std::vector<unsigned long long> found(arrays_->rows);
  if (found.empty()) return 0;
  require_device();
  const DeviceArray<unsigned long long> keys(arrays_->rows);
  sum_bits<<<blocks_of(arrays_->rows, kWarps), 32 * kWarps, 0, stream()>>>(
      keys.data(), arrays_->numbers.data(), arrays_->rows, arrays_->cols);
  check(cudaGetLastError(), "starting to compare rows");
  keys.copy_to(found.data());
  std::sort(found.begin(), found.end());
  return std::unique(found.begin(), found.end()) - found.begin();
}

ColumnMoments HeldMatrix::moments() const {
  constexpr int64_t kSlice = 256;  // rows
  require_device();
  const int64_t rows = arrays_->rows, cols = arrays_->cols;
  ColumnMoments found{std::vector<double>(cols, 0.0), std::vector<double>(cols, 0.0)};
  if (rows * cols == 0) return found;
  const int64_t slices = (rows + kSlice - 1) / kSlice;
  const DeviceArray<double> parts(slices * cols), mean(cols), variance(cols);
  DeviceArray<int> largest(1);
  largest.fill_bytes(0);
  const dim3 blocks(blocks_of(cols), static_cast<unsigned>(slices));
  const auto add_up = [&](const DeviceArray<double>& out, const double* centre) {
    sum_columns<<<blocks, kThreads, 0, stream()>>>(
        parts.data(), largest.data(), arrays_->numbers.data(), centre, rows, cols, kSlice);
    divide_sums<<<blocks_of(cols), kThreads, 0, stream()>>>(out.data(), parts.data(), slices, cols,
                                                            rows);
    check(cudaGetLastError(), "starting to sum columns");
  };
  add_up(mean, nullptr);
  add_up(variance, mean.data());
  int bits = 0;
  mean.copy_to(found.mean.data());
  variance.copy_to(found.variance.data());
  largest.copy_to(&bits);
  found.largest = std::bit_cast<float>(bits);
  return found;
}

Matrix HeldMatrix::logits(const CurvedHead& head) const {
  constexpr int64_t kMostAtOnce = int64_t{1} << 26;  // numbers of K
  require_device();
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
  require_device();
  Matrix out(rows(), cols());
  arrays_->numbers.copy_to(out.data());
  return out;
}

namespace {

__global__ void weigh_classes(float* p, const double* shares, const double* mass, int64_t rows,
                              int64_t classes) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= rows) return;
  float* const row = p + i * classes;
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) {
    sum += row[c] = static_cast<float>(row[c] * shares[c] / fmax(mass[c], 1e-12));
  }
  for (int64_t c = 0; c < classes; ++c) {
    row[c] = static_cast<float>(sum > 1e-30 ? row[c] / sum : shares[c]);
  }
}

__global__ void set_classes(float* p, const int32_t* rows, const int32_t* classes, int64_t count,
                            int64_t all) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= count * all) return;
  p[rows[at / all] * all + at % all] = at % all == classes[at / all] ? 1.0f : 0.0f;
}

}  // namespace

std::vector<double> HeldClasses::mass() const {
  require_device();
  const HeldMatrix::Arrays& p = p_.arrays();
  const DeviceArray<float> sums(p.cols);
  transposed_product(Ones{}, plain(p), {1, p.rows, p.cols}, Store{sums.data(), p.cols});
  std::vector<float> found(p.cols);
  sums.copy_to(found.data());
  return {found.begin(), found.end()};
}

void HeldClasses::match_mass(std::span<const double> shares) {
  const std::vector<double> found = mass();
  const HeldMatrix::Arrays& p = p_.arrays();
  if (p.rows * p.cols == 0) return;
  const DeviceArray<double> wanted(shares.data(), p.cols), has(found.data(), p.cols);
  weigh_classes<<<blocks_of(p.rows), kThreads, 0, stream()>>>(p.numbers.data(), wanted.data(),
                                                              has.data(), p.rows, p.cols);
  check(cudaGetLastError(), "starting to weigh classes");
}

void HeldClasses::set(std::span<const int32_t> rows, std::span<const int32_t> classes) {
  const HeldMatrix::Arrays& p = p_.arrays();
  const auto count = std::ssize(rows);
  if (count * p.cols == 0) return;
  const DeviceArray<int32_t> which(rows.data(), count), labels(classes.data(), count);
  set_classes<<<blocks_of(count * p.cols), kThreads, 0, stream()>>>(p.numbers.data(), which.data(),
                                                                    labels.data(), count, p.cols);
  check(cudaGetLastError(), "starting to set classes");
}

}  // namespace glgnn::cuda
