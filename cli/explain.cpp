// glgnn explain: why rows are predicted as they are.
#include <fmt/core.h>
#include <glgnn/error.h>
#include <glgnn/explain.h>
#include <glgnn/new_rows.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.h"
#include "data/message.h"
#include "output_files.h"
#include "progress.h"
#include "report/explanations.h"
#include "report/model_columns.h"
#include "report/text_file.h"
#include "start.h"
#include "text.h"
#include "threads.h"

namespace glgnn::cli {
namespace {

struct ExplainCommand {
  std::string model, new_rows, row, out, id, format;
  bool json = false, quiet = false, features = false;
  ThreadOption threads;

  int run() const {
    refuse_to_overwrite(out, model, "--out would overwrite the model; choose another file");
    refuse_to_overwrite(out, new_rows,
                        "--out would overwrite the rows to explain; choose another file");
    const Model fitted = load_model(model);
    if (features && (!row.empty() || !new_rows.empty())) {
      throw Error(ErrorKind::kUsage,
                  "--features is about all rows of the model; leave out --row and the new rows");
    }
    if (features) return say_features(fitted);
    if (!new_rows.empty()) return explain_new(fitted);
    if (!row.empty()) return explain_one(fitted, row_named(fitted, row));
    return explain_all(fitted);
  }

 private:
  int explain_one(const Model& fitted, int32_t number) const {
    const Explanation found = Explainer(fitted, threads.context()).explain(number);
    TextFile file(out);
    file.write(json ? json_text(explanation_json(fitted, found)) + "\n"
                    : explanation_text(fitted, found));
    file.finish();
    return 0;
  }

  // Rows never seen: the one that is asked for, or all, one JSON object a line.
  int explain_new(const Model& fitted) const {
    NewRows source(
        new_rows, fitted.plan, fitted.class_names,
        {.id = id, .format = format, .sparse = fitted.features.is_sparse, .block_rows = 1});
    const Explainer explainer(fitted, threads.context());
    const InterruptGuard interrupt;
    TextFile file(out);
    bool found = false;
    for (RowBlock block; !found && source.next(block);) {
      if (interrupt.interrupted()) return interrupt.exit_status();
      if (!row.empty() && block.ids[0] != row) continue;
      found = !row.empty();
      const RowName name{block.ids[0], block.labels[0]};
      const Explanation reasons = explainer.explain(block.features);
      file.write(json || row.empty() ? json_text(explanation_json(fitted, reasons, name)) + "\n"
                                     : explanation_text(fitted, reasons, name));
    }
    if (!row.empty() && !found) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--row: found {}, expected the id of one of the {} "
                              "rows of {}, or its number from 0 where they have "
                              "no ids",
                              quote(row), source.rows_read(), new_rows));
    }
    file.finish();
    return 0;
  }

  // One JSON object a line for every row, in order.
  int explain_all(const Model& fitted) const {
    const Explainer explainer(fitted, threads.context());
    const int64_t count = fitted.probabilities.rows();
    const InterruptGuard interrupt;
    Progress progress(count, quiet);
    progress.label("explaining");
    TextFile file(out);
    for (int32_t i = 0; i < count; ++i) {
      file.write(json_text(explanation_json(fitted, explainer.explain(i))) + "\n");
      progress.update({.done = i + 1});
      if (interrupt.interrupted()) return interrupt.exit_status();
    }
    progress.vanish();
    file.finish();
    return 0;
  }

  // Every feature by its weight in each module and over the network of graphs, the largest first.
  int say_features(const Model& fitted) const {
    const ModelColumns merged(fitted);
    const std::vector<double> overall = merged.merged(feature_weights(fitted));
    std::vector<std::vector<double>> modules;
    for (const FittedModule& module : fitted.modules) {
      modules.push_back(merged.merged(weights_in(module.selection)));
    }
    std::vector<size_t> order(overall.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return overall[a] > overall[b]; });
    std::vector<Column> columns{{"feature"}, {"weight", true}};
    for (size_t m = 0; m < fitted.modules.size(); ++m) {
      columns.push_back({"graph " + std::to_string(m + 1), true});
    }
    Json list = Json::array();
    std::vector<std::vector<std::string>> lines;
    for (const size_t f : order) {
      Json entry = {{"name", merged.names()[f]}, {"weight", overall[f]}};
      std::vector<std::string> line{merged.names()[f], fmt::format("{:.3f}", overall[f])};
      for (const std::vector<double>& weights : modules) {
        entry["modules"].push_back(weights[f]);
        line.push_back(fmt::format("{:.3f}", weights[f]));
      }
      list.push_back(std::move(entry));
      lines.push_back(std::move(line));
    }
    if (!json && out.empty()) {
      print_table(stdout, columns, lines);
      return 0;
    }
    TextFile file(out);
    file.write(json ? json_text(list) + "\n" : table_text(columns, lines));
    file.finish();
    return 0;
  }

  static std::vector<double> weights_in(const std::vector<float>& selection) {
    float largest = 0;
    for (const float weight : selection) largest = std::max(largest, std::abs(weight));
    std::vector<double> weights;
    for (const float weight : selection) {
      weights.push_back(largest > 0 ? std::abs(weight) / largest : 0);
    }
    return weights;
  }
};

}  // namespace

Command add_explain(CLI::App& program) {
  const auto command = std::make_shared<ExplainCommand>();
  CLI::App* app = program.add_subcommand(
      "explain", "why rows are predicted as they are: features, neighbours and graphs");
  app->add_option("MODEL", command->model, "model file that `glgnn fit` wrote")->type_name("");
  app->add_option("NEW", command->new_rows,
                  "rows never seen to explain instead of the fitted ones, - for the standard input")
      ->type_name("");
  app->add_option("--id", command->id, "column that names the new rows")->type_name("COLUMN");
  app->add_option("--format", command->format,
                  "csv, tsv, svmlight, npy, npz or mtx, if the name does not say")
      ->type_name("FORMAT");
  app->add_option("--row", command->row, "the row to explain; without it all, as JSON lines")
      ->type_name("ID");
  app->add_flag("--features", command->features,
                "instead: every feature by its weight, in each graph and over all of them");
  app->add_option("--out", command->out, "file to write instead of the standard output")
      ->type_name("FILE");
  app->add_flag("--json", command->json, "JSON instead of text");
  app->add_flag("--quiet", command->quiet, "no progress");
  command->threads.add_to(*app);
  return {app, [command, app] {
            require_argument(*app, "MODEL", command->model);
            return command->run();
          }};
}

}  // namespace glgnn::cli
