#include "best/soft_labels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/propagate.h"
#include "kernels/row_softmax.h"

namespace glgnn {

Matrix one_hot(const Problem& problem) {
  Matrix y(problem.features->rows(), problem.classes);
  for (const int32_t i : problem.train) y[i][problem.labels[i]] = 1.0f;
  return y;
}

void clamp_training_rows(Matrix& p, const Problem& problem) {
  for (const int32_t i : problem.train) {
    std::fill(p[i], p[i] + p.cols(), 0.0f);
    p[i][problem.labels[i]] = 1.0f;
  }
}

std::vector<double> class_shares(const Problem& problem) {
  const double all =
      static_cast<double>(problem.train.size()) + static_cast<double>(problem.classes);
  std::vector<double> shares(problem.classes, 1.0 / all);
  for (const int32_t i : problem.train) shares[problem.labels[i]] += 1.0 / all;
  return shares;
}

void normalise_rows(Matrix& p, const std::vector<double>& otherwise) {
  for (int64_t i = 0; i < p.rows(); ++i) {
    double sum = 0;
    for (int64_t c = 0; c < p.cols(); ++c) sum += p[i][c];
    for (int64_t c = 0; c < p.cols(); ++c) {
      p[i][c] = static_cast<float>(sum > 1e-30 ? p[i][c] / sum : otherwise[c]);
    }
  }
}

void match_class_mass(Matrix& p, const std::vector<double>& shares) {
  std::vector<double> mass(p.cols(), 0.0);
  for (int64_t i = 0; i < p.rows(); ++i) {
    for (int64_t c = 0; c < p.cols(); ++c) mass[c] += p[i][c];
  }
  for (int64_t i = 0; i < p.rows(); ++i) {
    for (int64_t c = 0; c < p.cols(); ++c) {
      p[i][c] = static_cast<float>(p[i][c] * shares[c] / std::max(mass[c], 1e-12));
    }
  }
  normalise_rows(p, shares);
}

void softmax_rows(Matrix& logits) {
  ref::row_softmax_forward<float>(logits.view(), std::as_const(logits).view());
}

Matrix spread_labels(const Csr& graph, const Problem& problem, bool class_mass, int threads) {
  constexpr int64_t kSteps = 60;
  constexpr float kBack = 0.01f;
  const Matrix y = one_hot(problem);
  Matrix p(y.rows(), y.cols());
  cpu::propagate(p.view(), graph.pattern->view(), graph.values.data(), y.view(), kSteps, kBack,
                 threads);
  const std::vector<double> shares = class_shares(problem);
  normalise_rows(p, shares);
  if (class_mass) match_class_mass(p, shares);
  return p;
}

double optimism_of_chosen(double accuracy, const Problem& problem) {
  if (problem.val.empty()) return 0;
  const double rows = static_cast<double>(problem.val.size());
  // As if one right and one wrong answer more had been seen: never no error at all.
  const double part = (accuracy * rows + 1) / (rows + 2);
  return 0.75 * std::sqrt(part * (1 - part) / rows);
}

Score validation_score(const Matrix& p, const Problem& problem) {
  Score score;
  if (problem.val.empty()) return score;
  score.accuracy = accuracy(p, problem.labels, problem.val);
  for (const int32_t i : problem.val) {
    score.log_likelihood += std::log(std::max(1e-3, double{p[i][problem.labels[i]]}));
  }
  score.log_likelihood /= static_cast<double>(problem.val.size());
  return score;
}

}  // namespace glgnn
