// Splits of the labelled rows, made by a seed.

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "core/rows.h"
#include "data/data.h"
#include "data/file.h"
#include "data/formats.h"
#include "data/message.h"
#include "data/npz.h"
#include "data/text_rows.h"

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

// The rows to train on, to validate and to test, from a file.

namespace {

std::vector<int32_t> to_rows(const NpyArray& array, const Dataset& dataset) {
  if (array.kind == 'b') {
    fail(ErrorKind::kData, array.place,
         {"not row numbers", "True and False", "the numbers of the rows",
          "save numpy.flatnonzero(mask) instead of the mask"});
  }
  std::vector<int32_t> rows;
  for (const int64_t row : to_integers(array)) {
    if (row < 0 || row >= dataset.rows()) {
      fail(ErrorKind::kData, array.place,
           {"no such row", std::to_string(row),
            "rows from 0 to " + std::to_string(dataset.rows() - 1), "correct the split"});
    }
    rows.push_back(static_cast<int32_t>(row));
  }
  return rows;
}

size_t column_of(const std::vector<std::string>& header, const std::string& name,
                 const Place& place) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) {
    fail(ErrorKind::kData, place,
         {"column " + quote(name) + " is missing", listed(header), "the columns id and part",
          "name the columns in the first line"});
  }
  return static_cast<size_t>(found - header.begin());
}

Split read_text_split(const Dataset& dataset, const std::filesystem::path& path) {
  TextRows rows(path, {.comments = true});
  std::vector<std::string> fields;
  rows.next(fields);
  const size_t columns = fields.size();
  const size_t id = column_of(fields, "id", rows.place());
  const size_t part = column_of(fields, "part", rows.place());
  std::unordered_map<std::string, int32_t> row_of;
  for (int64_t i = 0; i < dataset.rows(); ++i) {
    row_of.emplace(dataset.row_ids.empty() ? std::to_string(i) : dataset.row_ids[i],
                   static_cast<int32_t>(i));
  }
  Split split;
  while (rows.next(fields)) {
    if (fields.size() != columns) {
      fail(ErrorKind::kData, rows.place(),
           {"a row of another length", counted(static_cast<int64_t>(fields.size()), "field"),
            std::to_string(columns) + " as in the header", "complete the row"});
    }
    const auto row = row_of.find(fields[id]);
    if (row == row_of.end()) {
      fail(ErrorKind::kData, rows.place(),
           {"no such row", fields[id],
            dataset.row_ids.empty() ? "a row number from 0 to " + std::to_string(dataset.rows() - 1)
                                    : "an id of the data",
            "correct it, or name the column of the ids with --id"});
    }
    if (fields[part] == "train") {
      split.train.push_back(row->second);
    } else if (fields[part] == "val") {
      split.val.push_back(row->second);
    } else if (fields[part] == "test") {
      split.test.push_back(row->second);
    } else {
      fail(ErrorKind::kData, rows.place(),
           {"no such part", fields[part], "train, val or test",
            "correct it, or remove rows that are in no part"});
    }
  }
  return split;
}

// Throws unless each row has a label and is in one part only; sorts the parts.
void check_split(Split& split, const Dataset& dataset, const std::filesystem::path& path) {
  std::vector<const char*> part_of(static_cast<size_t>(dataset.rows()), nullptr);
  const auto check = [&](std::vector<int32_t>& rows, const char* part) {
    std::sort(rows.begin(), rows.end());
    for (const int32_t row : rows) {
      const std::string found = "row " + std::to_string(row) + " in " + part;
      if (part_of[row] != nullptr) {
        fail(ErrorKind::kData, {path},
             {"a row given twice", found + ", also in " + part_of[row], "each row once",
              "remove it from one of them"});
      }
      if (dataset.labels[row] < 0) {
        fail(ErrorKind::kData, {path},
             {"a row without a label", found, "labelled rows", "remove it from the split"});
      }
      part_of[row] = part;
    }
  };
  check(split.train, "train");
  check(split.val, "val");
  check(split.test, "test");
  if (split.train.empty()) {
    fail(ErrorKind::kData, {path},
         {"no rows to train on", "0 rows in train", "at least one", "add rows to train"});
  }
}

// The labelled rows that are neither in train nor in val.
std::vector<int32_t> other_labelled_rows(const Split& split, const std::vector<int32_t>& labels) {
  std::vector<bool> taken(labels.size());
  for (const auto* part : {&split.train, &split.val}) {
    for (const int32_t row : *part) taken[row] = true;
  }
  std::vector<int32_t> rest;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0 && !taken[i]) rest.push_back(static_cast<int32_t>(i));
  }
  return rest;
}

}  // namespace

Split read_npz_split(const Npz& npz, const Dataset& dataset, const std::string& suffix) {
  Split split;
  split.train = to_rows(npz.read("train" + suffix), dataset);
  if (npz.has("val" + suffix)) split.val = to_rows(npz.read("val" + suffix), dataset);
  split.test = npz.has("test" + suffix) ? to_rows(npz.read("test" + suffix), dataset)
                                        : other_labelled_rows(split, dataset.labels);
  check_split(split, dataset, npz.path());
  return split;
}

Split read_split(const Dataset& dataset, const std::filesystem::path& path) {
  const InputFile input(path, extension_of(path));
  if (extension_of(path) == ".npz") return read_npz_split(Npz(input.path()), dataset, "");
  Split split = read_text_split(dataset, input.path());
  check_split(split, dataset, path);
  return split;
}

}  // namespace glgnn
