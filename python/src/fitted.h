// A fitted model as Python holds it: the model, and what is prepared for new rows and
// explanations when they are first asked for.
#pragma once

#include <glgnn/context.h>
#include <glgnn/explain.h>
#include <glgnn/model.h>
#include <glgnn/new_rows.h>
#include <glgnn/suggest.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/cells.h"

namespace glgnn::python {

class Fitted {
 public:
  Fitted(Model model, Context context);

  const Model& model() const { return model_; }
  Model& model() { return model_; }

  std::vector<std::string> doubts;  // what fit() may have read otherwise than it was meant

  // Probabilities of rows that are prepared as those fit() was given, before its scaling.
  NewRowPredictions predict(const Features& rows, int64_t near) const;
  // The same of a table with the columns that fit() was given, found by their names; `notes` gets
  // what was done to them.
  NewRowPredictions predict(const Frame& table, int64_t near,
                            std::vector<std::string>& notes) const;
  Explanation explain(int32_t row) const;
  std::vector<Suggestion> suggest(int64_t count) const;
  void save(const std::string& path) const;
  void report(const std::string& path) const;  // the HTML page

 private:
  // kUsage where rows that the model shares with the caller are no longer those that fit() saw.
  void check_shared_rows() const;
  const NewRowPredictor& predictor() const;

  Model model_;
  Context context_;
  uint64_t shared_rows_ = 0;  // their checksum, if there are any
  // Python threads may ask at the same time: the lock is held while these are made.
  mutable std::mutex lock_;
  mutable std::optional<NewRowPredictor> predictor_;
  mutable std::optional<Explainer> explainer_;
};

}  // namespace glgnn::python
