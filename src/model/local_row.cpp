#include "model/local_row.h"

#include <algorithm>
#include <set>

#include "core/rows.h"
#include "network/class_shares.h"

namespace glgnn {
namespace {

// Multiplies each link with the mask of its edge.
void mask_links(ModuleLinks& links, const std::vector<int32_t>& neighbours,
                const std::vector<float>& mask) {
  for (RowLinks& mine : links) {
    size_t at = 0;
    for (Link& link : mine.links) {
      while (neighbours[at] < link.row) ++at;
      link.weight *= mask[at];
    }
  }
}

}  // namespace

LocalRow::LocalRow(const FrozenModel& frozen, int32_t row)
    : LocalRow(frozen, rows_of(frozen.model().features, row, row + 1), frozen.fitted_links(row)) {
  const Model& model = frozen.model();
  for (const auto* rows : {&model.train, &model.val}) {
    is_labelled_ |= std::find(rows->begin(), rows->end(), row) != rows->end();
  }
}

LocalRow::LocalRow(const FrozenModel& frozen, const Features& row)
    : LocalRow(frozen, row, frozen.attach(row)[0]) {}

LocalRow::LocalRow(const FrozenModel& frozen, Features row, ModuleLinks links)
    : frozen_(frozen), row_(std::move(row)), links_(std::move(links)) {
  if (!row_.row_size.empty()) size_ = row_.row_size.front();
  std::set<int32_t> ends;
  for (const RowLinks& mine : links_) {
    for (const Link& link : mine.links) ends.insert(link.row);
  }
  neighbours_.assign(ends.begin(), ends.end());
  if (row_.is_sparse) {
    features_ = row_.sparse.pattern->col;
    values_ = row_.sparse.values;
    absent_.assign(values_.size(), 0.0f);
    join_columns();
    return;
  }
  const std::vector<float>& means = frozen.column_means();
  for (int64_t f = 0; f < row_.dense.cols(); ++f) {
    features_.push_back(static_cast<int32_t>(f));
    values_.push_back(row_.dense[0][f]);
    absent_.push_back(means[f]);
  }
  join_columns();
}

// The features of a column lie side by side: its number or levels, then whether it is missing. Each
// word of a text is for itself.
void LocalRow::join_columns() {
  const TablePlan& plan = frozen_.model().plan;
  const std::vector<int32_t> columns = feature_columns(plan);
  const auto is_number = [&](int32_t column) {
    return static_cast<size_t>(column) < plan.columns.size() &&
           plan.columns[static_cast<size_t>(column)].kind != ColumnKind::kCategorical;
  };
  const auto is_word = [&](int32_t column) {
    return static_cast<size_t>(column) < plan.columns.size() &&
           plan.columns[static_cast<size_t>(column)].has_words();
  };
  int32_t last = -1;
  for (size_t f = 0; f < features_.size(); ++f) {
    const int32_t column =
        columns.empty() ? static_cast<int32_t>(f) : columns[static_cast<size_t>(features_[f])];
    if (column != last || f == 0 || is_word(column)) {
      shown_.push_back(features_[f]);
      shown_values_.push_back(values_[f]);
    } else if (is_number(column) ? values_[f] > 0 : values_[f] > shown_values_.back()) {
      shown_.back() = features_[f];
      shown_values_.back() = values_[f];
    }
    part_.push_back(static_cast<int32_t>(shown_.size()) - 1);
    last = column;
  }
}

int32_t LocalRow::strongest_module(size_t edge) const {
  const std::vector<double>& weights = frozen_.module_weights();
  int32_t strongest = 0;
  double most = -1;
  for (size_t m = 0; m < links_.size(); ++m) {
    for (const Link& link : links_[m].links) {
      if (link.row != neighbours_[edge] || weights[m] * link.weight <= most) continue;
      most = weights[m] * link.weight;
      strongest = static_cast<int32_t>(m);
    }
  }
  return strongest;
}

Masks LocalRow::all() const {
  return {std::vector<float>(neighbours_.size(), 1.0f), std::vector<float>(shown_.size(), 1.0f)};
}

Masks LocalRow::none() const {
  return {std::vector<float>(neighbours_.size(), 0.0f), std::vector<float>(shown_.size(), 0.0f)};
}

Features LocalRow::masked_rows(const std::vector<Masks>& masks) const {
  Features out;
  out.is_sparse = row_.is_sparse;
  const auto count = static_cast<int64_t>(masks.size());
  const auto width = static_cast<int64_t>(features_.size());
  const auto masked = [&](const Masks& mask, int64_t f) {
    return absent_[f] + mask.features[part_[f]] * (values_[f] - absent_[f]);
  };
  if (!row_.is_sparse) {
    out.dense = Matrix(count, width);
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t f = 0; f < width; ++f) out.dense[r][f] = masked(masks[r], f);
    }
    return out;
  }
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = count;
  pattern->cols = row_.sparse.cols();
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t f = 0; f < width; ++f) {
      pattern->col.push_back(features_[f]);
      out.sparse.values.push_back(masked(masks[r], f));
    }
    pattern->row_ptr.push_back((r + 1) * width);
  }
  out.sparse.pattern = std::move(pattern);
  return out;
}

Matrix LocalRow::predict(const std::vector<Masks>& masks) const {
  const Features rows = masked_rows(masks);
  std::vector<ModuleLinks> links = frozen_.weaken(links_, row_, rows);
  for (size_t r = 0; r < masks.size(); ++r) mask_links(links[r], neighbours_, masks[r].edges);
  Matrix p = frozen_.predict(rows, links);
  if (!is_labelled_) weigh_classes(p, frozen_.model().class_factors);
  return p;
}

std::vector<double> LocalRow::module_parts(int32_t predicted) const {
  std::vector<double> parts = frozen_.module_probabilities(row_, links_, predicted);
  double sum = 0;
  for (size_t m = 0; m < parts.size(); ++m) sum += parts[m] *= frozen_.module_weights()[m];
  for (double& part : parts) part = sum > 0 ? part / sum : 1.0 / static_cast<double>(parts.size());
  return parts;
}

}  // namespace glgnn
