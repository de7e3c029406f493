// Landmarks as a kind of module: the head alone and propagated; over the graph of the features it
// selected also the labels alone.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/validate.h"
#include "modules/module.h"

namespace glgnn {
namespace {

std::vector<float> selection_of(const LandmarkHead& head, const Matrix& p, bool selects,
                                const RoundWork& work) {
  const Matrix& weights = head.weights;
  if (!selects || weights.cols() != work.problem.features->cols()) return work.separation(p);
  std::vector<float> selection(weights.data(), weights.data() + weights.size());
  const float largest = *std::max_element(selection.begin(), selection.end());
  for (float& weight : selection) weight /= largest;
  return selection;
}

Stage fit_alone(const LandmarkOptions& options, const RoundWork& work) {
  // Modules that differ in their graphs have the same head; folds differ in their problems.
  const std::string key = "landmarks " + view_name(work.input) + (options.curved ? " curved" : "") +
                          (options.selects ? " selects " : " ") +
                          std::to_string(reinterpret_cast<uintptr_t>(&work.problem));
  LandmarkState state{work.input, *work.shared.once<LandmarkHead>(key, [&] {
                        return fit_landmarks(work.features(), work.problem, options,
                                             work.context.threads);
                      })};
  Stage own;
  const cuda::HeldMatrix* const held = work.shared.held(work.input);
  own.p = held ? landmark_logits(state.head, *held)
               : landmark_logits(state.head, work.features().dense, work.context.threads);
  softmax_rows(own.p, work.context.threads);
  own.selection = selection_of(state.head, own.p, options.selects, work);
  clamp_training_rows(own.p, work.problem);
  own.state = std::move(state);
  return own;
}

}  // namespace

void LandmarkState::check(const std::string& what, const StateShape& fitted) const {
  const int64_t columns = fitted.columns(what, input), count = head.landmarks.rows();
  check_count(what + ", sparse views", fitted.views.at(input).is_sparse, 0);
  check_matrix(what + ", landmarks", head.landmarks, count, columns);
  check_matrix(what + ", weights", head.weights, 1, columns);
  check_matrix(what + ", links", head.links, count, fitted.classes);
  head.linear.check(what, columns, fitted.classes);
}

Matrix LandmarkState::logits(const RowViews& rows) const {
  return landmark_logits(head, rows.at(input).dense, 1);
}

std::vector<Stage> LandmarkOptions::run_round(const RoundWork& work) const {
  std::vector<Stage> stages;
  if (work.round == 0) stages.push_back(fit_alone(*this, work));
  // What landmarks alone say is the same in every round.
  const Stage own = work.first ? *work.first : stages.front();
  if (smoothing.steps > 0) stages.push_back(work.smoothed(own, smoothing));
  if (work.round > 0) {
    stages.push_back({.p = spread_labels(work.graph(), work.problem, false, work.context),
                      .selection = own.selection,
                      .own_weight = 0});
  }
  return stages;
}

void LandmarkOptions::describe(ModuleNote& note) const {
  note.add(curved ? "curved" : "linear");
  if (selects) note.add("selects");
  note.add("steps", static_cast<double>(smoothing.steps));
  note.add("alpha", smoothing.alpha);
}

bool LandmarkOptions::is_left_out(const Config& config) const { return !config.landmark_heads; }

void LandmarkOptions::apply(const Config& config) {
  if (!config.propagation) smoothing.steps = 0;
  if (!config.feature_weights) selects = false;
}

}  // namespace glgnn
