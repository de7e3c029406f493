// The rows to train on, to validate and to test, from a file.
#include <algorithm>
#include <unordered_map>

#include "data/file.h"
#include "data/formats.h"
#include "data/message.h"
#include "data/npz.h"
#include "data/text_rows.h"

namespace glgnn {
namespace {

std::vector<int32_t> to_rows(const NpyArray& array) {
  std::vector<int32_t> rows;
  for (const int64_t row : to_integers(array)) {
    // What does not fit into 32 bits is no row either; check_split says so.
    rows.push_back(row < 0 || row > INT32_MAX ? -1 : static_cast<int32_t>(row));
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

// Throws unless each row exists, has a label and is in one part only; sorts the parts.
void check_split(Split& split, const Dataset& dataset, const std::filesystem::path& path) {
  std::vector<const char*> part_of(static_cast<size_t>(dataset.rows()), nullptr);
  const auto check = [&](std::vector<int32_t>& rows, const char* part) {
    std::sort(rows.begin(), rows.end());
    for (const int32_t row : rows) {
      const std::string found = "row " + std::to_string(row) + " in " + part;
      if (row < 0 || row >= dataset.rows()) {
        fail(ErrorKind::kData, {path},
             {"no such row", found, "rows from 0 to " + std::to_string(dataset.rows() - 1),
              "correct the split"});
      }
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
    for (const int32_t row : *part) {
      if (row >= 0 && row < static_cast<int64_t>(labels.size())) taken[row] = true;
    }
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
  split.train = to_rows(npz.read("train" + suffix));
  if (npz.has("val" + suffix)) split.val = to_rows(npz.read("val" + suffix));
  split.test = npz.has("test" + suffix) ? to_rows(npz.read("test" + suffix))
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
