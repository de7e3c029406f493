// glgnn explain: why rows are predicted as they are.
#include <fmt/core.h>
#include <glgnn/explain.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.h"
#include "interrupt.h"
#include "output_files.h"
#include "progress.h"
#include "report/explanations.h"
#include "report/text_file.h"
#include "table.h"
#include "threads.h"
#include "words.h"

namespace glgnn::cli {
namespace {

struct ExplainCommand {
  std::string model, row, out;
  bool json = false, quiet = false, features = false;
  ThreadOption threads;

  int run() const {
    refuse_to_overwrite(out, model, "--out would overwrite the model; choose another file");
    const Model fitted = load_model(model);
    if (features) return say_features(fitted);
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
    const std::vector<double> overall = feature_weights(fitted);
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
      Json entry = {{"name", fitted.feature_names[f]}, {"weight", overall[f]}};
      std::vector<std::string> line{fitted.feature_names[f], fmt::format("{:.3f}", overall[f])};
      for (const FittedModule& module : fitted.modules) {
        const double weight = weight_in(module.selection, f);
        entry["modules"].push_back(weight);
        line.push_back(fmt::format("{:.3f}", weight));
      }
      list.push_back(std::move(entry));
      lines.push_back(std::move(line));
    }
    if (json)
      fmt::print("{}\n", json_text(list));
    else
      print_table(stdout, columns, lines);
    return 0;
  }

  static double weight_in(const std::vector<float>& selection, size_t f) {
    float largest = 0;
    for (const float weight : selection) largest = std::max(largest, std::abs(weight));
    return largest > 0 ? std::abs(selection[f]) / largest : 0;
  }
};

}  // namespace

Command add_explain(CLI::App& program) {
  const auto command = std::make_shared<ExplainCommand>();
  CLI::App* app = program.add_subcommand(
      "explain", "why rows are predicted as they are: features, neighbours and graphs");
  app->add_option("MODEL", command->model, "model file that `glgnn fit` wrote")->type_name("");
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
