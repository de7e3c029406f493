// Queries on the device: [Q, U] against [scale Z, V] less the offsets, in the tiles of choose.cu.
#include <algorithm>
#include <string>

#include "kernels/cuda/choose.cuh"
#include "kernels/nearest_rows.h"

namespace glgnn::cuda {

struct HeldRows::Arrays {
  PackedRows packed;
  DeviceArray<float> offset;  // of whole blocks
  int64_t columns, labels;
};

namespace {

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

HeldRows::HeldRows(MatView<const float> z, const float* scale, const float* offset,
                   MatView<const float> v) {
  const auto lock = lock_device();
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
  const auto lock = lock_device();
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
