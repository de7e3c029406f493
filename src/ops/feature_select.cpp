#include "core/check.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "ops/ops.h"

namespace glgnn {
namespace {

// Where each row begins among the numbers of `rows`.
std::shared_ptr<const std::vector<int64_t>> row_starts(const RowsVar& rows) {
  if (rows.is_sparse()) return {rows.pattern, &rows.pattern->row_ptr};
  auto starts = std::make_shared<std::vector<int64_t>>(rows.rows() + 1);
  for (int64_t i = 0; i <= rows.rows(); ++i) (*starts)[i] = i * rows.values.cols();
  return starts;
}

}  // namespace

RowsVar feature_select(Tape& tape, Var x, Var s, Var labels) {
  GLGNN_ASSERT(s.value->size() == x.cols() && labels.rows() == x.rows());
  auto [written, z] = tape.make(x.rows(), labels.cols() + x.cols(), s.grad);
  ref::feature_select_forward(written->view(), x.view(), s.data(), labels.view());
  if (z.grad) {
    tape.record(
        [=, z = z] { ref::feature_select_backward<float>(s.d_data(), z.grad->view(), x.view()); });
  }
  return {z, nullptr, nullptr};
}

RowsVar selected_rows(Var x, Var s, Var labels) {
  GLGNN_ASSERT(s.value->size() == x.cols() && labels.rows() == x.rows() && !x.grad);
  return {x, nullptr, nullptr, s, labels};
}

RowsVar feature_select(Tape& tape, SharedPattern pattern,
                       std::shared_ptr<const Transpose> by_column, Var xl, Var s,
                       int64_t label_cols) {
  GLGNN_ASSERT(s.value->size() + label_cols == pattern->cols && xl.rows() == pattern->nnz());
  auto [written, z] = tape.make(pattern->nnz(), 1, s.grad);
  ref::feature_select_sparse_forward(written->data(), pattern->view(), xl.data(), s.data(),
                                     label_cols);
  if (z.grad) {
    tape.record([=, z = z] {
      ref::feature_select_sparse_backward(s.d_data(), z.grad->data(), pattern->view(), xl.data(),
                                          label_cols);
    });
  }
  return {z, pattern, by_column};
}

Var concat_labels(Tape& tape, Var labels, Var x) {
  GLGNN_ASSERT(labels.rows() == x.rows());
  auto [written, z] = tape.make(x.rows(), labels.cols() + x.cols(), x.grad);
  ref::concat_forward(written->view(), labels.view(), x.view());
  if (z.grad) {
    tape.record([=, z = z] { ref::concat_backward<float>(x.d_view(), z.grad->view()); });
  }
  return z;
}

RowsVar unit_rows(Tape& tape, RowsVar rows, float scale) {
  const auto starts = row_starts(rows);
  const Var x = rows.values;
  auto [written, y] = tape.make(x.rows(), x.cols(), x.grad);
  auto [norm, norm_var] = tape.make(rows.rows(), 1, false);
  ref::unit_rows_forward(written->data(), norm->data(), x.data(), starts->data(), rows.rows(),
                         scale);
  if (y.grad) {
    const int64_t n = rows.rows();
    tape.record([=, y = y, norm = norm_var] {
      ref::unit_rows_backward(x.d_data(), y.grad->data(), x.data(), norm.data(), starts->data(), n,
                              scale);
    });
  }
  rows.values = y;
  return rows;
}

Var scale(Tape& tape, Var x, float factor) {
  auto [written, y] = tape.make(x.rows(), x.cols(), x.grad);
  ref::scale_forward(written->data(), x.data(), x.value->size(), factor);
  if (y.grad) {
    tape.record(
        [=, y = y] { ref::scale_backward(x.d_data(), y.grad->data(), x.value->size(), factor); });
  }
  return y;
}

}  // namespace glgnn
