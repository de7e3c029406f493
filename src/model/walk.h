// How the parts of model files and checkpoints are listed in an archive (core/archive.h), and how
// what was read is checked.
#pragma once

#include <glgnn/config.h>
#include <glgnn/model.h>
#include <glgnn/table.h>

#include <string>
#include <vector>

#include "core/archive.h"
#include "core/validate.h"

namespace glgnn {

// A model file whose features are written while the model is still trained: save() writes the rest.
// Without it there is no file.
class BegunModel {
 public:
  BegunModel(Features features, std::string path);
  // The model of these features.
  void save(const Model& model);

 private:
  std::string path_;
  Features features_;
  ArchiveWriter writer_;
};

// Settings go by name and text, so that a file says what it was made with.
template <class Archive, class C>
void walk_config(Archive& archive, C& config) {
  std::vector<std::string> names, values;
  if constexpr (!Archive::kReading) {
    for (const Setting& setting : list_settings(config)) {
      names.push_back(setting.name);
      values.push_back(setting.value);
    }
  }
  archive(names);
  archive(values);
  if constexpr (Archive::kReading) {
    check_count("settings, values", static_cast<int64_t>(values.size()),
                static_cast<int64_t>(names.size()));
    for (size_t i = 0; i < names.size(); ++i) set_setting(config, names[i], values[i]);
  }
}

// All but the seconds: the same training gives the same file.
template <class Archive, class Report>
void walk_report(Archive& archive, Report& report) {
  archive(report.epoch);
  archive(report.epochs);
  archive(report.loss);
  archive(report.loss_graph);
  archive(report.loss_entropy);
  archive(report.loss_decay);
  archive(report.train_accuracy);
  archive(report.val_accuracy);
  archive(report.val_loss);
  archive(report.best);
}

template <class Archive, class Column>
void walk_column(Archive& archive, Column& column) {
  archive(column.name);
  archive(column.kind);
  archive(column.varies);
  archive(column.indicator);
  archive(column.style.decimal_comma);
  archive(column.style.grouping);
  archive(column.style.unit);
  archive(column.order);
  archive(column.levels);
  archive(column.level_counts);
  archive(column.other);
  archive(column.missing);
  archive(column.distinct);
  archive(column.lowest);
  archive(column.median);
  archive(column.highest);
  archive.since(13, column.offset);
}

template <class Archive, class Plan>
void walk_plan(Archive& archive, Plan& plan) {
  walk_list(archive, plan.columns, [](Archive& a, auto& column) { walk_column(a, column); });
  archive(plan.feature_names);
  archive(plan.missing_words);
  archive(plan.counts_from_zero);
  archive(plan.scale.scaling);
  archive(plan.scale.shift);
  archive(plan.scale.factor);
}

// Models come from strangers' files: every number that is used as a place in memory is checked.
// Throws kData, and says of which part, unless all parts of a model belong together: then predict,
// explain, report and graph can use it.
void validate(const Model& model);

}  // namespace glgnn
