// glgnn settings: every setting with its value, what it may be, and what it does.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "report/json.h"
#include "setting_options.h"
#include "table.h"

namespace glgnn::cli {
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
