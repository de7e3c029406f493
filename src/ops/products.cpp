#include <cstdint>
#include <utility>
#include <vector>

#include "core/check.h"
#include "kernels/dropout_linear.h"
#include "kernels/gemm.h"
#include "kernels/spmm.h"
#include "kernels/two_layers.h"
#include "ops/ops.h"

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

Var dropout_linear(Tape& tape, Var x, Var w, float rate, const Rng& rng) {
  GLGNN_ASSERT(x.cols() == w.rows() && !x.grad);
  if (rate <= 0.0f) return linear(tape, x, w);
  auto [written, y] = tape.make(x.rows(), w.cols(), w.grad);
  cpu::dropout_linear_forward(written->view(), x.view(), w.view(), rate, rng, tape.threads());
  if (y.grad) {
    tape.record([&tape, x, w, rate, rng, y = y] {
      cpu::dropout_linear_backward(w.d_view(), y.grad->view(), x.view(), rate, rng, tape.threads());
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

}  // namespace glgnn
