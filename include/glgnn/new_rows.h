// Predictions for rows that fit() has never seen: each is attached to its nearest fitted rows by
// every module's learned similarity and run through the frozen graphs.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>
#include <glgnn/model.h>
#include <glgnn/table.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace glgnn {

// A fitted row that took part in a prediction; the weights of all that did sum to 1.
struct NearRow {
  int32_t row = 0;
  float weight = 0;
};

struct NewRowPredictions {
  Matrix probabilities;                    // R x C
  std::vector<std::vector<NearRow>> near;  // of each row, the largest weight first
};

class FrozenModel;

class NewRowPredictor {
 public:
  // Prepares the model once; it must outlive this and have its data (keep_data).
  NewRowPredictor(const Model& model, const Context& context);
  ~NewRowPredictor();
  NewRowPredictor(NewRowPredictor&&) noexcept;
  NewRowPredictor& operator=(NewRowPredictor&&) noexcept;

  // `rows` has the model's columns, prepared as those fit() was given, dense or sparse. A row's
  // prediction does not depend on the others. At most `near` fitted rows are named for each.
  NewRowPredictions predict(const Features& rows, int64_t near = 5) const;

 private:
  std::unique_ptr<FrozenModel> frozen_;
};

// Rows of a file, block by block, prepared as the model's own rows were:
//
//   NewRows rows("new.csv", model.plan, model.class_names, {.sparse = model.features.is_sparse});
//   RowBlock block;
//   while (rows.next(block)) use(predictor.predict(block.features), block.ids, block.labels);
//   for (const std::string& note : rows.notes()) say(note);
//
// A text file is read in pieces and never held as a whole, so it may be larger than the memory.

struct Frame;  // a table in memory (src/data/cells.h)

struct NewRowsOptions {
  std::string
      label{};       // for arrays: a file of labels, or an array of the .npz; tables: as the plan
  std::string id{};  // another id column than the plan's; tables only
  std::string format{};  // csv, tsv or svmlight, where the file's name does not say
  bool sparse = false;   // the form of the features: that of the model's
  int64_t block_rows = 1024;
};

struct RowBlock {
  Features features;             // prepared and scaled by the plan
  std::vector<std::string> ids;  // one per row: the id column, else its number in the input, from 0
  std::vector<int32_t> labels;   // one per row: the model's class, -1 where unknown or not given
  std::vector<int64_t> lines;    // one per row: its line in a text file; 0 where there are none

  int64_t rows() const { return features.rows(); }  // in this block
};

class NewRows {
 public:
  // Opens a table, svmlight, npy, npz or mtx file, a folder or a shipped dataset (`what`) and
  // checks its columns: those that the plan uses must be there, others are ignored and told in a
  // note. The plan is copied.
  NewRows(const std::string& what, const TablePlan& plan, std::vector<std::string> class_names,
          NewRowsOptions options = {});
  // The same of a table in memory, which must outlive this.
  NewRows(const Frame& frame, const TablePlan& plan, std::vector<std::string> class_names,
          NewRowsOptions options = {});
  ~NewRows();
  NewRows(NewRows&&) noexcept;
  NewRows& operator=(NewRows&&) noexcept;

  // The next rows, at most block_rows; false, with an empty block, when there are no more. A row
  // that cannot be used throws kData with its file and line.
  bool next(RowBlock& block);

  // Whether the file has labels; those that are no class of the model count as unknown (-1).
  bool has_labels() const;

  // How many rows next() has given so far.
  int64_t rows_read() const;

  // The part of the file that has been read, 0 to 1, for progress.
  double part_read() const;

  // One sentence each: columns ignored, levels and labels never seen in training, gaps filled.
  // Complete once next() has returned false.
  std::vector<std::string> notes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace glgnn
