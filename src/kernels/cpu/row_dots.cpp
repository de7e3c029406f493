#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/row_dots.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include "kernels/cpu/row_dots.h"
#include "kernels/cpu/row_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

float dot_of_rows(const float* x, const float* y, int64_t n) { return dot(x, y, n); }

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {
HWY_EXPORT(dot_of_rows);
}  // namespace

RowDot row_dot() {
  HWY_DYNAMIC_DISPATCH(dot_of_rows)(nullptr, nullptr, 0);  // a first call finds the instructions
  return &HWY_DYNAMIC_DISPATCH(dot_of_rows);
}

}  // namespace glgnn::cpu
#endif
