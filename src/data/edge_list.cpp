// Graphs: edge lists as text, as a .npy array of pairs, as Matrix Market or GraphML files.

#include "data/edge_list.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "data/features.h"
#include "data/file.h"
#include "data/formats.h"
#include "data/line_reader.h"
#include "data/npz.h"
#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {

void EdgeList::add(int64_t from, int64_t to, float weight) {
  if (from == to) {
    ++self_loops;
  } else if (weight == 0.0f) {
    ++without_weight;
  } else {
    const auto [low, high] = std::minmax(from, to);
    edges.push_back({static_cast<int32_t>(low), static_cast<int32_t>(high), weight});
  }
}

RowNames::RowNames(const Dataset& dataset) : dataset_(dataset) {
  for (size_t i = 0; i < dataset.row_ids.size(); ++i) {
    rows_.emplace(dataset.row_ids[i], static_cast<int64_t>(i));
  }
}

int64_t RowNames::find(const std::string& name) const {
  int64_t row = -1;
  if (!rows_.empty()) {
    const auto found = rows_.find(name);
    return found == rows_.end() ? -1 : found->second;
  }
  return parse_integer(name, row) && row >= 0 && row < dataset_.rows() ? row : -1;
}

int64_t RowNames::need(const std::string& name, const Place& place) const {
  const int64_t row = find(name);
  if (row >= 0) return row;
  if (rows_.empty()) {
    fail(ErrorKind::kData, place,
         {"an edge with an unknown row", name,
          "a row number from 0 to " + std::to_string(dataset_.rows() - 1),
          "correct it, or name the column of the ids with --id"});
  }
  fail(ErrorKind::kData, place,
       {"an edge with an unknown id", name, "an id of the data",
        "correct it or add the row; the nearest ids are " +
            listed(nearest_names(name, dataset_.row_ids))});
}

bool parse_weight(const std::string& text, float& weight) {
  double number = 0;
  if (!parse_number(text, number) || !(number >= 0)) return false;
  weight = static_cast<float>(number);
  return std::isfinite(weight);
}

void check_graph_size(int64_t rows, int64_t columns, int64_t expected,
                      const std::filesystem::path& path) {
  if (rows == expected && columns == expected) return;
  fail(ErrorKind::kData, {path},
       {"a graph of another size", std::to_string(rows) + " x " + std::to_string(columns),
        "a row and a column for each of " + counted(expected, "row"),
        "give the matrix of this data's graph"});
}

void bad_weight(const std::string& text, const Place& place) {
  fail(ErrorKind::kData, place,
       {"the weight of an edge is wrong", text, "a number that is not negative",
        "correct the weight or remove the edge"});
}

namespace {

// Where the fields of an edge are.
struct EdgeColumns {
  size_t count = 0;
  size_t from = 0, to = 1;
  size_t weight = SIZE_MAX;
  bool have_names = false;

  bool has_weight() const { return weight < count; }
};

// The columns of a line with their names, as Gephi and igraph write it; else those of a list
// without a header, a weight behind the ends.
EdgeColumns columns_of(const std::vector<std::string>& fields) {
  EdgeColumns columns{.count = fields.size(), .weight = 2};
  EdgeColumns named{.count = fields.size(), .from = SIZE_MAX, .to = SIZE_MAX, .have_names = true};
  bool third_may_be_weight = fields.size() == 3;
  for (size_t j = 0; j < fields.size(); ++j) {
    const std::string name = lower_case(fields[j]);
    if (name == "source" || name == "from") named.from = j;
    if (name == "target" || name == "to") named.to = j;
    if (name == "weight") named.weight = j;
    if (name == "type" || name == "id" || name == "label") third_may_be_weight = false;
  }
  if (named.from == SIZE_MAX || named.to == SIZE_MAX) return columns;
  if (third_may_be_weight && !named.has_weight()) named.weight = 3 - named.from - named.to;
  return named;
}

bool is_header(const std::vector<std::string>& fields, const EdgeColumns& columns,
               const RowNames& names) {
  const auto is_name = [&](const std::string& field) {
    double ignored = 0;
    return names.by_number() ? !parse_number(field, ignored) : names.find(field) < 0;
  };
  return is_name(fields[columns.from]) && is_name(fields[columns.to]);
}

[[noreturn]] void refuse_format(const std::filesystem::path& path, const std::string& found) {
  fail(ErrorKind::kData, {path},
       {"a graph of a kind that is not read", found, "an edge list, .npy, .npz, .mtx or .graphml",
        "write it as GraphML or as an edge list, in Gephi: File > Export, in Python: "
        "networkx.write_graphml(graph, \"graph.graphml\")"});
}

void check_count(const std::vector<std::string>& fields, const EdgeColumns& columns, bool is_first,
                 const Place& place) {
  const bool fits = columns.have_names || columns.count == 2 || columns.count == 3;
  if (fields.size() == columns.count && fits) return;
  fail(ErrorKind::kData, place,
       {"not an edge", counted(static_cast<int64_t>(fields.size()), "field"),
        is_first ? "two rows and perhaps a weight" : std::to_string(columns.count) + " as above",
        std::string("write one edge per line: row, row or row, row, weight") +
            (is_first && columns.count > 3 ? "; or name the columns source, target and weight"
                                           : "")});
}

void note_unread(const std::vector<std::string>& names, const EdgeColumns& columns,
                 std::vector<std::string>& notes) {
  std::vector<std::string> unread;
  for (size_t j = 0; j < names.size(); ++j) {
    if (j != columns.from && j != columns.to && j != columns.weight) unread.push_back(names[j]);
  }
  if (!unread.empty()) {
    notes.push_back("columns of the graph that are not read: " + listed(unread));
  }
}

EdgeList read_text_edges(const std::filesystem::path& path, const RowNames& names,
                         std::vector<std::string>& notes) {
  EdgeList list;
  TextRows rows(path, {.comments = true, .blanks = true});
  std::vector<std::string> fields, header;
  EdgeColumns columns;
  while (rows.next(fields)) {
    const bool is_first = columns.count == 0;
    if (is_first) {
      if (fields[0].starts_with('*') || fields[0].starts_with("<?xml")) {  // Pajek, GEXF
        refuse_format(path, fields[0]);
      }
      columns = columns_of(fields);
    }
    check_count(fields, columns, is_first, rows.place());
    if (is_first && is_header(fields, columns, names)) {
      header = fields;
      if (!names.by_number() && !columns.have_names) {
        notes.push_back(rows.place().text() + " is taken as a header: neither " + quote(fields[0]) +
                        " nor " + quote(fields[1]) + " is an id of the data");
      }
      continue;
    }
    const int64_t from = names.need(fields[columns.from], rows.place());
    const int64_t to = names.need(fields[columns.to], rows.place());
    float weight = 1.0f;
    if (columns.has_weight() && !parse_weight(fields[columns.weight], weight)) {
      bad_weight(fields[columns.weight], rows.place());
    }
    list.add(from, to, weight);
  }
  if (columns.have_names) note_unread(header, columns, notes);
  return list;
}

EdgeList read_npy_edges(const std::filesystem::path& path, int64_t rows) {
  const NpyArray array = read_npy(path);
  if (array.shape.size() != 2 || array.shape[1] != 2) {
    fail(ErrorKind::kData, array.place,
         {"not a list of edges", "shape " + array.shape_text(), "shape (E, 2)",
          "save one pair of row numbers per edge"});
  }
  const std::vector<int64_t> ends = to_integers(array);
  EdgeList list;
  for (size_t e = 0; e < ends.size(); e += 2) {
    for (const int64_t end : {ends[e], ends[e + 1]}) {
      if (end >= 0 && end < rows) continue;
      fail(ErrorKind::kData, array.place,
           {"edge " + std::to_string(e / 2) + " has an unknown row", std::to_string(end),
            "a row number from 0 to " + std::to_string(rows - 1), "correct the edge"});
    }
    list.add(ends[e], ends[e + 1], 1.0f);
  }
  return list;
}

// A matrix of scipy.sparse in the order of the rows.
EdgeList read_npz_edges(const std::filesystem::path& path, int64_t rows) {
  const Csr matrix = read_sparse_npz(Npz(path)).sparse;
  const Pattern& pattern = *matrix.pattern;
  check_graph_size(pattern.rows, pattern.cols, rows, path);
  EdgeList list;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      if (matrix.values[e] < 0) bad_weight(std::to_string(matrix.values[e]), {path});
      list.add(i, pattern.col[e], matrix.values[e]);
    }
  }
  return list;
}

EdgeList read_edges(Dataset& dataset, const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 7> kNotRead{".gexf", ".net", ".paj", ".gml",
                                                     ".dot",  ".gv",  ".json"};
  const std::string extension = content_extension(path);
  if (std::ranges::find(kNotRead, extension) != kNotRead.end()) refuse_format(path, extension);
  if (extension == ".npy") return read_npy_edges(path, dataset.rows());
  if (extension == ".npz") return read_npz_edges(path, dataset.rows());
  if (extension == ".mtx") return read_mtx_edges(path, dataset.rows());
  if (extension == ".graphml") return read_graphml(path, RowNames(dataset));
  return read_text_edges(path, RowNames(dataset), dataset.notes);
}

// Sorts, and keeps the largest weight of edges that are given several times (or both ways).
int64_t merge(std::vector<Edge>& edges) {
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    if (a.from != b.from) return a.from < b.from;
    if (a.to != b.to) return a.to < b.to;
    return a.weight > b.weight;
  });
  const auto last = std::unique(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.from == b.from && a.to == b.to;
  });
  const int64_t merged = edges.end() - last;
  edges.erase(last, edges.end());
  return merged;
}

Csr to_graph(const std::vector<Edge>& edges, int64_t rows) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = rows;
  pattern->cols = rows;
  pattern->row_ptr.assign(static_cast<size_t>(rows) + 1, 0);
  for (const Edge& e : edges) {
    ++pattern->row_ptr[e.from + 1];
    ++pattern->row_ptr[e.to + 1];
  }
  for (int64_t i = 0; i < rows; ++i) pattern->row_ptr[i + 1] += pattern->row_ptr[i];
  pattern->col.resize(2 * edges.size());
  Csr graph;
  graph.values.resize(2 * edges.size());
  std::vector<int64_t> next(pattern->row_ptr.begin(), pattern->row_ptr.end() - 1);
  const auto put = [&](int32_t row, int32_t column, float weight) {
    const int64_t at = next[row]++;
    pattern->col[at] = column;
    graph.values[at] = weight;
  };
  // The edges are sorted: first all smaller neighbours of a row, then all larger ones, both
  // ascending.
  for (const Edge& e : edges) put(e.to, e.from, e.weight);
  for (const Edge& e : edges) put(e.from, e.to, e.weight);
  graph.pattern = std::move(pattern);
  return graph;
}

}  // namespace

void read_graph(Dataset& dataset, const std::filesystem::path& path) {
  const InputFile input(path, content_extension(path));
  EdgeList list = read_edges(dataset, input.path());
  const int64_t merged = merge(list.edges);
  const auto note = [&](int64_t count, const std::string& noun, const std::string& what) {
    if (count > 0) dataset.notes.push_back(counted(count, noun) + " of the graph " + what);
  };
  note(list.self_loops, "self-loop", "dropped");
  note(list.without_weight, "edge", "with weight 0 dropped");
  note(merged, "repeated edge", "merged");
  if (list.edges.empty()) {
    fail(ErrorKind::kData, {path},
         {"a graph without edges", "0 edges", "at least one edge between two rows",
          "add edges, or leave --graph away"});
  }
  dataset.graph = to_graph(list.edges, dataset.rows());
  dataset.has_graph = true;
}

GraphSummary summarise_graph(const Dataset& dataset) {
  const Pattern& graph = *dataset.graph.pattern;
  GraphSummary summary;
  summary.edges = graph.nnz() / 2;
  std::vector<bool> seen(static_cast<size_t>(graph.rows));
  std::vector<int32_t> open;
  for (int64_t start = 0; start < graph.rows; ++start) {
    summary.lone_rows += graph.row_ptr[start] == graph.row_ptr[start + 1];
    if (seen[start]) continue;
    seen[start] = true;
    open.assign(1, static_cast<int32_t>(start));
    int64_t size = 0;
    while (!open.empty()) {
      const int32_t row = open.back();
      open.pop_back();
      ++size;
      for (int64_t e = graph.row_ptr[row]; e < graph.row_ptr[row + 1]; ++e) {
        const int32_t next = graph.col[e];
        if (!seen[next]) open.push_back(next);
        seen[next] = true;
        const int32_t a = dataset.labels[row], b = dataset.labels[next];
        if (row > next || a < 0 || b < 0) continue;
        ++summary.labelled_edges;
        summary.same_class += a == b;
      }
    }
    ++summary.components;
    summary.largest_component = std::max(summary.largest_component, size);
  }
  return summary;
}

}  // namespace glgnn
