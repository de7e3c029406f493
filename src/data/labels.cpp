#include "data/labels.h"

#include <algorithm>
#include <map>

#include "data/text_rows.h"

namespace glgnn {
namespace {

struct ByNumber {
  static double number(const std::string& text) {
    double value = 0;
    parse_number(text, value);
    return value;
  }
  bool operator()(const std::string& a, const std::string& b) const {
    const double x = number(a), y = number(b);
    return x != y ? x < y : a < b;  // "1" and "1.0" are two names
  }
};

}  // namespace

void set_labels(Dataset& dataset, const std::vector<std::string>& texts) {
  std::vector<std::string>& names = dataset.class_names;
  names = texts;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase(names, "");
  double ignored = 0;
  if (std::all_of(names.begin(), names.end(),
                  [&](const std::string& name) { return parse_number(name, ignored); })) {
    std::sort(names.begin(), names.end(), ByNumber());
  }
  std::map<std::string, int32_t> number{{"", -1}};
  for (size_t c = 0; c < names.size(); ++c) number[names[c]] = static_cast<int32_t>(c);
  dataset.labels.clear();
  for (const std::string& text : texts) dataset.labels.push_back(number[text]);
}

void set_labels(Dataset& dataset, const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const int64_t n : numbers) texts.push_back(n < 0 ? "" : std::to_string(n));
  set_labels(dataset, texts);
}

void check_labels(Dataset& dataset, const Place& place, const std::string& column) {
  const std::string where = column.empty() ? "" : "column " + quote(column) + ": ";
  std::vector<int64_t> counts(static_cast<size_t>(dataset.classes()));
  int64_t labelled = 0;
  for (const int32_t label : dataset.labels) {
    if (label < 0) continue;
    ++counts[label];
    ++labelled;
  }
  const auto rows = static_cast<int64_t>(dataset.labels.size());
  if (labelled == 0) {
    fail(ErrorKind::kData, place,
         {where + "no labelled row", "0 labels in " + counted(rows, "row"),
          "some rows of at least two classes with a label", "fill in the labels you know"});
  }
  const auto has_rows = [](int64_t n) { return n > 0; };
  const int64_t used = std::count_if(counts.begin(), counts.end(), has_rows);
  if (used < 2) {
    const auto only = std::find_if(counts.begin(), counts.end(), has_rows);
    fail(ErrorKind::kData, place,
         {where + "fewer than two classes", "only " + dataset.class_names[only - counts.begin()],
          "labels of at least two classes", "choose another label column or add rows"});
  }
  // With unlabelled rows around, one label for each class is a fair (if hard) task.
  const bool unique = labelled == rows && used == labelled;
  const bool nearly = labelled == rows && labelled >= 20 && 2 * used > labelled;
  if (unique || nearly) {
    fail(ErrorKind::kData, place,
         {where + (unique ? "every" : "nearly every") + " row has a label of its own",
          std::to_string(used) + " classes in " + counted(rows, "row"),
          "classes that several rows share",
          "choose the column of the classes; one that names the rows is given with --id"});
  }
  std::vector<std::string> single, none;
  for (size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 1) single.push_back(dataset.class_names[c]);
    if (counts[c] == 0) none.push_back(dataset.class_names[c]);
  }
  if (!single.empty()) {
    dataset.notes.push_back("a single labelled row, which can only train, in class " +
                            listed(single));
  }
  if (!none.empty()) dataset.notes.push_back("no labelled row in class " + listed(none));
}

}  // namespace glgnn
