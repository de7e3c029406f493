// What the classes of a row's neighbours say of its own class.
//
// A block model of the given graph with degrees (Karrer and Newman, Physical Review E 83, 2011): an
// edge joins classes c and c' R_cc' times as often as chance would. The classes follow by belief
// propagation, R by expectation maximisation (Decelle and others, Physical Review E 84, 2011), both
// from what the features say of each row. R may be large on its diagonal, beside it, or about 1: a
// graph whose edges join like rows, unlike rows, or any rows.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/validate.h"
#include "kernels/edges.h"
#include "modules/module.h"

namespace glgnn {
namespace {

constexpr int kRounds = 40;          // of R and of the messages, at the most
constexpr int kSweeps = 2;           // over all messages for each R
constexpr float kStill = 1e-3f;      // beliefs that move less have settled
constexpr float kLeastOwn = 1e-6f;   // no row's features are surer than this
constexpr float kOfAnother = 1e-9f;  // a label's probability of another class
constexpr float kLeastSaid = 1e-6f;  // by an edge of a class that never has such edges
constexpr int64_t kRows = 1024;      // of a piece, at the least
constexpr int64_t kMostCounts = int64_t{1} << 22;  // of pairs of classes, in all pieces

// Weights count as parts of an edge: 1 from the middle one on, because some graphs count meetings
// or money, and one heavy edge must not outvote all others.
std::vector<float> parts_of_edges(const Csr& graph) {
  std::vector<float> sorted = graph.values, parts = graph.values;
  if (sorted.empty()) return parts;
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  for (float& part : parts) part = *middle > 0 ? std::min(1.0f, part / *middle) : 1.0f;
  return parts;
}

// Scaled to sum 1.
template <class Number>
void normalise(Number* p, int64_t classes) {
  const Number sum = std::accumulate(p, p + classes, Number{0});
  for (int64_t c = 0; c < classes; ++c) p[c] /= sum;
}

class Messages {
 public:
  Messages(const Matrix& own, const Csr& graph, const Problem& problem, int threads)
      : pattern_(*graph.pattern),
        back_(transpose(pattern_.view(), threads).source),
        part_(parts_of_edges(graph)),
        threads_(threads),
        classes_(own.cols()),
        own_(own.rows(), own.cols()),
        said_(pattern_.nnz(), own.cols()),
        without_(pattern_.nnz(), own.cols()),
        belief_(own.rows(), own.cols()),
        ratio_(static_cast<size_t>(classes_ * classes_), 1.0f) {
    for (int64_t e = 0; e < own.size(); ++e) {
      own_.data()[e] = std::max(kLeastOwn, own.data()[e]);
    }
    for (const int32_t i : problem.train) {
      std::fill_n(own_[i], classes_, kOfAnother);
      own_[i][problem.labels[i]] = 1;
    }
    said_.fill(1);
    believe();
  }

  Mixed run() {
    for (int round = 0; round < kRounds; ++round) {
      learn_ratio();
      float moved = 0;
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        // Half of what was said before stays: without it messages may swing for ever.
        say(round + sweep == 0 ? 1.0f : 0.5f);
        moved = std::max(moved, believe());
      }
      if (moved < kStill) break;
    }
    Matrix ratio(classes_, classes_);
    std::copy(ratio_.begin(), ratio_.end(), ratio.data());
    return {std::move(belief_), std::move(ratio)};
  }

 private:
  template <class Work>
  void for_rows(const Work& work) {
    for_row_ranges(pattern_.rows, 8 * pattern_.nnz() * classes_, threads_,
                   [&](int64_t first, int64_t last) {
                     for (int64_t i = first; i < last; ++i) work(i);
                   });
  }

  // The entry e of row i and column j holds what j says to i. What row i believes, and what it
  // would believe without j; the largest change of a belief.
  float believe() {
    std::vector<float> moved(static_cast<size_t>(pattern_.rows), 0.0f);
    float* const without = without_.data();
    for_rows([&](int64_t i) {
      constexpr int64_t kSafe = 16;  // so many factors are far from the limits of a double
      std::vector<double> all(own_[i], own_[i] + classes_), others(all.size());
      for (int64_t e = pattern_.row_ptr[i]; e < pattern_.row_ptr[i + 1]; ++e) {
        const float* const said = at(said_, e);
        for (int64_t c = 0; c < classes_; ++c) all[c] *= said[c];
        if (e % kSafe == 0) normalise(all.data(), classes_);
      }
      normalise(all.data(), classes_);
      for (int64_t e = pattern_.row_ptr[i]; e < pattern_.row_ptr[i + 1]; ++e) {
        const float* const said = at(said_, e);
        for (int64_t c = 0; c < classes_; ++c) others[c] = all[c] / said[c];
        normalise(others.data(), classes_);
        std::copy(others.begin(), others.end(), without + e * classes_);
      }
      for (int64_t c = 0; c < classes_; ++c) {
        const auto now = static_cast<float>(all[c]);
        moved[i] = std::max(moved[i], std::abs(now - belief_[i][c]));
        belief_[i][c] = now;
      }
    });
    return moved.empty() ? 0 : *std::max_element(moved.begin(), moved.end());
  }

  // What j says to i: sum_c' R_cc' times what j believes without i. Where the edge may be one of
  // chance, by as much less.
  void say(float news) {
    float* const all_said = said_.data();
    for_rows([&](int64_t i) {
      for (int64_t e = pattern_.row_ptr[i]; e < pattern_.row_ptr[i + 1]; ++e) {
        const float* const there = at_other_end(e);
        float* const said = all_said + e * classes_;
        for (int64_t c = 0; c < classes_; ++c) {
          const float says = 1 + part_[e] * (of_class(c, there) - 1);
          said[c] += news * (std::max(kLeastSaid, says) - said[c]);
        }
      }
    });
  }

  const float* at(const Matrix& m, int64_t e) const { return m.data() + e * classes_; }

  // What the row of e's column believes without e's row. Other ends lie far apart in memory: one
  // that comes soon is fetched meanwhile.
  const float* at_other_end(int64_t e) const {
    constexpr int64_t kAhead = 16;
    __builtin_prefetch(at(without_, back_[std::min(e + kAhead, std::ssize(back_) - 1)]));
    return at(without_, back_[e]);
  }

  float of_class(int64_t c, const float* there) const {
    float sum = 0;
    for (int64_t d = 0; d < classes_; ++d) sum += ratio_[c * classes_ + d] * there[d];
    return sum;
  }

  // How often edges join each two classes, beside chance; counted from as many edges of chance as
  // there are pairs of classes.
  void learn_ratio() {
    const int64_t pairs = classes_ * classes_;
    const int64_t most_pieces = std::max<int64_t>(1, kMostCounts / pairs);
    const int64_t rows = std::max(kRows, (pattern_.rows + most_pieces - 1) / most_pieces);
    std::vector<std::vector<double>> pieces((pattern_.rows + rows - 1) / rows);
    for_fixed_pieces(pattern_.rows, rows, threads_, [&](int64_t p, int64_t first, int64_t last) {
      std::vector<double>& sum = pieces[p];
      sum.assign(static_cast<size_t>(pairs), 0.0);
      for (int64_t i = first; i < last; ++i) {
        for (int64_t e = pattern_.row_ptr[i]; e < pattern_.row_ptr[i + 1]; ++e) {
          const float *const here = at(without_, e), *const there = at_other_end(e);
          float all = 0;
          for (int64_t c = 0; c < classes_; ++c) all += here[c] * of_class(c, there);
          if (all <= 0) continue;
          for (int64_t c = 0; c < classes_; ++c) {
            const float times = part_[e] * here[c] / all;
            for (int64_t d = 0; d < classes_; ++d) sum[c * classes_ + d] += times * there[d];
          }
        }
      }
    });
    std::vector<double> joint(static_cast<size_t>(pairs), 0.0), ends(classes_, 0.0);
    double all = 0;
    for (const std::vector<double>& piece : pieces) {
      for (int64_t at = 0; at < pairs; ++at) joint[at] += ratio_[at] * piece[at];
    }
    for (int64_t at = 0; at < pairs; ++at) ends[at / classes_] += joint[at], all += joint[at];
    if (all <= 0) return;
    for (int64_t c = 0; c < classes_; ++c) {
      for (int64_t d = 0; d < classes_; ++d) {
        const double chance = ends[c] * ends[d] / (all * all);
        const int64_t at = c * classes_ + d;
        const double both = 0.5 * (joint[at] + joint[d * classes_ + c]);
        const auto counted = static_cast<double>(pairs);
        ratio_[at] =
            static_cast<float>(chance > 0 ? (both / chance + counted) / (all + counted) : 1);
      }
    }
  }

  const Pattern& pattern_;
  std::vector<int64_t> back_;  // of the entry of j to i, that of i to j
  std::vector<float> part_;
  int threads_;
  int64_t classes_;
  Matrix own_;      // N x C
  Matrix said_;     // E x C, around 1
  Matrix without_;  // E x C: what the row of the entry believes without that of its column
  Matrix belief_;   // N x C
  std::vector<float> ratio_;
};

}  // namespace

bool can_mix(const Csr& graph, int64_t classes) {
  constexpr int64_t kMostMessages = int64_t{1} << 24;  // numbers; two such arrays are made
  constexpr int64_t kMostWork = int64_t{1} << 27;      // products of a sweep
  return graph.nnz() * classes <= kMostMessages && graph.nnz() * classes * classes <= kMostWork;
}

Mixed mix_classes(const Matrix& own, const Csr& graph, const Problem& problem, int threads) {
  return Messages(own, graph, problem, threads).run();
}

void check_mixing(const std::string& what, const Matrix& ratio, int64_t classes) {
  constexpr double kMost = 1e12;  // far above what any count of edges gives
  if (ratio.empty()) return;
  check_matrix(what, ratio, classes, classes);
  for (int64_t e = 0; e < ratio.size(); ++e) check_number(what, ratio.data()[e], 0, kMost);
}

Csr heard_edges(const Csr& given, int threads) {
  const NearestRows none{0, {}, std::vector<int64_t>(given.rows(), 0)};
  const NearestRows* const votes[] = {&none};
  const Csr parts{given.pattern, parts_of_edges(given)};
  return join_votes(votes, &parts, {.k = 0, .self_weight = 1}, threads);
}

Matrix said_by_neighbours(const Matrix& beliefs, const Matrix& ratio, int32_t row,
                          std::span<const int32_t> neighbours, std::span<const float> parts) {
  constexpr int kSteps = 20;
  const int64_t classes = beliefs.cols();
  // What `from` believes without what it was told, and what that says to its neighbour.
  const auto answer = [&](const float* from, const std::vector<double>& told) {
    std::vector<double> without(static_cast<size_t>(classes)), said(without.size(), 0.0);
    for (int64_t c = 0; c < classes; ++c) without[c] = std::max(kLeastOwn, from[c]) / told[c];
    normalise(without.data(), classes);
    for (int64_t c = 0; c < classes; ++c) {
      for (int64_t d = 0; d < classes; ++d) said[c] += double{ratio[c][d]} * without[d];
    }
    return said;
  };
  const auto weighed = [](std::vector<double> said, double part) {
    for (double& one : said) one = std::max<double>(kLeastSaid, 1 + part * (one - 1));
    return said;
  };
  Matrix out(std::ssize(neighbours), classes);
  for (int64_t e = 0; e < out.rows(); ++e) {
    // Each of the two has heard the other: both messages follow from both beliefs.
    std::vector<double> there(static_cast<size_t>(classes), 1.0), said;
    for (int step = 0; step < kSteps; ++step) {
      said = answer(beliefs[neighbours[e]], there);
      there = weighed(answer(beliefs[row], weighed(said, parts[e])), parts[e]);
    }
    std::copy(said.begin(), said.end(), out[e]);
  }
  return out;
}

void hear(float* p, const Matrix& said, std::span<const float> parts) {
  std::vector<double> logs(static_cast<size_t>(said.cols()));
  for (int64_t c = 0; c < said.cols(); ++c) {
    logs[c] = std::log(double{std::max(kLeastOwn, p[c])});
    for (int64_t e = 0; e < said.rows(); ++e) {
      logs[c] += std::log(std::max<double>(kLeastSaid, 1 + parts[e] * (said[e][c] - 1.0)));
    }
  }
  const double most = *std::ranges::max_element(logs);
  for (int64_t c = 0; c < said.cols(); ++c) p[c] = static_cast<float>(std::exp(logs[c] - most));
  normalise(p, said.cols());
}

}  // namespace glgnn
