// What the modules of a fit share, whatever the labels: the views, and graphs made from features
// alone. All folds share one.
#pragma once

#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/dataset.h>

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "modules/row_graph.h"
#include "modules/views.h"

namespace glgnn {

class SharedInputs {
 public:
  // Features as read from the file, and the given graph or null; both must outlive this.
  SharedInputs(const Features& features, const Csr* graph, const Context& context);

  const Features& features() const { return features_; }
  const Features& view(View view) { return views_.get(view); }
  const cuda::HeldMatrix* held(View view) { return views_.held(view); }
  // Some rows of a view that is made of each row alone.
  Features rows(View view, const std::vector<int32_t>& rows) { return views_.rows(view, rows); }
  // What a view that is made of each row alone learns, ahead of its use.
  void learn(View view) { views_.rule(view); }
  // What a model keeps of these views.
  std::shared_ptr<const FittedViews> fitted_views(const std::set<View>& views) {
    return std::make_shared<const FittedViews>(views_.fitted(views));
  }
  // Whether some of the given edges look random (edge_trust.cpp).
  bool graph_is_doubtful(const Context& context);
  // The given graph with the edges that are asked for, with all where it is not doubtful; null
  // where none is given.
  const Csr* given_graph(GivenEdges edges, const Context& context);
  // Compares the rows for first_graph(), with all threads.
  void compare_rows(const std::vector<View>& views, const RowGraphOptions& options,
                    const Context& context);
  // The graph of a module before anything is learned; safe to call from several threads.
  std::shared_ptr<const Csr> first_graph(const std::vector<View>& views,
                                         const RowGraphOptions& options, const Context& context);
  // What several modules make alike: make() is called for the first that asks with this key.
  template <class T, class Make>
  std::shared_ptr<const T> once(const std::string& key, const Make& make) {
    Once* wanted = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      wanted = &once_[key];
    }
    std::call_once(wanted->made, [&] { wanted->value = std::make_shared<const T>(make()); });
    return std::static_pointer_cast<const T>(wanted->value);
  }
  // Makes such graphs beside the caller's work; until all are there others that ask for one wait.
  // The caller keeps what is given back until then.
  struct GraphWish {
    std::vector<View> views;
    RowGraphOptions options;
  };
  std::future<void> make_graphs_beside(std::vector<GraphWish> wishes, const Context& context);

 private:
  // The view, whether by distance, and how many: what a list of nearest rows depends on.
  using NearestKey = std::tuple<View, bool, int64_t>;

  std::shared_ptr<const NearestRows> nearest_rows(View view, const RowGraphOptions& options,
                                                  const Context& context);

  const Features& features_;
  const Csr* graph_;
  std::once_flag doubted_;
  TrustedEdges trusted_;
  Views views_;
  std::mutex mutex_;
  struct Graph {
    std::once_flag made;
    std::shared_ptr<const Csr> graph;
    std::shared_future<void> coming;  // where it is made beside; else empty
  };
  Graph& graph_of(const std::vector<View>& views, const RowGraphOptions& options, const Csr* given);

  std::map<std::string, Graph> graphs_;
  struct Once {
    std::once_flag made;
    std::shared_ptr<const void> value;
  };
  std::map<std::string, Once> once_;
  std::map<NearestKey, std::shared_ptr<const NearestRows>> nearest_;
};

}  // namespace glgnn
