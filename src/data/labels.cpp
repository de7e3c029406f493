#include "data/labels.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "data/number_style.h"
#include "data/text_rows.h"
#include "data/values.h"

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
    return x != y ? x < y : a < b;
  }
};

// Takes the words that mean no label out of the counts, and notes them.
void take_out_unknown(std::map<std::string, int64_t>& counts,
                      const std::vector<std::string>& missing, std::vector<std::string>& notes) {
  int64_t rows = 0;
  std::vector<std::string> words;
  const bool minus_is_class = counts.contains("+");
  for (auto at = counts.begin(); at != counts.end();) {
    const std::string& text = at->first;
    const bool is_word = is_unlabelled(text) || text == "None" || (text == "-" && !minus_is_class);
    if (!is_word && std::find(missing.begin(), missing.end(), text) == missing.end()) {
      ++at;
      continue;
    }
    if (!text.empty()) {
      rows += at->second;
      words.push_back(text);
    }
    at = counts.erase(at);
  }
  if (words.empty()) return;
  notes.push_back(counted(rows, "label") + " taken as unknown: " + listed(words) +
                  "; a class of this name needs another one");
}

// The class of each text. Texts that differ in case alone, or as 1 and 1.0 do, are one class,
// called by the spelling of the most rows.
std::map<std::string, std::string> join_spellings(const std::map<std::string, int64_t>& counts,
                                                  std::vector<std::string>& notes) {
  std::map<std::string, std::pair<std::string, int64_t>> most;  // by key: spelling and its rows
  for (const auto& [text, count] : counts) {
    auto& best = most[label_key(text)];
    if (count > best.second) best = {text, count};
  }
  const bool join = most.size() > 1;  // A and a may be all the classes there are
  std::map<std::string, std::string> class_of;
  std::vector<std::string> joined;
  for (const auto& [text, count] : counts) {
    const std::string& name = join ? most[label_key(text)].first : text;
    class_of[text] = name;
    if (name != text) {
      joined.push_back(quote(text) + " (" + counted(count, "row") + ") is " + quote(name));
    }
  }
  if (!joined.empty()) {
    notes.push_back("labels that differ only in their spelling are one class: " + listed(joined));
  }
  for (const auto& [text, count] : counts) {
    if (label_key(text) != "none" && !may_mean_unknown(text)) continue;
    notes.push_back("the label " + quote(text) + " is a class of " + counted(count, "row") +
                    "; --missing " + text + " would take it as unknown");
  }
  return class_of;
}

bool are_numbers(const std::vector<std::string>& names) {
  double ignored = 0;
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return parse_number(name, ignored); });
}

// The numbers that the texts are, however they are written; none where some are no numbers.
std::vector<double> numbers_of(const std::vector<std::string>& texts) {
  constexpr bool kCommaSeparates = false;  // thousands or decimals: both are measured
  StyleFinder styles;
  for (const std::string& text : texts) styles.add(text);
  const NumberStyle style = styles.best(kCommaSeparates);
  std::vector<double> values(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!parse_number(texts[i], style, values[i])) return {};
  }
  return values;
}

// Throws where the labels are measurements; notes it where they may be.
void check_not_measured(Dataset& dataset, int64_t used, int64_t labelled, const Place& place,
                        const std::string& column) {
  constexpr int64_t kFewClasses = 10, kManyClasses = 20, kRowsOfAClass = 5;
  const std::vector<double> values = numbers_of(dataset.class_names);
  if (values.empty()) return;
  std::string odd;  // a number that is not whole
  for (size_t c = 0; c < values.size(); ++c) {
    if (values[c] != std::floor(values[c])) odd = dataset.class_names[c];
  }
  const bool thin = labelled < kRowsOfAClass * used;
  if (odd.empty() && thin && used > kManyClasses) {
    dataset.notes.push_back(std::to_string(used) + " classes that are numbers, for " +
                            counted(labelled, "labelled row") +
                            ": if they measure something, put them into a few classes");
  }
  const bool unshared = 2 * used > labelled && 2 * used > kFewClasses;
  if (odd.empty() || !(used > kFewClasses ? thin : unshared)) return;
  fail(ErrorKind::kData, place,
       {(column.empty() ? "" : "column " + quote(column) + ": ") +
            "the labels look like measurements",
        std::to_string(used) + " different numbers such as " + odd + " in " +
            counted(labelled, "labelled row"),
        "classes that several rows share",
        "put the numbers into a few classes (low, middle, high)" +
            (column.empty() ? "" : ", or say that they are classes with --categorical " + column)});
}

}  // namespace

std::string label_key(const std::string& text) {
  double value = 0;
  if (parse_number(text, value)) return cell_text({.number = value, .is_number = true});
  std::string key;  // one blank for several
  for (const char c : text) {
    if (c == ' ' && key.ends_with(' ')) continue;
    key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return key;
}

void set_labels(Dataset& dataset, const std::vector<std::string>& texts,
                const std::vector<std::string>& missing) {
  std::map<std::string, int64_t> counts;
  for (const std::string& text : texts) ++counts[text];
  take_out_unknown(counts, missing, dataset.notes);
  const std::map<std::string, std::string> class_of = join_spellings(counts, dataset.notes);
  std::vector<std::string>& names = dataset.class_names;
  names.clear();
  for (const auto& [text, name] : class_of) names.push_back(name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (are_numbers(names)) std::sort(names.begin(), names.end(), ByNumber());
  std::map<std::string, int32_t> number;
  for (size_t c = 0; c < names.size(); ++c) number[names[c]] = static_cast<int32_t>(c);
  dataset.labels.clear();
  for (const std::string& text : texts) {
    const auto found = class_of.find(text);
    dataset.labels.push_back(found == class_of.end() ? -1 : number[found->second]);
  }
}

void set_labels(Dataset& dataset, const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const int64_t n : numbers) texts.push_back(n < 0 ? "" : std::to_string(n));
  set_labels(dataset, texts);
}

void check_labels(Dataset& dataset, const Place& place, const std::string& column,
                  bool are_classes) {
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
  if (!are_classes) check_not_measured(dataset, used, labelled, place, column);
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
