#include "network/held_back.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "modules/soft_labels.h"

namespace glgnn {
namespace {

// The power of the likelihood. Less than 1, because the labels that are held back in a fold teach
// in the others, so that they tell less than as many labels of rows never seen.
constexpr double kTrust = 0.5;

// One more number that the rows choose flatters their likelihood by about so much (Akaike).
constexpr double kPriceOfSharpness = 1;

double times_sum(const std::vector<double>& values, const double* times) {
  return std::inner_product(values.begin(), values.end(), times, 0.0);
}

// The logarithm of the likelihood of all labels, given one look of each fold.
double likelihood_of(const std::vector<const Judged*>& looks, size_t sharpness,
                     const std::vector<double>& times, double handicap) {
  double rows = 0, sum = 0, squares = 0;
  const double* of_row = times.data();
  for (const Judged* look : looks) {
    for (const double value : look->likelihood[sharpness]) {
      rows += *of_row;
      sum += *of_row * value;
      squares += *of_row * value * value;
      ++of_row;
    }
  }
  if (handicap == 0 || rows == 0) return sum;
  const double variance = std::max(0.0, squares / rows - sum * sum / (rows * rows));
  return sum - handicap * std::sqrt(variance * rows);
}

// Each family starts with the same weight, shared by its candidates, and likelihoods multiply it.
// Those of the largest weights are the members.
std::vector<double> weights_by_likelihood(const std::vector<double>& likelihood,
                                          const std::vector<HeldBackStage>& stages,
                                          const std::vector<bool>& takes_part, size_t members) {
  std::map<int32_t, double> size;
  std::vector<size_t> order;
  for (size_t s = 0; s < stages.size(); ++s) {
    if (!takes_part[s]) continue;
    ++size[stages[s].family];
    order.push_back(s);
  }
  std::vector<double> log_weight(stages.size(), 0.0);
  for (const size_t s : order) {
    log_weight[s] = kTrust * likelihood[s] - std::log(size[stages[s].family]);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return log_weight[a] > log_weight[b]; });
  order.resize(std::min(order.size(), members));
  std::vector<double> weight(stages.size(), 0.0);
  double sum = 0;
  for (const size_t s : order) {
    sum += weight[s] = std::exp(log_weight[s] - log_weight[order.front()]);
  }
  for (const size_t s : order) weight[s] /= sum;
  return weight;
}

}  // namespace

void sharpen(float* p, int64_t classes, double sharpness) {
  const float most = *std::max_element(p, p + classes);
  if (sharpness == 1 || most <= 0) return;
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) {
    p[c] = static_cast<float>(std::pow(double{p[c]} / most, sharpness));
    sum += p[c];
  }
  for (int64_t c = 0; c < classes; ++c) p[c] = static_cast<float>(p[c] / sum);
}

Judged::Judged(const Matrix& p, const std::vector<int32_t>& labels, bool is_sharpened)
    : likelihood(is_sharpened ? kSharpness.size() : 1) {
  const std::vector<int32_t> said = predicted_classes(p);
  std::vector<float> sharp(p.cols());
  for (size_t i = 0; i < labels.size(); ++i) {
    const float* const row = p[static_cast<int64_t>(i)];
    right.push_back(said[i] == labels[i]);
    likelihood[0].push_back(clipped_log(row[labels[i]]));
    for (size_t s = 1; s < likelihood.size(); ++s) {
      std::copy_n(row, p.cols(), sharp.begin());
      sharpen(sharp.data(), p.cols(), kSharpness[s]);
      likelihood[s].push_back(clipped_log(sharp[labels[i]]));
    }
  }
}

double Judged::value(const double* times) const {
  const double rows = std::accumulate(times, times + right.size(), 0.0);
  if (rows == 0) return 0;
  return (times_sum(right, times) + kLikelihoodWeight * times_sum(likelihood[0], times)) / rows;
}

JudgedFold judge_fold(const HeldBack& held) {
  JudgedFold judged;
  for (const HeldBackStage& stage : held.stages) {
    std::vector<Judged>& looks = judged.emplace_back();
    for (const Matrix& p : stage.looks) looks.emplace_back(p, held.labels, stage.is_sharpened);
  }
  return judged;
}

size_t best_look(const std::vector<Judged>& looks, const double* times) {
  size_t best = 0;
  double best_value = 0;
  for (size_t l = 0; l < looks.size(); ++l) {
    const double value = looks[l].value(times);
    if (l == 0 || value >= best_value) best = l, best_value = value;
  }
  return best;
}

std::vector<Chosen> choose_over_folds(const std::vector<HeldBack>& held,
                                      const std::vector<JudgedFold>& judged,
                                      const std::vector<double>& times, size_t members,
                                      bool with_taught) {
  std::vector<Chosen> chosen(held.size());
  const std::vector<HeldBackStage>& stages = held.front().stages;
  std::vector<double> likelihood(stages.size(), 0.0);
  std::vector<bool> takes_part(stages.size());
  for (size_t s = 0; s < stages.size(); ++s) {
    takes_part[s] = with_taught || !stages[s].is_taught;
    std::vector<const Judged*> looks;
    size_t first = 0;  // of the fold's rows among those of all folds
    for (size_t f = 0; f < held.size(); ++f) {
      const size_t look = best_look(judged[f][s], times.data() + first);
      chosen[f].look.push_back(look);
      looks.push_back(&judged[f][s][look]);
      first += held[f].labels.size();
    }
    size_t sharpness = 0;
    for (size_t place = 0; place < stages[s].choices(); ++place) {
      const double value = likelihood_of(looks, place, times, stages[s].handicap) -
                           (place > 0 ? kPriceOfSharpness : 0);
      if (place == 0 || value > likelihood[s]) likelihood[s] = value, sharpness = place;
    }
    for (Chosen& fold : chosen) fold.sharpness.push_back(sharpness);
  }
  const std::vector<double> weight = weights_by_likelihood(likelihood, stages, takes_part, members);
  for (Chosen& fold : chosen) fold.weight = weight;
  return chosen;
}

}  // namespace glgnn
