#include "core/check.h"
#include "core/parallel.h"
#include "kernels/dense.h"
#include "kernels/layers.h"
#include "kernels/losses.h"
#include "ops/ops.h"

namespace glgnn {
namespace {

// work(begin, size) on pieces of n numbers.
template <class Work>
void for_pieces(int64_t n, int threads, Work&& work) {
  for_row_ranges(n, n, threads, [&](int64_t begin, int64_t end) { work(begin, end - begin); });
}

// Rows begin .. end of a matrix.
template <class T>
MatView<T> rows_of(MatView<T> x, int64_t begin, int64_t end) {
  return {x[begin], end - begin, x.cols};
}

}  // namespace

Var relu(Tape& tape, Var x) {
  auto [written, y] = tape.make(x.rows(), x.cols(), x.grad);
  for_pieces(x.value->size(), tape.threads(), [&, out = written->data()](int64_t at, int64_t n) {
    ref::relu_forward(out + at, x.data() + at, n);
  });
  if (y.grad) {
    tape.record([&tape, x, y = y] {
      for_pieces(x.value->size(), tape.threads(), [&](int64_t at, int64_t n) {
        ref::relu_backward<float>(x.d_data() + at, y.grad->data() + at, x.data() + at, n);
      });
    });
  }
  return y;
}

Var softplus(Tape& tape, Var x) {
  auto [written, y] = tape.make(x.rows(), x.cols(), x.grad);
  ref::softplus_forward(written->data(), x.data(), x.value->size());
  if (y.grad) {
    tape.record([=, y = y] {
      ref::softplus_backward<float>(x.d_data(), y.grad->data(), x.data(), x.value->size());
    });
  }
  return y;
}

Var multiply(Tape& tape, Var a, Var b) {
  GLGNN_ASSERT(a.rows() == b.rows() && a.cols() == b.cols());
  auto [written, y] = tape.make(a.rows(), a.cols(), a.grad || b.grad);
  const int64_t n = a.value->size();
  for_pieces(n, tape.threads(), [&, out = written->data()](int64_t at, int64_t size) {
    ref::multiply_forward(out + at, a.data() + at, b.data() + at, size);
  });
  if (y.grad) {
    tape.record([&tape, a, b, n, y = y] {
      for_pieces(n, tape.threads(), [&](int64_t at, int64_t size) {
        const float* d_y = y.grad->data() + at;
        if (a.grad) ref::multiply_backward<float>(a.d_data() + at, d_y, b.data() + at, size);
        if (b.grad) ref::multiply_backward<float>(b.d_data() + at, d_y, a.data() + at, size);
      });
    });
  }
  return y;
}

Var scale_rows(Tape& tape, Var x, Var s) {
  GLGNN_ASSERT(s.value->size() == x.rows());
  auto [written, y] = tape.make(x.rows(), x.cols(), x.grad || s.grad);
  const auto rows_of = [](auto view, int64_t begin, int64_t end) {
    return decltype(view){view[begin], end - begin, view.cols};
  };
  const MatView<float> out = written->view();
  for_row_ranges(x.rows(), x.value->size(), tape.threads(), [&](int64_t begin, int64_t end) {
    ref::scale_rows_forward(rows_of(out, begin, end), rows_of(x.view(), begin, end),
                            s.data() + begin);
  });
  if (y.grad) {
    GLGNN_ASSERT(x.grad && s.grad);
    tape.record([=, &tape, y = y] {
      // The sum of a row waits for each of its terms.
      const int64_t cost = 4 * x.value->size();
      for_row_ranges(x.rows(), cost, tape.threads(), [&](int64_t begin, int64_t end) {
        ref::scale_rows_backward<float>(rows_of(x.d_view(), begin, end), s.d_data() + begin,
                                        rows_of(std::as_const(*y.grad).view(), begin, end),
                                        rows_of(x.view(), begin, end), s.data() + begin);
      });
    });
  }
  return y;
}

Var scale_all(Tape& tape, Var x, Var b) {
  GLGNN_ASSERT(b.value->size() == 1);
  const auto one_row = []<class T>(T* data, int64_t n) { return MatView<T>{data, 1, n}; };
  const int64_t n = x.value->size();
  auto [written, y] = tape.make(x.rows(), x.cols(), x.grad);
  ref::scale_rows_forward<float>(one_row(written->data(), n), one_row(x.data(), n), b.data());
  if (y.grad) {
    tape.record([=, y = y] {
      ref::scale_rows_backward<float>(one_row(x.d_data(), n), b.d_data(),
                                      one_row(y.grad->data(), n), one_row(x.data(), n), b.data());
    });
  }
  return y;
}

Var dropout(Tape& tape, Var x, float rate, const Rng& rng, int64_t first_row) {
  if (rate <= 0.0f) return x;
  auto [written, y] = tape.make(x.rows(), x.cols(), x.grad);
  const int64_t first = first_row * x.cols();
  cpu::dropout_part(written->data(), x.data(), first, x.value->size(), rate, rng, tape.threads());
  if (y.grad) {
    tape.record([&tape, x, first, rate, rng, y = y] {
      cpu::dropout_backward(x.d_data(), y.grad->data(), x.value->size(), rate, rng, tape.threads(),
                            first);
    });
  }
  return y;
}

Var row_softmax(Tape& tape, Var x) {
  auto [written, p] = tape.make(x.rows(), x.cols(), x.grad);
  const int64_t cost = 8 * x.value->size();  // exponentials
  for_row_ranges(
      x.rows(), cost, tape.threads(), [&, out = written->view()](int64_t begin, int64_t end) {
        ref::row_softmax_forward(rows_of(out, begin, end), rows_of(x.view(), begin, end));
      });
  if (p.grad) {
    tape.record([&tape, x, p = p] {
      for_row_ranges(x.rows(), x.value->size(), tape.threads(), [&](int64_t begin, int64_t end) {
        ref::row_softmax_backward<float>(rows_of(x.d_view(), begin, end),
                                         rows_of<const float>(p.grad->view(), begin, end),
                                         rows_of(p.view(), begin, end));
      });
    });
  }
  return p;
}

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
