// Splits of the labelled rows, made by a seed.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/shuffled_rows.h"
#include "data/data.h"
#include "data/message.h"

namespace glgnn {
namespace {

// The labelled rows of each class, in the random order of this seed.
std::vector<std::vector<int32_t>> shuffled_classes(const std::vector<int32_t>& labels,
                                                   int64_t classes, uint64_t seed) {
  std::vector<std::vector<int32_t>> rows(static_cast<size_t>(classes));
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    if (labels[i] >= classes) {
      throw Error(ErrorKind::kUsage, "row " + std::to_string(i) + " has class " +
                                         std::to_string(labels[i]) + ", expected less than " +
                                         std::to_string(classes));
    }
    rows[labels[i]].push_back(static_cast<int32_t>(i));
  }
  for (auto& of_class : rows) of_class = shuffled_rows(of_class, Rng{seed, Stream::kSplit});
  return rows;
}

// Takes `fraction` of each class from the end of its rows, and leaves it one row at least. The
// rounding is carried from class to class, so that small classes together give their part.
std::vector<int32_t> take(std::vector<std::vector<int32_t>>& rows, double fraction) {
  std::vector<int32_t> part;
  double wanted = 0;
  for (std::vector<int32_t>& of_class : rows) {
    if (of_class.size() < 2) continue;
    wanted += fraction * static_cast<double>(of_class.size());
    while (of_class.size() > 1 && std::floor(wanted + 0.5) > static_cast<double>(part.size())) {
      part.push_back(of_class.back());
      of_class.pop_back();
    }
  }
  if (part.empty() && fraction > 0) {  // too few rows for the fraction: the largest class gives one
    const auto largest = std::max_element(
        rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (largest != rows.end() && largest->size() > 1) {
      part.push_back(largest->back());
      largest->pop_back();
    }
  }
  std::sort(part.begin(), part.end());
  return part;
}

void check_fractions(SplitFractions f) {
  if (f.train > 0 && f.train <= 1 && f.test >= 0 && f.test < 1) return;
  throw Error(ErrorKind::kUsage, "fractions of a split: found train " + std::to_string(f.train) +
                                     " and test " + std::to_string(f.test) +
                                     ", expected train above 0 and up to 1, test from 0 and below "
                                     "1; correct them");
}

[[noreturn]] void cannot_split(const std::string& part, size_t labelled) {
  throw Error(
      ErrorKind::kData,
      "no labelled row can be kept for " + (part == "val" ? "validation" : part) + ": found " +
          counted(static_cast<int64_t>(labelled), "labelled row") +
          ", expected a class with two rows or more besides those of other parts; label more "
          "rows, or train on all of them with --" +
          part + "-fraction 0");
}

}  // namespace

Split make_split(const std::vector<int32_t>& labels, int64_t classes, SplitFractions fractions,
                 uint64_t seed) {
  check_fractions(fractions);
  std::vector<std::vector<int32_t>> rows = shuffled_classes(labels, classes, seed);
  size_t labelled = 0;
  for (const auto& of_class : rows) labelled += of_class.size();
  if (labelled == 0) {
    throw Error(ErrorKind::kData,
                "no labelled row: found 0 labels in " +
                    counted(static_cast<int64_t>(labels.size()), "row") +
                    ", expected some; name the column (or file) of the labels with --label");
  }
  Split split;
  split.test = take(rows, fractions.test);
  if (fractions.test > 0 && split.test.empty()) cannot_split("test", labelled);
  split.val = take(rows, 1.0 - fractions.train);
  if (fractions.train < 1 && split.val.empty()) cannot_split("val", labelled);
  split.val_is_drawn = true;
  for (const auto& of_class : rows) {
    split.train.insert(split.train.end(), of_class.begin(), of_class.end());
  }
  std::sort(split.train.begin(), split.train.end());
  return split;
}

Split redraw_split(const std::vector<int32_t>& labels, int64_t classes, const Split& like,
                   uint64_t seed) {
  std::vector<std::vector<int32_t>> rows = shuffled_classes(labels, classes, seed);
  std::vector<size_t> wanted(rows.size(), 0);
  for (const int32_t row : like.train) ++wanted[labels[row]];
  Split split;
  std::vector<int32_t> rest;
  for (size_t c = 0; c < rows.size(); ++c) {
    const auto middle = rows[c].begin() + static_cast<int64_t>(wanted[c]);
    split.train.insert(split.train.end(), rows[c].begin(), middle);
    rest.insert(rest.end(), middle, rows[c].end());
  }
  std::sort(rest.begin(), rest.end());
  // The other parts are drawn from all classes together.
  const std::vector<int32_t> anything(labels.size(), 0);
  const std::vector<int32_t> order = shuffled_classes(anything, 1, seed + 1)[0];
  const std::set<int32_t> free(rest.begin(), rest.end());
  for (const int32_t row : order) {
    if (!free.contains(row)) continue;
    if (split.val.size() < like.val.size()) {
      split.val.push_back(row);
    } else if (split.test.size() < like.test.size()) {
      split.test.push_back(row);
    }
  }
  for (auto* part : {&split.train, &split.val, &split.test}) std::sort(part->begin(), part->end());
  return split;
}

void train_on_validation(Split& split, const std::vector<int32_t>& labels, int64_t classes,
                         double part, uint64_t seed) {
  std::vector<int32_t> shown(labels.size(), -1);
  for (const int32_t row : split.val) shown[row] = labels[row];
  std::vector<std::vector<int32_t>> rows = shuffled_classes(shown, classes, seed);
  const std::vector<int32_t> moved = take(rows, part);
  split.train.insert(split.train.end(), moved.begin(), moved.end());
  std::sort(split.train.begin(), split.train.end());
  split.val.clear();
  for (const auto& of_class : rows)
    split.val.insert(split.val.end(), of_class.begin(), of_class.end());
  std::sort(split.val.begin(), split.val.end());
}

std::vector<int32_t> reveal_labels(std::span<const int32_t> labels, std::span<const int32_t> rows) {
  std::vector<int32_t> revealed(labels.size(), -1);
  for (const int32_t row : rows) {
    if (row < 0 || static_cast<size_t>(row) >= labels.size()) {
      throw Error(ErrorKind::kUsage, "no such row: found " + std::to_string(row) +
                                         ", expected less than " + std::to_string(labels.size()));
    }
    revealed[row] = labels[row];
  }
  return revealed;
}

}  // namespace glgnn
