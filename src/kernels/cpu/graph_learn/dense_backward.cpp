#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/graph_learn/dense_backward.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/check.h"
#include "core/parallel.h"
#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/cpu/graph_learn/packed_rows.h"
#include "kernels/cpu/graph_learn/tile_gemm-inl.h"
#include "kernels/cpu/scratch.h"
#include "kernels/graph_learn.h"
#include "kernels/rows_apart.h"

#ifndef GLGNN_KERNELS_CPU_GRAPH_LEARN_DENSE_BACKWARD_ONCE_
#define GLGNN_KERNELS_CPU_GRAPH_LEARN_DENSE_BACKWARD_ONCE_
namespace glgnn::cpu {
namespace {

// A run of rows: all, or those that one process has.
struct BackwardRun {
  const Blocks& blocks;
  PackedRows z;
  const float* z_rows;  // Z by rows, padded to `features` columns
  const float* lse;     // padded to whole panels
  const float* d_lse;
  float* sums;  // d_Z, in panels of `features`
};

struct BackwardJob {
  int64_t features;
  bool diagonal;
  int64_t stride;  // between the rows of a tile
};

}  // namespace
}  // namespace glgnn::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// d_Z of block j += W^T Z_i, from the tile W of (i, j).
void add_gradient(const BackwardJob& job, const float* tile, const BackwardRun& rows, int64_t i,
                  const BackwardRun& columns, int64_t j) {
  add_transposed_product(columns.sums + columns.blocks.first(j) * job.features,
                         columns.blocks.padded(j), job.features,
                         {rows.z_rows + rows.blocks.first(i) * job.features, job.features},
                         {tile, job.stride}, rows.blocks.size(i));
}

void backward_block_pair(const BackwardJob& job, float* tile, const BackwardRun& rows, int64_t i,
                         const BackwardRun& columns, int64_t j) {
  const int64_t first_i = rows.blocks.first(i), first_j = columns.blocks.first(j);
  const int64_t padded_i = rows.blocks.padded(i), padded_j = columns.blocks.padded(j);
  const bool is_same = &rows == &columns && i == j;
  similarity_tile(tile, job.stride, rows.z.from(first_i), padded_i, columns.z.from(first_j),
                  padded_j, rows.z.D);
  for (int64_t r = 0; r < rows.blocks.size(i); ++r) {
    float* row = tile + r * job.stride;
    lse_weights(row, rows.lse[first_i + r], rows.d_lse[first_i + r], columns.lse + first_j,
                columns.d_lse + first_j, padded_j);
    if (is_same && !job.diagonal) row[r] = 0;
  }
  add_gradient(job, tile, rows, i, columns, j);
  if (is_same) return;
  transpose_in_place(tile, job.stride, std::max(padded_i, padded_j));
  add_gradient(job, tile, columns, j, rows, i);
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {

HWY_EXPORT(backward_block_pair);

// The memory of a run.
class BackwardRoom {
 public:
  BackwardRun pack(MatView<const float> z, const Blocks& blocks, const float* lse,
                   const float* d_lse, int64_t features, int threads) {
    return {blocks,
            pack_rows(packed_, ZDense<float>{z}, blocks, threads),
            pad_features(z, features),
            pad_vector(lse_, lse, blocks),
            pad_vector(d_lse_, d_lse, blocks),
            sums_.grow_zeroed(blocks.padded_rows() * features)};
  }

 private:
  // Z with its columns padded with zeros to `features`; Z itself where nothing is to be padded.
  const float* pad_features(MatView<const float> z, int64_t features) {
    if (z.cols == features) return z.data;
    float* padded = z_rows_.grow(z.rows * features);
    for (int64_t i = 0; i < z.rows; ++i) {
      std::copy(z[i], z[i] + z.cols, padded + i * features);
      std::fill(padded + i * features + z.cols, padded + (i + 1) * features, 0.0f);
    }
    return padded;
  }

  static const float* pad_vector(Scratch<float>& room, const float* from, const Blocks& blocks) {
    float* padded = room.grow(blocks.padded_rows());
    std::copy(from, from + blocks.rows(), padded);
    std::fill(padded + blocks.rows(), padded + blocks.padded_rows(), 0.0f);
    return padded;
  }

  Scratch<float> packed_, z_rows_, lse_, d_lse_, sums_;
};

// Kept between calls, by each thread that calls.
struct BackwardScratch {
  BackwardRoom run;
  Scratch<float> tiles;
};
thread_local BackwardScratch scratch;

// Where the sum of row i and feature 0 is; the next feature's is kPanelRows further.
float* sums_of(const BackwardRun& run, int64_t features, int64_t i) {
  return run.sums + i / kPanelRows * kPanelRows * features + i % kPanelRows;
}

// d_z += the sums.
void add_sums(MatView<float> d_z, const BackwardRun& run, int64_t features, int threads) {
  for_row_ranges(d_z.rows, d_z.size(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* sums = sums_of(run, features, i);
      for (int64_t f = 0; f < d_z.cols; ++f) d_z[i][f] += sums[f * kPanelRows];
    }
  });
}

// The tiles of two runs, one for each thread.
class BackwardTiles {
 public:
  BackwardTiles(Scratch<float>& room, const Blocks& one, const Blocks& other, int threads)
      : stride_(std::max(one.tile_stride(), other.tile_stride())),
        size_(std::max(one.longest(), other.longest()) * stride_),
        tiles_(room.grow_zeroed(threads * size_)) {}
  int64_t stride() const { return stride_; }
  float* of(int thread) const { return tiles_ + thread * size_; }

 private:
  int64_t stride_, size_;
  float* tiles_;
};

void compare_run(const BackwardRun& run, int64_t features, bool diagonal, Scratch<float>& room,
                 int threads) {
  const BackwardTiles tiles(room, run.blocks, run.blocks, threads);
  const BackwardJob job{features, diagonal, tiles.stride()};
  for_each_block_pair(run.blocks, threads, [&](int64_t i, int64_t j, int thread) {
    HWY_DYNAMIC_DISPATCH(backward_block_pair)(job, tiles.of(thread), run, i, run, j);
  });
}

}  // namespace

void graph_learn_lse_backward(MatView<float> d_z, const float* d_lse, const ZDense<float>& z,
                              const float* lse, bool diagonal, int threads) {
  const Blocks blocks(z.rows());
  const int64_t features = round_up(z.z.cols, kFeatureStep);
  const BackwardRun run = scratch.run.pack(z.z, blocks, lse, d_lse, features, threads);
  compare_run(run, features, diagonal, scratch.tiles, threads);
  add_sums(d_z, run, features, threads);
}

struct OwnGradient::State {
  State(MatView<const float> z, const float* lse, const float* d_lse, int thread_count)
      : threads(thread_count),
        features(round_up(z.cols, kFeatureStep)),
        blocks(z.rows),
        run(room.pack(z, blocks, lse, d_lse, features, threads)) {}

  int threads;
  int64_t features;
  Blocks blocks;
  BackwardRoom room, visitors_room;
  Scratch<float> tiles;
  BackwardRun run;
};

OwnGradient::OwnGradient(MatView<const float> z, const float* lse, const float* d_lse, int threads)
    : state_(std::make_unique<State>(z, lse, d_lse, threads)) {}

OwnGradient::~OwnGradient() = default;

void OwnGradient::compare_own() {
  compare_run(state_->run, state_->features, false, state_->tiles, state_->threads);
}

void OwnGradient::host(MatView<float> d_visitors, MatView<const float> visitors, const float* lse,
                       const float* d_lse, int64_t begin, int64_t end) {
  State& s = *state_;
  if (begin == end || visitors.rows == 0) return;
  GLGNN_ASSERT(begin % kPanelRows == 0);
  const Blocks part(end - begin), theirs(visitors.rows);
  const BackwardRun own{part,
                        {s.run.z.from(begin), s.run.z.D},
                        s.run.z_rows + begin * s.features,
                        s.run.lse + begin,
                        s.run.d_lse + begin,
                        s.run.sums + begin * s.features};
  const BackwardRun run = s.visitors_room.pack(visitors, theirs, lse, d_lse, s.features, s.threads);
  const BackwardTiles tiles(s.tiles, part, theirs, s.threads);
  const BackwardJob job{s.features, false, tiles.stride()};
  for_each_pair_between(part, theirs, s.threads, [&](int64_t i, int64_t j, int thread) {
    HWY_DYNAMIC_DISPATCH(backward_block_pair)(job, tiles.of(thread), own, i, run, j);
  });
  add_sums(d_visitors, run, s.features, s.threads);
}

void OwnGradient::take(MatView<const float> d_z, int64_t begin) {
  State& s = *state_;
  for (int64_t r = 0; r < d_z.rows; ++r) {
    float* sums = sums_of(s.run, s.features, begin + r);
    for (int64_t f = 0; f < d_z.cols; ++f) sums[f * kPanelRows] += d_z[r][f];
  }
}

void OwnGradient::finish(MatView<float> d_z) {
  add_sums(d_z, state_->run, state_->features, state_->threads);
}

}  // namespace glgnn::cpu
#endif
