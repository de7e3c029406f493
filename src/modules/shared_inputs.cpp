#include "modules/shared_inputs.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace glgnn {
namespace {

thread_local bool makes_graphs_beside = false;

}  // namespace

SharedInputs::SharedInputs(const Features& features, const Csr* graph, const Context& context)
    : features_(features), graph_(graph), views_(features, context) {}

bool SharedInputs::graph_is_doubtful(const Context& context) {
  if (!graph_) return false;
  std::call_once(doubted_, [&] {
    const Features& x = view(features_.is_sparse ? View::kSvd64 : View::kStandard);
    trusted_ = trusted_edges(*graph_, x.dense, context.threads);
  });
  // The graphs of Cora and Citeseer seem to have two or three random edges of a hundred.
  constexpr double kFewRandom = 0.1;
  return trusted_.random_part >= kFewRandom;
}

const Csr* SharedInputs::given_graph(GivenEdges edges, const Context& context) {
  const bool doubts = edges == GivenEdges::kTrusted && graph_is_doubtful(context);
  return doubts ? &trusted_.graph : graph_;
}

void SharedInputs::compare_rows(const std::vector<View>& views, const RowGraphOptions& options,
                                const Context& context) {
  for (const View view : views) nearest_rows(view, options, context);
}

SharedInputs::Graph& SharedInputs::graph_of(const std::vector<View>& views,
                                            const RowGraphOptions& options, const Csr* given) {
  std::string key;
  for (const View view : views) key += view_name(view) + "+";
  key += std::to_string(options.k) + (options.euclidean ? "e" : "c") +
         std::to_string(options.self_weight);
  // Without a given graph its weight changes nothing.
  if (given) key += "," + std::to_string(options.given_weight) + (given != graph_ ? "?" : "");
  const std::scoped_lock lock(mutex_);
  return graphs_[key];
}

std::future<void> SharedInputs::make_graphs_beside(std::vector<GraphWish> wishes,
                                                   const Context& context) {
  constexpr int kAtOnce = 4;
  struct Coming {
    GraphWish wish;
    std::promise<void> made;
  };
  std::vector<Coming> coming;
  for (GraphWish& wish : wishes) {
    Graph& graph =
        graph_of(wish.views, wish.options, given_graph(wish.options.given_edges, context));
    if (graph.coming.valid()) continue;
    std::promise<void> made;
    graph.coming = made.get_future().share();
    coming.push_back({std::move(wish), std::move(made)});
  }
  // Where one fails, who waits for it tries it, too; who called us is told why.
  const auto join = [this](Coming& next, const Context& of_one) {
    makes_graphs_beside = true;
    try {
      first_graph(next.wish.views, next.wish.options, of_one);
    } catch (...) {
      next.made.set_value();
      throw;
    }
    next.made.set_value();
  };
  return std::async(std::launch::async, [this, context, join, all = std::move(coming)]() mutable {
    // The votes are joined while the device compares the rows of the next view.
    const Context of_one = context.with_threads(std::max(1, context.threads / kAtOnce));
    std::vector<std::future<void>> joined;
    for (Coming& next : all) {
      try {
        compare_rows(next.wish.views, next.wish.options, context);
      } catch (...) {  // it is told by first_graph()
      }
      joined.push_back(
          std::async(std::launch::async | std::launch::deferred, [&] { join(next, of_one); }));
    }
    for (std::future<void>& graph : joined) graph.get();
  });
}

std::shared_ptr<const Csr> SharedInputs::first_graph(const std::vector<View>& views,
                                                     const RowGraphOptions& options,
                                                     const Context& context) {
  const Csr* const given = given_graph(options.given_edges, context);
  Graph& wanted = graph_of(views, options, given);
  if (wanted.coming.valid() && !makes_graphs_beside) wanted.coming.wait();
  // Who comes while another makes it waits for it.
  std::call_once(wanted.made, [&] {
    std::vector<std::shared_ptr<const NearestRows>> nearest;
    std::vector<const NearestRows*> votes;
    for (const View view : views) {
      nearest.push_back(nearest_rows(view, options, context));
      votes.push_back(nearest.back().get());
    }
    wanted.graph = std::make_shared<const Csr>(join_votes(votes, given, options, context.threads));
  });
  return wanted.graph;
}

std::shared_ptr<const NearestRows> SharedInputs::nearest_rows(View view,
                                                              const RowGraphOptions& options,
                                                              const Context& context) {
  constexpr int64_t kMostAsked = 10;  // by the graphs of tables: fewer are cut from these
  const NearestKey key{view, options.euclidean, std::max(options.k, kMostAsked)};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = nearest_.find(key); found != nearest_.end()) return found->second;
  }
  std::optional<NearestRows> found;
  if (const auto* rows = options.euclidean ? nullptr : held(view)) {
    found = rank_nearest(*rows, std::get<2>(key));
  }
  if (!found) {
    found = rank_nearest(views_.get(view), options.euclidean, std::get<2>(key), context);
  }
  auto ranked = std::make_shared<const NearestRows>(*std::move(found));
  const std::scoped_lock lock(mutex_);
  return nearest_.emplace(key, std::move(ranked)).first->second;
}

}  // namespace glgnn
