#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/layers.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/blas.h"
#include "kernels/cpu/dropout-inl.h"
#include "kernels/cpu/scratch.h"
#include "kernels/dense.h"
#include "kernels/layers.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// y = x * keep / (1 - rate) of n elements, the first of which has number 4 b.
void dropout_elements(float* y, const float* x, uint64_t b, int64_t n, float rate, const Rng& rng) {
  const int32_t least = first_kept(rate);
  for (int64_t i = 0; i < n; i += 64, b += 16) {
    keep_by_bits(y + i, x + i, kept_bits(b, least, rng), std::min<int64_t>(64, n - i),
                 1.0f / (1.0f - rate));
  }
}

// Draws the bits of the n elements from number `first` on, a multiple of 64.
void draw_bits(uint64_t* bits, int64_t first, int64_t n, float rate, const Rng& rng) {
  const int32_t least = first_kept(rate);
  for (int64_t i = 0; i < n; i += 64) {
    *bits++ = kept_bits(static_cast<uint64_t>((first + i) / 4), least, rng);
  }
}

void keep_drawn(float* y, const float* x, const uint64_t* bits, int64_t n, float scale) {
  for (int64_t i = 0; i < n; i += 64) {
    keep_by_bits(y + i, x + i, *bits++, std::min<int64_t>(64, n - i), scale);
  }
}

void relu_rows(float* h, int64_t n) {
  for (int64_t e = 0; e < n; ++e) h[e] = h[e] > 0 ? h[e] : 0.0f;
}

// d_h = d_h * scale where h is not 0, else 0; its columns are added to `sums`.
void mask_rows(float* d_h, double* sums, const float* h, int64_t rows, int64_t cols, float scale) {
  std::vector<float> column(cols, 0.0f);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t u = 0; u < cols; ++u) {
      const float pulled = d_h[i * cols + u] * scale;
      const float stays = h[i * cols + u] != 0 ? pulled : 0.0f;
      d_h[i * cols + u] = stays;
      column[u] += stays;
    }
  }
  for (int64_t u = 0; u < cols; ++u) sums[u] += column[u];
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {

HWY_EXPORT(dropout_elements);

// Elements that one thread draws at a time.
constexpr int64_t kChunk = 1024, kFewChunks = 16;

// work(begin, end) on pieces of n elements.
template <class Work>
void for_chunks(int64_t n, int threads, Work&& work) {
  const int64_t chunks = (n + kChunk - 1) / kChunk;
  parallel_for(chunks, chunks > kFewChunks ? threads : 1, 0,
               [&](int64_t chunk) { work(chunk * kChunk, std::min(n, (chunk + 1) * kChunk)); });
}

}  // namespace

void dropout_part(float* y, const float* x, int64_t first, int64_t n, float rate, const Rng& rng,
                  int threads) {
  for_chunks(n, threads, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(dropout_elements)
    (y + begin, x + begin, static_cast<uint64_t>((first + begin) / 4), end - begin, rate, rng);
  });
}

void dropout_forward(float* y, const float* x, int64_t n, float rate, const Rng& rng, int threads) {
  dropout_part(y, x, 0, n, rate, rng, threads);
}

void dropout_backward(float* d_x, const float* d_y, int64_t n, float rate, const Rng& rng,
                      int threads, int64_t first) {
  for_chunks(n, threads, [&](int64_t begin, int64_t end) {
    float pulled[kChunk];
    HWY_DYNAMIC_DISPATCH(dropout_elements)
    (pulled, d_y + begin, static_cast<uint64_t>((first + begin) / 4), end - begin, rate, rng);
    for (int64_t i = begin; i < end; ++i) d_x[i] += pulled[i - begin];
  });
}

namespace {

// Kept between calls, by each thread that calls.
thread_local Scratch<float> dropped_rows;

// work(dropped, first) for each block of rows, the first of which is row `first` of x.
template <class Work>
void for_dropped_blocks(MatView<const float> x, float rate, const Rng& rng, int threads,
                        int64_t first_row, Work&& work) {
  const int64_t step = std::min(dropout_block_rows(x.cols), x.rows);
  float* dropped = dropped_rows.grow(step * x.cols);
  for (int64_t first = 0; first < x.rows; first += step) {
    const int64_t rows = std::min(step, x.rows - first);
    dropout_part(dropped, x[first], (first_row + first) * x.cols, rows * x.cols, rate, rng,
                 threads);
    work(MatView<const float>{dropped, rows, x.cols}, first);
  }
}

}  // namespace

// 16 MB, so that the products are as fast as of the whole; a multiple of 4 rows, because random
// numbers come by four.
int64_t dropout_block_rows(int64_t cols) {
  constexpr int64_t kNumbers = int64_t{1} << 22;
  return std::max<int64_t>(kNumbers / std::max<int64_t>(cols, 1) / 256, 1) * 256;
}

void dropout_linear_forward(MatView<float> y, MatView<const float> x, MatView<const float> w,
                            float rate, const Rng& rng, int threads, int64_t first_row) {
  const auto multiply = [&](MatView<const float> dropped, int64_t first) {
    gemm({y[first], dropped.rows, y.cols}, dropped, w, {}, threads);
  };
  for_dropped_blocks(x, rate, rng, threads, first_row, multiply);
}

void dropout_linear_backward(MatView<float> d_w, MatView<const float> d_y, MatView<const float> x,
                             float rate, const Rng& rng, int threads, int64_t first_row) {
  const auto multiply = [&](MatView<const float> dropped, int64_t first) {
    gemm(d_w, dropped, {d_y[first], dropped.rows, d_y.cols},
         {.transpose_a = true, .accumulate = true}, threads);
  };
  for_dropped_blocks(x, rate, rng, threads, first_row, multiply);
}

namespace {

HWY_EXPORT(draw_bits);
HWY_EXPORT(keep_drawn);
HWY_EXPORT(relu_rows);
HWY_EXPORT(mask_rows);

// Kept between calls, by each thread that works.
struct LayerScratch {
  Scratch<float> x, d_h;
  Scratch<uint64_t> bits;
};
thread_local LayerScratch scratch;

// Rows that stay in the second cache; a multiple of 64, so that their random bits fill words.
int64_t block_rows(int64_t features) { return features <= 128 ? 256 : 64; }

// c (rows x cols) += a b, or a^T b, or a b^T; c and both operands are packed row by row.
struct Product {
  int64_t rows, cols, inner;
  bool transpose_a = false, transpose_b = false;

  void add(float* c, const float* a, const float* b, float keep = 1.0f) const {
    if (rows == 0 || cols == 0) return;
    sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
          transpose_b ? CblasTrans : CblasNoTrans, static_cast<int>(rows), static_cast<int>(cols),
          static_cast<int>(inner), 1.0f, a,
          static_cast<int>(std::max<int64_t>(1, transpose_a ? rows : inner)), b,
          static_cast<int>(std::max<int64_t>(1, transpose_b ? inner : cols)), keep, c,
          static_cast<int>(cols));
  }
};

void fill_rows(float* to, const float* row, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(row, cols, to + i * cols);
}

// Rows first .. first + rows - 1 of x as the first layer sees them.
const float* dropped(const TwoLayers<float>& layers, const uint64_t* kept, int64_t first,
                     int64_t rows) {
  const MatView<const float>& x = layers.x;
  if (layers.rate <= 0) return x[first];
  float* to = scratch.x.grow(rows * x.cols);
  HWY_DYNAMIC_DISPATCH(keep_drawn)
  (to, x[first], kept + first * x.cols / 64, rows * x.cols, 1.0f / (1.0f - layers.rate));
  return to;
}

}  // namespace

int64_t two_layers_words(int64_t rows, int64_t features) {
  const int64_t step = block_rows(features);
  return (rows + step - 1) / step * (step / 64) * features;
}

void two_layers_forward(MatView<float> o, MatView<float> h, uint64_t* kept,
                        const TwoLayers<float>& layers, int threads) {
  const SingleThreadedBlas single(threads);
  const int64_t features = layers.x.cols, units = h.cols;
  const float rate = layers.rate, scale = 1.0f / (1.0f - rate);
  for_fixed_pieces(h.rows, block_rows(features), threads, [&](int64_t, int64_t first, int64_t end) {
    const int64_t rows = end - first, numbers = rows * units;
    if (rate > 0) {
      HWY_DYNAMIC_DISPATCH(draw_bits)
      (kept + first * features / 64, first * features, rows * features, rate, layers.input);
    }
    fill_rows(h[first], layers.b1, rows, units);
    Product{rows, units, features}.add(h[first], dropped(layers, kept, first, rows),
                                       layers.w1.data);
    HWY_DYNAMIC_DISPATCH(relu_rows)(h[first], numbers);
    if (rate > 0) {
      uint64_t* bits = scratch.bits.grow((numbers + 63) / 64);
      HWY_DYNAMIC_DISPATCH(draw_bits)(bits, first * units, numbers, rate, layers.inner);
      HWY_DYNAMIC_DISPATCH(keep_drawn)(h[first], h[first], bits, numbers, scale);
    }
    fill_rows(o[first], layers.b2, rows, o.cols);
    Product{rows, o.cols, units}.add(o[first], h[first], layers.w2.data);
  });
}

void two_layers_backward(const TwoLayersGradient<float>& d, MatView<const float> d_o,
                         MatView<const float> h, const uint64_t* kept,
                         const TwoLayers<float>& layers, int threads) {
  const SingleThreadedBlas single(threads);
  const int64_t features = layers.x.cols, units = h.cols, classes = d_o.cols;
  const int64_t step = block_rows(features);
  // Each piece has its own sums, which are then added in order: few pieces, however many rows.
  constexpr int64_t kMostPieces = 16;
  const int64_t blocks = (h.rows + step - 1) / step;
  const int64_t piece_rows = std::max<int64_t>(1, (blocks + kMostPieces - 1) / kMostPieces) * step;
  const int64_t pieces = (h.rows + piece_rows - 1) / piece_rows;
  Matrix w1(pieces, features * units), w2(pieces, units * classes);
  std::vector<double> b1(pieces * units, 0.0), b2(pieces * classes, 0.0);
  for_fixed_pieces(h.rows, piece_rows, threads, [&](int64_t piece, int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += step) {
      const int64_t rows = std::min(step, end - first);
      float* d_h = scratch.d_h.grow(rows * units);
      Product{units, classes, rows, true}.add(w2[piece], h[first], d_o[first]);
      for (int64_t i = first; i < first + rows; ++i) {
        for (int64_t c = 0; c < classes; ++c) b2[piece * classes + c] += d_o[i][c];
      }
      Product{rows, units, classes, false, true}.add(d_h, d_o[first], layers.w2.data, 0.0f);
      HWY_DYNAMIC_DISPATCH(mask_rows)
      (d_h, b1.data() + piece * units, h[first], rows, units, 1.0f / (1.0f - layers.rate));
      Product{features, units, rows, true}.add(w1[piece], dropped(layers, kept, first, rows), d_h);
    }
  });
  const auto add_pieces = [&](float* to, int64_t n, const auto* from) {
    for (int64_t piece = 0; piece < pieces; ++piece) {
      for (int64_t e = 0; e < n; ++e) to[e] += static_cast<float>(from[piece * n + e]);
    }
  };
  add_pieces(d.w1.data, features * units, w1.data());
  add_pieces(d.w2.data, units * classes, w2.data());
  add_pieces(d.b1, units, b1.data());
  add_pieces(d.b2, classes, b2.data());
}

}  // namespace glgnn::cpu
#endif
