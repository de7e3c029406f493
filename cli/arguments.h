// What was typed: errors that name the nearest that is known, and how --help looks.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "commands.h"

namespace glgnn::cli {

// What the parser could not place, turned into an error that names the nearest that it could.

// The command that was asked for; kUsage when there is none, or when words are left over.
const Command& chosen_command(const CLI::App& program, const std::vector<Command>& commands);

// Refuses what is no whole number from `least` to `most`: an option without a sign would take -1
// for a very large one.
CLI::Validator whole_number(int64_t least, int64_t most = 1'000'000'000);

// How --help looks.

// Options of this group can be used and are named in errors, but not listed in --help.
inline constexpr const char* kUnlisted = "unlisted";

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    return group == kUnlisted ? "" : CLI::Formatter::make_group(group, is_positional, options);
  }
};

}  // namespace glgnn::cli
