// The rows most similar to each row by angle, ranked, of a matrix that is on the device; and
// queries: [Q, U] against [scale Z, V] less the offsets, in the tiles of choose.cu.
#include <algorithm>
#include <string>

#include "core/cuda/device.h"
#include "kernels/cuda/choose.cuh"
#include "kernels/cuda/products.cuh"
#include "kernels/cuda/tiles.cuh"
#include "kernels/nearest_rows.h"

namespace glgnn::cuda {

struct HeldRows::Arrays {
  PackedRows packed;
  DeviceArray<float> offset;  // of whole blocks
  int64_t columns, labels;
};

namespace {

constexpr int kWarps = 8;

int blocks_of_warps(int64_t rows) { return static_cast<int>((rows + kWarps - 1) / kWarps); }

template <class T>
__device__ T warp_sum(T x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

// Rows of length 1; those of zeros stay as they are.
__global__ void make_unit(float* unit, const float* x, int64_t rows, int64_t cols) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  double squares = 0;
  for (int64_t f = threadIdx.x % 32; f < cols; f += 32) {
    squares += double{x[row * cols + f]} * x[row * cols + f];
  }
  const double length = sqrt(warp_sum(squares));
  for (int64_t f = threadIdx.x % 32; f < cols; f += 32) {
    const float value = x[row * cols + f];
    unit[row * cols + f] = length > 0 ? static_cast<float>(value / length) : value;
  }
}

// The best `kept` of the k that each row has chosen, the most similar first, the smaller of two
// that are alike. Counts the rows for which the k, chosen roughly, may lack one of these.
__global__ void rank(int32_t* ranked, int* uncertain, const int32_t* chosen, const float* unit,
                     int64_t rows, int64_t cols, int k, int kept) {
  extern __shared__ float all_scores[];
  __shared__ float ends[kWarps][2];  // the scores of the last that is kept, and of the last
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  float* const scores = all_scores + threadIdx.x / 32 * k;
  const int lane = threadIdx.x % 32;
  const int32_t* const mine = chosen + row * k;
  for (int c = 0; c < k; ++c) {
    const float* const other = unit + int64_t{mine[c]} * cols;
    float dot = 0;
    for (int64_t f = lane; f < cols; f += 32) dot = fmaf(unit[row * cols + f], other[f], dot);
    dot = warp_sum(dot);
    if (lane == 0) scores[c] = dot;
  }
  __syncwarp();
  // What is chosen ascends, so that an earlier one is the smaller.
  for (int c = lane; c < k; c += 32) {
    int before = 0;
    for (int other = 0; other < k; ++other) {
      before += scores[other] > scores[c] || (scores[other] == scores[c] && other < c);
    }
    if (before < kept) ranked[row * kept + before] = mine[c];
    if (before == kept - 1) ends[threadIdx.x / 32][0] = scores[c];
    if (before == k - 1) ends[threadIdx.x / 32][1] = scores[c];
  }
  __syncwarp();
  const float* const end = ends[threadIdx.x / 32];
  if (lane == 0 && k > kept && !(end[0] - end[1] > 2 * kRoughError)) atomicAdd(uncertain, 1);
}

constexpr int kThreads = 256;

struct Joined {
  const float *x, *scale, *labels;  // scale: null for 1; labels: null for 0
  int64_t rows, columns, label_columns;
};

__global__ void join(float* out, const __grid_constant__ Joined from) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const int64_t width = from.columns + from.label_columns, row = at / width, f = at % width;
  if (row >= from.rows) return;
  if (f < from.columns) {
    out[at] = from.x[row * from.columns + f] * (from.scale ? from.scale[row] : 1.0f);
  } else {
    out[at] = from.labels ? from.labels[row * from.label_columns + f - from.columns] : 0.0f;
  }
}

PackedRows pack_joined(const Joined& from) {
  const int64_t width = from.columns + from.label_columns, numbers = from.rows * width;
  const DeviceArray<float> joined(numbers);
  if (numbers > 0) {
    join<<<static_cast<int>((numbers + kThreads - 1) / kThreads), kThreads, 0, stream()>>>(
        joined.data(), from);
    check(cudaGetLastError(), "starting to join columns");
  }
  return pack_rows({.rows = from.rows, .cols = width, .dense = joined.data()});
}

}  // namespace

void ranked_rows(int32_t* col, const HeldMatrix& x, int64_t k) {
  require_device();
  const HeldMatrix::Arrays& held = x.arrays();
  const int64_t rows = held.rows, cols = held.cols;
  const auto kept = static_cast<int>(std::min(k, rows - 1));
  if (kept <= 0) return;
  const DeviceRows shape{.rows = rows, .cols = cols};
  // More than are wanted are chosen roughly first; most tables need no more than that.
  constexpr int kMore = 12;
  const int wide = 2 * kept + kMore;
  const bool roughly = has_tiles() && shape.slabs() > 1 && wide < rows - 1;
  const ChooseRule rough{.k = wide, .rough = true}, rule{.k = kept};
  require_memory(
      rows * cols * 4 + PackedRows::bytes(shape) + choose_bytes(shape, roughly ? rough : rule) +
          4 * rows * (kept + (roughly ? wide : kept) + 2),
      "comparing " + std::to_string(rows) + " rows of " + std::to_string(cols), "take fewer rows");
  const DeviceArray<float> unit(rows * cols);
  make_unit<<<blocks_of_warps(rows), 32 * kWarps, 0, stream()>>>(unit.data(), held.numbers.data(),
                                                                 rows, cols);
  check(cudaGetLastError(), "starting to scale rows");
  const PackedRows packed = pack_rows({.rows = rows, .cols = cols, .dense = unit.data()});
  const DeviceArray<int32_t> ranked(rows * kept);
  const DeviceArray<int64_t> counts(rows);
  // How many rows are uncertain.
  const auto choose_and_rank = [&](const ChooseRule& by) {
    DeviceArray<int> uncertain(1);
    uncertain.fill_bytes(0);
    const DeviceArray<int32_t> chosen(rows * by.k);
    choose(chosen.data(), counts.data(), nullptr, packed, by);
    const size_t room = sizeof(float) * kWarps * by.k;
    constexpr size_t kAlways = 48 * 1024 - sizeof(float) * 2 * kWarps;  // more must be asked for
    if (room > kAlways) {
      check(cudaFuncSetAttribute(rank, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(room)),
            "asking for shared memory");
    }
    rank<<<blocks_of_warps(rows), 32 * kWarps, room, stream()>>>(
        ranked.data(), uncertain.data(), chosen.data(), unit.data(), rows, cols, by.k, kept);
    check(cudaGetLastError(), "starting to rank rows");
    int found = 0;
    uncertain.copy_to(&found);
    return found;
  };
  if (!roughly || choose_and_rank(rough) > 0) choose_and_rank(rule);
  ranked.copy_to(col);
}

HeldRows::HeldRows(MatView<const float> z, const float* scale, const float* offset,
                   MatView<const float> v) {
  require_device();
  const DeviceRows shape{.rows = z.rows, .cols = z.cols + v.cols};
  require_memory(
      PackedRows::bytes(shape) + 8 * shape.rows * shape.cols + 8 * z.rows,
      std::to_string(z.rows) + " fitted rows of " + std::to_string(shape.cols) + " columns",
      "the model was fitted on too many for it");
  const DeviceArray<float> numbers(z.data, z.size()), scales(scale, z.rows),
      labels(v.data, v.size());
  auto arrays = std::make_unique<Arrays>();
  arrays->packed = pack_joined({.x = numbers.data(),
                                .scale = scales.data(),
                                .labels = labels.data(),
                                .rows = z.rows,
                                .columns = z.cols,
                                .label_columns = v.cols});
  arrays->offset = DeviceArray<float>(arrays->packed.blocks * kBlockRows);
  arrays->offset.fill_bytes(0);
  if (z.rows > 0) {
    check(cudaMemcpyAsync(arrays->offset.data(), offset, z.rows * sizeof(float),
                          cudaMemcpyHostToDevice, stream()),
          "copying to the device");
  }
  arrays->columns = z.cols;
  arrays->labels = v.cols;
  arrays_ = std::move(arrays);
}

HeldRows::~HeldRows() = default;

void HeldRows::query(int32_t* col, MatView<const float> q, MatView<const float> u,
                     int64_t k) const {
  require_device();
  const int64_t kept = std::min(k, arrays_->packed.rows);
  if (q.rows == 0 || kept <= 0) return;
  const DeviceArray<float> numbers(q.data, q.size()), labels(u.data, u.size());
  const PackedRows queries = pack_joined({.x = numbers.data(),
                                          .scale = nullptr,
                                          .labels = u.cols > 0 ? labels.data() : nullptr,
                                          .rows = q.rows,
                                          .columns = arrays_->columns,
                                          .label_columns = arrays_->labels});
  const DeviceArray<int32_t> chosen(q.rows * kept);
  const DeviceArray<int64_t> counts(q.rows);
  choose(chosen.data(), counts.data(), nullptr, {queries, 0, q.rows}, arrays_->packed,
         {.k = static_cast<int>(kept), .diagonal = true, .column_bias = arrays_->offset.data()});
  chosen.copy_to(col);
}

}  // namespace glgnn::cuda
