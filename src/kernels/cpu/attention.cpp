#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/attention.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/simd_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// work(at, load, store) for each vector of n numbers, the last of which may be shorter.
template <class Work>
HWY_INLINE void for_vectors(int64_t n, Work&& work) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t at = 0;
  for (; at + lanes <= n; at += lanes) {
    work(
        at, [&](const float* from) { return hn::LoadU(d, from); },
        [&](FloatVec v, float* to) { hn::StoreU(v, d, to); });
  }
  if (at == n) return;
  work(
      at, [&](const float* from) { return load_first(d, from, n - at); },
      [&](FloatVec v, float* to) { store_first(v, d, to, n - at); });
}

// kRows rows of y from column `first` on, kVectors vectors of them; every number is summed in the
// order of w's rows.
template <int kRows, int kVectors>
HWY_INLINE void multiply_tile(MatView<float> y, MatView<const float> x, MatView<const float> w,
                              int64_t row, int64_t first) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVec sum[kRows][kVectors];
  for (auto& of_row : sum) {
    for (FloatVec& part : of_row) part = hn::Zero(d);
  }
  for (int64_t f = 0; f < x.cols; ++f) {
    FloatVec weights[kVectors];
    for (int v = 0; v < kVectors; ++v) weights[v] = hn::LoadU(d, w[f] + first + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const FloatVec value = hn::Set(d, x[row + r][f]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(value, weights[v], sum[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], d, y[row + r] + first + v * lanes);
  }
}

// Fewer columns than a vector has.
void multiply_rest(MatView<float> y, MatView<const float> x, MatView<const float> w,
                   int64_t first) {
  const FloatTag d;
  const int64_t count = y.cols - first;
  for (int64_t i = 0; i < y.rows; ++i) {
    FloatVec sum = hn::Zero(d);
    for (int64_t f = 0; f < x.cols; ++f) {
      sum = hn::MulAdd(hn::Set(d, x[i][f]), load_first(d, w[f] + first, count), sum);
    }
    store_first(sum, d, y[i] + first, count);
  }
}

template <int kVectors>
void multiply_columns(MatView<float> y, MatView<const float> x, MatView<const float> w,
                      int64_t first) {
  int64_t row = 0;
  for (; row + 4 <= y.rows; row += 4) multiply_tile<4, kVectors>(y, x, w, row, first);
  for (; row < y.rows; ++row) multiply_tile<1, kVectors>(y, x, w, row, first);
}

void multiply_rows(MatView<float> y, MatView<const float> x, MatView<const float> w) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  int64_t first = 0;
  for (; first + 3 * lanes <= y.cols; first += 3 * lanes) multiply_columns<3>(y, x, w, first);
  for (; first + lanes <= y.cols; first += lanes) multiply_columns<1>(y, x, w, first);
  if (first < y.cols) multiply_rest(y, x, w, first);
}

void norm_rows(MatView<float> y, MatView<const float> x, const float* gain, const float* offset) {
  const FloatTag d;
  const auto n = static_cast<float>(x.cols);
  for (int64_t i = 0; i < x.rows; ++i) {
    FloatVec sum = hn::Zero(d);
    for_vectors(x.cols, [&](int64_t c, auto load, auto) { sum = hn::Add(sum, load(x[i] + c)); });
    const float mean = hn::GetLane(hn::SumOfLanes(d, sum)) / n;
    float squares = 0;
    for (int64_t c = 0; c < x.cols; ++c) squares += (x[i][c] - mean) * (x[i][c] - mean);
    const FloatVec scale = hn::Set(d, 1.0f / std::sqrt(squares / n + 1e-5f));
    const FloatVec centre = hn::Set(d, mean);
    for_vectors(x.cols, [&](int64_t c, auto load, auto store) {
      const FloatVec apart = hn::Mul(hn::Sub(load(x[i] + c), centre), scale);
      store(hn::MulAdd(apart, load(gain + c), load(offset + c)), y[i] + c);
    });
  }
}

void gelu_rows(MatView<float> x, const float* offset) {
  const FloatTag d;
  const FloatVec one = hn::Set(d, 1.0f), cubic = hn::Set(d, 0.044715f);
  const FloatVec twice = hn::Set(d, -1.5957691216f);  // -2 sqrt(2 / pi)
  const FloatVec most = hn::Set(d, 80.0f);            // e^80 is still a number
  for (int64_t i = 0; i < x.rows; ++i) {
    for_vectors(x.cols, [&](int64_t c, auto load, auto store) {
      const FloatVec u = hn::Add(load(x[i] + c), load(offset + c));
      const FloatVec inner = hn::MulAdd(hn::Mul(cubic, hn::Mul(u, u)), u, u);
      const FloatVec power = exp(hn::Min(most, hn::Mul(twice, inner)));
      store(hn::Div(u, hn::Add(one, power)), x[i] + c);
    });
  }
}

// One row listens, in one head: width columns of q and of the m rows of v, which are d apart.
HWY_INLINE void listen(float* HWY_RESTRICT out, const float* HWY_RESTRICT q,
                       const float* HWY_RESTRICT k_transposed, const float* HWY_RESTRICT v,
                       float* HWY_RESTRICT part, int64_t m, int64_t width, int64_t columns,
                       float scale) {
  const FloatTag d;
  for_vectors(m, [&](int64_t j, auto load, auto store) {
    FloatVec sum = hn::Zero(d);
    for (int64_t c = 0; c < width; ++c) {
      sum = hn::MulAdd(hn::Set(d, q[c]), load(k_transposed + c * m + j), sum);
    }
    store(hn::Mul(sum, hn::Set(d, scale)), part + j);
  });
  const FloatVec largest = hn::Set(d, *std::max_element(part, part + m));
  for_vectors(m, [&](int64_t j, auto load, auto store) {
    store(exp(hn::Sub(load(part + j), largest)), part + j);
  });
  float all = 0;
  for (int64_t j = 0; j < m; ++j) all += part[j];
  const FloatVec share = hn::Set(d, 1.0f / all);
  for_vectors(width, [&](int64_t c, auto load, auto store) {
    FloatVec sum = hn::Zero(d);
    for (int64_t j = 0; j < m; ++j) {
      sum = hn::MulAdd(hn::Set(d, part[j]), load(v + j * columns + c), sum);
    }
    store(hn::Mul(sum, share), out + c);
  });
}

void attend_rows(MatView<float> out, MatView<const float> q, MatView<const float> k_transposed,
                 MatView<const float> v, int64_t heads, float* part) {
  const int64_t width = q.cols / heads;
  const float scale = 1.0f / std::sqrt(static_cast<float>(width));
  for (int64_t first = 0; first < q.cols; first += width) {
    for (int64_t i = 0; i < q.rows; ++i) {
      listen(out[i] + first, q[i] + first, k_transposed[first], v.data + first, part, v.rows, width,
             v.cols, scale);
    }
  }
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {

HWY_EXPORT(multiply_rows);
HWY_EXPORT(norm_rows);
HWY_EXPORT(gelu_rows);
HWY_EXPORT(attend_rows);

// Kept between calls, by each thread that calls.
thread_local Scratch<float> parts;

}  // namespace

void row_products(MatView<float> y, MatView<const float> x, MatView<const float> w) {
  HWY_DYNAMIC_DISPATCH(multiply_rows)(y, x, w);
}

void layer_norm(MatView<float> y, MatView<const float> x, const float* gain, const float* offset) {
  HWY_DYNAMIC_DISPATCH(norm_rows)(y, x, gain, offset);
}

void gelu(MatView<float> x, const float* offset) { HWY_DYNAMIC_DISPATCH(gelu_rows)(x, offset); }

void attend(MatView<float> out, MatView<const float> q, MatView<const float> k_transposed,
            MatView<const float> v, int64_t heads) {
  HWY_DYNAMIC_DISPATCH(attend_rows)(out, q, k_transposed, v, heads, parts.grow(v.rows));
}

}  // namespace glgnn::cpu
#endif
