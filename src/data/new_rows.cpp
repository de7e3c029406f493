#include <glgnn/new_rows.h>

#include <algorithm>
#include <filesystem>

#include "data/cells.h"
#include "data/data.h"
#include "data/file.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/message.h"
#include "data/row_source.h"
#include "data/values.h"

namespace glgnn {
namespace {

bool is_one_of(const std::string& text, const std::vector<std::string>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::unique_ptr<RowSource> open_rows(const std::string& what, const TablePlan& plan,
                                     const std::vector<std::string>& class_names,
                                     const NewRowsOptions& options) {
  if (is_stream(what)) {  // the copy may go once it is open
    const InputFile input(what, stream_extension(what, options.format));
    return open_rows(input.path(), plan, class_names, options);
  }
  std::error_code told_later;
  const bool is_folder =
      is_one_of(what, shipped_datasets()) || std::filesystem::is_directory(what, told_later);
  const std::string extension = is_folder ? "" : reader_extension(what, options.format);
  ClassNumbers classes(class_names);
  if (is_one_of(extension, {".csv", ".tsv", ".tab"})) {
    return open_table_rows(open_text_cells(what, plan.missing_words), plan, std::move(classes),
                           options);
  }
  if (is_one_of(extension, {".svm", ".svmlight", ".libsvm"})) {
    return open_svmlight_rows(what, plan, std::move(classes), options);
  }
  return open_array_rows(what, plan, std::move(classes), options);
}

}  // namespace

ClassNumbers::ClassNumbers(const std::vector<std::string>& class_names) {
  for (size_t c = 0; c < class_names.size(); ++c) {
    numbers_.emplace(class_names[c], static_cast<int32_t>(c));
  }
  for (size_t c = 0; c < class_names.size(); ++c) {
    numbers_.emplace(label_key(class_names[c]), static_cast<int32_t>(c));
  }
}

int32_t ClassNumbers::find(const std::string& label) {
  auto found = numbers_.find(label);
  if (found == numbers_.end()) found = numbers_.find(label_key(label));
  if (found != numbers_.end()) return found->second;
  if (is_missing(label)) return -1;
  if (unknown_++ == 0) example_ = label;
  return -1;
}

void ClassNumbers::add_note(std::vector<std::string>& notes) const {
  if (unknown_ == 0) return;
  notes.push_back(counted(unknown_, "row") +
                  " with a label that is no class of the model, such as " + quote(example_) +
                  ", counted as unlabelled");
}

struct NewRows::State {
  FeatureScale scale;
  NewRowsOptions options;
  std::unique_ptr<RowSource> source;
  int64_t rows = 0;
};

NewRows::NewRows(const std::string& what, const TablePlan& plan,
                 std::vector<std::string> class_names, NewRowsOptions options)
    : state_(std::make_unique<State>()) {
  state_->scale = plan.scale;
  state_->source = open_rows(what, plan, class_names, options);
  state_->options = std::move(options);
}

NewRows::NewRows(const Frame& frame, const TablePlan& plan, std::vector<std::string> class_names,
                 NewRowsOptions options)
    : state_(std::make_unique<State>()) {
  state_->scale = plan.scale;
  state_->source = open_table_rows(open_frame_cells(frame, plan.missing_words), plan,
                                   ClassNumbers(class_names), options);
  state_->options = std::move(options);
}

NewRows::~NewRows() = default;
NewRows::NewRows(NewRows&&) noexcept = default;
NewRows& NewRows::operator=(NewRows&&) noexcept = default;

bool NewRows::next(RowBlock& block) {
  block = RowBlock();
  state_->source->next(block, state_->rows, state_->options.block_rows);
  const int64_t count = block.rows();
  if (count == 0) {
    block = RowBlock();
    return false;
  }
  state_->rows += count;
  state_->options.sparse ? make_sparse(block.features) : make_dense(block.features);
  apply_scale(block.features, state_->scale);
  return true;
}

bool NewRows::has_labels() const { return state_->source->has_labels(); }
int64_t NewRows::rows_read() const { return state_->rows; }
double NewRows::part_read() const { return state_->source->part_read(); }

std::vector<std::string> NewRows::notes() const {
  std::vector<std::string> notes = state_->source->notes();
  for (std::string& note : notes) note = printable(note);
  return notes;
}

}  // namespace glgnn
