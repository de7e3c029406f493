// The products of one tile, by a micro-kernel that holds its part of the result in registers.
//
// Against sgemm on tiles of this size it is faster because nothing is packed per call: the rows of
// Z are packed once (blocks.h) and serve as both operands, and a tile never leaves the cache.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/cpu/simd_math-inl.h"

#if defined(GLGNN_KERNELS_CPU_TILE_GEMM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GLGNN_KERNELS_CPU_TILE_GEMM_INL_H_
#undef GLGNN_KERNELS_CPU_TILE_GEMM_INL_H_
#else
#define GLGNN_KERNELS_CPU_TILE_GEMM_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// As many accumulators as the registers hold beside one row of b and one number of a.
#if HWY_TARGET <= HWY_AVX3
constexpr int64_t kMicroRows = 8;
#else
constexpr int64_t kMicroRows = 4;
#endif
constexpr int64_t kMicroVectors = 3;
// Depth of one pass, so that what is read again stays in the first cache.
constexpr int64_t kMicroDepth = 256;
static_assert(kFeatureStep % kMicroRows == 0 && kPanelRows % kMicroRows == 0);

struct ConstBlock {
  const float* data;
  int64_t stride;  // between steps of the depth
};

// c[r][v] (+)= sum over l < depth of a[l][r] b[l][v], kMicroRows x kMicroVectors vectors of c.
template <bool kAccumulate>
HWY_INLINE void micro_product(float* HWY_RESTRICT c, int64_t c_stride, ConstBlock a, ConstBlock b,
                              int64_t depth) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVec sum[kMicroRows][kMicroVectors];
  for (int64_t r = 0; r < kMicroRows; ++r) {
    for (int64_t v = 0; v < kMicroVectors; ++v) {
      sum[r][v] = kAccumulate ? hn::LoadU(d, c + r * c_stride + v * lanes) : hn::Zero(d);
    }
  }
  for (int64_t l = 0; l < depth; ++l) {
    FloatVec row[kMicroVectors];
    for (int64_t v = 0; v < kMicroVectors; ++v) row[v] = hn::LoadU(d, b.data + v * lanes);
    for (int64_t r = 0; r < kMicroRows; ++r) {
      const FloatVec factor = hn::Set(d, a.data[r]);
      for (int64_t v = 0; v < kMicroVectors; ++v) {
        sum[r][v] = hn::MulAdd(factor, row[v], sum[r][v]);
      }
    }
    a.data += a.stride;
    b.data += b.stride;
  }
  for (int64_t r = 0; r < kMicroRows; ++r) {
    for (int64_t v = 0; v < kMicroVectors; ++v) {
      hn::StoreU(sum[r][v], d, c + r * c_stride + v * lanes);
    }
  }
}

// One panel's width of c: rows x kPanelRows.
template <bool kAccumulate>
HWY_INLINE void panel_product(float* c, int64_t c_stride, int64_t rows, ConstBlock a, ConstBlock b,
                              int64_t depth) {
  const int64_t step = kMicroVectors * static_cast<int64_t>(hn::Lanes(FloatTag()));
  for (int64_t v = 0; v < kPanelRows; v += step) {
    for (int64_t r = 0; r < rows; r += kMicroRows) {
      micro_product<kAccumulate>(c + r * c_stride + v, c_stride, {a.data + r, a.stride},
                                 {b.data + v, b.stride}, depth);
    }
  }
}

// c = a b^T of two panels of D features.
HWY_INLINE void panel_pair_product(float* c, int64_t stride, const float* a, const float* b,
                                   int64_t D) {
  const int64_t first_depth = std::min(D, kMicroDepth);
  panel_product<false>(c, stride, kPanelRows, {a, kPanelRows}, {b, kPanelRows}, first_depth);
  for (int64_t f = first_depth; f < D; f += kMicroDepth) {
    panel_product<true>(c, stride, kPanelRows, {a + f * kPanelRows, kPanelRows},
                        {b + f * kPanelRows, kPanelRows}, std::min(kMicroDepth, D - f));
  }
}

// tile = Z_rows Z_columns^T; both blocks are runs of packed panels of D features.
HWY_INLINE void similarity_tile(float* tile, int64_t stride, const float* row_panels, int64_t rows,
                                const float* column_panels, int64_t columns, int64_t D) {
  for (int64_t j = 0; j < columns; j += kPanelRows) {
    for (int64_t i = 0; i < rows; i += kPanelRows) {
      panel_pair_product(tile + i * stride + j, stride, row_panels + i * D, column_panels + j * D,
                         D);
    }
  }
}

// sums += Z^T W: sums is columns x features in panels as PackedRows, Z is depth x features, W depth
// x columns.
HWY_INLINE void add_transposed_product(float* sums, int64_t columns, int64_t features, ConstBlock z,
                                       ConstBlock w, int64_t depth) {
  for (int64_t first = 0; first < depth; first += kMicroDepth) {
    const int64_t steps = std::min(kMicroDepth, depth - first);
    for (int64_t j = 0; j < columns; j += kPanelRows) {
      panel_product<true>(sums + j * features, kPanelRows, features,
                          {z.data + first * z.stride, z.stride},
                          {w.data + first * w.stride + j, w.stride}, steps);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void copy_transposed(float* to, const float* from, int64_t stride, int64_t side) {
  for (int64_t i = 0; i < side; ++i) {
    for (int64_t j = 0; j < side; ++j) to[i * stride + j] = from[j * stride + i];
  }
}

HWY_INLINE void transpose_in_place(float* tile, int64_t stride, int64_t side) {
  for (int64_t i = 0; i < side; ++i) {
    for (int64_t j = i + 1; j < side; ++j) std::swap(tile[i * stride + j], tile[j * stride + i]);
  }
}

#else

using QuadTag = hn::FixedTag<float, 4>;
using QuadVec = hn::Vec<QuadTag>;
struct Quad {
  QuadVec row[4];
};

HWY_INLINE Quad load_transposed(const float* from, int64_t stride) {
  const QuadTag d;
  const hn::FixedTag<double, 2> pairs;
  const QuadVec a = hn::Load(d, from), b = hn::Load(d, from + stride);
  const QuadVec c = hn::Load(d, from + 2 * stride), e = hn::Load(d, from + 3 * stride);
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  return {{hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low)),
           hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low)),
           hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high)),
           hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high))}};
}

HWY_INLINE void store(float* to, int64_t stride, const Quad& quad) {
  for (int64_t r = 0; r < 4; ++r) hn::Store(quad.row[r], QuadTag(), to + r * stride);
}

// Copies side x side numbers transposed; side and stride are multiples of 4.
HWY_INLINE void copy_transposed(float* to, const float* from, int64_t stride, int64_t side) {
  for (int64_t i = 0; i < side; i += 4) {
    for (int64_t j = 0; j < side; j += 4) {
      store(to + i * stride + j, stride, load_transposed(from + j * stride + i, stride));
    }
  }
}

// Transposes side x side numbers in place; side and stride are multiples of 4.
HWY_INLINE void transpose_in_place(float* tile, int64_t stride, int64_t side) {
  for (int64_t i = 0; i < side; i += 4) {
    store(tile + i * stride + i, stride, load_transposed(tile + i * stride + i, stride));
    for (int64_t j = i + 4; j < side; j += 4) {
      const Quad upper = load_transposed(tile + i * stride + j, stride);
      const Quad lower = load_transposed(tile + j * stride + i, stride);
      store(tile + j * stride + i, stride, upper);
      store(tile + i * stride + j, stride, lower);
    }
  }
}

#endif

// tile = S of one block with itself, which is symmetric: a panel pair below the diagonal is a copy
// of the one above.
HWY_INLINE void symmetric_tile(float* tile, int64_t stride, const float* row_panels,
                               const float* column_panels, int64_t rows, int64_t D) {
  for (int64_t i = 0; i < rows; i += kPanelRows) {
    for (int64_t j = i; j < rows; j += kPanelRows) {
      float* above = tile + i * stride + j;
      panel_pair_product(above, stride, row_panels + i * D, column_panels + j * D, D);
      if (j > i) copy_transposed(tile + j * stride + i, above, stride, kPanelRows);
    }
  }
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
