// The network of prior_network.h as a kind of module: it links the rows to those with a label as
// it has learned to on drawn tables. For few labels, where what a table is like in general tells
// more than the labels do.
#pragma once

#include <glgnn/config.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "modules/kind.h"
#include "modules/prior_network.h"

namespace glgnn {

struct PriorOptions {
  static constexpr const char* kName = "prior";
  // Beyond these it takes too long, or was never taught to answer.
  static constexpr int64_t kMostColumns = 64, kMostCells = 100'000;
  Smoothing smoothing = {};
  uint64_t seed = 0;

  std::vector<Stage> run_round(const RoundWork& work) const;
  void finish(KindState&, const Matrix&, const RoundWork&) const {}
  void describe(ModuleNote& note) const;
  bool is_left_out(const Config& config) const;
  void apply(const Config& config);
};

// One column of the table, as the network reads it, among the features.
struct PriorColumn {
  int32_t first = 0, levels = 0;  // a category has so many features; a number none of these
  int32_t gap = -1;               // the feature that says where a number is missing; -1: none
};

struct PriorState {
  static constexpr bool kInLogits = false;
  Matrix numbers, ranks;        // the labelled rows in the views kStandard and kRank, T x F
  std::vector<int32_t> labels;  // their classes
  Matrix codes;                 // F x kCode, of the features that are levels
  std::vector<int32_t> order;   // by which number the network knows each class
  Matrix offset;                // 1 x C, added to the logits
  std::vector<PriorColumn> columns;

  template <class Archive, class State>
  static void walk(Archive& archive, State& state) {
    archive(state.numbers);
    archive(state.ranks);
    archive(state.labels);
    archive(state.codes);
    archive(state.order);
    archive(state.offset);
    walk_list(archive, state.columns, [](Archive& a, auto& column) {
      a(column.first);
      a(column.levels);
      a(column.gap);
    });
  }
  void check(const std::string& what, const StateShape& fitted) const;
  void add_views(std::set<View>& views) const {
    views.insert(View::kStandard);
    views.insert(View::kRank);
  }
  Matrix logits(const RowViews& rows) const;

  // Of rows in the two views.
  Matrix logits_of(const Matrix& numbers_of_rows, const Matrix& ranks_of_rows, int threads) const;
  Matrix cells(const Matrix& numbers_of_rows, const Matrix& ranks_of_rows) const;

 private:
  // What the network keeps of the labelled rows, when it is first asked.
  struct Memory {
    std::once_flag made;
    PriorTable table;
  };
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
};

}  // namespace glgnn
