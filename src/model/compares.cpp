#include "model/compares.h"

#include "modules/kinds.h"

namespace glgnn {

std::optional<Compares> compares(const FittedModule& module) {
  const auto* state = module.state ? std::get_if<PoolState>(module.state.get()) : nullptr;
  if (!state) return std::nullopt;
  Compares out{{}, state->k, state->euclidean};
  for (const View view : state->views) out.views.push_back(view_name(view));
  return out;
}

}  // namespace glgnn
