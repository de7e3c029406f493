#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/graph_learn/dense_backward.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/cpu/graph_learn/packed_rows.h"
#include "kernels/cpu/graph_learn/tile_gemm-inl.h"
#include "kernels/cpu/scratch.h"
#include "kernels/graph_learn.h"

#ifndef GLGNN_KERNELS_CPU_GRAPH_LEARN_DENSE_BACKWARD_ONCE_
#define GLGNN_KERNELS_CPU_GRAPH_LEARN_DENSE_BACKWARD_ONCE_
namespace glgnn::cpu {
namespace {

struct BackwardJob {
  const Blocks& blocks;
  PackedRows z;
  const float* z_rows;  // Z by rows, padded to `features` columns
  int64_t features;
  const float* lse;  // padded to whole panels
  const float* d_lse;
  float* sums;  // d_Z, for each block features x rows
  bool diagonal;
};

}  // namespace
}  // namespace glgnn::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

void weigh_block_pair(const BackwardJob& job, float* tile, int64_t i, int64_t j) {
  const int64_t stride = job.blocks.tile_stride();
  const int64_t first_i = job.blocks.first(i), first_j = job.blocks.first(j);
  for (int64_t r = 0; r < job.blocks.size(i); ++r) {
    float* row = tile + r * stride;
    lse_weights(row, job.lse[first_i + r], job.d_lse[first_i + r], job.lse + first_j,
                job.d_lse + first_j, job.blocks.padded(j));
    if (i == j && !job.diagonal) row[r] = 0;
  }
}

// d_Z of block j += W^T Z_i, from the tile W of (i, j).
void add_gradient(const BackwardJob& job, const float* tile, int64_t i, int64_t j) {
  add_transposed_product(job.sums + job.blocks.first(j) * job.features, job.blocks.padded(j),
                         job.features,
                         {job.z_rows + job.blocks.first(i) * job.features, job.features},
                         {tile, job.blocks.tile_stride()}, job.blocks.size(i));
}

void backward_block_pair(const BackwardJob& job, float* tile, int64_t i, int64_t j) {
  similarity_tile(tile, job.blocks.tile_stride(), job.z.from(job.blocks.first(i)),
                  job.blocks.padded(i), job.z.from(job.blocks.first(j)), job.blocks.padded(j),
                  job.z.D);
  weigh_block_pair(job, tile, i, j);
  add_gradient(job, tile, i, j);
  if (i == j) return;
  transpose_in_place(tile, job.blocks.tile_stride(),
                     std::max(job.blocks.padded(i), job.blocks.padded(j)));
  add_gradient(job, tile, j, i);
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {

HWY_EXPORT(backward_block_pair);

// Kept between calls, by each thread that calls.
struct BackwardScratch {
  Scratch<float> packed, tiles, z_rows, lse, d_lse, sums;
};
thread_local BackwardScratch scratch;

// Z with its columns padded with zeros to `features`; Z itself where nothing is to be padded.
const float* pad_features(MatView<const float> z, int64_t features) {
  if (z.cols == features) return z.data;
  float* padded = scratch.z_rows.grow(z.rows * features);
  for (int64_t i = 0; i < z.rows; ++i) {
    std::copy(z[i], z[i] + z.cols, padded + i * features);
    std::fill(padded + i * features + z.cols, padded + (i + 1) * features, 0.0f);
  }
  return padded;
}

const float* pad_vector(Scratch<float>& room, const float* from, const Blocks& blocks) {
  float* padded = room.grow(blocks.padded_rows());
  std::copy(from, from + blocks.rows(), padded);
  std::fill(padded + blocks.rows(), padded + blocks.padded_rows(), 0.0f);
  return padded;
}

// d_z += the sums, which are by blocks and transposed.
void add_sums(MatView<float> d_z, const BackwardJob& job, int threads) {
  parallel_for(job.blocks.count(), threads, 1, [&](int64_t b) {
    const float* sums = job.sums + job.blocks.first(b) * job.features;
    for (int64_t r = 0; r < job.blocks.size(b); ++r) {
      float* to = d_z[job.blocks.first(b) + r];
      for (int64_t f = 0; f < d_z.cols; ++f) to[f] += sums[f * job.blocks.padded(b) + r];
    }
  });
}

}  // namespace

void graph_learn_lse_backward(MatView<float> d_z, const float* d_lse, const ZDense<float>& z,
                              const float* lse, bool diagonal, int threads) {
  const Blocks blocks(z.rows());
  const int64_t features = round_up(z.z.cols, kFeatureStep);
  const BackwardJob job{blocks,
                        pack_rows(scratch.packed, z, blocks, threads),
                        pad_features(z.z, features),
                        features,
                        pad_vector(scratch.lse, lse, blocks),
                        pad_vector(scratch.d_lse, d_lse, blocks),
                        scratch.sums.grow_zeroed(blocks.padded_rows() * features),
                        diagonal};
  float* tiles = scratch.tiles.grow_zeroed(threads * blocks.tile_size());
  for_each_block_pair(blocks, threads, [&](int64_t i, int64_t j, int thread) {
    HWY_DYNAMIC_DISPATCH(backward_block_pair)(job, tiles + thread * blocks.tile_size(), i, j);
  });
  add_sums(d_z, job, threads);
}

}  // namespace glgnn::cpu
#endif
