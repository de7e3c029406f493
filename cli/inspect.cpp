// glgnn inspect: what the program sees in a person's data, without training.
#include <fmt/format.h>
#include <glgnn/trainer.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "commands.h"
#include "core/available_memory.h"
#include "data/data.h"
#include "data/edge_list.h"
#include "data/features.h"
#include "data/message.h"
#include "data/table_header.h"
#include "describe.h"
#include "prepare.h"
#include "report/json.h"
#include "text.h"

namespace glgnn::cli {
namespace {

constexpr size_t kMostColumns = 40;  // on the screen; --json has all
constexpr size_t kMostClasses = 20;
constexpr size_t kMostLevels = 3;
constexpr size_t kBar = 24;
constexpr int64_t kMostLikelyClasses = 20;

// Everything that is shown, found once for the screen and for JSON.
struct Findings {
  Dataset dataset;
  std::vector<int64_t> class_counts;
  int64_t labelled = 0;
  Scaling scaling = Scaling::kNone;
  int64_t best_memory = 0, paper_memory = 0;
  GraphSummary graph;
  float lowest = 0, highest = 0;  // of all features
  double zeros = 0;               // the part of them that is zero

  double imbalance() const {
    const auto [fewest, most] = std::minmax_element(class_counts.begin(), class_counts.end());
    return static_cast<double>(*most) / static_cast<double>(std::max<int64_t>(1, *fewest));
  }
};

void find_range(Findings& found, const Features& features) {
  const double size = static_cast<double>(features.rows()) * static_cast<double>(features.cols());
  const std::span<const float> stored =
      features.is_sparse
          ? std::span<const float>(features.sparse.values)
          : std::span(features.dense.data(), static_cast<size_t>(features.dense.size()));
  if (stored.empty()) return;
  const auto [low, high] = std::minmax_element(stored.begin(), stored.end());
  const auto other = static_cast<double>(stored.size()) -
                     static_cast<double>(std::count(stored.begin(), stored.end(), 0.0f));
  found.zeros = 1 - other / size;
  found.lowest = found.zeros > 0 ? std::min(0.0f, *low) : *low;
  found.highest = found.zeros > 0 ? std::max(0.0f, *high) : *high;
}

Findings find_out(Dataset dataset) {
  Findings found;
  find_range(found, dataset.features);
  found.class_counts.resize(static_cast<size_t>(dataset.classes()));
  for (const int32_t label : dataset.labels) {
    if (label < 0) continue;
    ++found.class_counts[static_cast<size_t>(label)];
    ++found.labelled;
  }
  found.scaling = resolve_scaling(Scaling::kAuto, dataset.features, dataset.scaling);
  const auto memory = [&](Mode mode) {
    Config config;
    config.mode = mode;
    const int64_t classes = std::max<int64_t>(2, dataset.classes());
    return estimate_memory(dataset.features, dataset.has_graph ? &dataset.graph : nullptr, classes,
                           resolve_auto(config, dataset));
  };
  found.best_memory = memory(Mode::kBest);
  found.paper_memory = memory(Mode::kPaper);
  if (dataset.has_graph) found.graph = summarise_graph(dataset);
  found.dataset = std::move(dataset);
  return found;
}

bool has_numbers(const TableColumn& column) {
  return (column.kind == ColumnKind::kNumeric || column.kind == ColumnKind::kDate ||
          column.kind == ColumnKind::kConstant) &&
         column.distinct > 0 && (column.lowest != 0 || column.highest != 0);
}

std::string levels_text(const TableColumn& column) {
  std::vector<size_t> order(column.levels.size());
  for (size_t l = 0; l < order.size(); ++l) order[l] = l;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return column.level_counts[a] > column.level_counts[b];
  });
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(kMostLevels, order.size()); ++i) {
    parts.push_back(
        fmt::format("{} {}", printable(column.levels[order[i]]), column.level_counts[order[i]]));
  }
  const int64_t all = column.has_words() ? std::ssize(column.levels) : column.distinct;
  const int64_t more = all - static_cast<int64_t>(parts.size());
  return joined(parts, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string values_text(const TableColumn& column) {
  if (!column.levels.empty()) return levels_text(column);
  if (has_numbers(column) && column.lowest < column.highest) {
    const auto is_day = [](double date) { return date == std::floor(date); };
    const bool are_days =
        column.kind == ColumnKind::kDate && is_day(column.lowest) && is_day(column.highest);
    return fmt::format("{} .. {} .. {}", value_text(column, column.lowest),
                       value_text(column, are_days ? std::floor(column.median) : column.median),
                       value_text(column, column.highest));
  }
  if (has_numbers(column)) return value_text(column, column.lowest);
  return column.distinct > 0 ? counted(column.distinct, "value") : "";
}

// Columns that could hold the classes, where none was named.
std::vector<std::string> label_candidates(const TablePlan& plan, int64_t rows) {
  std::vector<std::string> names;
  for (const TableColumn& column : plan.columns) {
    const bool few = column.distinct >= 2 && column.distinct <= kMostLikelyClasses &&
                     2 * column.distinct <= rows;
    if (column.is_used() && column.kind != ColumnKind::kDate && few) names.push_back(column.name);
  }
  return names;
}

void print_columns(const TablePlan& plan) {
  std::vector<std::vector<std::string>> rows;
  for (size_t j = 0; j < std::min(kMostColumns, plan.columns.size()); ++j) {
    const TableColumn& column = plan.columns[j];
    rows.push_back({printable(column.name), column_kind_name(column.kind),
                    column.missing > 0 ? std::to_string(column.missing) : "-", values_text(column),
                    column_fate(column)});
  }
  fmt::print("\n");
  print_table(stdout, {{"column"}, {"kind"}, {"missing", true}, {"values"}, {"becomes"}}, rows);
  if (plan.columns.size() > kMostColumns) {
    fmt::print("and {} more columns (--json lists all)\n", plan.columns.size() - kMostColumns);
  }
}

void print_classes(const Findings& found, const Paint& paint) {
  const Dataset& dataset = found.dataset;
  if (dataset.classes() == 0) {
    const auto candidates = label_candidates(dataset.plan, dataset.rows());
    fmt::print("no classes: name their column with --label{}\n",
               candidates.empty() ? "" : "; likely ones are " + listed(candidates));
    return;
  }
  size_t width = 0;
  int64_t most = 1;
  for (size_t c = 0; c < std::min(kMostClasses, dataset.class_names.size()); ++c) {
    width = std::max(width, text_width(printable(dataset.class_names[c])));
  }
  for (const int64_t count : found.class_counts) most = std::max(most, count);
  for (size_t c = 0; c < std::min(kMostClasses, dataset.class_names.size()); ++c) {
    const int64_t count = found.class_counts[c];
    const auto length = static_cast<size_t>(kBar * static_cast<double>(count) / most + 0.5);
    const std::string name = printable(dataset.class_names[c]);
    fmt::print("  {}{}  {}{}  {:>7}  {:>7}\n", name, std::string(width - text_width(name), ' '),
               paint.green(std::string(length, '#')), std::string(kBar - length, ' '), count,
               percent(static_cast<double>(count) / std::max<int64_t>(1, found.labelled)));
  }
  if (dataset.class_names.size() > kMostClasses) {
    fmt::print("  and {} more classes (--json lists all)\n",
               dataset.class_names.size() - kMostClasses);
  }
}

std::string graph_text(const Findings& found) {
  if (!found.dataset.has_graph) return "none given; one is learned in any case";
  const GraphSummary& graph = found.graph;
  std::string text =
      fmt::format("{}, {} (the largest of {}), {} without an edge", counted(graph.edges, "edge"),
                  counted(graph.components, "component"), counted(graph.largest_component, "row"),
                  counted(graph.lone_rows, "row"));
  if (graph.labelled_edges > 0) {
    text +=
        fmt::format("; {} of {} between labelled rows join{} one class",
                    percent(static_cast<double>(graph.same_class) / graph.labelled_edges),
                    counted(graph.labelled_edges, "edge"), graph.labelled_edges == 1 ? "s" : "");
  }
  return text;
}

void print_findings(const Findings& found) {
  const Paint paint(stdout);
  const Dataset& dataset = found.dataset;
  const bool is_table = !dataset.plan.columns.empty() && !is_of_array(dataset.plan);
  const std::string columns =
      is_table ? counted(static_cast<int64_t>(dataset.plan.columns.size()), "column") + ", " : "";
  fmt::print(
      "{}: {}, {}{}\n", paint.bold(printable(dataset.name)), counted(dataset.rows(), "row"),
      columns,
      counted(dataset.features.cols(), dataset.features.is_sparse ? "sparse feature" : "feature"));
  if (is_table) print_columns(dataset.plan);
  fmt::print("\n{}\n", paint.bold("classes"));
  print_classes(found, paint);
  fmt::print("\n");
  const auto line = [&](const char* title, const std::string& text) {
    fmt::print("{} {}\n", paint.bold(fmt::format("{:<9}", title)), text);
  };
  if (dataset.classes() > 0) {
    line("labelled", fmt::format("{} of {} ({}); the largest class has {:.1f} times the rows of "
                                 "the smallest",
                                 found.labelled, counted(dataset.rows(), "row"),
                                 percent(static_cast<double>(found.labelled) / dataset.rows()),
                                 found.imbalance()));
  }
  if (!is_table) {
    line("numbers", fmt::format("{} .. {}, {} of them zero", short_number(found.lowest),
                                short_number(found.highest), percent(found.zeros)));
  }
  line("scaling",
       fmt::format("{} in paper mode; best mode tries several ways", scaling_words(found.scaling)));
  line("graph", graph_text(found));
  const auto available = available_memory();
  line("memory", fmt::format("about {} in best mode, {} in paper mode{}",
                             memory_text(found.best_memory), memory_text(found.paper_memory),
                             available ? "; " + memory_text(*available) + " available" : ""));
  for (const auto& note : dataset.notes) line("note", note);
}

Json column_json(const TableColumn& column) {
  Json json = {{"name", column.name},
               {"kind", column_kind_name(column.kind)},
               {"missing", column.missing},
               {"distinct", column.distinct}};
  if (has_numbers(column)) {
    json["lowest"] = column.lowest;
    json["median"] = column.median;
    json["highest"] = column.highest;
  }
  if (!column.levels.empty()) {
    Json levels = Json::object();
    for (size_t l = 0; l < column.levels.size(); ++l) {
      levels[column.levels[l]] = column.level_counts[l];
    }
    json["levels"] = std::move(levels);
  }
  json["features"] = column_features(column);
  json["becomes"] = column_fate(column);
  return json;
}

Json findings_json(const Findings& found) {
  const Dataset& dataset = found.dataset;
  Json json = {{"name", dataset.name},
               {"rows", dataset.rows()},
               {"features", dataset.features.cols()},
               {"sparse", dataset.features.is_sparse},
               {"lowest", found.lowest},
               {"highest", found.highest},
               {"zeros", found.zeros},
               {"labelled", found.labelled}};
  Json columns = Json::array();
  for (const auto& column : dataset.plan.columns) columns.push_back(column_json(column));
  json["columns"] = std::move(columns);
  Json classes = Json::object();
  for (size_t c = 0; c < dataset.class_names.size(); ++c) {
    classes[dataset.class_names[c]] = found.class_counts[c];
  }
  json["classes"] = std::move(classes);
  json["imbalance"] = dataset.classes() > 0 ? Json(found.imbalance()) : Json(nullptr);
  Config config;
  config.scaling = found.scaling;
  json["scaling"] = get_setting(config, "scaling");
  const GraphSummary& graph = found.graph;
  json["graph"] = dataset.has_graph ? Json{{"edges", graph.edges},
                                           {"components", graph.components},
                                           {"largest_component", graph.largest_component},
                                           {"lone_rows", graph.lone_rows},
                                           {"labelled_edges", graph.labelled_edges},
                                           {"same_class", graph.same_class}}
                                    : Json(nullptr);
  json["memory_mb"] = {{"best", found.best_memory >> 20}, {"paper", found.paper_memory >> 20}};
  json["notes"] = dataset.notes;
  return json;
}

struct InspectCommand {
  DataOptions data;
  bool json = false;

  int run() const {
    const Findings found = find_out(load_data(data));
    if (json) {
      fmt::print("{}\n", json_text(findings_json(found), 1));
    } else {
      print_findings(found);
    }
    return 0;
  }
};

}  // namespace

Command add_inspect(CLI::App& program) {
  const auto command = std::make_shared<InspectCommand>();
  CLI::App* app =
      program.add_subcommand("inspect", "what is in your data and what becomes of it, no training");
  app->add_option("DATA", command->data.data, "as for fit")->type_name("");
  command->data.add_columns_to(*app);
  app->add_option("--graph", command->data.graph,
                  "graph file (edge list, npy, mtx, graphml), or none")
      ->type_name("FILE|none");
  app->add_flag("--json", command->json, "one JSON object");
  return {app, [command, app] {
            require_argument(*app, "DATA", command->data.data);
            return command->run();
          }};
}

}  // namespace glgnn::cli
