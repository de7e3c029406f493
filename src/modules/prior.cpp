#include "modules/prior.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/rng.h"
#include "core/rows.h"
#include "core/validate.h"
#include "modules/module.h"

namespace glgnn {
namespace {

constexpr float kMostSpread = 4;  // standard deviations from the mean that are told apart
constexpr float kNever = -1e4f;   // the logit of a class that no label has

// A block of one indicator says where the number before it is missing.
std::vector<PriorColumn> columns_of(const Features& x) {
  std::vector<PriorColumn> columns;
  std::vector<int32_t> number_at(x.cols(), -1);  // its place in the list
  const auto add_number = [&](int64_t f) {
    number_at[f] = static_cast<int32_t>(columns.size());
    columns.push_back({.first = static_cast<int32_t>(f)});
  };
  int64_t next = 0;
  for (const IndicatorBlock& block : x.indicators) {
    for (; next < block.first; ++next) add_number(next);
    next = block.first + block.count;
    const int32_t before = block.first > 0 ? number_at[block.first - 1] : -1;
    if (block.count == 1 && before >= 0)
      columns[before].gap = static_cast<int32_t>(block.first);
    else
      columns.push_back({.first = static_cast<int32_t>(block.first),
                         .levels = static_cast<int32_t>(block.count)});
  }
  for (; next < x.cols(); ++next) add_number(next);
  return columns;
}

// Numbers that stand for the levels of categories: chance, so that no two are alike.
Matrix codes_of(const std::vector<PriorColumn>& columns, int64_t features, const Rng& rng) {
  Matrix codes(features, PriorNetwork::kCode);
  for (const PriorColumn& column : columns) {
    for (int64_t f = column.first; f < column.first + column.levels; ++f) {
      for (int64_t c = 0; c < codes.cols(); ++c) codes[f][c] = rng.normal(f * codes.cols() + c);
    }
  }
  return codes;
}

// SharedInputs::rows() has none where the features are sparse.
Matrix rows_of(const Matrix& x, const std::vector<int32_t>& rows) {
  Matrix out(std::ssize(rows), x.cols());
  for (int64_t t = 0; t < out.rows(); ++t) std::copy_n(x[rows[t]], x.cols(), out[t]);
  return out;
}

// Classes without a label are never meant; those of rare labels are raised where all count alike.
Matrix offset_of(const Problem& problem) {
  Matrix offset(1, problem.classes, kNever);
  const std::vector<double> weights =
      balanced_class_weights(problem.labels, problem.train, problem.classes);
  for (int64_t c = 0; c < problem.classes; ++c) {
    if (weights[c] <= 0) continue;
    offset[0][c] = problem.classes_alike ? static_cast<float>(std::log(weights[c])) : 0.0f;
  }
  return offset;
}

// What is drawn differs from fold to fold, so that their mean depends less on it.
PriorState state_for(const RoundWork& work, uint64_t seed) {
  const Problem& problem = work.problem;
  const Rng rng{seed, Stream::kPrior, work.number,
                static_cast<uint32_t>(
                    std::accumulate(problem.train.begin(), problem.train.end(), int64_t{0}))};
  PriorState state;
  state.numbers = rows_of(work.shared.view(View::kStandard).dense, problem.train);
  state.ranks = rows_of(work.shared.view(View::kRank).dense, problem.train);
  for (const int32_t row : problem.train) state.labels.push_back(problem.labels[row]);
  state.columns = columns_of(*problem.features);
  state.codes = codes_of(state.columns, state.numbers.cols(), rng);
  std::vector<int32_t> classes(problem.classes);
  std::iota(classes.begin(), classes.end(), 0);
  state.order = shuffled_rows(classes, rng);
  state.offset = offset_of(problem);
  return state;
}

}  // namespace

Matrix PriorState::cells(const Matrix& numbers_of_rows, const Matrix& ranks_of_rows) const {
  constexpr int64_t kCell = PriorNetwork::kCell, kCode = PriorNetwork::kCode;
  Matrix out(numbers_of_rows.rows(), std::ssize(columns) * kCell);
  for (int64_t i = 0; i < out.rows(); ++i) {
    const float* const x = numbers_of_rows[i];
    float* cell = out[i];
    for (const PriorColumn& column : columns) {
      // Indicators lie around their mean: only one of a block is above it.
      const auto is_there = [&](int64_t f) { return x[f] > 0; };
      if (column.levels > 0) {
        cell[3] = 1;
        for (int64_t f = column.first; f < column.first + column.levels; ++f) {
          if (is_there(f)) std::copy_n(codes[f], kCode, cell + kCell - kCode);
        }
      } else if (column.gap >= 0 && is_there(column.gap)) {
        cell[2] = 1;
      } else {
        cell[0] = std::clamp(x[column.first], -kMostSpread, kMostSpread);
        cell[1] = ranks_of_rows[i][column.first];
      }
      cell += kCell;
    }
  }
  return out;
}

Matrix PriorState::logits_of(const Matrix& numbers_of_rows, const Matrix& ranks_of_rows,
                             int threads) const {
  std::call_once(memory_->made, [&] {
    std::vector<int32_t> known;
    for (const int32_t label : labels) known.push_back(order[label]);
    memory_->table = read_labelled(cells(numbers, ranks), known, threads);
  });
  const Matrix all = prior_logits(memory_->table, cells(numbers_of_rows, ranks_of_rows), threads);
  Matrix out(all.rows(), offset.cols());
  for (int64_t i = 0; i < out.rows(); ++i) {
    for (int64_t c = 0; c < out.cols(); ++c) out[i][c] = all[i][order[c]] + offset[0][c];
  }
  return out;
}

void PriorState::check(const std::string& what, const StateShape& fitted) const {
  const int64_t features = fitted.columns(what, View::kStandard);
  check_count(what + ", columns of ranks", fitted.columns(what, View::kRank), features);
  for (const View view : {View::kStandard, View::kRank}) {
    check_count(what + ", sparse views", fitted.views.at(view).is_sparse, 0);
  }
  check_range(what + ", classes", fitted.classes, 1, PriorNetwork::kMostClasses);
  check_range(what + ", labelled rows", numbers.rows(), 1, std::ssize(labels));
  check_matrix(what + ", numbers", numbers, std::ssize(labels), features);
  check_matrix(what + ", ranks", ranks, std::ssize(labels), features);
  check_matrix(what + ", codes", codes, features, PriorNetwork::kCode);
  check_matrix(what + ", offset", offset, 1, fitted.classes);
  check_indices(what + ", labels", labels, 0, fitted.classes - 1);
  check_count(what + ", order", std::ssize(order), fitted.classes);
  check_indices(what + ", order", order, 0, fitted.classes - 1);
  check_range(what + ", columns", std::ssize(columns), 0, PriorOptions::kMostColumns);
  for (const PriorColumn& column : columns) {
    check_range(what + ", levels", column.levels, 0, features);
    check_range(what + ", column", column.first, 0, features - std::max<int64_t>(1, column.levels));
    check_range(what + ", gap", column.gap, -1, features - 1);
  }
}

Matrix PriorState::logits(const RowViews& rows) const {
  return logits_of(rows.at(View::kStandard).dense, rows.at(View::kRank).dense, 1);
}

std::vector<Stage> PriorOptions::run_round(const RoundWork& work) const {
  PriorState state = state_for(work, seed);
  Stage own;
  own.p = state.logits_of(work.shared.view(View::kStandard).dense,
                          work.shared.view(View::kRank).dense, work.context.threads);
  softmax_rows(own.p, work.context.threads);
  own.selection = work.separation(own.p);
  clamp_training_rows(own.p, work.problem);
  own.state = std::move(state);
  std::vector<Stage> stages{own};
  if (smoothing.steps > 0) stages.push_back(work.smoothed(own, smoothing));
  return stages;
}

void PriorOptions::describe(ModuleNote& note) const {
  note.add("steps", static_cast<double>(smoothing.steps));
  note.add("alpha", smoothing.alpha);
}

bool PriorOptions::is_left_out(const Config& config) const { return !config.prior_heads; }

void PriorOptions::apply(const Config& config) {
  seed = config.seed;
  if (!config.propagation) smoothing.steps = 0;
}

}  // namespace glgnn
