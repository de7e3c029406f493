// What a command may use of the machine: threads, and a GPU.
#pragma once

#include <glgnn/context.h>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace glgnn::cli {

struct ThreadOption {
  std::optional<int> threads;
  std::string device = "auto";

  void add_to(CLI::App& app);
  // For commands that have work for a GPU; `automatic`: what auto takes.
  void add_device_to(CLI::App& app, const std::string& automatic = "the faster one");

  Context context() const;
};

// What OpenMP's threads do while they wait for each other.

// Idle threads of GNU OpenMP spin for milliseconds unless told otherwise, which on a busy machine
// makes small problems twenty times slower. The library reads its environment when the program is
// loaded, so this sets the variable and starts the program anew, once; a user's own setting is left
// alone.
void let_idle_threads_sleep(char** argv);

}  // namespace glgnn::cli
