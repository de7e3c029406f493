// What kernels/graph_learn.h and kernels/nearest_rows.h promise of the device: numbers of the host
// in, results to the host.
#include <glgnn/error.h>

#include <cmath>
#include <optional>
#include <string>

#include "core/cuda/device.h"
#include "kernels/cuda/choose.cuh"
#include "kernels/graph_learn.h"
#include "kernels/nearest_rows.h"

namespace glgnn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

int blocks_of_warps(int64_t rows) { return static_cast<int>((rows + kWarps - 1) / kWarps); }

__device__ float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

__global__ void find_half_squares(float* half_square, DeviceRows z, int64_t padded) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= padded) return;
  float square = 0;
  for (int64_t f = threadIdx.x % 32; row < z.rows && f < z.cols; f += 32) {
    square = fmaf(z.dense[row * z.cols + f], z.dense[row * z.cols + f], square);
  }
  square = warp_sum(square);
  if (threadIdx.x % 32 == 0) half_square[row] = square / 2;
}

struct Near {
  const int64_t* row_ptr;
  const int32_t* col;
  const float* h;
  float log_other;
  bool diagonal, positive_only;
};

// t of a near pair, less what all other pairs of the row have too.
__device__ float near_score(const Near& near, int64_t e, int64_t row, float s) {
  if ((!near.diagonal && near.col[e] == row) || (near.positive_only && !(s > 0))) return -INFINITY;
  return s + (logf(near.h[e]) - near.log_other);
}

// A warp for each row.
__global__ void score_near_dense(float* score, DeviceRows z, Near near) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= z.rows) return;
  const float* own = z.dense + row * z.cols;
  for (int64_t e = near.row_ptr[row]; e < near.row_ptr[row + 1]; ++e) {
    const float* other = z.dense + near.col[e] * z.cols;
    float s = 0;
    for (int64_t f = threadIdx.x % 32; f < z.cols; f += 32) s = fmaf(own[f], other[f], s);
    s = warp_sum(s);
    if (threadIdx.x % 32 == 0) score[e] = near_score(near, e, row, s);
  }
}

// A warp for each row, a lane for each of its near pairs.
__global__ void score_near_sparse(float* score, DeviceRows z, Near near) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= z.rows) return;
  for (int64_t e = near.row_ptr[row] + threadIdx.x % 32; e < near.row_ptr[row + 1]; e += 32) {
    int64_t a = z.row_ptr[row], b = z.row_ptr[near.col[e]];
    const int64_t a_end = z.row_ptr[row + 1], b_end = z.row_ptr[near.col[e] + 1];
    float s = 0;
    while (a < a_end && b < b_end) {
      const int32_t left = z.col[a], right = z.col[b];
      if (left == right) s = fmaf(z.values[a], z.values[b], s);
      a += left <= right;
      b += right <= left;
    }
    score[e] = near_score(near, e, row, s);
  }
}

// The near pairs of a choice with their scores, on the device.
class ScoredNear {
 public:
  explicit ScoredNear(const HopWeights<float>& hops) : hops_(hops), near_(hops.near) {}

  int64_t bytes() const { return near_.nnz() * 12 + near_.rows * 8; }

  NearScores score(const DeviceRows& z, const ChooseOptions& options) {
    if (near_.rows == 0) return {};
    const int64_t pairs = near_.nnz();
    row_ptr_ = DeviceArray<int64_t>(near_.row_ptr, near_.rows + 1);
    col_ = DeviceArray<int32_t>(near_.col, pairs);
    score_ = DeviceArray<float>(pairs);
    h_ = DeviceArray<float>(hops_.h, pairs);
    const Near near{.row_ptr = row_ptr_.data(),
                    .col = col_.data(),
                    .h = h_.data(),
                    .log_other = std::log(hops_.h_other),
                    .diagonal = options.diagonal,
                    .positive_only = options.positive_only};
    const auto kernel = z.is_sparse() ? score_near_sparse : score_near_dense;
    kernel<<<blocks_of_warps(z.rows), kThreads, 0, stream()>>>(score_.data(), z, near);
    check(cudaGetLastError(), "starting to score near pairs");
    return {row_ptr_.data(), col_.data(), score_.data()};
  }

 private:
  const HopWeights<float>& hops_;
  PatternView near_;
  DeviceArray<int64_t> row_ptr_;
  DeviceArray<int32_t> col_;
  DeviceArray<float> score_, h_;
};

int64_t host_bytes(const ZDense<float>& z) { return z.z.size() * 4; }
int64_t host_bytes(const ZSparse<float>& z) { return z.pattern.nnz() * 8 + z.rows() * 8; }
DeviceRows shape_of(const ZDense<float>& z) { return {.rows = z.z.rows, .cols = z.z.cols}; }
DeviceRows shape_of(const ZSparse<float>& z) {
  return {.rows = z.pattern.rows, .cols = z.pattern.cols};
}

// Rows, k and slots are whole numbers of 31 bits there.
void require_size(const DeviceRows& z, int64_t k) {
  if (z.rows < (int64_t{1} << 31) - 128 && k < (1 << 24)) return;
  throw Error(ErrorKind::kUnsupported, "found " + std::to_string(z.rows) +
                                           " rows and k = " + std::to_string(k) +
                                           ", expected fewer than 2^31 rows and k under 2^24 on "
                                           "the device; the processor has no such limit");
}

std::string rows_by_columns(const DeviceRows& z) {
  return std::to_string(z.rows) + " rows of " + std::to_string(z.cols) + " columns";
}

constexpr const char* kAdvice = "it grows in proportion to the rows and to the columns: take fewer";

template <class Z>
void choose_for_host(int32_t* col, int64_t* count, float* lse, const Z& z,
                     const HopWeights<float>& hops, const ChooseOptions& options, bool nearest) {
  const auto lock = lock_device();
  const DeviceRows shape = shape_of(z);
  require_size(shape, options.k);
  if (shape.rows == 0) return;
  ChooseRule rule{.k = static_cast<int>(options.k),
                  .diagonal = options.diagonal,
                  .positive_only = options.positive_only};
  ScoredNear near(hops);
  require_memory(host_bytes(z) + PackedRows::bytes(shape) + choose_bytes(shape, rule) +
                     near.bytes() + (hops.shells ? DeviceHops::bytes(*hops.shells) : 0) +
                     shape.rows * (options.k * 4 + 12),
                 "choosing neighbours of " + rows_by_columns(shape), kAdvice);
  const OwnedRows rows = copy_rows(z);
  const PackedRows packed = pack_rows(rows.view);
  rule.near = near.score(rows.view, options);
  const int64_t padded = packed.blocks * kBlockRows;
  const DeviceArray<float> half_squares(nearest ? padded : 0);
  if (nearest) {
    find_half_squares<<<blocks_of_warps(padded), kThreads, 0, stream()>>>(half_squares.data(),
                                                                          rows.view, padded);
    check(cudaGetLastError(), "starting to measure the rows");
    rule.column_bias = half_squares.data();
  }
  const DeviceArray<int32_t> chosen(shape.rows * options.k);
  const DeviceArray<int64_t> counts(shape.rows);
  const DeviceArray<float> sums(lse ? shape.rows : 0);
  std::optional<DeviceHops> marked;
  if (hops.shells) marked.emplace(*hops.shells, hops.h_of_shell);
  const int64_t at_once = marked ? marked->rows_at_once() : shape.rows;
  for (int64_t first = 0; first < shape.rows; first += at_once) {
    const int64_t size = std::min(at_once, shape.rows - first);
    if (marked) rule.hops = marked->mark(first, size);
    choose(chosen.data() + first * options.k, counts.data() + first,
           lse ? sums.data() + first : nullptr, {packed, first, size}, packed, rule);
  }
  chosen.copy_to(col);
  if (count) counts.copy_to(count);
  if (lse) sums.copy_to(lse);
}

template <class Z>
void backward_for_host(float* d_z, int64_t numbers, const float* d_lse, const Z& z,
                       const float* lse, bool diagonal) {
  const auto lock = lock_device();
  const DeviceRows shape = shape_of(z);
  require_size(shape, 0);
  if (shape.rows == 0 || numbers == 0) return;
  require_memory(2 * host_bytes(z) + PackedRows::bytes(shape) + lse_backward_bytes(shape),
                 "the gradient of the softmax over " + rows_by_columns(shape), kAdvice);
  const OwnedRows rows = copy_rows(z);
  const PackedRows packed = pack_rows(rows.view);
  const DeviceArray<float> sums(lse, shape.rows), d_sums(d_lse, shape.rows);
  const DeviceArray<float> gradient(d_z, numbers);
  lse_backward(gradient.data(), d_sums.data(), rows.view, packed, sums.data(), diagonal);
  gradient.copy_to(d_z);
}

}  // namespace

void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZDense<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options) {
  choose_for_host(col, count, lse, z, hops, options, false);
}

void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZSparse<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options) {
  choose_for_host(col, count, lse, z, hops, options, false);
}

void graph_learn_lse_backward(MatView<float> d_z, const float* d_lse, const ZDense<float>& z,
                              const float* lse, bool diagonal) {
  backward_for_host(d_z.data, d_z.size(), d_lse, z, lse, diagonal);
}

void graph_learn_lse_backward(float* d_z, const float* d_lse, const ZSparse<float>& z,
                              const float* lse, bool diagonal) {
  backward_for_host(d_z, z.pattern.nnz(), d_lse, z, lse, diagonal);
}

void nearest_rows(int32_t* col, MatView<const float> z, int64_t k) {
  choose_for_host(col, nullptr, nullptr, ZDense<float>{z}, {},
                  {.k = std::min(k, std::max<int64_t>(z.rows - 1, 0))}, true);
}

}  // namespace glgnn::cuda
