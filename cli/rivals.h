// The commands about rivals, as those of commands.h.
#pragma once

#include "commands.h"

namespace glgnn::cli {

Command add_methods(CLI::App& program);
Command add_compare(CLI::App& program);
Command add_reproduce(CLI::App& program);

}  // namespace glgnn::cli
