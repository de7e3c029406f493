#include "modules/landmarks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "core/rng.h"
#include "core/rows.h"
#include "kernels/dense.h"
#include "modules/eigen.h"
#include "modules/module.h"

namespace glgnn {
namespace {

constexpr int64_t kMostToLearnFrom = 300;  // rows: every step is cubic in them
constexpr int64_t kFewClasses = 10;  // more ask for care, else all takes as many times as long

// The parts of what is learned.
struct Sizes {
  Eigen::VectorXd weight;  // squared, of each feature
  double curved, noise, linear;
};

Sizes sizes_of(const LandmarkEvidence& e, std::span<const double> logs) {
  const int64_t origins = e.origins();
  Sizes sizes{Eigen::VectorXd(e.features), std::exp(logs[origins]), std::exp(logs[origins + 1]),
              std::exp(logs[origins + 2])};
  for (int64_t f = 0; f < e.features; ++f) sizes.weight[f] = std::exp(logs[e.origin[f]]);
  return sizes;
}

Sizes only_linear(int64_t features) { return {Eigen::VectorXd::Ones(features), 0, 0, 1}; }

// exp(-1/2 |s * (x_i - y_j)|^2)
Eigen::MatrixXd curved_similarity(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y,
                                  const Eigen::VectorXd& weight) {
  const auto scaled = [&](const Eigen::MatrixXd& rows) {
    return Eigen::MatrixXd(rows * weight.cwiseSqrt().asDiagonal());
  };
  const Eigen::MatrixXd zx = scaled(x), zy = scaled(y);
  Eigen::MatrixXd k = product(zx, zy.transpose());
  k.colwise() -= Eigen::VectorXd(0.5 * zx.rowwise().squaredNorm());
  k.rowwise() -= Eigen::VectorXd(0.5 * zy.rowwise().squaredNorm()).transpose();
  return k.array().min(0.0).exp();
}

Eigen::MatrixXd map_rows(const LandmarkEvidence& e) {
  return Eigen::Map<const RowMajor<float>>(e.points.data(), e.rows, e.features).cast<double>();
}

Eigen::Map<const RowMajor<double>> map_targets(const LandmarkEvidence& e) {
  return {e.target.data(), e.rows, e.classes};
}

// Of the constant part, beside targets of 0 and 1: any offset is as good as another.
constexpr double kConstant = 10;

// The similarity of the rows.
Eigen::MatrixXd similarity(const Sizes& sizes, const Eigen::MatrixXd& products,
                           const Eigen::MatrixXd& curved) {
  Eigen::MatrixXd k = sizes.curved * curved + sizes.linear * products;
  k.array() += kConstant;
  return k;
}

Eigen::MatrixXd similarity(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y, const Sizes& sizes) {
  return similarity(sizes, product(x, y.transpose()), curved_similarity(x, y, sizes.weight));
}

LandmarkEvidence evidence_of(const Features& features, const Problem& problem,
                             const std::vector<int32_t>& rows,
                             const std::vector<int32_t>& classes) {
  const Matrix& x = features.dense;
  LandmarkEvidence e;
  e.origin = origin_of_columns(features);
  e.rows = static_cast<int64_t>(rows.size());
  e.features = x.cols();
  e.classes = std::ssize(classes);
  std::vector<float> weight(problem.features->rows(), 1.0f);
  const std::vector<float> of_training = training_row_weights(problem);
  for (size_t t = 0; t < of_training.size(); ++t) weight[problem.train[t]] = of_training[t];
  std::vector<double> share(problem.classes, 0.0);
  double all = 0;
  for (const int32_t i : rows) {
    e.points.insert(e.points.end(), x[i], x[i] + x.cols());
    e.trust.push_back(weight[i]);
    share[problem.labels[i]] += weight[i];
    all += weight[i];
  }
  for (const int32_t c : classes) e.share.push_back(share[c] / all);
  for (const int32_t i : rows) {
    for (int64_t c = 0; c < e.classes; ++c) {
      e.target.push_back((problem.labels[i] == classes[c] ? 1.0 : 0.0) - e.share[c]);
    }
  }
  return e;
}

// Steepest ascent by Adam from equal weights; the likeliest sizes on the way.
std::vector<double> learn_sizes(const LandmarkEvidence& e, bool selects) {
  constexpr int64_t kSteps = 60;
  constexpr double kRate = 0.15, kLowest = -9, kHighest = 4;
  const int64_t origins = e.origins();
  const auto features = static_cast<double>(origins);
  std::vector<double> sizes(origins, -std::log(features));
  // Targets are 0 or 1: a variance of a tenth or so.
  sizes.insert(sizes.end(), {std::log(0.1), std::log(0.03), std::log(0.01 / features)});
  std::vector<double> mean(sizes.size(), 0.0), square(sizes.size(), 0.0), gradient(sizes.size());
  std::vector<double> best = sizes;
  double best_value = -std::numeric_limits<double>::infinity();
  for (int64_t step = 1; step <= kSteps; ++step) {
    const double value = e.value(sizes, gradient);
    if (value > best_value) {
      best_value = value;
      best = sizes;
    }
    if (!selects) {
      const double sum = std::accumulate(gradient.begin(), gradient.begin() + origins, 0.0);
      std::fill(gradient.begin(), gradient.begin() + origins, sum);
    }
    for (double& g : gradient) g = -g;
    ref::adam_step(sizes.data(), mean.data(), square.data(), gradient.data(),
                   static_cast<int64_t>(sizes.size()), kRate, step);
    for (double& size : sizes) size = std::clamp(size, kLowest, kHighest);
  }
  return best;
}

// exp(row - log of the row's sum of exp)
Eigen::MatrixXd softmax(Eigen::MatrixXd logits) {
  logits.colwise() -= Eigen::VectorXd(logits.rowwise().maxCoeff());
  logits = logits.array().exp();
  return logits.array().colwise() / logits.rowwise().sum().array();
}

// So that a row is of similarity 1 to itself in the mean, without the constant.
Sizes normalised(const LandmarkEvidence& e, Sizes sizes) {
  const double square = map_rows(e).squaredNorm() / static_cast<double>(e.rows);
  const double mean =
      std::max(sizes.curved + sizes.linear * square, 1e-12);  // of columns that may all be constant
  sizes.curved /= mean;
  sizes.linear /= mean;
  return sizes;
}

// Adds `step` of the links until that hardly changes them. The more classes, the farther the bound
// that steps are divided by is above the curvature: there steps gather speed (Nesterov 1983), and
// lose it where it leads back (O'Donoghue and Candes 2015).
template <class Step>
void improve(Eigen::MatrixXd& links, const Step& step) {
  constexpr int64_t kSteps = 100, kSlowSteps = 20;  // the first ones are short
  constexpr double kConverged = 3e-3;
  const bool gathers = links.cols() > kFewClasses;
  Eigen::MatrixXd speed = Eigen::MatrixXd::Zero(links.rows(), links.cols());
  double age = 1;
  for (int64_t s = 0; s < kSteps; ++s) {
    const double older = 0.5 * (1 + std::sqrt(1 + 4 * age * age));
    const Eigen::MatrixXd ahead = links + (gathers ? (age - 1) / older : 0) * speed;
    const Eigen::MatrixXd change = step(ahead);
    speed = ahead + change - links;
    links = ahead + change;
    age = change.cwiseProduct(speed).sum() < 0 ? 1 : older;
    if (gathers && s < kSlowSteps) continue;
    if (speed.norm() <= kConverged * links.norm()) break;
  }
}

Eigen::MatrixXd map_labels(const LandmarkEvidence& e) {
  return map_targets(e).rowwise() + Eigen::Map<const Eigen::RowVectorXd>(e.share.data(), e.classes);
}

// Logistic regression: links A that maximise the logarithm of the labels' likelihood, the logits
// being K A, less decay / 2 tr(A^T K A).
class LinkFit {
 public:
  LinkFit(const LandmarkEvidence& e, const Eigen::MatrixXd& k, double decay)
      : k_(k),
        decay_(decay),
        over_bound_(0.5 * *std::max_element(e.trust.begin(), e.trust.end()) * k +
                    decay * Eigen::MatrixXd::Identity(e.rows, e.rows)),
        labels_(map_labels(e)) {
    invert(over_bound_);
  }

  // Improves links. Every step divides by a bound of the curvature (Boehning 1992): none can fail.
  void run(Eigen::MatrixXd& links, const Eigen::VectorXd& trust) const {
    improve(links, [&](const Eigen::MatrixXd& at) {
      return product(over_bound_,
                     trust.asDiagonal() * (labels_ - softmax(product(k_, at))) - decay_ * at);
    });
  }

  // The logarithm of the likelihood of row i's label.
  double likelihood(const Eigen::MatrixXd& links, int64_t i) const {
    const Eigen::MatrixXd p = softmax(k_.row(i) * links);
    return std::log(std::max(1e-3, p.row(0).dot(labels_.row(i))));
  }

 private:
  const Eigen::MatrixXd& k_;
  double decay_;
  Eigen::MatrixXd over_bound_;  // 1 / the bound
  Eigen::MatrixXd labels_;
};

// The same where more rows teach than are landmarks: k is their likeness to these, `among` that of
// the landmarks.
Eigen::MatrixXd links_taught_by_many(const LandmarkEvidence& e, const Eigen::MatrixXd& k,
                                     const Eigen::MatrixXd& among, double decay) {
  constexpr double kRidge = 1e-8;  // of the mean curvature: some landmarks say the same
  const Eigen::Map<const Eigen::VectorXd> trust(e.trust.data(), e.rows);
  const Eigen::MatrixXd labels = map_labels(e), across = k.transpose();
  Eigen::MatrixXd over_bound = 0.5 * trust.maxCoeff() * product(across, k) + decay * among;
  over_bound.diagonal().array() += kRidge * over_bound.diagonal().mean();
  invert(over_bound);
  Eigen::MatrixXd links = Eigen::MatrixXd::Zero(k.cols(), e.classes);
  improve(links, [&](const Eigen::MatrixXd& at) {
    const Eigen::MatrixXd missed = trust.asDiagonal() * (labels - softmax(product(k, at)));
    return product(over_bound, product(across, missed) - decay * product(among, at));
  });
  return links;
}

Eigen::MatrixXd no_links(const LandmarkEvidence& e) {
  return Eigen::MatrixXd::Zero(e.rows, e.classes);
}

struct Choice {
  Sizes sizes;
  double decay;  // of the links
};

// The evidence takes labels for numbers, which asks for narrower similarities than classes do: how
// wide they are, and the decay, are those under which labels that are held back are likeliest.
Choice choose_width_and_decay(const LandmarkEvidence& e, const Sizes& sizes, int threads) {
  constexpr int64_t kFolds = 5;
  constexpr std::array kDecays{1.0, 0.3, 0.1, 0.03, 0.01, 0.003};
  const Eigen::Map<const Eigen::VectorXd> trust(e.trust.data(), e.rows);
  std::vector<Sizes> tried;
  std::vector<Eigen::MatrixXd> k;
  for (const double factor : {1.0, 0.4, 0.15}) {
    if (sizes.curved == 0 && factor != 1) break;
    tried.push_back(sizes);
    tried.back().weight *= factor;
    k.push_back(similarity(map_rows(e), map_rows(e), tried.back()));
  }
  const int64_t choices = std::ssize(tried) * std::ssize(kDecays);
  std::vector<std::optional<LinkFit>> fits(choices);
  parallel_for(choices, threads, 1, [&](int64_t at) {
    fits[at].emplace(e, k[at / std::ssize(kDecays)], kDecays[at % std::ssize(kDecays)]);
  });
  // How likely each choice makes the labels while they are held back.
  std::vector<Eigen::VectorXd> worth(choices, Eigen::VectorXd(e.rows));
  parallel_for(std::ssize(tried) * kFolds, threads, 1, [&](int64_t task) {
    const int64_t width = task / kFolds, fold = task % kFolds;
    Eigen::VectorXd rest = trust;
    for (int64_t i = fold; i < e.rows; i += kFolds) rest[i] = 0;
    Eigen::MatrixXd links = no_links(e);  // each decay goes on from the last
    for (int64_t at = width * std::ssize(kDecays); at < (width + 1) * std::ssize(kDecays); ++at) {
      fits[at]->run(links, rest);
      for (int64_t i = fold; i < e.rows; i += kFolds) {
        worth[at][i] = trust[i] * fits[at]->likelihood(links, i);
      }
    }
  });
  Choice best{sizes, 1};
  double best_value = -std::numeric_limits<double>::infinity();
  for (int64_t at = 0; at < choices; ++at) {
    double value = 0;
    for (int64_t fold = 0; fold < kFolds; ++fold) {
      for (int64_t i = fold; i < e.rows; i += kFolds) value += worth[at][i];
    }
    if (value <= best_value) continue;
    best_value = value;
    best = {tried[at / std::ssize(kDecays)], kDecays[at % std::ssize(kDecays)]};
  }
  return best;
}

// The first rows of e are the landmarks, all of them teach.
LandmarkHead head_of(const LandmarkEvidence& e, const Choice& choice) {
  const auto& [sizes, decay] = choice;
  const Eigen::MatrixXd all = map_rows(e);
  const Eigen::MatrixXd x = all.topRows(std::min(e.rows, kMostLandmarks));
  const Eigen::MatrixXd among = similarity(x, x, sizes);
  Eigen::MatrixXd links;
  if (x.rows() < e.rows) {
    links = links_taught_by_many(e, similarity(all, x, sizes), among, decay);
  } else {
    links = no_links(e);
    LinkFit(e, among, decay).run(links, Eigen::Map<const Eigen::VectorXd>(e.trust.data(), e.rows));
  }
  LandmarkHead head;
  head.landmarks = to_matrix(x);
  head.weights = to_matrix(sizes.weight.cwiseSqrt().transpose());
  head.links = to_matrix(sizes.curved * links);
  head.linear = {to_matrix(sizes.linear * x.transpose() * links),
                 to_matrix(kConstant * links.colwise().sum())};
  return head;
}

std::vector<int32_t> first(const std::vector<int32_t>& rows, int64_t most) {
  return {rows.begin(), rows.begin() + std::min(std::ssize(rows), most)};
}

// Class by class, so that folds have rows of each; in the order in which the classes come, as their
// numbers say nothing.
std::vector<int32_t> class_by_class(std::vector<int32_t> rows, const Problem& problem) {
  std::map<int32_t, size_t> place;
  for (size_t i = 0; i < rows.size(); ++i) place.emplace(problem.labels[rows[i]], i);
  std::ranges::stable_sort(rows, {}, [&](int32_t row) { return place[problem.labels[row]]; });
  return rows;
}

// By the rows of which classes the width is chosen: of all, or of as many as take no longer than
// few classes do. Fewer rows of all classes would leave too few of each.
std::vector<int32_t> classes_to_choose_by(const std::vector<int32_t>& rows,
                                          const Problem& problem) {
  std::vector<int32_t> classes(problem.classes);
  std::iota(classes.begin(), classes.end(), 0);
  if (problem.classes <= kFewClasses) return classes;
  classes.clear();  // those that come first: their numbers say nothing
  std::vector<int64_t> count(problem.classes, 0);
  for (const int32_t row : rows) {
    if (count[problem.labels[row]]++ == 0) classes.push_back(problem.labels[row]);
  }
  int64_t taken = 0, of_them = 0;
  for (; taken < std::ssize(classes); ++taken) {
    of_them = std::min(of_them + count[classes[taken]], kMostToLearnFrom);
    if (of_them * of_them * (taken + 1) > kMostToLearnFrom * kMostToLearnFrom * kFewClasses) break;
  }
  classes.resize(taken);
  return classes;
}

std::vector<int32_t> rows_of(const std::vector<int32_t>& classes, const std::vector<int32_t>& rows,
                             const Problem& problem) {
  std::vector<char> wanted(problem.classes, 0);
  for (const int32_t c : classes) wanted[c] = 1;
  std::vector<int32_t> out;
  std::ranges::copy_if(rows, std::back_inserter(out),
                       [&](int32_t row) { return wanted[problem.labels[row]]; });
  return out;
}

}  // namespace

double LandmarkEvidence::value(std::span<const double> logs, std::span<double> gradient) const {
  const Sizes sizes = sizes_of(*this, logs);
  const Eigen::MatrixXd x = map_rows(*this);
  const Eigen::MatrixXd products = product(x, x.transpose());
  const Eigen::MatrixXd curved = curved_similarity(x, x, sizes.weight);
  Eigen::MatrixXd covariance = similarity(sizes, products, curved);  // of the labels, noise and all
  for (int64_t i = 0; i < rows; ++i) covariance(i, i) += sizes.noise / trust[i];
  const double log_root = invert(covariance);  // of the determinant
  const Eigen::MatrixXd& inverse = covariance;
  const Eigen::MatrixXd solution = product(inverse, map_targets(*this));
  const auto count = static_cast<double>(classes);
  // Half the derivative of the likelihood by each similarity.
  const Eigen::MatrixXd pull = 0.5 * (product(solution, solution.transpose()) - count * inverse);
  const Eigen::MatrixXd curved_pull = sizes.curved * pull.cwiseProduct(curved);
  const Eigen::VectorXd sums = curved_pull.rowwise().sum();
  const Eigen::MatrixXd pulled = product(curved_pull, x);
  std::vector<double> apart(origins(), 1.0);  // 1 is of the weights' sum
  for (int64_t f = 0; f < features; ++f) {
    apart[origin[f]] += x.col(f).cwiseAbs2().dot(sums) -
                        x.col(f).dot(pulled.col(f));  // of all pairs, squared, half
  }
  Eigen::VectorXd weights(origins());
  for (int64_t o = 0; o < origins(); ++o) {
    weights[o] = std::exp(logs[o]);
    gradient[o] = -weights[o] * apart[o];
  }
  gradient[origins()] = curved_pull.sum();
  double noise_pull = 0;
  for (int64_t i = 0; i < rows; ++i) noise_pull += pull(i, i) / trust[i];
  gradient[origins() + 1] = sizes.noise * noise_pull;
  gradient[origins() + 2] = sizes.linear * pull.cwiseProduct(products).sum();
  return -0.5 * map_targets(*this).cwiseProduct(solution).sum() - count * log_root - weights.sum();
}

LandmarkHead fit_landmarks(const Features& x, const Problem& problem,
                           const LandmarkOptions& options, int threads) {
  // In an order that says nothing, whatever order the table has.
  const std::vector<int32_t> rows = shuffled_rows(problem.train, {.stream = Stream::kLandmarks});
  std::vector<int32_t> classes(problem.classes);
  std::iota(classes.begin(), classes.end(), 0);
  const LandmarkEvidence learned_from =
      evidence_of(x, problem, class_by_class(first(rows, kMostToLearnFrom), problem), classes);
  const Sizes sizes = options.curved
                          ? sizes_of(learned_from, learn_sizes(learned_from, options.selects))
                          : only_linear(x.cols());
  const std::vector<int32_t> choosing = classes_to_choose_by(rows, problem);
  const LandmarkEvidence chosen_by = evidence_of(
      x, problem,
      class_by_class(first(rows_of(choosing, rows, problem), kMostToLearnFrom), problem), choosing);
  return head_of(evidence_of(x, problem, first(rows, kMostTeachers), classes),
                 choose_width_and_decay(chosen_by, normalised(learned_from, sizes), threads));
}

Matrix landmark_logits(const LandmarkHead& head, const cuda::HeldMatrix& x) {
  return x.logits({.landmarks = head.landmarks.view(),
                   .weights = head.weights.data(),
                   .links = head.links.view(),
                   .linear = head.linear.weights.view(),
                   .offset = head.linear.offset.data()});
}

Matrix landmark_logits(const LandmarkHead& head, const Matrix& x, int threads) {
  constexpr int64_t kBlock = 512;  // rows compared at once
  const int64_t features = x.cols(), count = head.landmarks.rows();
  const auto scaled = [&](const Matrix& from, int64_t begin, int64_t end, Matrix& to,
                          std::vector<float>& half) {
    half.resize(end - begin);
    for (int64_t i = begin; i < end; ++i) {
      double squares = 0;
      for (int64_t f = 0; f < features; ++f) {
        const float value = to[i - begin][f] = from[i][f] * head.weights.data()[f];
        squares += double{value} * value;
      }
      half[i - begin] = static_cast<float>(0.5 * squares);
    }
  };
  Matrix landmarks(count, features);
  std::vector<float> landmark_half;
  scaled(head.landmarks, 0, count, landmarks, landmark_half);
  Matrix out(x.rows(), head.links.cols());
  cpu::gemm(out.view(), x.view(), head.linear.weights.view(), {}, threads);
  for_fixed_pieces(x.rows(), kBlock, threads, [&](int64_t, int64_t begin, int64_t end) {
    Matrix rows(end - begin, features), similar(end - begin, count), part(end - begin, out.cols());
    std::vector<float> half;
    scaled(x, begin, end, rows, half);
    cpu::gemm(similar.view(), std::as_const(rows).view(), std::as_const(landmarks).view(),
              {.transpose_b = true}, 1);
    for (int64_t i = 0; i < similar.rows(); ++i) {
      for (int64_t t = 0; t < count; ++t) {
        similar[i][t] = std::exp(std::min(similar[i][t] - half[i] - landmark_half[t], 0.0f));
      }
    }
    cpu::gemm(part.view(), std::as_const(similar).view(), head.links.view(), {}, 1);
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t c = 0; c < out.cols(); ++c) {
        out[i][c] += part[i - begin][c] + head.linear.offset.data()[c];
      }
    }
  });
  return out;
}

}  // namespace glgnn
