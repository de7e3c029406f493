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
  // For commands that have work for a GPU.
  void add_device_to(CLI::App& app);

  Context context() const;
};

}  // namespace glgnn::cli
