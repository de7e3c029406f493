#include <glgnn/error.h>
#include <glgnn/model.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/archive.h"
#include "model/walk.h"
#include "modules/kinds.h"

namespace glgnn {
namespace {

// What is there is shared, and not changed after it was read.
template <class Archive, class T, class Walk>
void walk_shared(Archive& archive, std::shared_ptr<const T>& shared, Walk&& walk) {
  auto read = std::make_shared<T>();
  walk(archive, *read);
  shared = std::move(read);
}
template <class Archive, class T, class Walk>
void walk_shared(Archive& archive, const std::shared_ptr<const T>& shared, Walk&& walk) {
  walk(archive, *shared);
}

// By what they hold: after a checkpoint was read every module has a graph of its own.
bool same_graph(const Csr& a, const Csr& b) {
  const Pattern &p = *a.pattern, &q = *b.pattern;
  const bool same_pattern = &p == &q || (p.rows == q.rows && p.cols == q.cols && p.col == q.col &&
                                         p.row_ptr == q.row_ptr);
  return same_pattern && a.values == b.values;
}

// Several modules of best mode have the same graph: a file has it once.
template <class Archive, class Modules, class M>
void walk_graph(Archive& archive, Modules& modules, M& module) {
  constexpr uint32_t kFirstShared = 12;
  int64_t same = -1;  // as an earlier module's
  if (archive.version() >= kFirstShared) {
    const auto own = static_cast<int64_t>(&module - modules.data());
    if constexpr (!Archive::kReading) {
      for (int64_t m = 0; m < own && same < 0; ++m) {
        if (same_graph(modules[m].graph, module.graph)) same = m;
      }
    }
    archive(same);
    if constexpr (Archive::kReading) {
      if (same < -1 || same >= own) archive.damaged();
      if (same >= 0) module.graph = modules[same].graph;
    }
  }
  if (same < 0) archive(module.graph);
}

template <class Archive, class Modules, class M>
void walk_module(Archive& archive, Modules& modules, M& module) {
  archive(module.kind);
  archive(module.note);
  walk_graph(archive, modules, module);
  archive(module.selection);
  archive(module.probabilities);
  archive(module.weight);
  archive(module.val_accuracy);
  archive(module.line);
  walk_shared(archive, module.state, [](Archive& a, auto& state) { walk_kind(a, state); });
}

template <class Archive, class V>
void walk_views(Archive& archive, V& views) {
  bool there = views != nullptr;
  archive(there);
  if (!there) return;
  walk_shared(archive, views, [](Archive& a, auto& list) {
    walk_list(a, list, [](Archive& to, auto& view) { FittedView::walk(to, view); });
  });
}

template <class Archive, class F>
void walk_features(Archive& archive, F& features) {
  archive(features.is_sparse);
  archive(features.dense);
  archive(features.sparse);
}

// From this version on the features, most of a file, come first: they are known before the rest.
constexpr uint32_t kFeaturesFirst = 12;

template <class Archive, class M>
void walk_model(Archive& archive, M& model) {
  if (Archive::kReading && archive.version() >= kFeaturesFirst) {
    walk_features(archive, model.features);
  }
  walk_config(archive, model.config);
  archive(model.train);
  archive(model.val);
  archive(model.held_back);
  archive(model.held_back_certainty);
  archive(model.estimate.rows);
  archive(model.estimate.accuracy);
  archive(model.estimate.low);
  archive(model.estimate.high);
  archive(model.estimate.majority_class);
  archive(model.estimate.majority_share);
  archive(model.estimate.baseline);
  walk_list(archive, model.history, [](Archive& a, auto& report) { walk_report(a, report); });
  archive(model.best_epoch);
  archive(model.folds);
  walk_list(archive, model.modules,
            [&](Archive& a, auto& module) { walk_module(a, model.modules, module); });
  walk_list(archive, model.parameters, [](Archive& a, auto& p) {
    a(p.name);
    a(p.value);
  });
  walk_views(archive, model.views);
  archive(model.probabilities);
  archive(model.network);
  archive(model.fused_graph);
  archive(model.dataset);
  archive(model.feature_names);
  archive(model.class_names);
  archive(model.row_ids);
  archive(model.notes);
  archive(model.labels);
  archive(model.test);
  if (archive.version() < kFeaturesFirst) walk_features(archive, model.features);
  walk_plan(archive, model.plan);
  archive(model.caller_data);
  archive.since(10, model.class_factors);
  archive.since(10, model.tried);
  archive.since(13, model.features.row_size);
  archive.since(13, model.left_out);
  if constexpr (Archive::kReading) model.has_graph = true;  // earlier files do not tell
  archive.since(14, model.has_graph);
}

}  // namespace

void save_model(const Model& model, const std::string& path) {
  ArchiveWriter writer(ArchiveWriter::Keeps::kPlaces);  // all of it is the model's
  walk_features(writer, model.features);
  walk_model(writer, model);
  writer.save(path, FileKind::kModel);
}

BegunModel::BegunModel(Features features, std::string path)
    : path_(std::move(path)),
      features_(std::move(features)),
      writer_(ArchiveWriter::Keeps::kPlaces) {
  walk_features(writer_, std::as_const(features_));
  writer_.begin(path_);
}

void BegunModel::save(const Model& model) {
  walk_model(writer_, model);
  writer_.save(path_, FileKind::kModel);
}

Model load_model(const std::string& path) {
  ArchiveReader reader(path, FileKind::kModel);
  Model model;
  reader.named([&] {
    walk_model(reader, model);
    reader.finish();
  });
  try {
    validate(model);
  } catch (const Error& error) {
    throw Error(ErrorKind::kData,
                path + ": its parts do not belong together: " + error.what() + "; fit again");
  }
  model.features.indicators = indicator_blocks(model.plan);
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

int64_t kept_modules(const Model& model) {
  std::set<int64_t> lines;
  for (const FittedModule& module : model.modules) lines.insert(module.line);
  return lines.contains(-1) ? std::ssize(model.modules) : std::ssize(lines);
}

std::vector<int32_t> validated_rows(const Model& model) {
  std::vector<int32_t> rows = model.val;
  for (size_t i = 0; i < model.held_back.size(); ++i) {
    if (model.held_back[i] >= 0) rows.push_back(static_cast<int32_t>(i));
  }
  return rows;
}

std::vector<double> class_shares(const Model& model) {
  std::vector<double> shares;  // of the labels all classes have the same share
  for (const float factor : model.class_factors) {
    shares.push_back(double{factor} / static_cast<double>(model.class_factors.size()));
  }
  return shares;
}

std::vector<double> module_weights(const Model& model) {
  std::vector<double> weights;
  double sum = 0;
  for (const FittedModule& module : model.modules) {
    weights.push_back(std::abs(module.weight));
    sum += weights.back();
  }
  for (double& w : weights) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(weights.size());
  return weights;
}

std::vector<double> feature_weights(const Model& model) {
  const std::vector<double> modules = module_weights(model);
  std::vector<double> weights(model.feature_names.size(), 0.0);
  for (size_t m = 0; m < modules.size(); ++m) {
    const std::vector<float>& s = model.modules[m].selection;
    for (size_t f = 0; f < weights.size(); ++f) weights[f] += modules[m] * std::abs(s[f]);
  }
  const double top = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  for (double& w : weights) w = top > 0 ? w / top : 0;
  return weights;
}

static int32_t predicted_class(const Matrix& probabilities, int64_t i) {
  const float* row = probabilities[i];
  return static_cast<int32_t>(std::max_element(row, row + probabilities.cols()) - row);
}

std::vector<int32_t> predicted_classes(const Matrix& probabilities) {
  std::vector<int32_t> classes(probabilities.rows());
  for (int64_t i = 0; i < probabilities.rows(); ++i) classes[i] = predicted_class(probabilities, i);
  return classes;
}

double accuracy(const Matrix& probabilities, const std::vector<int32_t>& labels,
                const std::vector<int32_t>& rows) {
  if (rows.empty()) return 0;
  int64_t right = 0;
  for (const int32_t i : rows) right += predicted_class(probabilities, i) == labels[i];
  return static_cast<double>(right) / static_cast<double>(rows.size());
}

}  // namespace glgnn
