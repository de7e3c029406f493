// How many threads a command may use.
#pragma once

#include <glgnn/context.h>

#include <optional>

namespace CLI {
class App;
}

namespace glgnn::cli {

struct ThreadOption {
  std::optional<int> threads;

  void add_to(CLI::App& app);

  Context context() const;
};

}  // namespace glgnn::cli
