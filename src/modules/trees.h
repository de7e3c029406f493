// Boosted trees: cuts of single columns, one after another, as a table's rules are: "more than two
// calls, and no plan". Each tree corrects the sum of those before it,
//
//   f(x)_c = start_c + sum over trees of v_c of the leaf that x falls into,   p = softmax(f)
//
// by the gradient of the cross-entropy (Friedman, Annals of Statistics 29, 2001), on rows and
// columns that are drawn for it; a tree has one value for each class in every leaf. Numbers are
// compared by their place among at most kMostCuts cuts of the column. Cost O(T F C) for each level
// of a tree.
#pragma once

#include <glgnn/config.h>
#include <glgnn/matrix.h>
#include <glgnn/trainer.h>

#include <cstdint>
#include <vector>

#include "core/rng.h"
#include "modules/kind.h"

namespace glgnn {

struct TreesOptions {
  static constexpr const char* kName = "trees";
  int64_t count = 150;
  int64_t leaves = 16;  // of each tree
  int64_t least = 5;    // training rows in a leaf
  double rate = 0.1;    // how much of a tree is believed
  Smoothing smoothing = {};
  uint64_t seed = 0;

  std::vector<Stage> run_round(const RoundWork& work) const;
  void finish(KindState&, const Matrix&, const RoundWork&) const {}
  void describe(ModuleNote& note) const;
  bool is_left_out(const Config& config) const;
  void apply(const Config& config);
};

// All trees in one list of nodes; a child comes after its parent.
struct Trees {
  std::vector<int32_t> roots;    // of each tree
  std::vector<int32_t> column;   // that a node cuts; -1: a leaf
  std::vector<float> threshold;  // at most this: to the first child; 0 in a leaf
  std::vector<int32_t> next;  // the first child, the other one follows it; a leaf's row of values
  Matrix values;              // leaves x C
  Matrix start;               // 1 x C

  // The row of values that a row of numbers falls to in a tree.
  int64_t leaf(int32_t root, const float* x) const {
    int32_t at = root;
    while (column[at] >= 0) at = next[at] + (x[column[at]] > threshold[at]);
    return next[at];
  }

  template <class Archive, class T>
  static void walk(Archive& archive, T& trees) {
    archive(trees.roots);
    archive(trees.column);
    archive(trees.threshold);
    archive(trees.next);
    archive(trees.values);
    archive(trees.start);
  }
};

struct TreesState {
  static constexpr bool kInLogits = false;
  View input = View::kRaw;
  Trees trees;

  template <class Archive, class State>
  static void walk(Archive& archive, State& state) {
    walk_view(archive, state.input);
    Trees::walk(archive, state.trees);
  }
  void check(const std::string& what, const StateShape& fitted) const;
  void add_views(std::set<View>& views) const { views.insert(input); }
  Matrix logits(const RowViews& rows) const;
};

// What is learned from the training rows of x, which is dense: the trees, and by how much the cuts
// of each column lowered the loss.
struct GrownTrees {
  Trees trees;
  std::vector<double> gain;
};
GrownTrees grow_trees(const Features& x, const Problem& problem, const TreesOptions& options,
                      const Rng& rng, int threads = 1);

// f of each row of x by the first `count` trees.
Matrix tree_logits(const Trees& trees, int64_t count, const Matrix& x, int threads = 1);
// The first `count` trees alone.
Trees first_trees(const Trees& trees, int64_t count);

}  // namespace glgnn
