#include "modules/shared_inputs.h"

namespace glgnn {

SharedInputs::SharedInputs(const Features& features, const Csr* graph, const Context& context)
    : features_(features), graph_(graph), views_(features, context.threads) {}

std::shared_ptr<const Csr> SharedInputs::first_graph(const std::vector<View>& views,
                                                     const RowGraphOptions& options,
                                                     const Context& context) {
  std::string key;
  for (const View view : views) key += view_name(view) + "+";
  key += std::to_string(options.k) + (options.euclidean ? "e" : "c") +
         std::to_string(options.self_weight) + "," + std::to_string(options.given_weight);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = graphs_.find(key); found != graphs_.end()) return found->second;
  }
  // Two threads may make the same graph at once: the same bits, so that either may stay.
  RowGraphInputs inputs{.given = graph_};
  for (const View view : views) inputs.views.push_back(&views_.get(view));
  auto graph = std::make_shared<const Csr>(build_row_graph(inputs, options, context.threads));
  const std::scoped_lock lock(mutex_);
  return graphs_.emplace(key, std::move(graph)).first->second;
}

}  // namespace glgnn
