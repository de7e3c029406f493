#include "network/held_back.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

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

// A candidate's answers to the labels of all folds, as logarithms of probabilities.
struct Candidate {
  size_t stage;
  int32_t group, family;
  size_t sharpness = 0;
  double likelihood = 0;             // the logarithm of that of all labels
  std::vector<double> of_rows = {};  // of each; their sum is `likelihood`
};

// Given one look of each fold.
void judge(Candidate& candidate, const std::vector<const Judged*>& looks,
           const HeldBackStage& stage, const std::vector<double>& times) {
  for (size_t place = 0; place < stage.choices(); ++place) {
    double rows = 0, sum = 0, squares = 0;
    std::vector<double> of_rows;
    for (const Judged* look : looks) {
      for (const double value : look->likelihood[place]) {
        const double count = times[of_rows.size()];
        rows += count;
        sum += count * value;
        squares += count * value * value;
        of_rows.push_back(value);
      }
    }
    double price = place > 0 ? kPriceOfSharpness : 0;
    if (stage.handicap > 0 && rows > 0) {
      const double variance = std::max(0.0, squares / rows - sum * sum / (rows * rows));
      price += stage.handicap * std::sqrt(variance * rows);
    }
    if (place > 0 && sum - price <= candidate.likelihood) continue;
    candidate.sharpness = place;
    candidate.likelihood = sum - price;
    for (double& value : of_rows) value -= rows > 0 ? price / rows : 0;
    candidate.of_rows = std::move(of_rows);
  }
}

using Weights = std::vector<std::pair<double, const Candidate*>>;  // the largest first

void sort_and_cut(Weights& weights, size_t members) {
  std::ranges::stable_sort(weights, std::greater{}, &Weights::value_type::first);
  weights.resize(std::min(weights.size(), members));
}

// Each group starts with the same weight, shared by its candidates, and likelihoods multiply it.
Weights weights_by_likelihood(const std::vector<Candidate>& candidates, size_t members) {
  std::map<int32_t, double> size;
  for (const Candidate& candidate : candidates) ++size[candidate.group];
  Weights weights;
  for (const Candidate& candidate : candidates) {
    weights.emplace_back(kTrust * candidate.likelihood - std::log(size[candidate.group]),
                         &candidate);
  }
  sort_and_cut(weights, members);
  const double largest = weights.empty() ? 0 : weights.front().first;
  for (auto& [weight, candidate] : weights) weight = std::exp(weight - largest);
  return weights;
}

// So many held-back labels tell which mixture is right; fewer, how much to believe each candidate.
constexpr double kLabelsWorthAMixture = 300;

// The mixture of candidates under which the labels are likeliest, by expectation and maximisation
// from equal weights. Of many labels the likelihoods' product would believe one candidate alone,
// and different ones that are nearly as good are better together.
Weights weights_by_mixture(const std::vector<Candidate>& candidates,
                           const std::vector<double>& times, size_t members) {
  constexpr size_t kOfAFamily = 4;  // that take part: its best
  constexpr int64_t kSteps = 50;
  std::map<int32_t, std::vector<const Candidate*>> families;
  for (const Candidate& candidate : candidates) families[candidate.family].push_back(&candidate);
  Weights weights;
  for (auto& [family, of_family] : families) {
    std::ranges::stable_sort(of_family, std::greater{}, &Candidate::likelihood);
    of_family.resize(std::min(of_family.size(), kOfAFamily));
    for (const Candidate* candidate : of_family) weights.emplace_back(1.0, candidate);
  }
  const auto climb = [&] {
    for (auto& [weight, candidate] : weights) weight = 1.0 / static_cast<double>(weights.size());
    std::vector<std::vector<double>> p;
    for (const auto& [weight, candidate] : weights) {
      std::vector<double>& of_rows = p.emplace_back(candidate->of_rows);
      for (double& value : of_rows) value = std::exp(value);
    }
    for (int64_t step = 0; step < kSteps; ++step) {
      std::vector<double> sum(times.size(), 0.0);
      for (size_t c = 0; c < weights.size(); ++c) {
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += weights[c].first * p[c][i];
      }
      double all = 0;
      for (size_t c = 0; c < weights.size(); ++c) {
        double share = 0;
        for (size_t i = 0; i < sum.size(); ++i) share += times[i] * p[c][i] / sum[i];
        all += weights[c].first *= share;
      }
      for (auto& [weight, candidate] : weights) weight /= all;
    }
  };
  climb();
  sort_and_cut(weights, members);
  climb();
  sort_and_cut(weights, members);
  return weights;
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

bool choose_together(const std::vector<HeldBack>& held) {
  const HeldBack& first = held.front();
  return held.size() > 1 ||
         (first.is_drawn && static_cast<double>(first.labels.size()) >= kLabelsWorthAMixture);
}

std::vector<Chosen> choose_over_folds(const std::vector<HeldBack>& held,
                                      const std::vector<JudgedFold>& judged,
                                      const std::vector<double>& times, size_t members,
                                      bool with_taught) {
  std::vector<Chosen> chosen(held.size());
  const std::vector<HeldBackStage>& stages = held.front().stages;
  std::vector<Candidate> candidates;
  for (size_t s = 0; s < stages.size(); ++s) {
    std::vector<const Judged*> looks;
    size_t first = 0;  // of the fold's rows among those of all folds
    for (size_t f = 0; f < held.size(); ++f) {
      const size_t look = best_look(judged[f][s], times.data() + first);
      chosen[f].look.push_back(look);
      looks.push_back(&judged[f][s][look]);
      first += held[f].labels.size();
    }
    Candidate candidate{.stage = s, .group = stages[s].group, .family = stages[s].family};
    judge(candidate, looks, stages[s], times);
    for (Chosen& fold : chosen) {
      fold.sharpness.push_back(candidate.sharpness);
      fold.weight.push_back(0);
    }
    if (with_taught || !stages[s].is_taught) candidates.push_back(std::move(candidate));
  }
  const double labels = std::accumulate(times.begin(), times.end(), 0.0);
  const Weights weights = labels < kLabelsWorthAMixture
                              ? weights_by_likelihood(candidates, members)
                              : weights_by_mixture(candidates, times, members);
  double sum = 0;
  for (const auto& [weight, candidate] : weights) sum += weight;
  for (Chosen& fold : chosen) {
    for (const auto& [weight, candidate] : weights) fold.weight[candidate->stage] = weight / sum;
  }
  return chosen;
}

}  // namespace glgnn
