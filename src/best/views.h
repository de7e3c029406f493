// Views: the features prepared in different ways; a module compares rows in one or several of them.
#pragma once

#include <glgnn/dataset.h>

#include <map>
#include <mutex>
#include <string>

namespace glgnn {

enum class View {
  kRaw,       // divided by the largest number: for columns that share a scale, such as pixels
  kStandard,  // z-scores of the columns
  kRank,      // normal scores of each column's ranks: no outlier, no skew
  kUnit,      // rows of length 1
  kTfidf,     // rare features count more, rows of length 1
  kSvd16,     // the leading singular directions of the base view (tfidf if sparse, else standard)
  kSvd32,
  kSvd64,
};

// Sparse features of so few columns are dense in the views kStandard and kRank. Covariances of more
// columns than this take too long.
inline constexpr int64_t kMostDenseColumns = 1000;

// The word for a view in logs.
std::string view_name(View view);

class Views {
 public:
  // Features as read from the file; they must outlive this.
  Views(const Features& raw, int threads) : raw_(raw), threads_(threads) {}

  // Made when first asked for; safe to call from several threads.
  const Features& get(View view);
  const Features& raw() const { return raw_; }

 private:
  const Features& make(View view);

  const Features& raw_;
  int threads_;
  std::recursive_mutex mutex_;
  std::map<View, Features> made_;
};

}  // namespace glgnn
