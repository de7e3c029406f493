#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/propagate.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/parallel.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/simd_math-inl.h"
#include "kernels/propagate.h"

#ifndef GLGNN_KERNELS_CPU_PROPAGATE_STEP_
#define GLGNN_KERNELS_CPU_PROPAGATE_STEP_
namespace glgnn::cpu {

// One step over rows that are padded to `width` numbers: next = keep S last + h, where h is already
// multiplied by alpha.
struct PropagateStep {
  PatternView pattern;
  const float* values;
  const float* last;
  const float* h;
  float* next;
  int64_t width;
  float keep;
};

}  // namespace glgnn::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// Columns first .. first + lanes - 1 of the rows begin .. end - 1. Two sums, because each addition
// waits for the one before.
template <class D>
HWY_INLINE void step_columns(D d, const PropagateStep& step, int64_t first, int64_t begin,
                             int64_t end) {
  const float* last = step.last + first;
  const int32_t* col = step.pattern.col;
  const auto keep = hn::Set(d, step.keep);
  for (int64_t i = begin; i < end; ++i) {
    auto even = hn::Zero(d), odd = hn::Zero(d);
    int64_t e = step.pattern.row_ptr[i];
    const int64_t stop = step.pattern.row_ptr[i + 1];
    for (; e + 1 < stop; e += 2) {
      even = hn::MulAdd(hn::Set(d, step.values[e]), hn::Load(d, last + col[e] * step.width), even);
      odd = hn::MulAdd(hn::Set(d, step.values[e + 1]), hn::Load(d, last + col[e + 1] * step.width),
                       odd);
    }
    if (e < stop) {
      even = hn::MulAdd(hn::Set(d, step.values[e]), hn::Load(d, last + col[e] * step.width), even);
    }
    const int64_t at = i * step.width + first;
    hn::Store(hn::MulAdd(keep, hn::Add(even, odd), hn::Load(d, step.h + at)), d, step.next + at);
  }
}

void propagate_rows(const PropagateStep& step, int64_t begin, int64_t end) {
  const auto columns = [&](auto d) HWY_ATTR {
    for (int64_t f = 0; f < step.width; f += static_cast<int64_t>(hn::Lanes(d))) {
      step_columns(d, step, f, begin, end);
    }
  };
  if (step.width == 4) {
    columns(hn::CappedTag<float, 4>());
  } else if (step.width == 8) {
    columns(hn::CappedTag<float, 8>());
  } else {
    columns(hn::CappedTag<float, 16>());
  }
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {
HWY_EXPORT(propagate_rows);

// Kept between calls, by each thread that calls.
struct PropagateScratch {
  Scratch<float> h, last, next;
};
thread_local PropagateScratch scratch;

// Whole vectors, as short as the classes allow: most predictions have few.
int64_t padded_width(int64_t cols) { return cols <= 4 ? 4 : cols <= 8 ? 8 : (cols + 15) / 16 * 16; }

}  // namespace

void propagate(MatView<float> z, PatternView pattern, const float* values, MatView<const float> h,
               int64_t steps, float alpha, int threads, const FillRows& fill) {
  constexpr int64_t kRows = 256;  // at a time
  const int64_t width = padded_width(h.cols), size = pattern.cols * width;
  float* own = scratch.h.grow_zeroed(h.rows * width);
  float* last = scratch.last.grow_zeroed(size);
  float* next = fill ? scratch.next.grow_zeroed(size) : scratch.next.grow(size);
  for (int64_t i = 0; i < h.rows; ++i) {
    for (int64_t c = 0; c < h.cols; ++c) {
      last[i * width + c] = h[i][c];
      own[i * width + c] = alpha * h[i][c];
    }
  }
  for (int64_t t = 0; t < steps; ++t) {
    if (fill) fill(last, width);
    const PropagateStep step{pattern, values, last, own, next, width, 1.0f - alpha};
    for_fixed_pieces(h.rows, kRows, threads, [&](int64_t, int64_t begin, int64_t end) {
      HWY_DYNAMIC_DISPATCH(propagate_rows)(step, begin, end);
    });
    std::swap(last, next);
  }
  for (int64_t i = 0; i < h.rows; ++i) std::copy_n(last + i * width, h.cols, z[i]);
  scratch.h.release_if_large();
  scratch.last.release_if_large();
  scratch.next.release_if_large();
}

}  // namespace glgnn::cpu
#endif
