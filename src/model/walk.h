// How the parts shared by model files and checkpoints are listed in an archive (core/archive.h).
#pragma once

#include <glgnn/config.h>
#include <glgnn/model.h>

#include <string>
#include <vector>

#include "core/archive.h"
#include "core/validate.h"

namespace glgnn {

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

}  // namespace glgnn
