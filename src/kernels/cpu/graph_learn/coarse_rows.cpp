#include "kernels/cpu/graph_learn/coarse_rows.h"

#if defined(__x86_64__)
// The intrinsics of GCC 12 begin with vectors that hold anything, on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#endif

#include <atomic>
#include <bit>
#include <cmath>

#include "core/parallel.h"

namespace glgnn::cpu {

#if defined(__x86_64__)

namespace {

#define GLGNN_VNNI \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma,popcnt")))

constexpr int64_t kLanes = 16;
constexpr int64_t kVectors = kPanelRows / kLanes;
constexpr int64_t kMicroRows = 8;
// Below, the bound costs as much as the product; above, sums of bytes overflow.
constexpr int64_t kFewestFeatures = 96, kMostFeatures = 32768;
constexpr float kTiny = 1e-18f;  // its square is still a normal number
static_assert(kPanelRows % kMicroRows == 0 && kPanelRows % kLanes == 0);

bool has_byte_products() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("fma");
  return has;
}

struct CoarsePanel {
  int8_t* bytes;
  int32_t* start;
  float *scale, *length, *error;
};

// Sixteen rows of a panel; false where a number is not finite.
GLGNN_VNNI bool pack_lanes(const CoarsePanel& to, const float* z, int64_t D) {
  const __m512 zero = _mm512_setzero_ps();
  __m512 highest = zero, squares = zero;
  for (int64_t f = 0; f < D; ++f) {
    const __m512 value = _mm512_load_ps(z + f * kPanelRows);
    highest = _mm512_max_ps(highest, _mm512_abs_ps(value));
    squares = _mm512_fmadd_ps(value, value, squares);
  }
  const __m512 scale = _mm512_mul_ps(highest, _mm512_set1_ps(1.0f / 127.0f));
  const __mmask16 is_large = _mm512_cmp_ps_mask(highest, _mm512_set1_ps(kTiny), _CMP_GT_OQ);
  const __m512 inverse = _mm512_maskz_div_ps(is_large, _mm512_set1_ps(127.0f), highest);
  __m512 missed = zero;
  __m512i sum = _mm512_setzero_si512();
  for (int64_t f = 0; f < D; f += 4) {
    __m512i quad = _mm512_setzero_si512();
    for (int64_t q = 0; q < 4 && f + q < D; ++q) {
      const __m512 value = _mm512_load_ps(z + (f + q) * kPanelRows);
      const __m512i whole = _mm512_cvtps_epi32(_mm512_mul_ps(value, inverse));
      const __m512 rest = _mm512_fnmadd_ps(scale, _mm512_cvtepi32_ps(whole), value);
      missed = _mm512_fmadd_ps(rest, rest, missed);
      sum = _mm512_add_epi32(sum, whole);
      const __m512i byte = _mm512_and_si512(whole, _mm512_set1_epi32(255));
      quad = _mm512_or_si512(quad, _mm512_sllv_epi32(byte, _mm512_set1_epi32(8 * q)));
    }
    _mm512_store_si512(to.bytes + f * kPanelRows, quad);
  }
  // The sums here and the product of floats are each rounded by less than this part.
  const float rounding = static_cast<float>(D + 64) * 0x1p-22f;
  const __m512 more = _mm512_set1_ps(1.0f + rounding), least = _mm512_set1_ps(kTiny);
  const __m512 length = _mm512_fmadd_ps(_mm512_sqrt_ps(squares), more, least);
  const __m512 error = _mm512_fmadd_ps(_mm512_sqrt_ps(missed), more, least);
  _mm512_store_si512(to.start, _mm512_slli_epi32(_mm512_sub_epi32(_mm512_setzero_si512(), sum), 7));
  _mm512_store_ps(to.scale, _mm512_maskz_mov_ps(is_large, scale));
  _mm512_store_ps(to.length, length);
  _mm512_store_ps(to.error, _mm512_fmadd_ps(length, _mm512_set1_ps(rounding), error));
  return _mm512_cmp_ps_mask(length, _mm512_set1_ps(HUGE_VALF), _CMP_LT_OQ) == 0xffff;
}

// q_i . q_j of kMicroRows rows and a panel of columns.
GLGNN_VNNI void byte_products(int32_t* to, const CoarseRows& rows, int64_t row, const CoarseRows& z,
                              int64_t column) {
  const int8_t* a = rows.bytes + row / kPanelRows * kPanelRows * 4 * z.quads + row % kPanelRows * 4;
  const int8_t* b = z.bytes + column * 4 * z.quads;
  __m512i sum[kMicroRows][kVectors];
  for (int64_t r = 0; r < kMicroRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      sum[r][v] = _mm512_load_si512(z.start + column + v * kLanes);
    }
  }
  // One factor has to be without sign: 128 is added to it, which `start` takes off again.
  const __m512i sign = _mm512_set1_epi32(static_cast<int32_t>(0x80808080u));
  for (int64_t q = 0; q < z.quads; ++q) {
    __m512i part[kVectors];
    for (int64_t v = 0; v < kVectors; ++v) part[v] = _mm512_load_si512(b + v * 4 * kLanes);
    for (int64_t r = 0; r < kMicroRows; ++r) {
      int32_t four;
      __builtin_memcpy(&four, a + 4 * r, 4);
      const __m512i factor = _mm512_xor_si512(_mm512_set1_epi32(four), sign);
      for (int64_t v = 0; v < kVectors; ++v) {
        __m512i more = sum[r][v];  // by _mm512_dpbusd_epi32 GCC 12 copies each sum twice
        asm("vpdpbusd %2, %1, %0" : "+v"(more) : "v"(factor), "v"(part[v]));
        sum[r][v] = more;
      }
    }
    a += 4 * kPanelRows;
    b += 4 * kPanelRows;
  }
  for (int64_t r = 0; r < kMicroRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      _mm512_store_si512(to + r * kPanelRows + v * kLanes, sum[r][v]);
    }
  }
}

// A bit for each column of a panel whose pair with the row may exceed one of the bounds.
GLGNN_VNNI uint64_t pairs_over(const int32_t* products, const CoarseRows& rows, int64_t row,
                               float row_bound, const CoarseRows& z, int64_t column,
                               const float* column_bounds, uint64_t raised, float boost) {
  const __m512 scale = _mm512_set1_ps(rows.scale[row]), error = _mm512_set1_ps(rows.error[row]);
  const __m512 whole = _mm512_set1_ps(rows.length[row] + rows.error[row]);
  const __m512 bound = _mm512_set1_ps(row_bound);
  uint64_t over = 0;
  for (int64_t v = 0; v < kPanelRows; v += kLanes) {
    const int64_t c = column + v;
    __m512 highest = _mm512_mul_ps(_mm512_mul_ps(scale, _mm512_load_ps(z.scale + c)),
                                   _mm512_cvtepi32_ps(_mm512_load_si512(products + v)));
    highest = _mm512_fmadd_ps(whole, _mm512_load_ps(z.error + c), highest);
    highest = _mm512_fmadd_ps(error, _mm512_load_ps(z.length + c), highest);
    __m512 least = _mm512_min_ps(bound, _mm512_loadu_ps(column_bounds + v));
    const auto is_raised = static_cast<__mmask16>(raised >> v);
    if (is_raised) {
      // Lower by a little more than `boost`: the sum of S and it is rounded.
      const __m512 rounding = _mm512_fmadd_ps(_mm512_abs_ps(least), _mm512_set1_ps(0x1p-22f),
                                              _mm512_set1_ps(boost * (1 + 0x1p-22f)));
      least = _mm512_mask_sub_ps(least, is_raised, least, rounding);
    }
    over |= uint64_t{_mm512_cmp_ps_mask(highest, least, _CMP_GT_OQ)} << v;
  }
  return over;
}

}  // namespace

CoarseRows pack_coarse_rows(CoarseScratch& room, const PackedRows& z, const Blocks& blocks,
                            int threads) {
  if (z.D < kFewestFeatures || z.D > kMostFeatures || !has_byte_products()) return {};
  const int64_t rows = blocks.padded_rows(), quads = (z.D + 3) / 4;
  int8_t* bytes = room.bytes.grow(rows * 4 * quads);
  int32_t* start = room.start.grow(rows);
  float* scale = room.numbers.grow(3 * rows);
  float *length = scale + rows, *error = length + rows;
  std::atomic<bool> finite = true;
  parallel_for(rows / kLanes, threads, 0, [&](int64_t lanes) {
    const int64_t row = lanes * kLanes, panel = row / kPanelRows * kPanelRows, lane = row - panel;
    if (!pack_lanes({bytes + panel * 4 * quads + lane * 4, start + row, scale + row, length + row,
                     error + row},
                    z.from(panel) + lane, z.D)) {
      finite = false;
    }
  });
  return finite ? CoarseRows{bytes, quads, start, scale, length, error} : CoarseRows{};
}

GLGNN_VNNI bool find_coarse_pairs(uint64_t* pairs, const CoarseRows& z, const BoundedRows& rows,
                                  const CoarseRows& z_of_columns, const BoundedRows& columns,
                                  const RaisedPairs& raised, int64_t most) {
  const int64_t panels = columns.count / kPanelRows;
  int64_t found = 0;
  for (int64_t p = 0; p < panels; ++p) {
    const int64_t column = columns.first + p * kPanelRows;
    for (int64_t r = 0; r < rows.count; r += kMicroRows) {
      alignas(kAlignment) int32_t products[kMicroRows * kPanelRows];
      byte_products(products, z, rows.first + r, z_of_columns, column);
      for (int64_t q = 0; q < kMicroRows; ++q) {
        const uint64_t near = raised.words ? raised.words[(r + q) * raised.stride + p] : 0;
        const uint64_t over =
            pairs_over(products + q * kPanelRows, z, rows.first + r + q, rows.bounds[r + q],
                       z_of_columns, column, columns.bounds + p * kPanelRows, near, raised.boost);
        pairs[(r + q) * panels + p] = over;
        found += std::popcount(over);
      }
    }
    if (found > most) return false;
  }
  return true;
}

#else

CoarseRows pack_coarse_rows(CoarseScratch&, const PackedRows&, const Blocks&, int) { return {}; }

bool find_coarse_pairs(uint64_t*, const CoarseRows&, const BoundedRows&, const CoarseRows&,
                       const BoundedRows&, const RaisedPairs&, int64_t) {
  return false;
}

#endif

}  // namespace glgnn::cpu
