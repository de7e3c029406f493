#include "setting_options.h"

#include <glgnn/error.h>

#include <CLI/CLI.hpp>

#include "config_file.h"
#include "help.h"

namespace glgnn::cli {

void SettingOptions::add_to(CLI::App& app) {
  app.add_option("--config", file_, "settings from a file: a JSON object, or lines NAME = VALUE")
      ->type_name("FILE");
  app.add_option("--set", assignments_, "one setting; --NAME VALUE does the same")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  for (const auto& setting : list_settings({})) {
    // Not in --help, where they would bury the rest: `glgnn settings` shows them better.
    options_[setting.name] = app.add_option("--" + setting.name, named_[setting.name], setting.text)
                                 ->group(kUnlisted)
                                 ->type_name("VALUE");
  }
  app.footer(
      "Every setting is an option too, e.g. --k 20 --epochs 100; `glgnn settings` lists them.");
}

Config SettingOptions::config() const {
  Config config;
  if (!file_.empty()) read_config_file(config, file_);
  std::map<std::string, std::string> given;
  for (const auto& [name, value] : named_) {
    if (options_.at(name)->count() > 0) given.emplace(name, value);
  }
  for (const auto& text : assignments_) {
    const auto assignment = split_assignment(text, "--set");
    if (!given.insert(assignment).second) {
      throw Error(ErrorKind::kUsage,
                  "setting " + assignment.first + " is given twice on the command line; keep one");
    }
  }
  for (const auto& [name, value] : given) apply_setting(config, name, value);
  return config;
}

std::pair<std::string, std::string> split_assignment(const std::string& text,
                                                     const std::string& option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ErrorKind::kUsage,
                option + ": found \"" + text + "\", expected NAME=VALUE, e.g. k=20");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void apply_setting(Config& config, const std::string& name, const std::string& value) {
  if (name == "mode" && value == "best") {
    throw Error(
        ErrorKind::kUnsupported,
        "mode best is not there yet: this version trains as the paper does; use --mode paper");
  }
  set_setting(config, name, value);
}

}  // namespace glgnn::cli
