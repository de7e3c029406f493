#include "network/class_shares.h"

#include <algorithm>
#include <cmath>

#include "modules/eigen.h"

namespace glgnn {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kStandardErrors = 2;  // that tell classes apart
// Answers of one network are less independent than so many rows: the variance is so much larger.
constexpr double kAlike = 2;
// By less than this part of an equal share nobody would see a difference.
constexpr double kSeen = 0.02;
// No class is taken for rarer than this part of an equal share: a factor of 0 would never say it.
constexpr double kRarest = 0.02;
constexpr int kIterations = 5;  // the error of the answers depends on the shares

// What the network says of rows that did not choose it.
struct Answers {
  MatrixXd said;  // of labelled rows, a row each
  std::vector<int32_t> labels;
  VectorXd others;  // the mean of the rows without a label
};

Answers answers_of_rest(const std::vector<HeldBack>& held, const std::vector<Drawing>& drawings,
                        int64_t classes) {
  Answers answers;
  std::vector<Eigen::Index> first;  // of a fold's rows
  for (const HeldBack& fold : held) {
    first.push_back(std::ssize(answers.labels));
    answers.labels.insert(answers.labels.end(), fold.labels.begin(), fold.labels.end());
  }
  answers.said = MatrixXd::Zero(std::ssize(answers.labels), classes);
  answers.others = VectorXd::Zero(classes);
  VectorXd times = VectorXd::Zero(std::ssize(answers.labels));
  const double share = 1.0 / static_cast<double>(drawings.size() * held.size());
  for (const Drawing& drawing : drawings) {
    drawing.judge_rest(held, classes, [&](size_t f, size_t i, const std::vector<double>& p) {
      const Eigen::Index row = first[f] + static_cast<Eigen::Index>(i);
      answers.said.row(row) += Eigen::Map<const Eigen::RowVectorXd>(p.data(), classes);
      ++times[row];
    });
    for (size_t f = 0; f < held.size(); ++f) {
      for (size_t s = 0; s < held[f].stages.size(); ++s) {
        const double weight = share * drawing.chosen[f].weight[s];
        if (weight == 0) continue;
        const auto& others = held[f].stages[s].others[drawing.chosen[f].sharpness[s]];
        answers.others += weight * Eigen::Map<const VectorXd>(others.data(), classes);
      }
    }
  }
  // With so many drawings every row is left out of some, unless it is the only one.
  answers.said.array().colwise() /= times.array().max(1.0);
  return answers;
}

// The mean answer to the rows of each class, the variance of answers within classes, and how many
// rows each has.
struct ByClass {
  MatrixXd mean, within;
  VectorXd rows;
};

ByClass by_class(const Answers& answers) {
  const int64_t classes = answers.said.cols(), labels = answers.said.rows();
  // Few rows show less variance than there is in some direction; divided by so many, its inverse is
  // right in the mean (Wishart).
  const auto free_rows = static_cast<double>(labels - 2 * classes);
  ByClass out{MatrixXd::Zero(classes, classes), MatrixXd::Zero(classes, classes),
              VectorXd::Zero(classes)};
  for (int64_t i = 0; i < labels; ++i) {
    out.mean.row(answers.labels[i]) += answers.said.row(i);
    ++out.rows[answers.labels[i]];
  }
  out.mean.array().colwise() /= out.rows.array().max(1.0);
  for (int64_t i = 0; i < labels; ++i) {
    const VectorXd apart = (answers.said.row(i) - out.mean.row(answers.labels[i])).transpose();
    out.within += apart * apart.transpose() / free_rows;
  }
  return out;
}

// Chance gives 1 / C of an answer to the right class.
bool tells_classes_apart(const ByClass& found) {
  const double error = std::sqrt(found.within.diagonal().cwiseQuotient(found.rows).sum());
  return found.mean.trace() - 1 >= kStandardErrors * error;
}

// The logarithm of the density of a normal distribution around 0. Answers sum to 1, so that the
// last is known from the others.
double log_density(const VectorXd& x, const MatrixXd& variance) {
  const Eigen::Index n = x.size() - 1;
  const Eigen::LDLT<MatrixXd> parts = variance.topLeftCorner(n, n).ldlt();
  return -(x.head(n).dot(parts.solve(x.head(n))) + parts.vectorD().array().log().sum()) / 2;
}

// Of a normal distribution without what lies outside.
double mean_within_0_and_1(double middle, double spread) {
  const auto density = [](double z) { return std::exp(-z * z / 2) / std::sqrt(2 * M_PI); };
  const auto below = [](double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; };
  const double low = -middle / spread, high = (1 - middle) / spread;
  const double inside = below(high) - below(low);
  if (inside < 1e-9) return std::clamp(middle, 0.0, 1.0);
  return std::clamp(middle + spread * (density(low) - density(high)) / inside, 0.0, 1.0);
}

}  // namespace

bool picked_by_class(const std::vector<int32_t>& labels, const std::vector<int32_t>& labelled,
                     int64_t classes) {
  std::vector<int64_t> count(classes, 0);
  for (const int32_t row : labelled) ++count[labels[row]];
  return std::all_of(count.begin(), count.end(), [&](int64_t n) { return n == count[0]; });
}

std::vector<float> class_factors(const std::vector<HeldBack>& held,
                                 const std::vector<Drawing>& drawings, int64_t classes) {
  if (drawings.empty() || classes < 2 || held.front().others == 0) return {};
  const Answers answers = answers_of_rest(held, drawings, classes);
  const ByClass found = by_class(answers);
  if (found.rows.minCoeff() < 2 || std::ssize(answers.labels) <= 2 * classes) return {};  // too few
  if (!tells_classes_apart(found)) return {};
  const MatrixXd& mean = found.mean;

  // others = mean^T shares + error: shares by least squares, with equal shares as what is believed
  // before (the variance of a Dirichlet distribution that takes all shares for as likely).
  const VectorXd equal = VectorXd::Constant(classes, 1.0 / static_cast<double>(classes));
  const VectorXd surprise = answers.others - mean.transpose() * equal;
  const auto error_of = [&](const VectorXd& shares) -> MatrixXd {
    constexpr double kLeast = 1e-5;  // answers sum to 1: the matrix alone is singular
    const double part = shares.cwiseAbs2().cwiseQuotient(found.rows).sum() +
                        1.0 / static_cast<double>(held.front().others);
    return kAlike * part * found.within + kLeast * MatrixXd::Identity(classes, classes);
  };
  const MatrixXd error = error_of(equal);
  if (surprise.dot(error.ldlt().solve(surprise)) < static_cast<double>(classes - 1)) return {};
  MatrixXd believed = equal.asDiagonal();
  believed = (believed - equal * equal.transpose()) / static_cast<double>(classes + 1);
  // That all are alike is believed as much as that they are not.
  const MatrixXd spread = mean.transpose() * believed * mean;
  const double odds_alike =
      std::exp(log_density(surprise, error) - log_density(surprise, error + spread));
  VectorXd shares = equal;
  for (int step = 0; step < kIterations; ++step) {
    const MatrixXd gain =
        (spread + error_of(shares)).ldlt().solve(mean.transpose() * believed).transpose();
    const VectorXd middle = equal + gain * surprise;
    const VectorXd variance = (believed - gain * mean.transpose() * believed).diagonal();
    for (int64_t c = 0; c < classes; ++c) {
      shares[c] = mean_within_0_and_1(middle[c], std::sqrt(std::max(variance[c], 1e-12)));
    }
    shares = shares.cwiseMax(kRarest * equal[0]);
    shares /= shares.sum();
  }
  shares = equal + (shares - equal) / (1 + odds_alike);
  if ((shares - equal).cwiseAbs().maxCoeff() < kSeen * equal[0]) return {};
  std::vector<float> factors;
  for (int64_t c = 0; c < classes; ++c) {
    factors.push_back(static_cast<float>(shares[c] * static_cast<double>(classes)));
  }
  return factors;
}

void weigh_classes(std::span<float> p, const std::vector<float>& factors) {
  double sum = 0;
  for (size_t c = 0; c < factors.size(); ++c) sum += double{p[c]} * factors[c];
  if (sum <= 0) return;
  for (size_t c = 0; c < factors.size(); ++c) {
    p[c] = static_cast<float>(double{p[c]} * factors[c] / sum);
  }
}

void weigh_classes(Matrix& p, const std::vector<float>& factors) {
  const auto classes = static_cast<size_t>(p.cols());
  for (int64_t r = 0; r < p.rows(); ++r) weigh_classes(std::span(p[r], classes), factors);
}

}  // namespace glgnn
