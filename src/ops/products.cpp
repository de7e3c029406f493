#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/parallel.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "kernels/layers.h"
#include "kernels/losses.h"
#include "ops/ops.h"
#include "ops/propagation.h"

namespace glgnn {

Var spmm(Tape& tape, SparseVar a, Var x) {
  GLGNN_ASSERT(a.pattern->cols == x.rows() && a.values.rows() == a.pattern->nnz());
  GLGNN_ASSERT(!x.grad || a.transposed);
  auto [written, y] = tape.make(a.pattern->rows, x.cols(), a.values.grad || x.grad);
  cpu::spmm_forward(written->view(), a.pattern->view(), a.values.data(), x.view(), tape.threads());
  if (y.grad) {
    tape.record([&tape, a, x, y = y] {
      if (a.values.grad) {
        cpu::spmm_backward_values(a.values.d_data(), a.pattern->view(), y.grad->view(), x.view(),
                                  tape.threads());
      }
      if (x.grad) {
        cpu::spmm_backward_x(x.d_view(), a.transposed->view(), a.values.data(), y.grad->view(),
                             tape.threads());
      }
    });
  }
  return y;
}

Var linear(Tape& tape, Var x, Var w) {
  GLGNN_ASSERT(x.cols() == w.rows());
  auto [written, y] = tape.make(x.rows(), w.cols(), x.grad || w.grad);
  cpu::gemm(written->view(), x.view(), w.view(), {}, tape.threads());
  if (y.grad) {
    tape.record([&tape, x, w, y = y] {
      if (x.grad) {
        cpu::gemm(x.d_view(), y.grad->view(), w.view(), {.transpose_b = true, .accumulate = true},
                  tape.threads());
      }
      if (w.grad) {
        cpu::gemm(w.d_view(), x.view(), y.grad->view(), {.transpose_a = true, .accumulate = true},
                  tape.threads());
      }
    });
  }
  return y;
}

Var dropout_linear(Tape& tape, Var x, Var w, float rate, const Rng& rng, int64_t first_row) {
  GLGNN_ASSERT(x.cols() == w.rows() && !x.grad);
  if (rate <= 0.0f) return linear(tape, x, w);
  auto [written, y] = tape.make(x.rows(), w.cols(), w.grad);
  cpu::dropout_linear_forward(written->view(), x.view(), w.view(), rate, rng, tape.threads(),
                              first_row);
  if (y.grad) {
    tape.record([&tape, x, w, rate, rng, first_row, y = y] {
      cpu::dropout_linear_backward(w.d_view(), y.grad->view(), x.view(), rate, rng, tape.threads(),
                                   first_row);
    });
  }
  return y;
}

Var two_layers(Tape& tape, Var x, Var w1, Var b1, Var w2, Var b2, float rate, const Rng& input,
               const Rng& inner) {
  GLGNN_ASSERT(!x.grad && x.cols() == w1.rows() && w1.cols() == w2.rows() &&
               b1.cols() == w1.cols() && b2.cols() == w2.cols());
  const TwoLayers<float> layers{x.view(),  w1.view(), b1.data(), w2.view(),
                                b2.data(), rate,      input,     inner};
  auto [hidden, h] = tape.make(x.rows(), w1.cols(), false);
  auto [written, o] = tape.make(x.rows(), w2.cols(), w1.grad);
  std::vector<uint64_t> kept(rate > 0 ? cpu::two_layers_words(x.rows(), x.cols()) : 0);
  cpu::two_layers_forward(written->view(), hidden->view(), kept.data(), layers, tape.threads());
  if (o.grad) {
    GLGNN_ASSERT(b1.grad && w2.grad && b2.grad);
    tape.record([&tape, layers, &bits = tape.keep(std::move(kept)), w1, b1, w2, b2, h = h, o = o] {
      cpu::two_layers_backward({w1.d_view(), b1.d_data(), w2.d_view(), b2.d_data()},
                               std::as_const(*o.grad).view(), h.view(), bits.data(), layers,
                               tape.threads());
    });
  }
  return o;
}

Var sparse_linear(Tape& tape, const Pattern& pattern, const Transpose& by_column, Var x_values,
                  Var w) {
  GLGNN_ASSERT(pattern.cols == w.rows() && x_values.rows() == pattern.nnz() && !x_values.grad);
  auto [written, y] = tape.make(pattern.rows, w.cols(), w.grad);
  cpu::spmm_forward(written->view(), pattern.view(), x_values.data(), w.view(), tape.threads());
  if (y.grad) {
    tape.record([&tape, &by_column, x_values, w, y = y] {
      cpu::spmm_backward_x(w.d_view(), by_column.view(), x_values.data(), y.grad->view(),
                           tape.threads());
    });
  }
  return y;
}

// The ops that best mode adds: propagation over a constant graph, biases, losses on soft targets.

namespace {

// Modules beside each other often propagate over the same graph: it is copied once. While one holds
// it, it lives, and no other graph can be at its place.
std::shared_ptr<const cuda::HeldGraph> hold(const Csr& graph) {
  using Place = std::pair<const Pattern*, const float*>;
  static std::mutex mutex;
  static std::map<Place, std::weak_ptr<const cuda::HeldGraph>> all;
  const std::scoped_lock lock(mutex);
  std::erase_if(all, [](const auto& held) { return held.second.expired(); });
  auto& known = all[Place(graph.pattern.get(), graph.values.data())];
  std::shared_ptr<const cuda::HeldGraph> held = known.lock();
  if (!held) {
    held = std::make_shared<const cuda::HeldGraph>(graph.pattern->view(), graph.values.data());
    known = held;
  }
  return held;
}

}  // namespace

Propagation::Propagation(const Csr& graph, const Context& context)
    : graph_(graph), threads_(context.threads) {
  if (context.device == Device::kCuda) held_ = hold(graph);
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
