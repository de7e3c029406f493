#include "arguments.h"

#include <fmt/core.h>
#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "data/message.h"

namespace glgnn::cli {
namespace {

std::vector<std::string> command_names(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.app->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

[[noreturn]] void unknown_word(const CLI::App& app, const std::string& word) {
  const std::string help = fmt::format("`glgnn {} --help` shows how", app.get_name());
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: unknown option {}; the nearest is {}; {}", app.get_name(), name,
                            nearest_names(name, option_names(app), 1)[0], help));
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: one argument too many: {}; {}", app.get_name(), quote(word), help));
}

}  // namespace

const Command& chosen_command(const CLI::App& program, const std::vector<Command>& commands) {
  const auto names = command_names(commands);
  const auto left = program.remaining();
  const auto chosen = std::find_if(commands.begin(), commands.end(),
                                   [](const Command& command) { return command.app->parsed(); });
  if (chosen == commands.end()) {
    if (left.empty()) {
      throw Error(ErrorKind::kUsage, "which command? one of " + listed(names, names.size()) +
                                         "; `glgnn --help` shows what they do");
    }
    const bool option = left[0].starts_with("-");
    throw Error(ErrorKind::kUsage,
                fmt::format("unknown {} {}; the nearest is {}; `glgnn --help` lists them",
                            option ? "option" : "command", quote(left[0]),
                            option ? nearest_names(left[0], option_names(program), 1)[0]
                                   : nearest_names(left[0], names, 1)[0]));
  }
  if (!left.empty()) unknown_word(*chosen->app, left[0]);
  const auto unplaced = chosen->app->remaining();
  if (!unplaced.empty()) unknown_word(*chosen->app, unplaced[0]);
  return *chosen;
}

CLI::Validator whole_number(int64_t least, int64_t most) {
  return {
      [=](const std::string& text) -> std::string {
        int64_t number = 0;
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool is_whole = fault == std::errc() && end == text.data() + text.size();
        if (is_whole && number >= least && number <= most) return "";
        return fmt::format("found {}, expected a whole number from {} to {}", text, least, most);
      },
      ""};
}

void require_argument(const CLI::App& app, const std::string& name, const std::string& value) {
  if (!value.empty()) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} needs {}; `glgnn {} --help` shows how",
                                             app.get_name(), name, app.get_name()));
}

}  // namespace glgnn::cli
