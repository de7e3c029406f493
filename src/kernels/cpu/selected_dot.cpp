#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/selected_dot.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/row_sums-inl.h"
#include "kernels/selected_dot.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// Dots of row i; `scaled` is room for a row of X.
void selected_dot_row(float* dots, float* HWY_RESTRICT scaled, const PatternView& pattern,
                      const ZSelected<float>& z, int64_t i) {
  const float* x = z.x[i];
  for (int64_t f = 0; f < z.x.cols; ++f) scaled[f] = x[f] * z.s[f] * z.s[f];
  for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
    const int64_t j = pattern.col[e];
    dots[e] = dot(scaled, z.x[j], z.x.cols);
    if (z.labels.cols > 0) dots[e] += dot(z.labels[i], z.labels[j], z.labels.cols);
  }
}

// sums_f += x_if sum_j d_ij x_jf; `joined` is room for a row of X.
void selected_dot_backward_row(float* HWY_RESTRICT sums, float* HWY_RESTRICT joined,
                               const float* d_dots, const PatternView& pattern,
                               const ZSelected<float>& z, int64_t i) {
  weighted_row_sum<false>(joined, z.x.data, z.x.cols, pattern.col, pattern.row_ptr[i],
                          pattern.row_ptr[i + 1], [&](int64_t e) { return d_dots[e]; });
  const float* x = z.x[i];
  for (int64_t f = 0; f < z.x.cols; ++f) sums[f] += x[f] * joined[f];
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {
HWY_EXPORT(selected_dot_row);
HWY_EXPORT(selected_dot_backward_row);
}  // namespace

void selected_dot_forward(float* dots, PatternView pattern, const ZSelected<float>& z,
                          int threads) {
  const auto make_room = [&] { return std::vector<float>(z.x.cols); };
  parallel_for_in_rooms(pattern.rows, threads, 64, make_room, [&](auto& scaled, int64_t i) {
    HWY_DYNAMIC_DISPATCH(selected_dot_row)(dots, scaled.data(), pattern, z, i);
  });
}

void selected_dot_backward(float* d_s, const float* d_dots, PatternView pattern,
                           const ZSelected<float>& z, int threads) {
  // Rows are cut into parts that do not depend on the threads; their sums are added in order.
  constexpr int64_t kParts = 64;
  const int64_t features = z.x.cols;
  std::vector<float> sums(kParts * features, 0.0f);
  const auto make_room = [&] { return std::vector<float>(features); };
  parallel_for_in_rooms(kParts, threads, 1, make_room, [&](auto& joined, int64_t part) {
    const int64_t end = pattern.rows * (part + 1) / kParts;
    for (int64_t i = pattern.rows * part / kParts; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(selected_dot_backward_row)
      (sums.data() + part * features, joined.data(), d_dots, pattern, z, i);
    }
  });
  for (int64_t f = 0; f < features; ++f) {
    double sum = 0;
    for (int64_t part = 0; part < kParts; ++part) sum += sums[part * features + f];
    d_s[f] += static_cast<float>(2 * sum) * z.s[f];
  }
}

}  // namespace glgnn::cpu
#endif
