// Edge lists as text: a line for each edge.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "data/edge_list.h"
#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {
namespace {

bool is_header(const std::vector<std::string>& fields, const RowNames& names) {
  const auto is_name = [&](const std::string& field) {
    double ignored = 0;
    return names.by_number() ? !parse_number(field, ignored) : names.find(field) < 0;
  };
  return is_name(fields[0]) && is_name(fields[1]);
}

// Which fields of a line say what.
struct Columns {
  size_t count = 0, from = 0, to = 1;
  size_t weight = 2;  // count or more: there is none

  // By a header that calls the ends as other programs do; false if it does not.
  bool take(const std::vector<std::string>& header) {
    constexpr std::array<std::pair<const char*, const char*>, 4> kEnds{
        {{"source", "target"}, {"from", "to"}, {"src", "dst"}, {"u", "v"}}};
    const auto find = [&](const std::string& name) {
      return static_cast<size_t>(std::ranges::find(header, name, lower_case) - header.begin());
    };
    for (const auto& [first, second] : kEnds) {
      const size_t a = find(first), b = find(second);
      if (a == count || b == count) continue;
      from = a;
      to = b;
      if (find("weight") < count || count != 3 || from != 0 || to != 1) weight = find("weight");
      return true;
    }
    return false;
  }

  std::string others(const std::vector<std::string>& header) const {
    std::vector<std::string> names;
    for (size_t c = 0; c < count; ++c) {
      if (c != from && c != to && c != weight && !header[c].empty()) names.push_back(header[c]);
    }
    return names.empty() ? "" : listed(names);
  }
};

// networkx.write_edgelist ends its lines with a dict of the edge: {} or {'weight': 0.5}.
void take_dict(std::vector<std::string>& fields) {
  if (fields.size() < 3 || !fields[2].starts_with('{') || !fields.back().ends_with('}')) return;
  std::string dict;
  for (size_t f = 2; f < fields.size(); ++f) dict += fields[f];
  fields.resize(2);
  constexpr std::string_view kWeight = "'weight':";
  const size_t at = dict.find(kWeight);
  if (at == std::string::npos) {
    fields.emplace_back("1");
  } else {
    const size_t begin = at + kWeight.size();
    fields.push_back(dict.substr(begin, dict.find_first_of(",}", begin) - begin));
  }
}

}  // namespace

EdgeList read_text_edges(const std::filesystem::path& path, const RowNames& names,
                         std::vector<std::string>& notes) {
  EdgeList list;
  TextRows rows(path, {.comments = true, .blanks = true});
  std::vector<std::string> fields;
  Columns columns;
  while (rows.next(fields)) {
    take_dict(fields);
    const bool is_first = columns.count == 0;
    if (is_first) columns.count = fields.size();
    const bool heads = is_first && columns.count >= 2 && is_header(fields, names);
    const bool is_named = heads && columns.take(fields);
    if (fields.size() != columns.count || columns.count < 2 ||
        (is_first && columns.count > 3 && !is_named)) {
      fail(
          ErrorKind::kData, rows.place(),
          {"not an edge", counted(static_cast<int64_t>(fields.size()), "field"),
           is_first ? "two rows and perhaps a weight" : std::to_string(columns.count) + " as above",
           "write one edge per line: row, row or row, row, weight; where there are more columns, "
           "name them source, target and weight in the first line"});
    }
    if (heads) {
      if (!names.by_number() && !is_named) {
        notes.push_back(rows.place().text() + " is taken as a header: neither " + quote(fields[0]) +
                        " nor " + quote(fields[1]) + " is an id of the data");
      }
      if (const std::string others = columns.others(fields); !others.empty()) {
        notes.push_back("not read of the graph: " + others);
      }
      continue;
    }
    const int64_t from = names.need(fields[columns.from], rows.place());
    const int64_t to = names.need(fields[columns.to], rows.place());
    float weight = 1.0f;
    if (columns.weight < columns.count && !parse_weight(fields[columns.weight], weight)) {
      bad_weight(fields[columns.weight], rows.place());
    }
    list.add(from, to, weight);
  }
  return list;
}

}  // namespace glgnn
