// glgnn methods: the rivals that `evaluate --method` runs.
#include "methods/methods.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "rivals.h"
#include "terminal.h"
#include "words.h"

namespace glgnn::cli {
namespace {

Json method_json(const Method& method) {
  Json settings = Json::array();
  for (const auto& setting : method.settings) {
    settings.push_back({{"name", setting.name},
                        {"start", setting.start},
                        {"tried", setting.tried},
                        {"text", setting.text}});
  }
  return {{"name", method.name},
          {"paper", method.paper},
          {"text", method.text},
          {"needs_graph", method.needs_graph},
          {"numbers_for_each_pair", method.all_pairs},
          {"settings", std::move(settings)}};
}

void print_method(const Method& method) {
  fmt::print("{}  {}\n", Paint(stdout).bold(method.name), method.text);
  std::string needs;
  if (method.needs_graph) needs += "; needs the data's own graph";
  if (method.all_pairs > 0) needs += "; keeps numbers for all pairs of rows (N x N)";
  fmt::print("    {}{}\n", method.paper, needs);
  for (const auto& [name, start, tried, text] : method.settings) {
    std::vector<std::string> values;
    for (const double value : tried) values.push_back(fmt::format("{}", value));
    fmt::print("    {} = {}, tried {}: {}\n", name, start, joined(values, " "), text);
  }
}

}  // namespace

Command add_methods(CLI::App& program) {
  struct Options {
    std::vector<std::string> names;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand(
      "methods", "the rivals of `evaluate --method`: what each is, its paper, its settings");
  app->add_option("METHOD", options->names, "only these")->type_name("");
  app->add_flag("--json", options->json, "one JSON array");
  return {app, [options] {
            std::vector<Method> shown;
            for (const auto& name : options->names) shown.push_back(method_named(name));
            if (shown.empty()) shown = all_methods();
            Json list = Json::array();
            for (const Method& method : shown) {
              options->json ? list.push_back(method_json(method)) : print_method(method);
            }
            if (options->json) fmt::print("{}\n", json_text(list, 1));
            return 0;
          }};
}

}  // namespace glgnn::cli
