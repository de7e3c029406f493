#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/graph_learn_dense.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/blocks.h"
#include "kernels/cpu/row_handler-inl.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/tile_gemm-inl.h"
#include "kernels/graph_learn.h"

#ifndef GLGNN_KERNELS_CPU_GRAPH_LEARN_DENSE_ONCE_
#define GLGNN_KERNELS_CPU_GRAPH_LEARN_DENSE_ONCE_
namespace glgnn::cpu {
namespace {

// Z in panels of kPanelRows rows, feature by feature: number (i, f) is at
// i / kPanelRows * kPanelRows * D + f * kPanelRows + i % kPanelRows. The last panel is filled with
// zeros.
struct PackedRows {
  const float* data;
  int64_t D;
  const float* from(int64_t first_row) const { return data + first_row * D; }
};

struct ChooseJob {
  const Blocks& blocks;
  PackedRows z;
  const RowRule& rule;
  RowState* states;
  int32_t* candidates;

  Candidates candidates_of(int64_t row) const {
    int32_t* at = candidates + 2 * rule.capacity() * row;
    return {at, at + rule.capacity()};
  }
};

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

void block_similarity(float* tile, const Blocks& blocks, const PackedRows& z, int64_t i,
                      int64_t j) {
  similarity_tile(tile, blocks.tile_stride(), z.from(blocks.first(i)), blocks.padded(i),
                  z.from(blocks.first(j)), blocks.padded(j), z.D);
}

// Feeds the rows of block i with a tile whose columns are block j.
void add_tile(const ChooseJob& job, float* tile, float* t, int64_t i, int64_t j) {
  const int64_t first_row = job.blocks.first(i), rows = job.blocks.size(i);
  const int64_t first_column = job.blocks.first(j), columns = job.blocks.size(j);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t row = first_row + r;
    add_segment(job.states[row], job.candidates_of(row), tile + r * job.blocks.tile_stride(), t,
                row, first_column, columns, job.rule);
  }
}

void choose_block_pair(const ChooseJob& job, float* tile, float* t, int64_t i, int64_t j) {
  block_similarity(tile, job.blocks, job.z, i, j);
  add_tile(job, tile, t, i, j);
  if (i == j) return;
  transpose_in_place(tile, job.blocks.tile_stride(),
                     std::max(job.blocks.padded(i), job.blocks.padded(j)));
  add_tile(job, tile, t, j, i);
}

int64_t finish_dense_row(const ChooseJob& job, int64_t row, int32_t* col, const Marks& marks) {
  return finish_row(job.states[row], job.candidates_of(row), col, marks, job.rule);
}

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
  block_similarity(tile, job.blocks, job.z, i, j);
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

HWY_EXPORT(choose_block_pair);
HWY_EXPORT(finish_dense_row);
HWY_EXPORT(backward_block_pair);

// Kept between calls, by each thread that calls.
struct DenseScratch {
  Scratch<float> packed, tiles, z_rows, lse, d_lse, sums;
  Scratch<RowState> states;
  Scratch<int32_t> candidates;
  Scratch<uint64_t> marks;
};
thread_local DenseScratch scratch;

PackedRows pack_rows(MatView<const float> z, const Blocks& blocks, int threads) {
  float* packed = scratch.packed.grow(blocks.padded_rows() * z.cols);
#pragma omp parallel for num_threads(threads)
  for (int64_t first = 0; first < z.rows; first += kPanelRows) {
    float* panel = packed + first * z.cols;
    const int64_t rows = std::min(kPanelRows, z.rows - first);
    if (rows < kPanelRows) std::fill(panel, panel + kPanelRows * z.cols, 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t f = 0; f < z.cols; ++f) panel[f * kPanelRows + r] = z[first + r][f];
    }
  }
  return {packed, z.cols};
}

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
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t b = 0; b < job.blocks.count(); ++b) {
    const float* sums = job.sums + job.blocks.first(b) * job.features;
    for (int64_t r = 0; r < job.blocks.size(b); ++r) {
      float* to = d_z[job.blocks.first(b) + r];
      for (int64_t f = 0; f < d_z.cols; ++f) to[f] += sums[f * job.blocks.padded(b) + r];
    }
  }
}

}  // namespace

void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZDense<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options, int threads) {
  const Blocks blocks(z.rows());
  const RowRule rule(hops, options, z.rows(), lse != nullptr);
  const ChooseJob job{blocks, pack_rows(z.z, blocks, threads), rule, scratch.states.grow(z.rows()),
                      scratch.candidates.grow(2 * rule.capacity() * z.rows())};
  std::fill(job.states, job.states + z.rows(), RowState());
  const int64_t room = blocks.tile_size() + blocks.tile_stride();
  float* tiles = scratch.tiles.grow_zeroed(threads * room);
  for_each_block_pair(blocks, threads, [&](int64_t i, int64_t j, int thread) {
    float* tile = tiles + thread * room;
    HWY_DYNAMIC_DISPATCH(choose_block_pair)(job, tile, tile + blocks.tile_size(), i, j);
  });
  const int64_t words = Marks::words(z.rows());
  uint64_t* marks = scratch.marks.grow_zeroed(threads * words);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < z.rows(); ++i) {
    count[i] = HWY_DYNAMIC_DISPATCH(finish_dense_row)(
        job, i, col + i * options.k, Marks{marks + omp_get_thread_num() * words, words});
    if (lse) lse[i] = log_sum_exp(job.states[i]);
  }
}

void graph_learn_lse_backward(MatView<float> d_z, const float* d_lse, const ZDense<float>& z,
                              const float* lse, bool diagonal, int threads) {
  const Blocks blocks(z.rows());
  const int64_t features = round_up(z.z.cols, kFeatureStep);
  const BackwardJob job{blocks,
                        pack_rows(z.z, blocks, threads),
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
