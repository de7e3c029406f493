#include "data/labels.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "data/npy.h"
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
  GapWords user_words(missing);
  const bool minus_is_class = counts.contains("+");
  for (auto at = counts.begin(); at != counts.end();) {
    const std::string& text = at->first;
    const bool is_word = is_unlabelled(text) || text == "None" || (text == "-" && !minus_is_class);
    if (!is_word && !user_words.has(text)) {
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

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80;
}
bool is_first_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// Every word in small letters, in capitals, or with a first capital.
bool is_plain_case(const std::string& text) {
  const std::string small = lower_case(text);
  const auto is_capital = [&](size_t i) {  // of a byte, or of two in UTF-8
    return is_first_byte(text[i]) &&
           (text[i] != small[i] ||
            (i + 1 < text.size() && !is_first_byte(text[i + 1]) && text[i + 1] != small[i + 1]));
  };
  for (size_t i = 0; i < text.size();) {
    const bool begins_large = is_capital(i);
    int64_t letters = 0, capitals = 0;
    size_t end = i;
    for (; end < text.size() && is_letter(text[end]); ++end) {
      letters += is_first_byte(text[end]);
      capitals += is_capital(end);
    }
    if (capitals != letters && capitals > (begins_large ? 1 : 0)) return false;
    i = std::max(end, i + 1);
  }
  return true;
}

using Texts = std::vector<std::pair<std::string, int64_t>>;  // and their rows, the most first

bool is_one_letter(const Texts& texts) {
  return texts.size() > 1 && std::ranges::all_of(texts, [](const auto& text) {
           return is_letter(text.first[0]) && std::ranges::count_if(text.first, is_first_byte) == 1;
         });
}

// Not by mistake: capitals inside of a word, in about as many rows as without.
bool means_its_case(const Texts& texts) {
  const bool is_plain =
      std::ranges::all_of(texts, [](const auto& text) { return is_plain_case(text.first); });
  return !is_plain && texts.size() > 1 && 2 * texts[1].second >= texts[0].second;
}

std::string_view without_points(std::string_view text) {
  while (text.size() > 1 && text.ends_with('.')) text.remove_suffix(1);
  return text;
}

// A text with a mark for each letter with an accent; whether such a letter is two characters, the
// accent one of its own.
std::pair<std::string, bool> with_marks(std::string_view text) {
  constexpr char kMark = 1;
  std::string marked;
  bool is_split = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_accent = text[i] == '\xCC' || (text[i] == '\xCD' && i + 1 < text.size() &&
                                                 static_cast<unsigned char>(text[i + 1]) < 0xB0);
    if (is_accent && !marked.empty()) marked.pop_back();
    is_split = is_split || is_accent;
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      marked += text[i];
    } else if (is_first_byte(text[i])) {
      marked += kMark;
    }
  }
  return {marked, is_split};
}

// Notes classes that one hardly tells apart: "<=50K" and "<=50K.", or those of which one has its
// accents as characters of their own.
void note_nearly_alike(const std::map<std::string, int64_t>& rows_of,
                       std::vector<std::string>& notes) {
  std::map<std::pair<std::string, bool>, std::string> seen;  // one of each look
  std::vector<std::string> alike;
  for (const auto& [name, rows] : rows_of) {
    const auto look = with_marks(without_points(name));
    auto other = seen.find({look.first, !look.second});
    if (other == seen.end()) other = seen.find(look);
    const bool is_alike =
        other != seen.end() &&
        (other->first != look || without_points(other->second) == without_points(name));
    if (is_alike) {
      alike.push_back(quote(other->second) + " (" + counted(rows_of.at(other->second), "row") +
                      ") and " + quote(name) + " (" + counted(rows, "row") + ")");
    }
    seen.emplace(look, name);
  }
  if (alike.empty()) return;
  notes.push_back("classes that are nearly alike: " + listed(alike) +
                  "; write them alike if they are meant to be one");
}

// The class of each text, with notes on what was joined and what was not.
std::map<std::string, std::string> class_of_each(const std::map<std::string, int64_t>& counts,
                                                 std::vector<std::string>& notes) {
  const auto [class_of, apart] = join_spellings(counts);
  std::vector<std::string> joined;
  for (const auto& [text, count] : counts) {
    const std::string& name = class_of.at(text);
    if (name != text) {
      joined.push_back(quote(text) + " (" + counted(count, "row") + ") is " + quote(name));
    }
  }
  if (!joined.empty()) {
    notes.push_back("labels that differ only in their spelling are one class: " + listed(joined));
  }
  if (!apart.empty()) {
    notes.push_back("labels that differ only in their case are different classes: " +
                    listed(apart) + "; write them alike if they are meant to be one");
  }
  std::map<std::string, int64_t> rows_of;
  for (const auto& [text, count] : counts) rows_of[class_of.at(text)] += count;
  note_nearly_alike(rows_of, notes);
  for (const auto& [text, count] : counts) {
    if (!is_missing(text) && !may_mean_unknown(text)) continue;
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

// Beside two or more classes from 0 on, -1 may be how a program marks rows without a label.
void note_minus_one(Dataset& dataset) {
  const std::vector<std::string>& names = dataset.class_names;  // in the order of their numbers
  if (names.size() < 3 || !are_numbers(names) || ByNumber::number(names[0]) != -1 ||
      ByNumber::number(names[1]) < 0) {
    return;
  }
  dataset.notes.push_back("the label " + quote(names[0]) + " is a class of " +
                          counted(std::ranges::count(dataset.labels, 0), "row") + "; --missing " +
                          names[0] + " would take it as unknown");
}

// The numbers that the texts are, however they are written; none where some are no numbers.
std::vector<double> numbers_of(const std::vector<std::string>& texts) {
  StyleFinder styles;
  for (const std::string& text : texts) styles.add(text);
  const NumberStyle style = styles.best({});  // both are measured
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
  if (exact_number(text, value)) return cell_text({.number = value, .is_number = true});
  const size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  if (text.find_first_not_of("0123456789", sign) == std::string::npos) {  // too large for a double
    const size_t digits = std::min(text.find_first_not_of('0', sign), text.size());
    return (text.starts_with('-') ? "-" : "") + text.substr(digits);
  }
  std::string key;  // one blank for several
  for (const char c : lower_case(text)) {
    if (c != ' ' || !key.ends_with(' ')) key += c;
  }
  return key;
}

Spellings join_spellings(const std::map<std::string, int64_t>& rows_of) {
  constexpr int64_t kLettersInBothCases = 3;  // y and Y, n and N may be one class each
  std::map<std::string, Texts> alike;
  for (const auto& [text, rows] : rows_of) alike[label_key(text)].emplace_back(text, rows);
  int64_t letters = 0;
  for (auto& [key, texts] : alike) {
    std::ranges::stable_sort(texts, std::greater{}, &Texts::value_type::second);
    letters += is_one_letter(texts);
  }
  Spellings out;
  for (const auto& [key, texts] : alike) {
    const bool is_meant = means_its_case(texts) ||
                          (letters >= kLettersInBothCases && is_one_letter(texts)) ||
                          alike.size() == 1;  // A and a may be all there are
    for (const auto& [text, rows] : texts) {
      out.name_of[text] = is_meant ? text : texts.front().first;
    }
    if (!is_meant || texts.size() < 2 || alike.size() == 1) continue;
    std::string names;
    for (const auto& [text, rows] : texts) names += (names.empty() ? "" : " and ") + quote(text);
    out.apart.push_back(names);
  }
  return out;
}

void set_labels(Dataset& dataset, const std::vector<std::string>& texts,
                const std::vector<std::string>& missing) {
  std::map<std::string, int64_t> counts;
  for (const std::string& text : texts) ++counts[text];
  take_out_unknown(counts, missing, dataset.notes);
  const std::map<std::string, std::string> class_of = class_of_each(counts, dataset.notes);
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
  note_minus_one(dataset);
}

void set_labels(Dataset& dataset, const std::vector<int64_t>& numbers,
                const std::vector<std::string>& missing, MinusOne minus_one) {
  std::set<int64_t> different(numbers.begin(), numbers.end());
  different.erase(kNoLabel);
  if (minus_one == MinusOne::kByOthers && different.contains(-1)) {
    const bool is_class = different.size() == 2 || *different.begin() < -1;
    minus_one = is_class ? MinusOne::kClass : MinusOne::kUnknown;
    if (is_class && !GapWords(missing).has(-1)) {
      std::vector<std::string> others;
      for (const int64_t n : different) {
        if (n != -1) others.push_back(std::to_string(n));
      }
      dataset.notes.push_back("the label -1 is a class of " +
                              counted(std::ranges::count(numbers, -1), "row") + " beside " +
                              listed(others) + "; --missing -1 would take it as unknown");
    }
  }
  const bool is_unknown = minus_one == MinusOne::kUnknown;
  std::vector<std::string> texts;
  for (const int64_t n : numbers) {
    texts.push_back(n == kNoLabel || (n == -1 && is_unknown) ? "" : std::to_string(n));
  }
  set_labels(dataset, texts, missing);
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
    const std::string few = are_numbers(dataset.class_names) && !unique
                                ? "put the numbers into a few classes (low, middle, high), or "
                                : "";
    fail(ErrorKind::kData, place,
         {where + (unique ? "every row has a label of its own" : "too many classes"),
          std::to_string(used) + " classes in " + counted(rows, "row"),
          "classes that several rows share",
          few + "choose the column of the classes; one that names the rows is given with --id"});
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
