// Learning discrete structures: every pair has a chance to be an edge. A GCN is trained on graphs
// drawn from the chances; the chances follow the gradient of the validation loss through the last
// steps of that training.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/losses.h"
#include "methods/convolution.h"
#include "methods/learned_graph.h"
#include "methods/methods.h"
#include "methods/row_neighbours.h"
#include "modules/soft_labels.h"

namespace glgnn {
namespace {

constexpr int64_t kGraphsOfAnAnswer = 16;
constexpr int64_t kPatience = 20;                 // hypergradients without a better look
constexpr double kMeanKept = 0.9, kNoise = 1e-8;  // as in kernels/dense.h
constexpr double kSquareKept = 0.999;

using Numbers = std::vector<Matrix>;  // one for each parameter

double squared_length(const Numbers& numbers) {
  double sum = 0;
  for (const Matrix& m : numbers) sum += ref::sum_squares_forward<float>(m.data(), m.size());
  return sum;
}

void add_to(Matrix& to, double factor, const Matrix& from) {
  for (int64_t e = 0; e < to.size(); ++e) {
    to.data()[e] += static_cast<float>(factor * from.data()[e]);
  }
}

class Bilevel {
 public:
  explicit Bilevel(const MethodTask& task)
      : task_(task),
        layers_(*task.problem.features, task.count("hidden"), task.problem.classes, task.seed),
        recording_(task.context, true),
        evaluation_(task.context, false) {
    layers_.join(network_);
    for (const Parameter* p : network_.parameters) start_.push_back(p->value);
    const Csr start = start_graph(task);
    const Csr pairs =
        upper_half(with_pairs(start, build_candidates(task, task.count("candidates")).pattern));
    pairs_ = std::make_shared<PatternWork>(pairs.pattern);
    chances_ = Matrix(pairs.nnz(), 1);
    for (int64_t e = 0; e < pairs.nnz(); ++e) {
      chances_.data()[e] = std::clamp(pairs.values[e], 0.0f, 1.0f);
    }
    // Half of the validation labels teach the chances, the others say when to stop.
    for (size_t r = 0; r < task.problem.val.size(); ++r) {
      (r % 2 == 0 ? outer_ : stops_).push_back(task.problem.val[r]);
    }
    if (outer_.empty()) outer_ = task.problem.train;
    if (stops_.empty()) stops_ = outer_;
  }

  MethodAnswer fit() {
    MethodAnswer best;
    best.epochs = task_.count("rounds") * task_.count("epochs");
    for (int64_t round = 0; round < task_.count("rounds"); ++round) train(best);
    best.probabilities = answer(best_weights_, best_chances_);
    best.graph = both_halves(
        {pairs_->pattern(), {best_chances_.data(), best_chances_.data() + best_chances_.size()}});
    return best;
  }

 private:
  // One step of the inner training, as the way back needs it.
  struct Step {
    Numbers weights, rates;  // before it; what Adam multiplied its running mean with
    Matrix graph;
    NetworkPass pass;
  };

  static Csr build_candidates(const MethodTask& task, int64_t k) {
    MethodValues values = task.values;
    values["k"] = static_cast<double>(k);
    return neighbour_graph({task.problem, values, task.seed, task.context}, 0);
  }

  Matrix draw(uint32_t number) const {
    const Rng rng{task_.seed, Stream::kSampleNeighbours, 0, number};
    Matrix graph(chances_.rows(), 1);
    for (int64_t e = 0; e < graph.size(); ++e) {
      graph.data()[e] = rng.uniform(static_cast<uint64_t>(e)) < chances_.data()[e] ? 1.0f : 0.0f;
    }
    return graph;
  }

  // Gradients of a loss in the weights (in the parameters) and in the graph (returned).
  Matrix gradients(const Matrix& graph, std::span<const int32_t> rows, const NetworkPass& pass,
                   bool decays) {
    Matrix d_graph(graph.rows(), 1);
    const Var values{&graph, &d_graph};
    for (Parameter* p : network_.parameters) p->grad.fill(0.0f);
    const Var logits =
        layers_.logits(recording_, pass, spread_over(normalised_pairs(recording_, pairs_, values)));
    cross_entropy(recording_, logits, rows, task_.problem.labels, 1.0f);
    const auto decay = static_cast<float>(0.5 * task_.value("weight_decay"));
    for (Parameter* p : network_.decayed) {
      if (decays) sum_squares(recording_, recording_.parameter(*p), decay);
    }
    recording_.backward();
    recording_.clear();
    return d_graph;
  }

  Matrix logits_over(const Matrix& graph) {
    const Var logits =
        layers_.logits(evaluation_, {.seed = task_.seed},
                       spread_over(normalised_pairs(evaluation_, pairs_, Tape::constant(graph))));
    Matrix out = *logits.value;
    evaluation_.clear();
    return out;
  }

  Step train_step(int64_t t) {
    Step step{.weights = {}, .rates = {}, .graph = draw(++drawn_), .pass = {.seed = task_.seed}};
    step.pass.epoch = static_cast<int64_t>(drawn_);
    step.pass.dropout = static_cast<float>(task_.value("dropout"));
    for (const Parameter* p : network_.parameters) step.weights.push_back(p->value);
    gradients(step.graph, task_.problem.train, step.pass, true);
    const double rate = task_.value("learning_rate"), n = static_cast<double>(t);
    step_all(network_.parameters, rate, t);
    for (const Parameter* p : network_.parameters) {
      Matrix& rates = step.rates.emplace_back(p->value.rows(), p->value.cols());
      for (int64_t e = 0; e < rates.size(); ++e) {
        const double square = p->square.data()[e] / (1 - std::pow(kSquareKept, n));
        rates.data()[e] =
            static_cast<float>(rate / (1 - std::pow(kMeanKept, n)) / (std::sqrt(square) + kNoise));
      }
    }
    return step;
  }

  void put(const Numbers& weights) {
    for (size_t p = 0; p < weights.size(); ++p) network_.parameters[p]->value = weights[p];
  }

  // The gradient of the outer loss in the chances: that in the last graph, and back through the
  // steps, in which Adam's running mean of squares is held constant. Products with second
  // derivatives are differences of two gradients.
  Matrix hypergradient(const std::vector<Step>& steps) {
    Numbers reached, mean;  // the outer loss's gradient in the weights, and in Adam's running mean
    Matrix total = gradients(draw(++drawn_), outer_, {.seed = task_.seed}, false);
    for (const Parameter* p : network_.parameters) {
      reached.push_back(p->grad);
      mean.emplace_back(p->grad.rows(), p->grad.cols());
    }
    Numbers last;
    for (const Parameter* p : network_.parameters) last.push_back(p->value);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      Numbers along = mean;
      for (size_t p = 0; p < mean.size(); ++p) {
        for (int64_t e = 0; e < mean[p].size(); ++e) {
          float& m = mean[p].data()[e];
          m -= step->rates[p].data()[e] * reached[p].data()[e];
          along[p].data()[e] = static_cast<float>(1 - kMeanKept) * m;
          m *= static_cast<float>(kMeanKept);
        }
      }
      const double length = std::sqrt(squared_length(along));
      if (length == 0) continue;
      const double reach = 0.05 / length;
      for (const double side : {1.0, -1.0}) {
        put(step->weights);
        for (size_t p = 0; p < along.size(); ++p) {
          add_to(network_.parameters[p]->value, side * reach, along[p]);
        }
        const Matrix d_graph = gradients(step->graph, task_.problem.train, step->pass, true);
        add_to(total, side / (2 * reach), d_graph);
        for (size_t p = 0; p < along.size(); ++p) {
          add_to(reached[p], side / (2 * reach), network_.parameters[p]->grad);
        }
      }
    }
    put(last);
    for (Parameter* p : network_.parameters) p->grad.fill(0.0f);
    return total;
  }

  // New weights; the chances go on from where they are.
  void train(MethodAnswer& best) {
    for (size_t p = 0; p < start_.size(); ++p) {
      *network_.parameters[p] =
          Parameter(network_.parameters[p]->name, start_[p].rows(), start_[p].cols());
      network_.parameters[p]->value = start_[p];
    }
    std::vector<Step> steps;
    int64_t since = 0;
    for (int64_t t = 1; t <= task_.count("epochs") && since < kPatience; ++t) {
      steps.push_back(train_step(t));
      if (std::ssize(steps) < task_.count("steps")) continue;
      const Matrix d_chances = hypergradient(steps);
      steps.clear();
      for (int64_t e = 0; e < chances_.size(); ++e) {
        chances_.data()[e] =
            std::clamp(chances_.data()[e] -
                           static_cast<float>(task_.value("outer_rate")) * d_chances.data()[e],
                       0.0f, 1.0f);
      }
      const Matrix said = logits_over(chances_);
      const double right = accuracy(said, task_.problem.labels, stops_);
      const double loss =
          ref::cross_entropy_forward<float>(said.view(), stops_, task_.problem.labels.data());
      ++since;
      if (!best_weights_.empty() && (right < right_ || (right == right_ && loss >= loss_)))
        continue;
      right_ = right;
      loss_ = loss;
      since = 0;
      best.best_epoch = static_cast<int64_t>(drawn_);
      best_chances_ = chances_;
      best_weights_.clear();
      for (const Parameter* p : network_.parameters) best_weights_.push_back(p->value);
    }
  }

  // The mean of what is said over several graphs.
  Matrix answer(const Numbers& weights, const Matrix& chances) {
    put(weights);
    chances_ = chances;
    Matrix mean;
    for (int64_t g = 0; g < kGraphsOfAnAnswer; ++g) {
      Matrix p = logits_over(draw(++drawn_));
      softmax_rows(p);
      if (mean.size() == 0) mean = Matrix(p.rows(), p.cols());
      add_to(mean, 1.0 / kGraphsOfAnAnswer, p);
    }
    return mean;
  }

  const MethodTask& task_;
  GraphLayers layers_;
  Network network_;
  Tape recording_, evaluation_;
  std::shared_ptr<PatternWork> pairs_;
  std::vector<int32_t> outer_, stops_;
  Matrix chances_, best_chances_;
  Numbers start_, best_weights_;
  double right_ = 0, loss_ = 0;
  uint32_t drawn_ = 0;
};

}  // namespace

Method lds_method() {
  return {.name = "lds",
          .paper = "Franceschi, Niepert, Pontil and He, ICML 2019",
          .text = "GCN over graphs drawn from chances of pairs, which validation labels teach",
          .settings =
              std::vector<MethodSetting>{
                  {"candidates", 20, {20, 40}, "nearest rows that may become neighbours"},
                  {"outer_rate", 1, {0.1, 1, 10}, "step size of the chances"},
                  {"steps", 5, {5, 20}, "of training that a gradient goes back through"},
                  {"rounds", 2, {1, 2}, "of training with new weights"}} +
              neighbour_settings() + convolution_settings(),
          .fit = [](const MethodTask& task) { return Bilevel(task).fit(); }};
}

}  // namespace glgnn
