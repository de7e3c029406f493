// The frozen form of a model of paper mode.

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/dense.h"
#include "kernels/edges.h"
#include "model/frozen_model.h"
#include "modules/comparison.h"
#include "modules/feature_products.h"
#include "modules/kinds.h"
#include "modules/paper/inputs.h"
#include "modules/soft_labels.h"

namespace glgnn {
namespace {

// x + b, where there is a bias.
void add_bias(Matrix& x, const Matrix& b) {
  for (int64_t i = 0; !b.empty() && i < x.rows(); ++i) {
    for (int64_t c = 0; c < x.cols(); ++c) x[i][c] += b.data()[c];
  }
}

void relu(Matrix& x) {
  for (int64_t e = 0; e < x.size(); ++e) x.data()[e] = std::max(x.data()[e], 0.0f);
}

// out += sum over the links of weight * rows of `values`.
void add_neighbours(float* out, const std::vector<Link>& links, const Matrix& values) {
  for (const Link& link : links) {
    for (int64_t c = 0; c < values.cols(); ++c) out[c] += link.weight * values[link.row][c];
  }
}

class PaperFrozen : public FrozenModel {
 public:
  PaperFrozen(const Model& model, const Context& context);

  std::vector<ModuleLinks> attach(const Features& rows) const override;
  ModuleLinks fitted_links(int32_t row) const override;
  Matrix predict(const Features& rows, std::span<const ModuleLinks> links) const override;
  std::vector<ModuleLinks> weaken(const ModuleLinks& links, const Features& original,
                                  const Features& changed) const override;
  std::vector<double> module_probabilities(const Features& row, const ModuleLinks& links,
                                           int32_t of_class) const override;
  const std::vector<double>& module_weights() const override { return weights_; }

 private:
  struct Module {
    Matrix first_weights;  // diag(s) W1
    const Matrix* second_weights;
    const Matrix *first_bias, *second_bias;  // empty: none
    Matrix first_input;                      // X diag(s) W1 of the fitted rows
    Matrix second_input;                     // relu(A' first_input) W2
    std::vector<float> degree;               // of the fitted rows, 1 / A'_jj
  };

  void add_module(const FittedModule& fitted);
  Matrix module_prediction(int64_t m, const Features& rows,
                           std::span<const ModuleLinks> links) const;
  RowLinks normalised(int64_t m, std::vector<Link> links) const;
  // The aggregation module's value for a row: that of its neighbours.
  void add_aggregation(float* logits, const ModuleLinks& links) const;

  Context context_;
  ComparedView view_;
  Matrix no_labels_;
  std::vector<Module> modules_;
  std::vector<Comparison> comparisons_;
  std::vector<double> weights_;
};

}  // namespace

PaperFrozen::PaperFrozen(const Model& model, const Context& context)
    : FrozenModel(model),
      context_(context),
      view_(model.features),
      weights_(glgnn::module_weights(model)) {
  modules_.reserve(model.modules.size());
  for (const FittedModule& module : model.modules) add_module(module);
}

void PaperFrozen::add_module(const FittedModule& fitted) {
  const PaperState& state = std::get<PaperState>(*fitted.state);
  const std::vector<float>& s = fitted.selection;
  const bool cosine = model().config.similarity == Similarity::kCosine;
  comparisons_.emplace_back(view_, s, no_labels_, ComparisonOptions{.unit = cosine}, context_);
  Module module{.first_weights = state.w1,
                .second_weights = &state.w2,
                .first_bias = &state.b1,
                .second_bias = &state.b2,
                .first_input = {},
                .second_input = {},
                .degree = {}};
  for (int64_t f = 0; f < module.first_weights.rows(); ++f) {
    for (int64_t h = 0; h < module.first_weights.cols(); ++h) {
      module.first_weights[f][h] *= s[f];
    }
  }
  const int64_t n = model().features.rows();
  module.first_input = Matrix(n, module.first_weights.cols());
  feature_times(module.first_input, model().features, module.first_weights, context_.threads);
  const Csr& graph = fitted.graph;
  Matrix hidden(n, module.first_weights.cols());
  cpu::spmm_forward(hidden.view(), graph.pattern->view(), graph.values.data(),
                    std::as_const(module.first_input).view(), context_.threads);
  add_bias(hidden, *module.first_bias);
  relu(hidden);
  module.second_input = Matrix(n, module.second_weights->cols());
  cpu::gemm(module.second_input.view(), std::as_const(hidden).view(), module.second_weights->view(),
            {}, context_.threads);
  module.degree.assign(n, 1.0f);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
      if (graph.pattern->col[e] == i && graph.values[e] > 0) module.degree[i] = 1 / graph.values[e];
    }
  }
  modules_.push_back(std::move(module));
}

// D^-1/2 (A + I) D^-1/2 of a row with its links.
RowLinks PaperFrozen::normalised(int64_t m, std::vector<Link> links) const {
  RowLinks out{.links = std::move(links), .self = 0};
  double degree = 1;
  for (const Link& link : out.links) degree += link.weight;
  for (Link& link : out.links) {
    link.weight /= static_cast<float>(std::sqrt(degree * modules_[m].degree[link.row]));
  }
  out.self = static_cast<float>(1 / degree);
  return out;
}

// A new row has no path to any fitted row, so all its pairs have the same hop weight, which
// cancels.
std::vector<ModuleLinks> PaperFrozen::attach(const Features& rows) const {
  std::vector<ModuleLinks> out(rows.rows(), ModuleLinks(modules_.size()));
  for (size_t m = 0; m < modules_.size(); ++m) {
    const std::vector<int32_t> nearest = comparisons_[m].nearest(rows, {}, model().config.k);
    const int64_t kept = static_cast<int64_t>(nearest.size()) / std::max<int64_t>(1, rows.rows());
    for (int64_t r = 0; r < rows.rows(); ++r) {
      std::vector<double> similarity;
      for (int64_t e = 0; e < kept; ++e) {
        similarity.push_back(comparisons_[m].similarity(rows, r, nearest[r * kept + e]) /
                             temperature_of(model().config, false));
      }
      const double largest = *std::max_element(similarity.begin(), similarity.end());
      double sum = 0;
      for (double& value : similarity) sum += value = std::exp(value - largest);
      if (model().config.rescale == Rescale::kSumK) sum /= static_cast<double>(kept);
      if (model().config.rescale == Rescale::kLargestOne) sum = 1;
      std::vector<Link> links;
      for (int64_t e = 0; e < kept; ++e) {
        links.push_back({nearest[r * kept + e], static_cast<float>(similarity[e] / sum)});
      }
      out[r][m] = normalised(static_cast<int64_t>(m), std::move(links));
    }
  }
  return out;
}

ModuleLinks PaperFrozen::fitted_links(int32_t row) const {
  return links_in_graphs(model().modules, row);
}

// Trained or of the last epoch, X_agg has a row for each fitted row; a new one takes the mean of
// its neighbours' rows.
void PaperFrozen::add_aggregation(float* logits, const ModuleLinks& links) const {
  const Matrix* aggregation = model().find_parameter("network.agg");
  const auto modules = static_cast<int64_t>(modules_.size());
  const float weight = model().network[modules][modules];
  const Matrix& values = aggregation && aggregation->rows() == model().features.rows()
                             ? *aggregation
                             : model().probabilities;
  std::vector<double> mean(values.cols(), 0.0);
  double sum = 0;
  for (const RowLinks& mine : links) {
    for (const Link& link : mine.links) {
      sum += link.weight;
      for (int64_t c = 0; c < values.cols(); ++c) mean[c] += link.weight * values[link.row][c];
    }
  }
  for (int64_t c = 0; c < values.cols() && sum > 0; ++c) {
    logits[c] += weight * static_cast<float>(mean[c] / sum);
  }
}

Matrix PaperFrozen::module_prediction(int64_t m, const Features& rows,
                                      std::span<const ModuleLinks> links) const {
  const Module& module = modules_[m];
  const int64_t count = rows.rows(), classes = model().probabilities.cols();
  Matrix own(count, module.first_weights.cols()), prediction(count, classes);
  feature_times(own, rows, module.first_weights, 1);
  for (int64_t r = 0; r < count; ++r) {
    const RowLinks& mine = links[r][m];
    for (int64_t h = 0; h < own.cols(); ++h) own[r][h] *= mine.self;
    add_neighbours(own[r], mine.links, module.first_input);
  }
  add_bias(own, *module.first_bias);
  relu(own);
  cpu::gemm(prediction.view(), std::as_const(own).view(), module.second_weights->view(), {}, 1);
  for (int64_t r = 0; r < count; ++r) {
    const RowLinks& mine = links[r][m];
    for (int64_t c = 0; c < classes; ++c) prediction[r][c] *= mine.self;
    add_neighbours(prediction[r], mine.links, module.second_input);
  }
  add_bias(prediction, *module.second_bias);
  softmax_rows(prediction);
  return prediction;
}

Matrix PaperFrozen::predict(const Features& rows, std::span<const ModuleLinks> links) const {
  const auto modules = static_cast<int64_t>(modules_.size());
  const Aggregation aggregation = model().config.aggregation;
  const bool averages = aggregation == Aggregation::kMean;
  Matrix logits(rows.rows(), model().probabilities.cols());
  for (int64_t m = 0; m < modules; ++m) {
    const Matrix one = module_prediction(m, rows, links);
    const float mean =
        averages ? model().network[modules][modules] / static_cast<float>(modules) : 0;
    const float weight = model().network[modules][m] + mean;
    for (int64_t e = 0; e < logits.size(); ++e) logits.data()[e] += weight * one.data()[e];
  }
  // A constant X_agg moves all classes alike.
  for (int64_t r = 0; r < rows.rows() && !averages && aggregation != Aggregation::kConstant; ++r) {
    add_aggregation(logits[r], links[r]);
  }
  softmax_rows(logits);
  return logits;
}

std::vector<double> PaperFrozen::module_probabilities(const Features& row, const ModuleLinks& links,
                                                      int32_t of_class) const {
  std::vector<double> out;
  for (size_t m = 0; m < modules_.size(); ++m) {
    out.push_back(module_prediction(static_cast<int64_t>(m), row, {&links, 1})[0][of_class]);
  }
  return out;
}

std::vector<ModuleLinks> PaperFrozen::weaken(const ModuleLinks& links, const Features& original,
                                             const Features& changed) const {
  std::vector<ModuleLinks> out(changed.rows(), links);
  for (size_t m = 0; m < modules_.size(); ++m) {
    weigh_links(out, m, {kept_similarity(links[m], comparisons_[m], original, changed)});
  }
  return out;
}

std::unique_ptr<FrozenModel> freeze_paper(const Model& model, const Context& context) {
  return std::make_unique<PaperFrozen>(model, context);
}

}  // namespace glgnn
