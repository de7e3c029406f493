// Views: the features prepared in different ways; a module compares rows in one or several of them.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/archive.h"
#include "kernels/dense.h"

namespace glgnn {

enum class View {
  kRaw,       // divided by the largest number: for columns that share a scale, such as pixels
  kStandard,  // z-scores of the columns
  kLevels,    // the same, but a category counts the more, the more levels it has
  kRank,      // normal scores of each column's ranks: no outlier, no skew
  kUnit,      // rows of length 1
  kTfidf,     // rare features count more, rows of length 1
  kJoined,    // the base view, each column with the columns most like it
  kSvd16,     // the leading singular directions of the base view (tfidf if sparse, else standard)
  kSvd32,
  kSvd64,
};

// Sparse features of so few columns are dense in the views kStandard and kRank. Covariances of more
// columns than this take too long.
inline constexpr int64_t kMostDenseColumns = 1000;

// The word for a view in logs and model files, and back; kData for another word.
std::string view_name(View view);
View view_named(const std::string& name);

// What rows look like in a view.
struct ViewShape {
  int64_t columns = 0;
  bool is_sparse = false;
};

// What a view has learned from the fitted rows, so that other rows are prepared alike.
struct ViewRule {
  View view = View::kRaw;
  bool stays_sparse = false;
  double largest = 0;                // kRaw
  std::vector<double> mean, spread;  // kStandard; a spread of 0: the column says nothing
  std::vector<double> rarity;        // kTfidf: by which the numbers of a column are multiplied
  struct Rank {
    float value, score;
  };
  std::vector<std::vector<Rank>> ranks;  // kRank: of each column, ascending
  Csr heard;                             // kJoined: F x F, the columns heard beside each

  template <class Archive, class Rule>
  static void walk(Archive& archive, Rule& rule);
  // Throws kData unless it can be applied to rows of this shape, whose shape in the view it gives.
  ViewShape check(const std::string& what, const ViewShape& rows) const;
};

// The rule of a view that is made of each row alone: of all but the singular directions.
ViewRule learn_view(View view, const Features& raw, int threads = 1);
// The same of kRaw or kStandard where there are no indicators, by what a device has summed up.
ViewRule learn_view(View view, const cuda::ColumnMoments& moments);
// Rows as the rule says; numbers between two that were seen get a rank between theirs.
Features apply_view(const ViewRule& rule, Features raw, int threads = 1);

// The same of some rows, dense ones.
Features rows_in_view(const ViewRule& rule, const Features& raw, const std::vector<int32_t>& rows);

// Some rows in the views that modules read.
using RowViews = std::map<View, Features>;

// How many singular directions the view keeps; 0 for views that are made by a rule.
int64_t directions_kept(View view);
// The view whose singular directions those are.
View base_view(const Features& raw);

// What a model keeps of a view, so that rows never seen are prepared as the fitted ones were.
struct FittedView {
  ViewRule rule;
  Matrix directions, scores;  // of singular directions: V, and the fitted rows in them

  // The fitted rows in this view, from the features as they were read.
  Features of_fitted(const Features& raw) const;
  template <class Archive, class V>
  static void walk(Archive& archive, V& view) {
    ViewRule::walk(archive, view.rule);
    archive(view.directions);
    archive(view.scores);
  }
};
// The bases of singular directions come before these.
struct FittedViews : std::vector<FittedView> {
  // Rows in every view.
  RowViews of_rows(const Features& rows) const;
  // Throws kData unless these can be views of the fitted rows, whose shape in each it gives.
  std::map<View, ViewShape> check(const Features& fitted) const;
};

class Views {
 public:
  // Features as read from the file; they must outlive this.
  Views(const Features& raw, const Context& context)
      : raw_(raw), threads_(context.threads), on_device_(context.device == Device::kCuda) {}

  // Made when first asked for; safe to call from several threads.
  const Features& get(View view);
  // The same on the device, where that computes and the rows are dense; else null. What each column
  // alone decides is made there, and nothing of it here.
  const cuda::HeldMatrix* held(View view);
  // Some rows in a view that is made of each row alone.
  Features rows(View view, const std::vector<int32_t>& rows);
  // What a view that is made of each row alone learns, ahead of its use.
  const ViewRule& rule(View view);
  // What a model keeps of these views.
  FittedViews fitted(const std::set<View>& views);

 private:
  // Each part is made by who asks first; others that ask wait for it, and for nothing else.
  struct Made {
    std::once_flag has_rule, has_rows, has_held;
    FittedView fitted;  // without the scores, which are the rows
    Features rows;
    std::optional<cuda::HeldMatrix> held, scores;  // scores: from when they are made until held
  };
  Made& of(View view);
  void upload();  // dense features
  void make(View view, Made& made);
  std::optional<cuda::HeldMatrix> move_to_device(View view);

  const Features& raw_;
  int threads_;
  bool on_device_;
  std::mutex mutex_;
  std::map<View, Made> made_;
  std::once_flag has_held_raw_;
  std::optional<cuda::HeldMatrix> held_raw_;  // the features as read
  cuda::ColumnMoments moments_;               // of them
};

// A view goes by its name.
template <class Archive, class V>
void walk_view(Archive& archive, V& view) {
  std::string name;
  if constexpr (!Archive::kReading) name = view_name(view);
  archive(name);
  if constexpr (Archive::kReading) view = view_named(name);
}

template <class Archive, class Rule>
void ViewRule::walk(Archive& archive, Rule& rule) {
  walk_view(archive, rule.view);
  archive(rule.stays_sparse);
  archive(rule.largest);
  archive(rule.mean);
  archive(rule.spread);
  archive(rule.rarity);
  walk_list(archive, rule.ranks, [](Archive& a, auto& ranks) {
    std::vector<float> values, scores;
    for (const Rank& rank : ranks) values.push_back(rank.value), scores.push_back(rank.score);
    a(values);
    a(scores);
    if constexpr (Archive::kReading) {
      for (size_t r = 0; r < std::min(values.size(), scores.size()); ++r) {
        ranks.push_back({values[r], scores[r]});
      }
    }
  });
  if (rule.view == View::kJoined) archive(rule.heard);
}

}  // namespace glgnn
