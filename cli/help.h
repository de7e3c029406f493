// How --help looks.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace glgnn::cli {

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
