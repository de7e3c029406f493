#include <glgnn/error.h>
#include <glgnn/model.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/archive.h"
#include "model/walk.h"
#include "model/walk_plan.h"

namespace glgnn {
namespace {

template <class Archive, class M>
void walk_model(Archive& archive, M& model) {
  walk_config(archive, model.config);
  archive(model.train);
  archive(model.val);
  archive(model.held_back);
  archive(model.estimate.rows);
  archive(model.estimate.accuracy);
  archive(model.estimate.low);
  archive(model.estimate.high);
  archive(model.estimate.majority_class);
  archive(model.estimate.majority_share);
  archive(model.estimate.baseline);
  walk_list(archive, model.history, [](Archive& a, auto& report) { walk_report(a, report); });
  archive(model.best_epoch);
  archive(model.module_notes);
  walk_list(archive, model.module_forms, [](Archive& a, auto& form) {
    a(form.views);
    a(form.input);
    a(form.prototype_input);
    a(form.k);
    a(form.euclidean);
    a(form.self_weight);
    a(form.label_weight);
    a(form.own_weight);
    a(form.in_logits);
  });
  walk_list(archive, model.parameters, [](Archive& a, auto& p) {
    a(p.name);
    a(p.value);
  });
  archive(model.probabilities);
  archive(model.network);
  archive(model.module_graphs);
  archive(model.fused_graph);
  archive(model.dataset);
  archive(model.feature_names);
  archive(model.class_names);
  archive(model.row_ids);
  archive(model.notes);
  archive(model.labels);
  archive(model.test);
  archive(model.features.is_sparse);
  archive(model.features.dense);
  archive(model.features.sparse);
  walk_plan(archive, model.plan);
  archive(model.caller_data);
}

// What the checksum cannot know: that the parts belong together.
void check_sizes(const Model& model, const std::string& path) {
  const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  const int64_t n = model.probabilities.rows();
  bool fits = count(model.class_names) == model.probabilities.cols() &&
              (model.row_ids.empty() || count(model.row_ids) == n) && count(model.labels) == n &&
              model.features.rows() == n && model.features.cols() == count(model.feature_names) &&
              model.fused_graph.rows() == n && model.network.rows() == model.config.modules + 1 &&
              model.network.cols() == model.network.rows() &&
              count(model.module_graphs) == model.config.modules && model.best_epoch >= 1 &&
              model.best_epoch <= count(model.history);
  for (const Csr& graph : model.module_graphs) fits = fits && graph.rows() == n;
  for (const NamedMatrix& p : model.parameters) {
    if (p.name.ends_with(".s")) fits = fits && p.value.size() == count(model.feature_names);
  }
  const auto& planned = model.plan.feature_names;
  fits = fits && (planned.empty() || planned.size() == model.feature_names.size());
  if (fits) return;
  throw Error(ErrorKind::kData, path + ": its parts do not belong together; fit again");
}

}  // namespace

void save_model(const Model& model, const std::string& path) {
  ArchiveWriter writer;
  walk_model(writer, model);
  writer.save(path, FileKind::kModel);
}

Model load_model(const std::string& path) {
  ArchiveReader reader(path, FileKind::kModel);
  Model model;
  walk_model(reader, model);
  reader.finish();
  check_sizes(model, path);
  return model;
}

void keep_data(Model& model, Dataset dataset, const Split& split) {
  model.dataset = std::move(dataset.name);
  model.feature_names = std::move(dataset.feature_names);
  model.class_names = std::move(dataset.class_names);
  model.row_ids = std::move(dataset.row_ids);
  model.notes = std::move(dataset.notes);
  model.labels = std::move(dataset.labels);
  model.test = split.test;
  model.features = std::move(dataset.features);
  model.plan = std::move(dataset.plan);
}

const Matrix* Model::find_parameter(const std::string& name) const {
  for (const NamedMatrix& p : parameters) {
    if (p.name == name) return &p.value;
  }
  return nullptr;
}

const Matrix& Model::parameter(const std::string& name) const {
  if (const Matrix* found = find_parameter(name)) return *found;
  throw Error(ErrorKind::kUsage, "the model has no parameter \"" + name + "\"");
}

std::vector<int32_t> validated_rows(const Model& model) {
  std::vector<int32_t> rows = model.val;
  for (size_t i = 0; i < model.held_back.size(); ++i) {
    if (model.held_back[i] >= 0) rows.push_back(static_cast<int32_t>(i));
  }
  return rows;
}

int64_t folds_of(const Model& model) { return model.held_back.empty() ? 1 : model.config.folds; }

std::vector<double> module_weights(const Model& model) {
  const int64_t modules = model.network.rows() - 1;
  std::vector<double> weights(modules);
  double sum = 0;
  for (int64_t m = 0; m < modules; ++m) sum += weights[m] = std::abs(model.network[modules][m]);
  for (double& w : weights) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(modules);
  return weights;
}

std::vector<double> feature_weights(const Model& model) {
  const std::vector<double> modules = module_weights(model);
  std::vector<double> weights(model.feature_names.size(), 0.0);
  for (size_t m = 0; m < modules.size(); ++m) {
    const Matrix& s = model.parameter("module" + std::to_string(m) + ".s");
    for (size_t f = 0; f < weights.size(); ++f) weights[f] += modules[m] * std::abs(s.data()[f]);
  }
  const double top = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  for (double& w : weights) w = top > 0 ? w / top : 0;
  return weights;
}

std::vector<int32_t> predicted_classes(const Matrix& probabilities) {
  std::vector<int32_t> classes(probabilities.rows());
  for (int64_t i = 0; i < probabilities.rows(); ++i) {
    const float* row = probabilities[i];
    classes[i] = static_cast<int32_t>(std::max_element(row, row + probabilities.cols()) - row);
  }
  return classes;
}

double accuracy(const Matrix& probabilities, const std::vector<int32_t>& labels,
                const std::vector<int32_t>& rows) {
  if (rows.empty()) return 0;
  const std::vector<int32_t> predicted = predicted_classes(probabilities);
  int64_t right = 0;
  for (const int32_t i : rows) right += predicted[i] == labels[i];
  return static_cast<double>(right) / static_cast<double>(rows.size());
}

}  // namespace glgnn
