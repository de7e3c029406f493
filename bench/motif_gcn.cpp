#include <glgnn/model.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/explanations.h"
#include "bench/motifs.h"
#include "methods/network.h"
#include "methods/pair_rows.h"
#include "modules/soft_labels.h"

namespace glgnn::bench {
namespace {

// Of the experiments of GNNExplainer's authors.
constexpr int64_t kLayers = 3, kHidden = 20, kEpochs = 1000;
constexpr double kRate = 0.001;
constexpr float kDecay = 0.5f * 0.005f;  // of every parameter

}  // namespace

MotifGcn::MotifGcn(const Dataset& data, const Split& split, uint64_t seed, const Context& context)
    : data_(data), context_(context), graph_(data.graph) {
  transposed_ = std::make_shared<Transpose>(transpose(graph_.pattern->view()));
  // Sums over the neighbours and not means: columns that are all the same say nothing but the
  // degree. A row does not read itself.
  values_ = Matrix(graph_.nnz(), 1, 1.0f);
  for (uint32_t layer = 0; layer < kLayers; ++layer) {
    const int64_t in = layer == 0 ? data.features.cols() : kHidden;
    weights_.push_back(start_weights("w", in, kHidden, seed, layer));
    for (int64_t e = 0; e < weights_.back().value.size(); ++e) {
      weights_.back().value.data()[e] *= std::sqrt(2.0f);  // relu halves what comes through
    }
    biases_.emplace_back("b", 1, kHidden);
    heads_.push_back(start_weights("head", kHidden, data.classes(), seed, 2 * kLayers + layer));
  }
  biases_.emplace_back("b", 1, data.classes());  // of all heads
  std::vector<Parameter*> all;
  for (auto* list : {&weights_, &biases_, &heads_}) {
    for (Parameter& p : *list) all.push_back(&p);
  }
  const Var x = Tape::constant(data.features.dense), values = Tape::constant(values_);
  Tape training(context, true), evaluation(context, false);
  for (int64_t epoch = 1; epoch <= kEpochs; ++epoch) {
    const Var said = logits(training, x, values);
    cross_entropy(training, said, split.train, data.labels, 1.0f);
    for (Parameter* p : all) sum_squares(training, training.parameter(*p), kDecay);
    training.backward();
    step_all(all, kRate, epoch);
    training.clear();
  }
  probabilities_ = *logits(evaluation, x, values).value;
  softmax_rows(probabilities_);
  test_accuracy_ = accuracy(probabilities_, data.labels, split.test);
}

Var MotifGcn::logits(Tape& tape, Var x, Var values) const {
  Var h = x, sum;
  for (size_t layer = 0; layer < weights_.size(); ++layer) {
    h = linear(tape, h, tape.parameter(weights_[layer]));
    h = add_bias(tape, spmm(tape, {graph_.pattern, values, transposed_}, h),
                 tape.parameter(biases_[layer]));
    h = unit_rows(tape, {h, nullptr, nullptr}, 1.0f).values;
    if (layer + 1 < weights_.size()) h = relu(tape, h);
    const Var part = linear(tape, h, tape.parameter(heads_[layer]));
    sum = layer == 0 ? part : add(tape, sum, part);
  }
  return add_bias(tape, sum, tape.parameter(biases_.back()));
}

int64_t MotifGcn::entry(int32_t i, int32_t j) const {
  const auto begin = graph_.pattern->col.begin();
  return std::lower_bound(begin + graph_.pattern->row_ptr[i],
                          begin + graph_.pattern->row_ptr[i + 1], j) -
         begin;
}

int32_t MotifGcn::predicted(int32_t row) const {
  const float* p = probabilities_[row];
  return static_cast<int32_t>(std::max_element(p, p + probabilities_.cols()) - p);
}

std::vector<std::pair<int32_t, int32_t>> MotifGcn::edges_near(int32_t row) const {
  const Pattern& graph = *data_.graph.pattern;
  std::set<int32_t> reached{row};
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    std::set<int32_t> next = reached;
    for (const int32_t i : reached) {
      next.insert(graph.col.begin() + graph.row_ptr[i], graph.col.begin() + graph.row_ptr[i + 1]);
    }
    reached = std::move(next);
  }
  std::vector<std::pair<int32_t, int32_t>> edges;
  for (const int32_t i : reached) {
    for (int64_t e = graph.row_ptr[i]; e < graph.row_ptr[i + 1]; ++e) {
      if (i < graph.col[e] && reached.contains(graph.col[e])) edges.emplace_back(i, graph.col[e]);
    }
  }
  return edges;
}

Importance MotifGcn::learned_masks(int32_t row,
                                   const std::vector<std::pair<int32_t, int32_t>>& edges,
                                   uint64_t seed) const {
  const Matrix& x = data_.features.dense;
  const std::vector<int32_t> asked{row};
  std::vector<int32_t> labels(static_cast<size_t>(data_.rows()), -1);
  labels[row] = predicted(row);
  Tape tape(context_, true);
  Parameter values("values", values_.rows(), 1), seen("x", x.rows(), x.cols());
  const auto slope = [&](const Masks& now) {
    values.value = weighed(edges, now.edges);
    for (int64_t i = 0; i < x.rows(); ++i) {
      for (int64_t f = 0; f < x.cols(); ++f) seen.value[i][f] = x[i][f] * now.features[f];
    }
    values.grad.fill(0.0f);
    seen.grad.fill(0.0f);
    const Var said = logits(tape, tape.parameter(seen), tape.parameter(values));
    cross_entropy(tape, said, asked, labels, 1.0f);
    tape.backward();
    tape.clear();
    Importance slopes;
    for (const auto& [a, b] : edges) {
      double sum = 0;
      for (const int64_t e : {entry(a, b), entry(b, a)}) {
        sum += double{values.grad.data()[e]} * values_.data()[e];
      }
      slopes.edges.push_back(sum);
    }
    slopes.features.assign(static_cast<size_t>(x.cols()), 0.0);
    for (int64_t i = 0; i < x.rows(); ++i) {
      for (int64_t f = 0; f < x.cols(); ++f) slopes.features[f] += seen.grad[i][f] * x[i][f];
    }
    return slopes;
  };
  std::set<int32_t> rows;
  for (const auto& [a, b] : edges) rows.insert({a, b});
  return learn_masks(edges.size(), static_cast<size_t>(x.cols()), rows.size(), {.seed = seed},
                     slope);
}

Matrix MotifGcn::weighed(const std::vector<std::pair<int32_t, int32_t>>& edges,
                         const std::vector<float>& weights) const {
  Matrix values = values_;
  for (size_t e = 0; e < edges.size(); ++e) {
    values.data()[entry(edges[e].first, edges[e].second)] *= weights[e];
    values.data()[entry(edges[e].second, edges[e].first)] *= weights[e];
  }
  return values;
}

double MotifGcn::probability(int32_t row, const std::vector<std::pair<int32_t, int32_t>>& edges,
                             const std::vector<float>& weights) const {
  Tape tape(context_, false);
  const Var x = Tape::constant(data_.features.dense);
  Matrix said = *logits(tape, x, Tape::constant(weighed(edges, weights))).value;
  softmax_rows(said);
  return said[row][predicted(row)];
}

std::vector<double> MotifGcn::lost_without(
    int32_t row, const std::vector<std::pair<int32_t, int32_t>>& edges) const {
  std::vector<float> weights(edges.size(), 1.0f);
  const double whole = probability(row, edges, weights);
  std::vector<double> lost;
  for (float& weight : weights) {
    weight = 0;
    lost.push_back(whole - probability(row, edges, weights));
    weight = 1;
  }
  return lost;
}

}  // namespace glgnn::bench
