#include <fmt/format.h>
#include <glgnn/error.h>
#include <glgnn/graph_file.h>

#include <array>

#include "data/message.h"
#include "data/npz_writer.h"
#include "report/graph_text.h"
#include "report/row_text.h"
#include "report/text_file.h"

namespace glgnn {
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
