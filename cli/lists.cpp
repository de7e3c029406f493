// The commands that list what there is: datasets, methods, settings.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "data/data.h"
#include "methods/methods.h"
#include "report/json.h"
#include "setting_options.h"
#include "text.h"

namespace glgnn::cli {

// glgnn datasets: what is shipped with the program.

namespace {

struct Entry {
  DatasetCard card;
  size_t splits = 0, train = 0, val = 0, test = 0;
};

std::vector<Entry> shipped_entries() {
  std::vector<Entry> entries;
  for (const auto& name : shipped_datasets()) {
    const Dataset dataset = load_dataset(name);
    const Split& first = dataset.splits.front();
    entries.push_back({shipped_card(name), dataset.splits.size(), first.train.size(),
                       first.val.size(), first.test.size()});
  }
  return entries;
}

void print_json(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const auto& [card, splits, train, val, test] : entries) {
    list.push_back({{"name", card.name},
                    {"title", card.title},
                    {"rows", card.rows},
                    {"features", card.features},
                    {"classes", card.classes},
                    {"edges", card.edges > 0 ? Json(card.edges) : Json(nullptr)},
                    {"splits", splits},
                    {"labelled", train},
                    {"val", val},
                    {"test", test},
                    {"licence", card.licence},
                    {"source", card.source}});
  }
  fmt::print("{}\n", json_text(list, 1));
}

void print_entries(const std::vector<Entry>& entries) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [card, splits, train, val, test] : entries) {
    rows.push_back({card.name, std::to_string(card.rows), std::to_string(card.features),
                    std::to_string(card.classes), card.edges > 0 ? std::to_string(card.edges) : "-",
                    fmt::format("{}/{}/{}", train, val, test), std::to_string(splits),
                    card.licence});
  }
  print_table(stdout,
              {{"name"},
               {"rows", true},
               {"features", true},
               {"classes", true},
               {"edges", true},
               {"labelled/val/test", true},
               {"splits", true},
               {"licence"}},
              rows);
}

}  // namespace

Command add_datasets(CLI::App& program) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* app = program.add_subcommand("datasets", "the datasets shipped with the program");
  app->add_flag("--json", *json, "one JSON array");
  return {app, [json] {
            const auto entries = shipped_entries();
            *json ? print_json(entries) : print_entries(entries);
            return 0;
          }};
}

// glgnn methods: the rivals that `evaluate --method` runs.

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

// glgnn settings: every setting with its value, what it may be, and what it does.

namespace {

void print_json(const std::vector<Setting>& settings) {
  Json list = Json::array();
  for (const auto& setting : settings) {
    list.push_back({{"name", setting.name},
                    {"mode", setting.mode},
                    {"value", value_json(setting.value)},
                    {"allowed", setting.allowed},
                    {"text", setting.text}});
  }
  fmt::print("{}\n", json_text(list, 1));
}

}  // namespace

Command add_settings(CLI::App& program) {
  struct Options {
    SettingOptions settings;
    bool json = false, all = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("settings", "every setting: value, what is allowed, text");
  app->add_flag("--all", options->all, "also the switches that leave out a part of best mode");
  app->add_flag("--json", options->json, "one JSON array of all");
  options->settings.add_to(*app);
  return {app, [options] {
            const auto settings = list_settings(options->settings.config());
            if (options->json) {
              print_json(settings);
              return 0;
            }
            std::vector<std::vector<std::string>> rows;
            size_t hidden = 0;
            for (const auto& s : settings) {
              // One that was changed is shown.
              if (s.is_part && !options->all && s.value == get_setting({}, s.name)) {
                ++hidden;
                continue;
              }
              rows.push_back({s.name, s.value, s.mode, s.allowed, s.text});
            }
            print_table(stdout, {{"name"}, {"value"}, {"mode"}, {"allowed"}, {"meaning"}}, rows);
            if (hidden > 0) {
              fmt::print("{} switches that leave out a part of best mode: glgnn settings --all\n",
                         hidden);
            }
            return 0;
          }};
}

}  // namespace glgnn::cli
