// glgnn suggest: the rows whose labels would help the most.
#include <fmt/core.h>
#include <glgnn/suggest.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "commands.h"
#include "report/explanations.h"
#include "report/predictions.h"
#include "text.h"
#include "threads.h"

namespace glgnn::cli {
namespace {

struct SuggestCommand {
  std::string model;
  int64_t top = 10;
  bool json = false;
  ThreadOption threads;

  int run() const {
    const Model fitted = load_model(model);
    const std::vector<Suggestion> found = suggest_rows(fitted, top, threads.context());
    if (json) {
      fmt::print("{}\n", json_text(suggestions_json(fitted, found)));
      return 0;
    }
    if (found.empty()) {
      fmt::print("every row of {} has a label: there is nothing to suggest\n", fitted.dataset);
      return 0;
    }
    std::vector<std::vector<std::string>> lines;
    for (const Suggestion& suggestion : found) {
      lines.push_back({row_id(fitted, suggestion.row), fmt::format("{:.2f}", suggestion.score),
                       suggestion_reason(fitted, suggestion)});
    }
    print_table(stdout, {{"id"}, {"score", true}, {"reason"}}, lines);
    return 0;
  }
};

}  // namespace

Command add_suggest(CLI::App& program) {
  const auto command = std::make_shared<SuggestCommand>();
  CLI::App* app =
      program.add_subcommand("suggest", "the rows whose labels would help the most, and why");
  app->add_option("MODEL", command->model, "model file that `glgnn fit` wrote")->type_name("");
  app->add_option("--top", command->top, "how many rows (10)")
      ->type_name("N")
      ->check(whole_number(1));
  app->add_flag("--json", command->json, "a JSON list instead of a table");
  command->threads.add_to(*app);
  return {app, [command, app] {
            require_argument(*app, "MODEL", command->model);
            return command->run();
          }};
}

}  // namespace glgnn::cli
