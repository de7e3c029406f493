#include "modules/soft_labels.h"

#include <glgnn/metrics.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "core/rows.h"
#include "kernels/dense.h"

namespace glgnn {
namespace {

// As many rows as would tell an accuracy as surely as the mean recall of the classes is told.
double telling_rows(const Problem& problem) {
  const auto rows = static_cast<double>(problem.val.size());
  if (!problem.classes_alike) return rows;
  // The rows of a class are rows / (classes * weight): the variance of the mean recall is that of
  // one answer times the mean weight of the classes over the rows.
  double sum = 0, classes = 0;
  for (const double weight : balanced_class_weights(problem.labels, problem.val, problem.classes)) {
    sum += weight;
    classes += weight > 0;
  }
  return rows * classes / sum;
}

// The sum of each class. Pieces of rows are summed first, however many threads there are.
std::vector<double> class_mass_of(const Matrix& p, int threads) {
  constexpr int64_t kRows = 65536;  // of a piece
  const int64_t pieces = (p.rows() + kRows - 1) / kRows;
  std::vector<std::vector<double>> part(pieces, std::vector<double>(p.cols(), 0.0));
  for_fixed_pieces(p.rows(), kRows, threads, [&](int64_t piece, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      for (int64_t c = 0; c < p.cols(); ++c) part[piece][c] += p[i][c];
    }
  });
  std::vector<double> mass(p.cols(), 0.0);
  for (const auto& of_piece : part) {
    for (int64_t c = 0; c < p.cols(); ++c) mass[c] += of_piece[c];
  }
  return mass;
}

}  // namespace

Problem with_class_weights(Problem problem, const Config& config) {
  problem.classes_alike |= config.class_weights == ClassWeights::kBalanced;
  return problem;
}

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
  if (problem.classes_alike) {
    return std::vector<double>(problem.classes, 1.0 / static_cast<double>(problem.classes));
  }
  const double all =
      static_cast<double>(problem.train.size()) + static_cast<double>(problem.classes);
  std::vector<double> shares(problem.classes, 1.0 / all);
  for (const int32_t i : problem.train) shares[problem.labels[i]] += 1.0 / all;
  return shares;
}

void normalise_rows(Matrix& p, const std::vector<double>& otherwise, int threads) {
  for_row_ranges(p.rows(), 4 * p.size(), threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      double sum = 0;
      for (int64_t c = 0; c < p.cols(); ++c) sum += p[i][c];
      for (int64_t c = 0; c < p.cols(); ++c) {
        p[i][c] = static_cast<float>(sum > 1e-30 ? p[i][c] / sum : otherwise[c]);
      }
    }
  });
}

void match_class_mass(Matrix& p, const std::vector<double>& shares, int threads) {
  const std::vector<double> mass = class_mass_of(p, threads);
  for_row_ranges(p.rows(), 4 * p.size(), threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      for (int64_t c = 0; c < p.cols(); ++c) {
        p[i][c] = static_cast<float>(p[i][c] * shares[c] / std::max(mass[c], 1e-12));
      }
    }
  });
  normalise_rows(p, shares, threads);
}

void softmax_rows(Matrix& logits, int threads) {
  for_row_ranges(logits.rows(), 8 * logits.size(), threads, [&](int64_t first, int64_t last) {
    const MatView<float> rows{logits[first], last - first, logits.cols()};
    ref::row_softmax_forward<float>(rows, {rows.data, rows.rows, rows.cols});
  });
}

double standard_error(double accuracy, const Problem& problem) {
  return problem.val.empty() ? 0 : standard_error(accuracy, telling_rows(problem));
}

double standard_error(double accuracy, double rows) {
  // As if one right and one wrong answer more had been seen: never no error at all.
  const double part = (accuracy * rows + 1) / (rows + 2);
  return std::sqrt(part * (1 - part) / rows);
}

std::vector<float> training_row_weights(const Problem& problem) {
  std::vector<float> weights(problem.train.size(), 1.0f);
  if (!problem.classes_alike) return weights;
  const std::vector<double> of_class =
      balanced_class_weights(problem.labels, problem.train, problem.classes);
  for (size_t t = 0; t < weights.size(); ++t) {
    weights[t] = static_cast<float>(of_class[problem.labels[problem.train[t]]]);
  }
  return weights;
}

Matrix validation_rows(const Matrix& p, const Problem& problem) {
  Matrix rows(static_cast<int64_t>(problem.val.size()), p.cols());
  for (size_t v = 0; v < problem.val.size(); ++v) {
    std::copy_n(p[problem.val[v]], p.cols(), rows[static_cast<int64_t>(v)]);
  }
  return rows;
}

Problem validation_alone(const Problem& problem) {
  Problem alone;
  alone.classes = problem.classes;
  alone.classes_alike = problem.classes_alike;
  for (const int32_t row : problem.val) {
    alone.val.push_back(static_cast<int32_t>(alone.labels.size()));
    alone.labels.push_back(problem.labels[row]);
  }
  return alone;
}

double validation_accuracy(const Matrix& p, const Problem& problem) {
  if (!problem.classes_alike) return accuracy(p, problem.labels, problem.val);
  return balanced_accuracy(
      confusion_matrix(predicted_classes(p), problem.labels, problem.val, problem.classes));
}

double clipped_log(double probability) { return std::log(std::max(1e-3, probability)); }

Score validation_score(const Matrix& p, const Problem& problem) {
  Score score;
  if (problem.val.empty()) return score;
  score.accuracy = validation_accuracy(p, problem);
  const std::vector<double> weights =
      problem.classes_alike ? balanced_class_weights(problem.labels, problem.val, problem.classes)
                            : std::vector<double>(problem.classes, 1.0);
  for (const int32_t i : problem.val) {
    const int32_t label = problem.labels[i];
    score.log_likelihood += weights[label] * clipped_log(p[i][label]);
  }
  score.log_likelihood /= static_cast<double>(problem.val.size());
  return score;
}

}  // namespace glgnn
