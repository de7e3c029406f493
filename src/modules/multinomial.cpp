#include "modules/multinomial.h"

#include <algorithm>
#include <cmath>

#include "kernels/propagate.h"
#include "modules/feature_products.h"
#include "modules/module.h"

namespace glgnn {
namespace {

struct Distributions {
  Matrix log_theta;               // F x C
  std::vector<double> log_share;  // log pi
};

class MultinomialEm {
 public:
  MultinomialEm(const Features& x, const Csr& graph, const Problem& problem,
                const MultinomialOptions& options, int threads)
      : x_(x),
        graph_(graph),
        problem_(problem),
        options_(options),
        threads_(threads),
        products_(x, threads) {}

  Matrix iterate(const Matrix& p, double unlabelled_weight) const {
    const Distributions learned = learn(p, unlabelled_weight);
    Matrix logits(x_.rows(), p.cols());
    products_.times(logits, learned.log_theta);
    for (int64_t i = 0; i < logits.rows(); ++i) {
      for (int64_t c = 0; c < logits.cols(); ++c) {
        logits[i][c] = static_cast<float>(options_.temperature *
                                          (options_.scale * logits[i][c] + learned.log_share[c]));
      }
    }
    const int64_t steps = options_.smoothing.steps;
    softmax_rows(logits);
    if (steps > 0) {
      logits = propagated(logits, steps);
      normalise_rows(logits, class_shares(problem_));
    }
    return logits;
  }

  Distributions learn(const Matrix& p, double unlabelled_weight) const {
    Matrix q = p;
    std::vector<bool> trained(q.rows(), false);
    for (const int32_t i : problem_.train) trained[i] = true;
    for (int64_t i = 0; i < q.rows(); ++i) {
      for (int64_t c = 0; c < q.cols() && !trained[i]; ++c) {
        q[i][c] *= static_cast<float>(unlabelled_weight);
      }
    }
    return log_distributions(q);
  }

 private:
  Matrix propagated(const Matrix& h, int64_t steps) const {
    Matrix z(h.rows(), h.cols());
    cpu::propagate(z.view(), graph_.pattern->view(), graph_.values.data(), h.view(), steps,
                   static_cast<float>(options_.smoothing.alpha), threads_);
    return z;
  }

  Distributions log_distributions(const Matrix& q) const {
    Distributions out{Matrix(x_.cols(), q.cols()), {}};
    Matrix& theta = out.log_theta;
    products_.transposed_times(theta, q);
    double all = static_cast<double>(q.cols());
    for (int64_t e = 0; e < q.size(); ++e) all += q.data()[e];
    for (int64_t c = 0; c < q.cols(); ++c) {
      double mass = 1, sum = 0;
      for (int64_t i = 0; i < q.rows(); ++i) mass += q[i][c];
      for (int64_t f = 0; f < theta.rows(); ++f) {
        theta[f][c] = std::max(theta[f][c], 0.0f) + static_cast<float>(options_.pseudo_count);
        sum += theta[f][c];
      }
      const double log_sum = std::log(sum);
      for (int64_t f = 0; f < theta.rows(); ++f) {
        theta[f][c] = static_cast<float>(std::log(double{theta[f][c]}) - log_sum);
      }
      out.log_share.push_back(problem_.classes_alike ? 0.0 : std::log(mass / all));
    }
    return out;
  }

  const Features& x_;
  const Csr& graph_;
  const Problem& problem_;
  const MultinomialOptions& options_;
  int threads_;
  FeatureProducts products_;
};

}  // namespace

Matrix multinomial_prototypes(const Matrix& start, const Features& x, const Csr& graph,
                              const Problem& problem, const MultinomialOptions& options,
                              int threads, std::vector<Matrix>* looks) {
  const MultinomialEm em(x, graph, problem, options, threads);
  // Without a start nothing is known of the other rows: they do not count in the first M-step.
  Matrix p = start.empty() ? one_hot(problem) : start;
  clamp_training_rows(p, problem);
  Matrix best;
  double best_value = 0;
  for (int64_t t = 0; t < options.iterations; ++t) {
    p = em.iterate(p, t == 0 && start.empty() ? 0.0 : options.unlabelled_weight);
    const double value = validation_score(p, problem).value();
    if (looks) looks->push_back(validation_rows(p, problem));
    if (t == 0 || value >= best_value) best = p, best_value = value;
    clamp_training_rows(p, problem);
  }
  clamp_training_rows(best, problem);
  return best;
}

LinearHead multinomial_head(const Matrix& p, const Features& x, const Csr& graph,
                            const Problem& problem, const MultinomialOptions& options,
                            int threads) {
  Distributions learned =
      MultinomialEm(x, graph, problem, options, threads).learn(p, options.unlabelled_weight);
  LinearHead head{std::move(learned.log_theta), Matrix(1, p.cols())};
  for (int64_t e = 0; e < head.weights.size(); ++e) {
    head.weights.data()[e] *= static_cast<float>(options.temperature * options.scale);
  }
  for (int64_t c = 0; c < p.cols(); ++c) {
    head.offset[0][c] = static_cast<float>(options.temperature * learned.log_share[c]);
  }
  return head;
}

std::vector<Stage> MultinomialOptions::run_round(const RoundWork& work) const {
  std::vector<Matrix> looks;
  Matrix p = multinomial_prototypes(*work.before, work.features(), work.graph(), work.problem,
                                    *this, work.context.threads, &looks);
  std::vector<float> selection = work.separation(p);
  return {{.p = std::move(p),
           .selection = std::move(selection),
           .own_weight = smoothing.own_weight(),
           .state = PrototypeState{work.input, {}},
           .looks = std::move(looks)}};
}

void MultinomialOptions::finish(KindState& state, const Matrix& p, const RoundWork& work) const {
  state = PrototypeState{work.input, multinomial_head(p, work.features(), work.graph(),
                                                      work.problem, *this, work.context.threads)};
}

void MultinomialOptions::describe(ModuleNote& note) const {
  note.add("count", pseudo_count);
  note.add("unlabelled", unlabelled_weight);
  note.add("temperature", temperature);
  note.add("scale", scale);
  note.add("em_steps", static_cast<double>(smoothing.steps));
  note.add("em_alpha", smoothing.alpha);
}

bool MultinomialOptions::is_left_out(const Config& config) const { return !config.prototype_heads; }

void MultinomialOptions::apply(const Config& config) {
  if (!config.propagation) smoothing.steps = 0;
}

}  // namespace glgnn
