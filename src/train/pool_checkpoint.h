// The modules that best mode has finished, in a file: a resumed run gives the same bits.
#pragma once

#include <glgnn/config.h>
#include <glgnn/trainer.h>

#include <optional>
#include <string>
#include <vector>

#include "modules/module.h"

namespace glgnn {

// The stages of each module that is done.
using DoneModules = std::vector<std::optional<std::vector<ModuleResult>>>;

void save_modules(const std::string& path, const DoneModules& modules, const Problem& problem,
                  const Config& config);

// One module on its way to another process, as the checkpoint that has it alone.
std::string module_bytes(size_t module, const DoneModules& modules, const Problem& problem,
                         const Config& config);
void take_module(const std::string& bytes, DoneModules& modules, const Problem& problem,
                 const Config& config, SharedInputs& shared);

// Refuses (kUsage) a file of other data or other settings, and says which; kData where its parts do
// not fit the data.
void load_modules(const std::string& path, DoneModules& modules, const Problem& problem,
                  const Config& config, SharedInputs& shared);

}  // namespace glgnn
