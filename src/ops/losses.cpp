#include "kernels/losses.h"

#include "core/check.h"
#include "ops/ops.h"

namespace glgnn {

double cross_entropy(Tape& tape, Var logits, std::span<const int32_t> rows,
                     std::span<const int32_t> labels, float weight) {
  GLGNN_ASSERT(!rows.empty() && static_cast<int64_t>(labels.size()) == logits.rows());
  if (logits.grad) {
    tape.record([=] {
      ref::cross_entropy_backward<float>(logits.d_view(), weight, logits.view(), rows,
                                         labels.data());
    });
  }
  return ref::cross_entropy_forward<float>(logits.view(), rows, labels.data());
}

double sparse_l1(Tape& tape, const SparseVar& a, const SparseVar& b, float weight) {
  GLGNN_ASSERT(a.pattern->rows == b.pattern->rows);
  if (a.values.grad && weight != 0.0f) {
    tape.record([=, &tape] {
      cpu::sparse_l1_backward(a.values.d_data(), b.values.d_data(), weight, a.pattern->view(),
                              a.values.data(), b.pattern->view(), b.values.data(), tape.threads());
    });
  }
  return cpu::sparse_l1_forward(a.pattern->view(), a.values.data(), b.pattern->view(),
                                b.values.data(), tape.threads());
}

double sum_squares(Tape& tape, Var x, float weight) {
  if (x.grad) {
    tape.record(
        [=] { ref::sum_squares_backward<float>(x.d_data(), weight, x.data(), x.value->size()); });
  }
  return ref::sum_squares_forward<float>(x.data(), x.value->size());
}

}  // namespace glgnn
