// Graphs: edge lists, arrays of pairs, matrices, GraphML files.

#include "data/edge_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "data/features.h"
#include "data/file.h"
#include "data/formats.h"
#include "data/line_reader.h"
#include "data/npz.h"
#include "data/text_rows.h"

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

namespace {

// "7", "007" and "7.0" are 7.
bool whole_number(const std::string& text, int64_t& value) {
  constexpr double kExact = 0x1p53;
  double number = 0;
  if (parse_integer(text, value)) return true;
  if (!parse_number(text, number) || !(std::abs(number) < kExact)) return false;
  value = static_cast<int64_t>(number);
  return static_cast<double>(value) == number;
}

}  // namespace

RowNames::RowNames(const Dataset& dataset) : dataset_(dataset) {
  for (size_t i = 0; i < dataset.row_ids.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    rows_.emplace(dataset.row_ids[i], row);
    int64_t value = 0;
    if (!whole_number(dataset.row_ids[i], value)) continue;
    const auto [at, is_new] = by_value_.emplace(value, row);
    if (!is_new) at->second = -1;
  }
}

int64_t RowNames::find(const std::string& name) const {
  int64_t row = -1;
  if (rows_.empty()) {
    return whole_number(name, row) && row >= 0 && row < dataset_.rows() ? row : -1;
  }
  if (const auto found = rows_.find(name); found != rows_.end()) return found->second;
  int64_t value = 0;
  if (!whole_number(name, value)) return -1;
  const auto found = by_value_.find(value);
  if (found == by_value_.end() || found->second < 0) return -1;
  if (written_.empty()) written_ = name, meant_ = dataset_.row_ids[found->second];
  return found->second;
}

std::string RowNames::note() const {
  if (written_.empty()) return "";
  return "ids of the graph are compared as numbers: its " + quote(written_) + " is the data's " +
         quote(meant_);
}

int64_t RowNames::need(const std::string& name, const Place& place) const {
  const int64_t row = find(name);
  if (row >= 0) return row;
  if (rows_.empty()) {
    fail(ErrorKind::kData, place,
         {"an edge with an unknown row", name,
          "a row number from 0 to " + std::to_string(dataset_.rows() - 1),
          "correct it (the first row is 0), or name the column of the ids with --id"});
  }
  fail(ErrorKind::kData, place,
       {"an edge with an unknown id", name, "an id of the data",
        "correct it, add the row, or remove the edge; the nearest ids are " +
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
        "correct the weight, remove the edge, or leave the weights away"});
}

namespace {

void add_weighed(EdgeList& list, int64_t from, int64_t to, float weight, const Place& place) {
  if (!(weight >= 0) || !std::isfinite(weight)) bad_weight(std::to_string(weight), place);
  list.add(from, to, weight);
}

// N x N: a number for each pair of rows.
EdgeList read_dense_matrix(const NpyArray& array, int64_t rows, const std::filesystem::path& path) {
  check_graph_size(array.shape[0], array.shape[1], rows, path);
  const std::vector<float> weights = to_floats(array);
  EdgeList list;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < rows; ++j) {
      const float weight = weights[i * rows + j];
      if (weight != 0) add_weighed(list, i, j, weight, array.place);
    }
  }
  return list;
}

// Pairs below each other, perhaps with a weight, or beside each other (edge_index of PyTorch
// Geometric); or a matrix.
EdgeList read_npy_edges(const std::filesystem::path& path, int64_t rows) {
  const NpyArray array = read_npy(path);
  const bool is_flat = array.shape.size() != 2;
  const bool is_list = !is_flat && (array.shape[1] == 2 || (array.shape[1] == 3 && rows != 3));
  const bool lies = !is_list && !is_flat && array.shape[0] == 2;
  if (is_flat || (!is_list && !lies && array.shape[0] != array.shape[1])) {
    fail(ErrorKind::kData, array.place,
         {"not a list of edges", "shape " + array.shape_text(),
          "shape (E, 2), (E, 3) with weights, (2, E), or a matrix of rows times rows",
          "save one pair of row numbers per edge"});
  }
  if (!is_list && !lies) return read_dense_matrix(array, rows, path);
  const std::vector<float> numbers =
      array.shape[1] == 3 && is_list ? to_floats(array) : std::vector<float>{};
  const std::vector<int64_t> ends = numbers.empty() ? to_integers(array) : std::vector<int64_t>{};
  const int64_t edges = array.shape[lies ? 1 : 0];
  EdgeList list;
  for (int64_t e = 0; e < edges; ++e) {
    std::array<int64_t, 2> pair;
    for (int64_t end = 0; end < 2; ++end) {
      const int64_t at = lies ? end * edges + e : e * array.shape[1] + end;
      const double number = numbers.empty() ? static_cast<double>(ends[at]) : numbers[at];
      if (number >= 0 && number < static_cast<double>(rows) && number == std::floor(number)) {
        pair[end] = static_cast<int64_t>(number);
        continue;
      }
      fail(ErrorKind::kData, array.place,
           {"edge " + std::to_string(e) + " has an unknown row", fmt::format("{}", number),
            "a row number from 0 to " + std::to_string(rows - 1), "correct the edge"});
    }
    add_weighed(list, pair[0], pair[1], numbers.empty() ? 1.0f : numbers[3 * e + 2], array.place);
  }
  return list;
}

// As scipy.sparse.save_npz writes them, and `glgnn graph`.
EdgeList read_npz_edges(const std::filesystem::path& path, int64_t rows) {
  const Csr matrix = read_sparse_npz(Npz(path)).sparse;
  check_graph_size(matrix.pattern->rows, matrix.pattern->cols, rows, path);
  EdgeList list;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t e = matrix.pattern->row_ptr[i]; e < matrix.pattern->row_ptr[i + 1]; ++e) {
      add_weighed(list, i, matrix.pattern->col[e], matrix.values[e], {path});
    }
  }
  return list;
}

[[noreturn]] void refuse_format(const std::filesystem::path& path, const std::string& extension) {
  fail(ErrorKind::kData, {path},
       {"a graph in a format that is not read", extension,
        "an edge list (.csv, .tsv, .txt), .npy, .npz, .mtx or .graphml",
        "write it anew, with networkx.write_graphml for one"});
}

EdgeList read_edges(Dataset& dataset, const std::filesystem::path& path) {
  constexpr std::array kOthers{".gexf", ".gml",     ".json", ".net", ".dot",
                               ".gv",   ".adjlist", ".pkl",  ".pt",  ".xlsx"};
  const std::string extension = content_extension(path);
  if (std::ranges::find(kOthers, extension) != kOthers.end()) refuse_format(path, extension);
  if (extension == ".npy") return read_npy_edges(path, dataset.rows());
  if (extension == ".npz") return read_npz_edges(path, dataset.rows());
  if (extension == ".mtx") return read_mtx_edges(path, dataset.rows());
  const RowNames names(dataset);
  EdgeList list = extension == ".graphml" ? read_graphml(path, names)
                                          : read_text_edges(path, names, dataset.notes);
  if (const std::string note = names.note(); !note.empty()) dataset.notes.push_back(note);
  return list;
}

// Edges that go by numbers, of which none is 0: the file may count from 1.
void note_first_row(Dataset& dataset, const std::vector<Edge>& edges) {
  if (!dataset.row_ids.empty() || edges.front().from != 1) return;
  dataset.notes.push_back(
      "no edge of the graph has row 0: where its file counts rows from 1, its edges join wrong "
      "rows");
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
  note_first_row(dataset, list.edges);
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
