// What the parser could not place, turned into an error that names the nearest that it could.
#pragma once

#include <vector>

#include "commands.h"

namespace glgnn::cli {

// The command that was asked for; kUsage when there is none, or when words are left over.
const Command& chosen_command(const CLI::App& program, const std::vector<Command>& commands);

}  // namespace glgnn::cli
