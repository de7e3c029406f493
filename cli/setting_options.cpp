#include "setting_options.h"

#include <glgnn/error.h>

#include <CLI/CLI.hpp>

#include "config_file.h"
#include "data/message.h"
#include "help.h"

namespace glgnn::cli {
namespace {

constexpr const char* kSwitch = "true|false";

std::string allowed_of(const std::string& name) {
  for (const auto& setting : list_settings({})) {
    if (setting.name == name) return setting.allowed;
  }
  return "";
}

}  // namespace

void SettingOptions::add_to(CLI::App& app) {
  app.add_option("--config", file_, "settings from a file: a JSON object, or lines NAME = VALUE")
      ->type_name("FILE");
  app.add_option("--set", assignments_, "one setting; --NAME VALUE does the same")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  for (const auto& setting : list_settings({})) {
    // Not in --help, where they would bury the rest: `glgnn settings` shows them better.
    CLI::Option* option = app.add_option("--" + setting.name, named_[setting.name], setting.text)
                              ->group(kUnlisted)
                              ->type_name("VALUE");
    if (setting.allowed == kSwitch) option->expected(0, 1);  // --NAME alone switches it on
    options_[setting.name] = option;
  }
  app.footer(
      "Every setting is an option too, e.g. --k 20 --epochs 100; `glgnn settings` lists them.");
}

Config SettingOptions::config() const {
  Config config;
  if (!file_.empty()) read_config_file(config, file_);
  std::map<std::string, std::string> given;
  for (const auto& [name, value] : named_) {
    if (options_.at(name)->count() == 0) continue;
    given.emplace(name, value.empty() && allowed_of(name) == kSwitch ? "true" : value);
  }
  for (const auto& text : assignments_) {
    const auto assignment = split_assignment(text, "--set");
    if (!given.insert(assignment).second) {
      throw Error(ErrorKind::kUsage,
                  "setting " + assignment.first + " is given twice on the command line; keep one");
    }
  }
  for (const auto& [name, value] : given) set_setting(config, name, value);
  for (const auto& [name, value] : given) check_mode_reads(config, name);
  return config;
}

void check_mode_reads(const Config& config, const std::string& name) {
  const std::string mode = get_setting(config, "mode");
  for (const auto& setting : list_settings(config)) {
    if (setting.name != name || setting.mode.empty() || setting.mode == mode) continue;
    throw Error(ErrorKind::kUsage, "setting " + name + " is read in mode " + setting.mode +
                                       " only, and this is mode " + mode + "; add --mode " +
                                       setting.mode + ", or leave it out");
  }
}

std::pair<std::string, std::string> split_assignment(const std::string& text,
                                                     const std::string& option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ErrorKind::kUsage,
                option + ": found " + quote(text) + ", expected NAME=VALUE, e.g. k=20");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace glgnn::cli
