// The sub-modules that best mode trains: chosen by rules on the data, never on labels.
#pragma once

#include <glgnn/config.h>
#include <glgnn/dataset.h>
#include <glgnn/trainer.h>

#include <algorithm>
#include <string>
#include <vector>

#include "modules/module.h"

namespace glgnn {

// What the rules look at.
struct DataKind {
  int64_t rows = 0, columns = 0;
  int64_t labels = 0;    // rows to train on
  bool is_text = false;  // counts or weights of many rare features, or stored as sparse
  bool has_negative = false;
  bool shares_scale = false;  // all columns measure on one scale, as pixels do
  bool has_graph = false;
  bool has_levels = false;  // some column is a category of three levels or more
  int64_t origins = 0;      // columns of the table that the features come from
  int64_t classes = 0;
  bool val_is_given = false;  // the rows that choose; else labelled rows do so in turn
};

// The view a covariance is made of: wide rows are reduced before.
View covariance_view(const DataKind& kind, View view);

// What a table's categories became is no sign of text: only its numbers are judged.
DataKind look_at(const Features& raw, int64_t labels, bool has_graph, int threads = 1);
DataKind look_at(const Problem& problem, int64_t labels, int threads);

// The modules for this kind of data; those that come after the network of the others are last.
std::vector<ModuleSpec> module_pool(const DataKind& kind, const Config& config);

// The modules that every fold trains: those that the smallest of them allows.
std::vector<ModuleSpec> pool_of_folds(const std::vector<Problem>& folds, const Config& config,
                                      int threads);
// The line that describes each.
std::vector<std::string> names_of(const std::vector<ModuleSpec>& specs);

}  // namespace glgnn
