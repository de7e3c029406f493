// New rows of a table: columns are found by their names, in any order.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "data/cells.h"
#include "data/features.h"
#include "data/row_encoder.h"
#include "data/row_source.h"
#include "data/table_header.h"

namespace glgnn {
namespace {

int64_t position_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : found - names.begin();
}

// A model of arrays knows the names of its features only: then they are the columns, and its gaps
// could be filled with nothing.
TablePlan plan_with_columns(TablePlan plan) {
  if (!plan.columns.empty() && !is_of_array(plan)) return plan;
  plan.columns.clear();
  for (const std::string& name : plan.feature_names) {
    TableColumn column;
    column.name = name;
    column.median = std::numeric_limits<double>::quiet_NaN();
    plan.columns.push_back(std::move(column));
  }
  return plan;
}

std::string name_of(const TablePlan& plan, ColumnKind kind) {
  for (const TableColumn& column : plan.columns) {
    if (column.kind == kind) return column.name;
  }
  return "";
}

bool has_kind(const TablePlan& plan, ColumnKind kind) {
  return std::any_of(plan.columns.begin(), plan.columns.end(),
                     [&](const TableColumn& column) { return column.kind == kind; });
}

class TableSource : public RowSource {
 public:
  TableSource(std::unique_ptr<CellRows> rows, const TablePlan& plan, ClassNumbers classes,
              const NewRowsOptions& options)
      : rows_(std::move(rows)), classes_(std::move(classes)) {
    const TablePlan full = plan_with_columns(plan);
    const std::vector<std::string>& names = rows_->names();
    find_label_and_id(names, full, options);
    check_names(names, rows_->place());
    std::unordered_map<std::string, int64_t> position_of_name;  // there may be many columns
    for (size_t j = 0; j < names.size(); ++j) {
      position_of_name.emplace(names[j], static_cast<int64_t>(j));
    }
    std::vector<int64_t> positions;
    for (const TableColumn& column : full.columns) {
      const auto found = position_of_name.find(column.name);
      positions.push_back(found == position_of_name.end() ? -1 : found->second);
    }
    check_columns(names, full, positions);
    encoder_ = std::make_unique<RowEncoder>(
        full, std::move(positions),
        RowEncoder::Options{.fitting = false, .comma_separates = rows_->comma_separates()});
  }

  void next(RowBlock& block, int64_t first, int64_t most) override {
    std::vector<float> values;
    int64_t count = 0;
    for (; count < most && rows_->next(cells_); ++count) {
      values.resize(static_cast<size_t>((count + 1) * encoder_->features()), 0.0f);
      encoder_->encode(cells_, *rows_, values.data() + count * encoder_->features());
      const std::string id = id_ >= 0 ? cell_text(cells_[id_]) : "";
      block.ids.push_back(id.empty() ? std::to_string(rows_->row()) : id);
      block.labels.push_back(label_ >= 0 ? classes_.find(cell_text(cells_[label_])) : -1);
      block.lines.push_back(rows_->place().line);
    }
    if (first + count == 0) refuse_no_rows(rows_->place());
    block.features.dense = Matrix(count, encoder_->features());
    std::copy(values.begin(), values.end(), block.features.dense.data());
  }

  bool has_labels() const override { return label_ >= 0; }
  double part_read() const override { return rows_->part_read(); }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes = rows_->notes();
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    for (std::string& note : encoder_->notes()) notes.push_back(std::move(note));
    classes_.add_note(notes);
    return notes;
  }

 private:
  void find_label_and_id(const std::vector<std::string>& names, const TablePlan& plan,
                         const NewRowsOptions& options) {
    if (!options.label.empty()) {
      label_ = find_column(names, options.label, "label", rows_->place());
    } else if (has_kind(plan, ColumnKind::kLabel)) {
      label_ = position_of(names, name_of(plan, ColumnKind::kLabel));
    }
    if (!options.id.empty()) {
      id_ = find_column(names, options.id, "id", rows_->place());
    } else if (has_kind(plan, ColumnKind::kRowId)) {
      id_ = position_of(names, name_of(plan, ColumnKind::kRowId));
    }
    const auto is_left_out = [](const TableColumn& column) {
      return column.name.empty() && column.kind == ColumnKind::kDropped;
    };
    if (id_ < 0 && names[0].empty() && !std::ranges::any_of(plan.columns, is_left_out)) {
      id_ = 0;  // as pandas writes an index
    }
  }

  // What the plan uses must be there; what it does not know is ignored.
  void check_columns(const std::vector<std::string>& names, const TablePlan& plan,
                     const std::vector<int64_t>& positions) {
    std::vector<std::string> missing, extra;
    for (size_t j = 0; j < positions.size(); ++j) {
      if (positions[j] < 0 && plan.columns[j].is_used()) missing.push_back(plan.columns[j].name);
    }
    if (!missing.empty()) {
      const bool one = missing.size() == 1;
      fail(ErrorKind::kData, rows_->place(),
           {(one ? "column " : "columns ") + listed(missing) +
                (one ? " is missing" : " are missing"),
            listed(names, 12), "every column that the model was fitted on",
            "add " + std::string(one ? "it" : "them") +
                " (fields may be empty where the value is unknown) or correct the names in the "
                "first line"});
    }
    std::vector<bool> is_known(names.size());
    for (const int64_t position : positions) {
      if (position >= 0) is_known[static_cast<size_t>(position)] = true;
    }
    for (size_t j = 0; j < names.size(); ++j) {
      const auto at = static_cast<int64_t>(j);
      if (!is_known[j] && at != label_ && at != id_ && !names[j].empty()) extra.push_back(names[j]);
    }
    if (extra.empty()) return;
    notes_.push_back(counted(static_cast<int64_t>(extra.size()), "column") +
                     " that the model does not know " + (extra.size() == 1 ? "is" : "are") +
                     " ignored: " + listed(extra));
  }

  std::unique_ptr<CellRows> rows_;
  ClassNumbers classes_;
  std::unique_ptr<RowEncoder> encoder_;
  std::vector<Cell> cells_;
  std::vector<std::string> notes_;
  int64_t label_ = -1, id_ = -1;
};

}  // namespace

std::unique_ptr<RowSource> open_table_rows(std::unique_ptr<CellRows> rows, const TablePlan& plan,
                                           ClassNumbers classes, const NewRowsOptions& options) {
  return std::make_unique<TableSource>(std::move(rows), plan, std::move(classes), options);
}

}  // namespace glgnn
