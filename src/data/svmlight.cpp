#include <cmath>

#include "data/formats.h"
#include "data/labels.h"
#include "data/message.h"
#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {
namespace {

// The columns are one more where they count from 0.
constexpr int64_t kLargestNumber = INT32_MAX - 1;

using GetPlace = std::function<Place()>;

void read_label(std::string_view text, const GetPlace& place, SvmlightRow& row) {
  if (is_unlabelled(text)) return;
  double value = 0;
  if (!parse_number(text, value)) {
    fail(ErrorKind::kData, place(),
         {"the label is not a number", std::string(text), "a number for the class, or ?",
          "number the classes; rows with several classes cannot be read"});
  }
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  row.label = whole ? std::to_string(static_cast<int64_t>(value)) : std::string(text);
}

void read_entry(std::string_view text, const GetPlace& place, SvmlightRow& row) {
  const size_t colon = std::min(text.find(':'), text.size());
  if (text.substr(0, colon) == "qid") return;
  int64_t number = 0;
  double value = 0;
  if (colon == text.size() || !parse_integer(text.substr(0, colon), number) || number < 0 ||
      number > kLargestNumber || !parse_number(text.substr(colon + 1), value)) {
    fail(
        ErrorKind::kData, place(),
        {"not a feature", std::string(text),
         "NUMBER:VALUE with a number up to " + std::to_string(kLargestNumber), "correct the line"});
  }
  if (!std::isfinite(static_cast<float>(value))) {
    fail(ErrorKind::kData, place(),
         {"feature " + std::to_string(number) + ": not a finite number",
          std::string(text.substr(colon + 1)), "a number that fits into float32",
          "replace or remove the value"});
  }
  if (!row.entries.empty() && row.entries.back().column >= number) {
    fail(ErrorKind::kData, place(),
         {"features out of order", std::string(text),
          "a number above " + std::to_string(row.entries.back().column),
          "sort the features of the row, each once"});
  }
  row.entries.push_back({static_cast<int32_t>(number), static_cast<float>(value)});
}

}  // namespace

bool parse_svmlight(std::string_view line, const GetPlace& place, SvmlightRow& row) {
  constexpr std::string_view kBlanks = " \t\r\n";
  line = line.substr(0, line.find('#'));
  size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return false;
  row.label.clear();
  row.entries.clear();
  for (bool is_first = true; begin != std::string_view::npos; is_first = false) {
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    if (is_first && word.find(':') == std::string_view::npos) {
      read_label(word, place, row);
    } else {
      read_entry(word, place, row);
    }
    begin = line.find_first_not_of(kBlanks, end);
  }
  return true;
}

bool SvmlightRows::next(SvmlightRow& row) {
  const GetPlace place_of_line = [this] { return place(); };
  for (std::string_view line; lines_.next(line);) {
    if (parse_svmlight(line, place_of_line, row)) return true;
  }
  return false;
}

Dataset read_svmlight(const std::filesystem::path& path, const LoadOptions& options) {
  if (!options.label.empty() || !options.id.empty()) {
    fail(ErrorKind::kUsage, {path},
         {"svmlight rows begin with their label and have no id",
          options.label.empty() ? "--id " + options.id : "--label " + options.label,
          "no --label and no --id", "leave it away"});
  }
  Dataset dataset;
  dataset.name = content_name(path);
  SvmlightRows rows(path);
  // Whether numbers start from 0 or 1 is known at the end: until then they are kept as they are.
  SparseBuilder builder(0);
  std::vector<std::string> labels;
  int32_t lowest = 1, highest = 0;
  for (SvmlightRow row; rows.next(row);) {
    if (!row.entries.empty()) {
      lowest = std::min(lowest, row.entries.front().column);
      highest = std::max(highest, row.entries.back().column);
    }
    labels.push_back(std::move(row.label));
    builder.add(row.entries);
    if (options.on_progress && builder.rows() % 4096 == 0) options.on_progress(rows.part_read());
  }
  if (labels.empty()) {
    fail(ErrorKind::kData, {path},
         {"empty file", "0 rows", "a line for each row: LABEL NUMBER:VALUE ...",
          "check that the file was written completely"});
  }
  dataset.features = builder.take();
  Pattern pattern = *dataset.features.sparse.pattern;
  dataset.plan.counts_from_zero = lowest == 0;
  const int32_t first = lowest == 0 ? 0 : 1;
  check_columns(highest + 1 - first, pattern.nnz(), {path});
  for (int32_t& column : pattern.col) column -= first;
  pattern.cols = highest + 1 - first;
  dataset.features.sparse.pattern = std::make_shared<Pattern>(std::move(pattern));
  densify(dataset.features);
  for (int64_t j = 0; j < dataset.features.cols(); ++j) {
    dataset.feature_names.push_back("f" + std::to_string(j + first));
  }
  set_labels(dataset, labels, options.missing);
  if (!options.new_rows) check_labels(dataset, {path});
  if (dataset.features.is_sparse || options.new_rows) return dataset;
  leave_out_constant_columns(dataset);
  check_repeated_columns(dataset);
  return dataset;
}

}  // namespace glgnn
