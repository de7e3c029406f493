#include "kernels/graph_norm.h"

#include "core/parallel.h"
#include "ops/ops.h"

namespace glgnn {

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

SparseVar symmetric_norm(Tape& tape, SparseVar a, SymmetricForm form) {
  const auto both = work_of(a.pattern, a.work)->symmetric(tape.threads());
  auto [written, y] = tape.make(both->pattern().nnz(), 1, a.values.grad);
  auto [roots, roots_var] = tape.make(a.pattern->rows, 1, false);
  cpu::symmetric_norm_forward(written->data(), roots->data(), a.values.data(), *both, form,
                              tape.threads());
  if (y.grad) {
    tape.record([&tape, a, both, form, y = y, roots = roots_var] {
      cpu::symmetric_norm_backward(a.values.d_data(), y.grad->data(), y.data(), roots.data(),
                                   a.values.data(), a.pattern->view(), *both, form, tape.threads());
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
