// A fitted model applied to single rows: every fitted row stays as it is, and a row of interest,
// new or fitted, hangs on them by its links.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>
#include <glgnn/model.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "modules/comparison.h"

namespace glgnn {

struct Link {
  int32_t row = 0;
  float weight = 0;
};

// The row of one module's graph, normalised as that graph is.
struct RowLinks {
  std::vector<Link> links;  // ascending rows
  float self = 0;           // weight of the self-loop
  // L x C, by links: what the rows at given edges say (modules/module.h); null: the links are those
  // of rows that are alike.
  std::shared_ptr<const Matrix> said = nullptr;
};

using ModuleLinks = std::vector<RowLinks>;  // one for each module

class FrozenModel {
 public:
  virtual ~FrozenModel() = default;

  // How new rows hang on the fitted ones, by each module's learned similarity.
  virtual std::vector<ModuleLinks> attach(const Features& rows) const = 0;
  // How a fitted row hangs on the others in the learned graphs.
  virtual ModuleLinks fitted_links(int32_t row) const = 0;
  // R x C probabilities of rows that hang by the given links, if the classes are as common as among
  // the labelled rows (Model::class_factors is not looked at).
  virtual Matrix predict(const Features& rows, std::span<const ModuleLinks> links) const = 0;
  // The links of a row whose features were changed: each loses as much weight as the changed row is
  // less similar to the other end. `original` is one row, `changed` any number.
  virtual std::vector<ModuleLinks> weaken(const ModuleLinks& links, const Features& original,
                                          const Features& changed) const = 0;
  // The probability that each module alone gives to a class of one row.
  virtual std::vector<double> module_probabilities(const Features& row, const ModuleLinks& links,
                                                   int32_t of_class) const = 0;
  // How much each module counts; they sum to 1.
  virtual const std::vector<double>& module_weights() const = 0;

  const Model& model() const { return model_; }
  // Of dense features; empty for sparse ones.
  const std::vector<float>& column_means() const { return column_means_; }

 protected:
  explicit FrozenModel(const Model& model);

 private:
  const Model& model_;
  std::vector<float> column_means_;
};

// The model must have its data (keep_data) and outlive the result.
std::unique_ptr<FrozenModel> freeze(const Model& model, const Context& context);
// By the kind of its modules: of paper mode, or of a pool.
std::unique_ptr<FrozenModel> freeze_paper(const Model& model, const Context& context);
std::unique_ptr<FrozenModel> freeze_pool(const Model& model, const Context& context);

// Links between a row and the fitted ones, and what is left of them when the row's features change.

// The links of a fitted row in the learned graphs.
ModuleLinks links_in_graphs(const std::vector<FittedModule>& modules, int32_t row);

// R x L: what part of each link's similarity each changed row keeps, from 0 to 1. The typical
// distance of the row to its neighbours is the measure.
Matrix kept_similarity(const RowLinks& links, const Comparison& comparison,
                       const Features& original, const Features& changed);

// Multiplies the links of module m with the mean of the parts that are kept in its views.
void weigh_links(std::vector<ModuleLinks>& rows, size_t m, const std::vector<Matrix>& kept);

// How a fitted module compares rows, for those who show it.

struct Compares {
  std::vector<std::string> views;  // of the features
  int64_t k = 0;                   // neighbours in each view
  bool euclidean = false;          // else by the angle between rows
  bool by_given_edges = false;     // alone: rows are not compared
  bool hears_neighbours = true;    // else a row's own features decide alone
};

// None for modules that learn how to compare (the paper's kind).
std::optional<Compares> compares(const FittedModule& module);

// F x F: the columns heard beside each by the modules of a pool that hear several; else empty.
Csr heard_columns(const Model& model);

// Cells that prior modules read of a row that is asked for: most of what asking costs.
int64_t prior_cells(const Model& model);

}  // namespace glgnn
