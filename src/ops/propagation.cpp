// The ops that best mode adds: propagation over a constant graph, biases, losses on soft targets.
#include "ops/propagation.h"

#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "kernels/bias.h"
#include "kernels/soft_losses.h"
#include "ops/ops.h"

namespace glgnn {

Propagation::Propagation(const Csr& graph, const Context& context)
    : graph_(graph), threads_(context.threads) {
  if (context.device != Device::kCuda) return;
  held_ = std::make_unique<const cuda::HeldGraph>(graph.pattern->view(), graph.values.data());
}

void Propagation::run(Matrix& z, const Matrix& h, int64_t steps, double alpha) const {
  GLGNN_ASSERT(graph_.rows() == h.rows());
  if (held_) {
    held_->propagate(z.view(), h.view(), steps, static_cast<float>(alpha));
  } else {
    cpu::propagate(z.view(), graph_.pattern->view(), graph_.values.data(), h.view(), steps,
                   static_cast<float>(alpha), threads_);
  }
}

Var propagate(Tape& tape, const Propagation& over, Var h, int64_t steps, double alpha) {
  auto [written, z] = tape.make(h.rows(), h.cols(), h.grad);
  over.run(*written, *h.value, steps, alpha);
  if (z.grad) {
    tape.record([&tape, &over, h, steps, alpha, z = z] {
      Matrix back(h.rows(), h.cols());
      over.run(back, *z.grad, steps, alpha);
      for_row_ranges(back.size(), back.size(), tape.threads(), [&](int64_t first, int64_t last) {
        for (int64_t e = first; e < last; ++e) h.d_data()[e] += back.data()[e];
      });
    });
  }
  return z;
}

Var add_bias(Tape& tape, Var x, Var b) {
  GLGNN_ASSERT(b.rows() == 1 && b.cols() == x.cols());
  auto [written, y] = tape.make(x.rows(), x.cols(), x.grad || b.grad);
  ref::add_bias_forward<float>(written->view(), x.view(), b.data());
  if (y.grad) {
    tape.record([x, b, y = y] {
      ref::add_bias_backward<float>(x.d_data(), b.d_data(), std::as_const(*y.grad).view());
    });
  }
  return y;
}

double soft_cross_entropy(Tape& tape, Var logits, const Matrix& targets, const Matrix& weights,
                          float weight) {
  GLGNN_ASSERT(targets.rows() == logits.rows() && targets.cols() == logits.cols() &&
               weights.size() == logits.rows());
  if (logits.grad) {
    tape.record([=, &targets, &weights] {
      ref::soft_cross_entropy_backward<float>(logits.d_view(), weight, logits.view(),
                                              targets.view(), weights.data());
    });
  }
  return ref::soft_cross_entropy_forward<float>(logits.view(), targets.view(), weights.data());
}

void soft_pull(Tape& tape, Var logits, const Matrix& targets, const Matrix& weights,
               float consistency) {
  GLGNN_ASSERT(targets.rows() == logits.rows() && targets.cols() == logits.cols() &&
               weights.size() == logits.rows());
  if (!logits.grad) return;
  tape.record([=, &tape, &targets, &weights] {
    cpu::soft_pull(logits.d_view(), logits.view(), targets.view(), weights.data(), consistency,
                   tape.threads());
  });
}

}  // namespace glgnn
