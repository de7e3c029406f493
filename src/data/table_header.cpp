#include "data/table_header.h"

#include <unordered_map>

#include "data/text_rows.h"

namespace glgnn {
namespace {

void add_wishes(TableHeader& header, const std::vector<std::string>& columns,
                const std::string& option, ColumnWish wish, const Place& place) {
  for (const std::string& name : columns) {
    const int64_t j = find_column(header.names, name, option, place);
    const bool is_label = j == header.label && wish == ColumnWish::kCategorical;  // it is one
    if ((!header.is_feature(static_cast<size_t>(j)) && !is_label) ||
        header.wishes[j] != ColumnWish::kNone) {
      fail(ErrorKind::kUsage, place,
           {"one column for two uses", name, "one option for each column",
            "take it out of --" + option + " or of the other option"});
    }
    header.wishes[j] = wish;
  }
}

}  // namespace

int64_t find_column(const std::vector<std::string>& names, const std::string& name,
                    const std::string& option, const Place& place) {
  for (size_t j = 0; j < names.size(); ++j) {
    if (names[j] == name) return static_cast<int64_t>(j);
  }
  fail(ErrorKind::kUsage, place,
       {"no such " + option + " column", name, "a column of the header",
        "use --" + option + " with one of its names; the nearest are " +
            listed(nearest_names(name, names))});
}

void refuse_no_rows(const Place& place) {
  fail(ErrorKind::kData, place,
       {"a header and no rows", "0 rows", "a line for each row below the header",
        "check that the file was written completely"});
}

// A file without a header would silently lose its first row.
void check_is_header(const std::vector<std::string>& names, const Place& place) {
  bool counts_up = true;  // pandas writes 0, 1, 2, … for columns without names
  for (size_t j = 0; j < names.size(); ++j) {
    double ignored = 0;
    if (!parse_number(names[j], ignored)) return;
    counts_up = counts_up && names[j] == std::to_string(j);
  }
  if (counts_up && names.size() > 1) return;
  fail(ErrorKind::kData, place,
       {"the header is missing", names[0], "the names of the columns in the first line",
        "add a line with a name for each column"});
}

void check_names(const std::vector<std::string>& names, int64_t id, const Place& place) {
  std::unordered_map<std::string, size_t> seen;
  for (size_t j = 0; j < names.size(); ++j) {
    const auto [first, is_new] = seen.emplace(names[j], j);
    if (names[j].empty() && static_cast<int64_t>(j) != id) {
      fail(ErrorKind::kData, place,
           {"column " + std::to_string(j + 1) + " has no name", "", "a name for each column",
            "name the column in the first line or remove it"});
    }
    if (!is_new) {
      fail(ErrorKind::kData, place,
           {"columns " + std::to_string(first->second + 1) + " and " + std::to_string(j + 1) +
                " have the same name",
            names[j], "different names", "rename one of them in the first line"});
    }
  }
}

void check_row_length(size_t fields, size_t columns, const Place& place) {
  if (fields == columns) return;
  fail(ErrorKind::kData, place,
       {"a row of another length", counted(static_cast<int64_t>(fields), "field"),
        std::to_string(columns) + " as in the header",
        "add what is missing, or put a field that contains the delimiter in quotes"});
}

TableHeader read_header(std::vector<std::string> names, const LoadOptions& options,
                        const Place& place, std::vector<std::string>& notes) {
  TableHeader header;
  if (!options.label.empty()) header.label = find_column(names, options.label, "label", place);
  if (!options.id.empty()) {
    header.id = find_column(names, options.id, "id", place);
  } else if (names[0].empty()) {  // as pandas writes its index; as a feature it would do harm
    header.id = 0;
    notes.push_back("the first column has no name: it is taken as the id of the rows");
  }
  if (header.id >= 0 && header.id == header.label) {
    fail(ErrorKind::kUsage, place,
         {"one column for two uses", names[header.id], "different columns for label and id",
          "correct --label or --id"});
  }
  check_names(names, header.id, place);
  const size_t others = (header.label >= 0 ? 1 : 0) + (header.id >= 0 ? 1 : 0);
  if (names.size() == others) {
    fail(ErrorKind::kData, place,
         {"no features", listed(names), "at least one column besides label and id",
          "add the columns to learn from"});
  }
  header.names = std::move(names);
  header.wishes.assign(header.names.size(), ColumnWish::kNone);
  add_wishes(header, options.categorical, "categorical", ColumnWish::kCategorical, place);
  add_wishes(header, options.numeric, "numeric", ColumnWish::kNumeric, place);
  add_wishes(header, options.drop, "drop", ColumnWish::kDrop, place);
  return header;
}

}  // namespace glgnn
