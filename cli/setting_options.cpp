#include "setting_options.h"

#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "arguments.h"
#include "data/file.h"
#include "data/message.h"

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
    std::string with_dashes = setting.name;
    std::ranges::replace(with_dashes, '_', '-');
    const std::string other = with_dashes == setting.name ? "" : ",--" + with_dashes;
    CLI::Option* option =
        app.add_option("--" + setting.name + other, named_[setting.name], setting.text)
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
  // A file may hold all settings; of those left at their default nothing was asked.
  for (const Setting& setting : list_settings(config)) {
    if (given.contains(setting.name) || setting.value != get_setting({}, setting.name)) {
      check_mode_reads(config, setting.name);
    }
  }
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

namespace {

std::string trimmed(const std::string& text) {
  const size_t start = text.find_first_not_of(" \t\r");
  if (start == std::string::npos) return "";
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

std::string file_text(const std::string& path) {
  const InputFile file(path, "");
  return read_bytes(file.path());
}

void apply_at(Config& config, const std::string& place, const std::string& name,
              const std::string& value) {
  try {
    set_setting(config, name, value);
  } catch (const Error& error) {
    throw Error(error.kind(), place + ": " + error.what());
  }
}

[[noreturn]] void given_twice(const std::string& place, const std::string& name) {
  throw Error(ErrorKind::kUsage,
              place + ": setting " + shortened(name) + " is given twice; keep one of them");
}

void read_json(Config& config, const std::string& path, const std::string& text) {
  using Event = nlohmann::json::parse_event_t;
  nlohmann::json object;
  std::set<std::string> names;
  const auto note_name = [&](int depth, Event event, const nlohmann::json& value) {
    if (depth != 1 || event != Event::key) return true;
    if (!names.insert(value).second) given_twice(path, value);
    return true;
  };
  try {
    object = nlohmann::json::parse(text, note_name);
  } catch (const nlohmann::json::exception& error) {  // numbers may be too large, too
    throw Error(ErrorKind::kUsage, path + ": not a JSON object: " +
                                       printable(std::string_view(error.what()).substr(0, 200)));
  }
  for (const auto& [name, value] : object.items()) {
    // A list in a list in a list ... may be deeper than any stack.
    const std::string said = value.is_string()       ? value.get<std::string>()
                             : value.is_structured() ? value.type_name()
                                                     : value.dump();
    apply_at(config, path, name, said);
  }
}

void read_lines(Config& config, const std::string& path, const std::string& text) {
  std::istringstream in(text);
  std::string line;
  std::set<std::string> names;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const std::string place = path + ":" + std::to_string(number);
    const auto [name, value] = split_assignment(content, place);
    if (!names.insert(trimmed(name)).second) given_twice(place, trimmed(name));
    apply_at(config, place, trimmed(name), trimmed(value));
  }
}

}  // namespace

void read_config_file(Config& config, const std::string& path) {
  const InputFile input(path, "");
  const std::string text = file_text(input.path());
  const size_t start = text.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string::npos && text[start] == '{';
  is_json ? read_json(config, path, text) : read_lines(config, path, text);
}

}  // namespace glgnn::cli
