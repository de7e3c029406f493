// A Gaussian process over the features: how sure the class of a row is follows from the rows with a
// label and from how alike they are. The row whose label makes the doubtful ones surest is worth
// most (V-optimality, with doubts for weights: Ji and Han, AISTATS 2012, over a graph).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "core/rows.h"
#include "kernels/dense.h"
#include "model/doubt_field.h"
#include "modules/views.h"

namespace glgnn {
namespace {

// All chosen by learning curves on other tables than those of docs/results.md (docs/best_mode.md).
constexpr double kLinear = 2;          // beside the two curved similarities, which are 1 at most
constexpr double kNear = 0.15;         // the width of the narrower one, squared, beside the other
constexpr double kNoise = 1;           // of a label
constexpr double kLeastWeight = 1e-3;  // of a feature, the largest being 1

// So many rows speak for all of their kind where there are more.
constexpr int64_t kMostCandidates = 10'000, kMostTargets = 500, kMostLabelled = 300;

std::vector<int32_t> thinned(std::span<const int32_t> rows, int64_t most) {
  std::vector<int32_t> some = spaced_rows(std::ssize(rows), most);
  for (int32_t& row : some) row = rows[row];
  return some;
}

// Some texts by the leading directions of their words, each of length 1.
Matrix directions_of_texts(const Model& model, const std::vector<int32_t>& rows, int threads) {
  Context context;
  context.threads = threads;
  Views views(model.features, context);
  const Matrix& all = views.get(View::kSvd64).dense;
  Matrix x(std::ssize(rows), all.cols());
  for (int64_t i = 0; i < x.rows(); ++i) {
    std::copy_n(all[rows[i]], x.cols(), x[i]);
    const double size = std::sqrt(std::inner_product(x[i], x[i] + x.cols(), x[i], 0.0));
    for (int64_t f = 0; f < x.cols() && size > 0; ++f) x[i][f] /= static_cast<float>(size);
  }
  return x;
}

// Some rows by z-scores, each feature as large as it counts.
Matrix weighed_rows(const Model& model, const std::vector<int32_t>& rows, int threads) {
  const auto known = std::ranges::find(*model.views, View::kStandard,
                                       [](const FittedView& view) { return view.rule.view; });
  const ViewRule rule = known != model.views->end()
                            ? known->rule
                            : learn_view(View::kStandard, model.features, threads);
  Matrix x = rows_in_view(rule, model.features, rows).dense;
  const std::vector<double> weights = feature_weights(model);
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t f = 0; f < x.cols(); ++f) {
      x[i][f] = static_cast<float>(x[i][f] * std::max(weights[f], kLeastWeight));
    }
  }
  return x;
}

class FeatureField : public DoubtField {
 public:
  FeatureField(const Model& model, std::span<const double> doubts,
               std::span<const int32_t> candidates, int threads)
      : threads_(threads), place_(model.labels.size(), -1) {
    std::vector<int32_t> labelled, open;
    for (size_t i = 0; i < model.labels.size(); ++i) {
      (model.labels[i] < 0 ? open : labelled).push_back(static_cast<int32_t>(i));
    }
    unlabelled_ = static_cast<double>(open.size());
    const std::vector<int32_t> targets = thinned(open, kMostTargets);
    labelled = thinned(labelled, kMostLabelled);
    std::vector<int32_t> rows = targets;
    targets_ = std::ssize(rows);
    for (const int32_t row : targets) doubts_.push_back(doubts[row]);
    rows.insert(rows.end(), labelled.begin(), labelled.end());
    for (const int32_t row : thinned(candidates, kMostCandidates)) {
      place_[row] = std::ssize(rows);
      rows.push_back(row);
    }
    first_candidate_ = targets_ + std::ssize(labelled);
    x_ = model.features.is_sparse ? directions_of_texts(model, rows, threads)
                                  : weighed_rows(model, rows, threads);
    measure();
    for (int64_t at = targets_; at < first_candidate_; ++at) hold(at);
    compare_with_targets();
    judge();
  }

  double worth(int32_t row) const override {
    return place_[row] < 0 ? -1 : worth_[place_[row] - first_candidate_];
  }

  double take(int32_t row) override {
    const int64_t at = place_[row];
    const float* const with = covariances_[at - first_candidate_];
    double reach = 0;
    for (int64_t j = 0; j < targets_; ++j) {
      reach += double{with[j]} * with[j] / std::max(1e-9, variance_[at] * variance_[j]);
    }
    reach =
        std::max(1.0, reach * unlabelled_ / static_cast<double>(std::max<int64_t>(1, targets_)));
    hold(at);
    const std::vector<float>& new_part = parts_.back();
    for_row_ranges(covariances_.rows(), covariances_.size(), threads_, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        const float own = new_part[first_candidate_ + i];
        for (int64_t j = 0; j < targets_; ++j) covariances_[i][j] -= own * new_part[j];
      }
    });
    judge();
    return reach;
  }

 private:
  void measure() {
    double all = 0;
    for (int64_t i = 0; i < x_.rows(); ++i) {
      double sum = 0;
      for (int64_t f = 0; f < x_.cols(); ++f) sum += double{x_[i][f]} * x_[i][f];
      squares_.push_back(sum);
      if (i < targets_) all += sum;
    }
    size_ = all > 0 ? all / static_cast<double>(targets_) : 1;
    for (const double square : squares_) variance_.push_back(alike(square, square, square));
  }

  // How alike two rows are, by their product and their squares.
  double alike(double product, double square_a, double square_b) const {
    const double apart = std::max(0.0, square_a + square_b - 2 * product) / (2 * size_);
    return 1 + kLinear * product / size_ + std::exp(-apart) + std::exp(-apart / kNear);
  }

  MatView<const float> some_rows(int64_t begin, int64_t count) const {
    return {x_[begin], count, x_.cols()};
  }

  // The label of this row is known: the covariance of any two rows i and j falls by
  // parts_.back()[i] parts_.back()[j].
  void hold(int64_t at) {
    const double root = std::sqrt(kNoise + variance_[at]);
    std::vector<float> part(static_cast<size_t>(x_.rows()));
    Matrix products(x_.rows(), 1);
    cpu::gemm(products.view(), std::as_const(x_).view(), some_rows(at, 1), {.transpose_b = true},
              threads_);
    for_row_ranges(x_.rows(), x_.size(), threads_, [&](int64_t begin, int64_t end) {
      std::vector<double> covariance;
      for (int64_t i = begin; i < end; ++i) {
        covariance.push_back(alike(products.data()[i], squares_[i], squares_[at]));
      }
      for (const std::vector<float>& earlier : parts_) {
        const double own = earlier[at];
        for (int64_t i = begin; i < end; ++i) covariance[i - begin] -= own * earlier[i];
      }
      for (int64_t i = begin; i < end; ++i) {
        part[i] = static_cast<float>(covariance[i - begin] / root);
      }
    });
    for (size_t i = 0; i < part.size(); ++i) {
      variance_[i] = std::max(0.0, variance_[i] - double{part[i]} * part[i]);
    }
    parts_.push_back(std::move(part));
  }

  void compare_with_targets() {
    const int64_t candidates = x_.rows() - first_candidate_;
    covariances_ = Matrix(candidates, targets_);
    if (covariances_.size() == 0) return;
    cpu::gemm(covariances_.view(), some_rows(first_candidate_, candidates), some_rows(0, targets_),
              {.transpose_b = true}, threads_);
    for_row_ranges(candidates, covariances_.size(), threads_, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = first_candidate_ + i;
        for (int64_t j = 0; j < targets_; ++j) {
          covariances_[i][j] =
              static_cast<float>(alike(covariances_[i][j], squares_[at], squares_[j]));
        }
        for (const std::vector<float>& part : parts_) {
          for (int64_t j = 0; j < targets_; ++j) covariances_[i][j] -= part[at] * part[j];
        }
      }
    });
  }

  // By how much each candidate's label would lower the variance of the doubtful rows.
  void judge() {
    worth_.assign(static_cast<size_t>(covariances_.rows()), 0.0);
    for_row_ranges(covariances_.rows(), covariances_.size(), threads_, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < targets_; ++j) {
          sum += doubts_[j] * covariances_[i][j] * covariances_[i][j];
        }
        worth_[i] = sum / (kNoise + variance_[first_candidate_ + i]);
      }
    });
  }

  int threads_;
  // Rows of x_: those that are to be made sure of, those with a label, the candidates.
  Matrix x_;
  int64_t targets_ = 0, first_candidate_ = 0;
  std::vector<int64_t> place_;  // of each of the model's rows, as a candidate; -1: not looked at
  double unlabelled_ = 0, size_ = 1;
  std::vector<double> doubts_, squares_, variance_, worth_;
  std::vector<std::vector<float>> parts_;
  Matrix covariances_;  // candidates x targets
};

}  // namespace

std::unique_ptr<DoubtField> feature_field(const Model& model, std::span<const double> doubts,
                                          std::span<const int32_t> candidates,
                                          const Context& context) {
  return std::make_unique<FeatureField>(model, doubts, candidates, context.threads);
}

}  // namespace glgnn
