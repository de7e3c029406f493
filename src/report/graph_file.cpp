// Which edges of a learned graph are kept.

#include <fmt/format.h>
#include <glgnn/error.h>
#include <glgnn/graph_file.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "data/message.h"
#include "data/npz.h"
#include "report/graph_text.h"
#include "report/predictions.h"
#include "report/text_file.h"

namespace glgnn {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& found,
                         const std::string& expected, const std::string& repair) {
  throw Error(ErrorKind::kUsage,
              what + ": found \"" + found + "\", expected " + expected + "; " + repair);
}

void check(const Model& model, const GraphOptions& options) {
  const auto modules = static_cast<int64_t>(model.modules.size());
  if (options.module < 0 || options.module > modules) {
    refuse("graph of a module", std::to_string(options.module), "1 to " + std::to_string(modules),
           "choose one of these, or the fused graph of all");
  }
  if (!std::isfinite(options.min_weight)) {
    refuse("smallest weight", std::to_string(options.min_weight), "a finite number",
           "0 keeps every edge");
  }
  if (options.top < 0) {
    refuse("edges of each row", std::to_string(options.top), "1 or more", "0 keeps every edge");
  }
}

Csr transposed(const Csr& a) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = a.cols();
  pattern->cols = a.rows();
  pattern->row_ptr.assign(static_cast<size_t>(a.cols()) + 1, 0);
  for (const int32_t j : a.pattern->col) ++pattern->row_ptr[static_cast<size_t>(j) + 1];
  std::partial_sum(pattern->row_ptr.begin(), pattern->row_ptr.end(), pattern->row_ptr.begin());
  std::vector<int64_t> next = pattern->row_ptr;
  pattern->col.resize(a.pattern->col.size());
  Csr t;
  t.values.resize(a.values.size());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t e = a.pattern->row_ptr[i]; e < a.pattern->row_ptr[i + 1]; ++e) {
      const int64_t to = next[a.pattern->col[e]]++;
      pattern->col[to] = static_cast<int32_t>(i);
      t.values[to] = a.values[e];
    }
  }
  t.pattern = std::move(pattern);
  return t;
}

// (A + A^T) / 2: the columns of both, ascending.
Csr symmetric(const Csr& a) {
  const Csr t = transposed(a);
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = a.rows();
  pattern->cols = a.cols();
  Csr sum;
  for (int64_t i = 0; i < a.rows(); ++i) {
    int64_t e = a.pattern->row_ptr[i], f = t.pattern->row_ptr[i];
    const int64_t e_end = a.pattern->row_ptr[i + 1], f_end = t.pattern->row_ptr[i + 1];
    while (e < e_end || f < f_end) {
      const int32_t j = std::min(e < e_end ? a.pattern->col[e] : INT32_MAX,
                                 f < f_end ? t.pattern->col[f] : INT32_MAX);
      float weight = 0;
      if (e < e_end && a.pattern->col[e] == j) weight += a.values[e++];
      if (f < f_end && t.pattern->col[f] == j) weight += t.values[f++];
      pattern->col.push_back(j);
      sum.values.push_back(0.5f * weight);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  sum.pattern = std::move(pattern);
  return sum;
}

// Marks the heaviest `top` edges to other rows; of equal ones those to the first rows.
void mark_top(const Csr& a, int64_t row, int64_t top, std::vector<char>& keep) {
  std::vector<int64_t> edges;
  for (int64_t e = a.pattern->row_ptr[row]; e < a.pattern->row_ptr[row + 1]; ++e) {
    if (a.pattern->col[e] == row) {
      keep[e] = 1;
    } else {
      edges.push_back(e);
    }
  }
  const auto count = std::min(top, static_cast<int64_t>(edges.size()));
  std::partial_sort(edges.begin(), edges.begin() + count, edges.end(), [&](int64_t x, int64_t y) {
    return a.values[x] != a.values[y] ? a.values[x] > a.values[y] : x < y;
  });
  for (int64_t n = 0; n < count; ++n) keep[edges[n]] = 1;
}

// The entry (row, column) of a pattern that has it.
int64_t entry(const Pattern& pattern, int64_t row, int32_t column) {
  const auto begin = pattern.col.begin();
  return std::lower_bound(begin + pattern.row_ptr[row], begin + pattern.row_ptr[row + 1], column) -
         begin;
}

// An edge that one end keeps, both keep: the matrix stays symmetric.
void keep_at_both_ends(const Pattern& pattern, std::vector<char>& keep) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      if (keep[e]) keep[entry(pattern, pattern.col[e], static_cast<int32_t>(i))] = 1;
    }
  }
}

Csr thinned(const Csr& a, const GraphOptions& options) {
  std::vector<char> keep(a.values.size(), options.top == 0);
  for (int64_t i = 0; options.top > 0 && i < a.rows(); ++i) mark_top(a, i, options.top, keep);
  if (options.top > 0 && options.undirected) keep_at_both_ends(*a.pattern, keep);
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = a.rows();
  pattern->cols = a.cols();
  Csr kept;
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t e = a.pattern->row_ptr[i]; e < a.pattern->row_ptr[i + 1]; ++e) {
      if (!keep[e] || a.values[e] < options.min_weight) continue;
      pattern->col.push_back(a.pattern->col[e]);
      kept.values.push_back(a.values[e]);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  kept.pattern = std::move(pattern);
  return kept;
}

}  // namespace

Csr learned_graph(const Model& model, const GraphOptions& options) {
  check(model, options);
  const Csr& whole = options.module == 0
                         ? model.fused_graph
                         : model.modules[static_cast<size_t>(options.module) - 1].graph;
  return thinned(options.undirected ? symmetric(whole) : whole, options);
}

namespace {

struct FormatName {
  std::string_view word;
  GraphFormat format;
};

constexpr std::array kFormats{
    FormatName{"csv", GraphFormat::kCsv}, FormatName{"graphml", GraphFormat::kGraphml},
    FormatName{"gexf", GraphFormat::kGexf}, FormatName{"npz", GraphFormat::kNpz}};

// Small pieces joined, so that a file or a pipe is written a megabyte at a time.
class Joined {
 public:
  explicit Joined(const WriteText& write) : write_(write) {}
  void add(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kLarge) flush();
  }
  void flush() {
    if (!buffer_.empty()) write_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr size_t kLarge = size_t{1} << 20;
  const WriteText& write_;
  std::string buffer_;
};

void write_matrix(const Csr& graph, const std::string& path) {
  const std::vector<int64_t> shape{graph.rows(), graph.cols()};
  const int64_t nnz = graph.nnz();
  const std::vector<NpzArray> arrays{
      {"indices", "<i4", {nnz}, bytes_of(graph.pattern->col)},
      {"indptr", "<i8", {graph.rows() + 1}, bytes_of(graph.pattern->row_ptr)},
      {"format", "|S3", {}, "csr"},
      {"shape", "<i8", {2}, bytes_of(shape)},
      {"data", "<f4", {nnz}, bytes_of(graph.values)}};
  write_npz(path, arrays);
}

}  // namespace

GraphRows::GraphRows(const Model& of)
    : model(of),
      predicted(predicted_classes(of.probabilities)),
      part(static_cast<size_t>(of.fused_graph.rows())) {
  for (const int32_t row : model.train) part[static_cast<size_t>(row)] = "train";
  for (const int32_t row : model.val) part[static_cast<size_t>(row)] = "val";
  for (const int32_t row : model.test) part[static_cast<size_t>(row)] = "test";
}

std::string GraphRows::class_name(int32_t number) const {
  const auto at = static_cast<size_t>(number);
  return at < model.class_names.size() ? model.class_names[at] : std::to_string(number);
}

std::string GraphRows::known_class(int64_t row) const {
  const auto at = static_cast<size_t>(row);
  return at < model.labels.size() && model.labels[at] >= 0 ? class_name(model.labels[at]) : "";
}

std::string GraphRows::predicted_class(int64_t row) const {
  const auto at = static_cast<size_t>(row);
  return at < predicted.size() ? class_name(predicted[at]) : "";
}

float GraphRows::probability(int64_t row) const {
  const auto at = static_cast<size_t>(row);
  return at < predicted.size() ? model.probabilities[row][predicted[at]] : 0.0f;
}

std::string graph_name(const GraphOptions& options) {
  return options.module == 0 ? "fused" : std::to_string(options.module);
}

void write_graph_csv(const GraphRows& rows, const Csr& graph, const GraphOptions& options,
                     const WriteText& write) {
  write("source,target,weight\n");
  for_edges(graph, options, [&](int64_t i, int64_t j, float weight) {
    write(fmt::format("{},{},{}\n", csv_field(row_id(rows.model, i)),
                      csv_field(row_id(rows.model, j)), weight));
  });
}

GraphFormat graph_format(std::string_view word) {
  std::vector<std::string> words;
  for (const FormatName& name : kFormats) {
    if (word == name.word || word.ends_with("." + std::string(name.word))) return name.format;
    words.emplace_back(name.word);
  }
  throw Error(ErrorKind::kUsage, "format of a graph: found " + quote(word) + ", expected one of " +
                                     listed(words) + "; choose one of these");
}

void write_graph(const Model& model, GraphFormat format, const WriteText& write,
                 const GraphOptions& options) {
  const Csr graph = learned_graph(model, options);
  const GraphRows rows(model);
  Joined joined(write);
  const WriteText add = [&](std::string_view text) { joined.add(text); };
  switch (format) {
    case GraphFormat::kCsv:
      write_graph_csv(rows, graph, options, add);
      break;
    case GraphFormat::kGraphml:
      write_graphml(rows, graph, options, add);
      break;
    case GraphFormat::kGexf:
      write_gexf(rows, graph, options, add);
      break;
    case GraphFormat::kNpz:
      throw Error(ErrorKind::kUsage,
                  "format npz is no text: it needs a file to be written to; name one");
  }
  joined.flush();
}

void write_graph(const Model& model, GraphFormat format, const std::string& path,
                 const GraphOptions& options) {
  if (format == GraphFormat::kNpz) return write_matrix(learned_graph(model, options), path);
  TextFile file(path);
  write_graph(
      model, format, [&](std::string_view text) { file.write(text); }, options);
  file.finish();
}

}  // namespace glgnn
