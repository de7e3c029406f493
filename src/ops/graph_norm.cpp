#include "kernels/graph_norm.h"

#include "core/check.h"
#include "core/parallel.h"
#include "kernels/graph_network.h"
#include "ops/ops.h"

namespace glgnn {
namespace {

std::vector<MatView<const float>> values(std::span<const Var> x) {
  std::vector<MatView<const float>> views;
  for (const Var& v : x) views.push_back(v.view());
  return views;
}

std::vector<MatView<float>> gradients(std::span<const Var> x) {
  std::vector<MatView<float>> views;
  for (const Var& v : x) views.push_back(v.d_view());
  return views;
}

}  // namespace

Var network_alpha(Tape& tape, std::span<const Var> x, Var a) {
  GLGNN_ASSERT(!x.empty() && a.cols() == x[0].cols() && (a.rows() == 1 || a.rows() == x[0].rows()));
  const int64_t count = static_cast<int64_t>(x.size());
  auto [written, alpha] = tape.make(count, count, tape.recording());
  cpu::network_alpha_forward(written->view(), values(x), a.view(), tape.threads());
  if (alpha.grad) {
    tape.record([&tape, modules = std::vector<Var>(x.begin(), x.end()), a, alpha = alpha] {
      cpu::network_alpha_backward(gradients(modules), a.d_view(), alpha.grad->view(),
                                  values(modules), a.view(), tape.threads());
    });
  }
  return alpha;
}

Var network_mix(Tape& tape, std::span<const Var> x, Var weights, int64_t row) {
  GLGNN_ASSERT(weights.cols() == static_cast<int64_t>(x.size()) && row < weights.rows());
  auto [written, y] = tape.make(x[0].rows(), x[0].cols(), tape.recording());
  cpu::network_mix_forward(written->view(), values(x), (*weights.value)[row], tape.threads());
  if (y.grad) {
    tape.record([&tape, modules = std::vector<Var>(x.begin(), x.end()), weights, row, y = y] {
      float* d_weights = weights.grad ? (*weights.grad)[row] : nullptr;
      cpu::network_mix_backward(gradients(modules), d_weights, y.grad->view(), values(modules),
                                (*weights.value)[row], tape.threads());
    });
  }
  return y;
}

SparseVar row_scale(Tape& tape, SparseVar a, const RowScale& form) {
  auto [written, y] = tape.make(a.values.rows(), 1, a.values.grad);
  auto [sum, sum_var] = tape.make(a.pattern->rows, 1, false);
  const int64_t rows = a.pattern->rows, cost = 4 * a.pattern->nnz();  // sums and quotients
  for_row_ranges(rows, cost, tape.threads(),
                 [&, out = written->data(), sums = sum->data()](int64_t begin, int64_t end) {
                   ref::row_scale_forward(out, sums + begin, a.values.data(),
                                          a.pattern->row_ptr.data() + begin, end - begin, form);
                 });
  if (y.grad) {
    tape.record([&tape, a, rows, cost, form, y = y, sums = sum_var] {
      for_row_ranges(rows, cost, tape.threads(), [&](int64_t begin, int64_t end) {
        ref::row_scale_backward<float>(a.values.d_data(), y.grad->data(), y.data(),
                                       sums.data() + begin, a.pattern->row_ptr.data() + begin,
                                       end - begin, form);
      });
    });
  }
  return {a.pattern, y, nullptr, a.work};
}

SparseVar symmetric_norm(Tape& tape, SparseVar a, SymmetricForm form,
                         const cpu::FillOthers& fill_others) {
  const auto both = work_of(a.pattern, a.work)->symmetric(tape.threads());
  auto [written, y] = tape.make(both->pattern().nnz(), 1, a.values.grad);
  auto [roots, roots_var] = tape.make(a.pattern->rows, 1, false);
  cpu::symmetric_norm_forward(written->data(), roots->data(), a.values.data(), *both, form,
                              tape.threads(), fill_others);
  if (y.grad) {
    tape.record([&tape, a, both, form, fill_others, y = y, roots = roots_var] {
      cpu::symmetric_norm_backward(a.values.d_data(), y.grad->data(), y.data(), roots.data(),
                                   a.values.data(), a.pattern->view(), *both, form, tape.threads(),
                                   fill_others);
    });
  }
  return {SharedPattern(both, &both->pattern()), y,
          std::shared_ptr<const Transpose>(both, &both->mirrored)};
}

SparseVar gcn_norm(Tape& tape, SparseVar a) {
  const auto work = work_of(a.pattern, a.work);
  const auto loops = work->with_loops(tape.threads());
  auto [written, y] = tape.make(loops->pattern.nnz(), 1, a.values.grad);
  auto [roots, roots_var] = tape.make(a.pattern->rows, 1, false);
  cpu::gcn_norm_forward(written->data(), roots->data(), loops->pattern.view(), loops->source.data(),
                        a.values.data(), tape.threads());
  SparseVar out{SharedPattern(loops, &loops->pattern), y, nullptr};
  if (!y.grad) return out;
  out.transposed = work->with_loops_transposed(tape.threads());
  tape.record([&tape, a, loops, transposed = out.transposed, y = y, roots = roots_var] {
    cpu::gcn_norm_backward(a.values.d_data(), y.grad->data(), y.data(), roots.data(),
                           loops->pattern.view(), transposed->view(), loops->source.data(),
                           tape.threads());
  });
  return out;
}

}  // namespace glgnn
