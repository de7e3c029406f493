#include "methods/learned_graph.h"

#include <algorithm>

#include "methods/row_neighbours.h"
#include "network/fuse.h"

namespace glgnn {
namespace {

constexpr int64_t kEpochsOfAChoice = 5;

Csr zeros_on(const SharedPattern& pattern) {
  return {pattern, std::vector<float>(static_cast<size_t>(pattern->nnz()), 0.0f)};
}

}  // namespace

Csr start_graph(const MethodTask& task) {
  if (task.problem.graph) return *task.problem.graph;
  Csr graph = neighbour_graph(task, 0);
  std::ranges::fill(graph.values, 1.0f);
  return graph;
}

Csr no_edges(int64_t rows) {
  return {std::make_shared<Pattern>(
              Pattern{rows, rows, std::vector<int64_t>(static_cast<size_t>(rows) + 1, 0), {}}),
          {}};
}

Csr with_pairs(const Csr& graph, const SharedPattern& others) {
  const Csr added = zeros_on(others);
  return weighted_union({&graph, &added}, {1.0f, 1.0f});
}

Csr upper_half(const Csr& graph) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = graph.rows();
  Csr upper;
  for (int64_t i = 0; i < graph.rows(); ++i) {
    for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
      if (graph.pattern->col[e] <= i) continue;
      pattern->col.push_back(graph.pattern->col[e]);
      upper.values.push_back(graph.values[e]);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  upper.pattern = std::move(pattern);
  return upper;
}

Csr both_halves(const Csr& upper) {
  const Transpose mirrored = transpose(upper.pattern->view());
  Csr lower{std::make_shared<Pattern>(mirrored.pattern), {}};
  for (const int64_t e : mirrored.source) lower.values.push_back(upper.values[e]);
  return weighted_union({&upper, &lower}, {1.0f, 1.0f});
}

SparseVar normalised_pairs(Tape& tape, const std::shared_ptr<PatternWork>& pairs, Var values) {
  // Twice, as the mean with the empty other half is taken.
  return symmetric_norm(tape, {pairs->pattern(), scale(tape, values, 2.0f), nullptr, pairs},
                        SymmetricForm::kMean);
}

NearestPairs::NearestPairs(int64_t k, Csr always) : k_(k), always_(std::move(always)) {}

void NearestPairs::choose(Tape& tape, const RowsVar& rows, const NetworkPass& pass) {
  if (work_ && !(tape.recording() && pass.epoch % kEpochsOfAChoice == 1)) return;
  const ChooseOptions options{.k = std::min(k_, rows.rows() - 1)};
  const Csr chosen =
      with_pairs(always_, graph_learn_choose(tape, rows, nullptr, {}, options, false).pattern);
  work_ = std::make_shared<PatternWork>(chosen.pattern);
  always_values_ = Matrix(chosen.nnz(), 1);
  std::copy(chosen.values.begin(), chosen.values.end(), always_values_.data());
}

}  // namespace glgnn
