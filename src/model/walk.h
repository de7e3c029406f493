// How the parts shared by model files and checkpoints are listed in an archive (core/archive.h).
#pragma once

#include <glgnn/config.h>
#include <glgnn/model.h>

#include <string>
#include <vector>

namespace glgnn {

// A list of anything that `walk_item(archive, item)` can write and read.
template <class Archive, class List, class WalkItem>
void walk_list(Archive& archive, List& list, WalkItem&& walk_item) {
  uint64_t size = list.size();
  archive(size);
  if constexpr (Archive::kReading) {
    list.clear();
    for (uint64_t i = 0; i < size; ++i) walk_item(archive, list.emplace_back());
  } else {
    for (auto& item : list) walk_item(archive, item);
  }
}

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
    for (size_t i = 0; i < names.size() && i < values.size(); ++i) {
      set_setting(config, names[i], values[i]);
    }
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
