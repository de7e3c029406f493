#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/parallel.h"
#include "kernels/hops.h"

namespace glgnn {
namespace {

// Finds the near rows of one row after another; holds the scratch of one thread.
class ShellSearch {
 public:
  ShellSearch(PatternView graph, int64_t hops, bool lists_far)
      : graph_(graph), hops_(hops), lists_far_(lists_far), distance_(graph.rows + kWord, 0) {}

  // Appends the columns (ascending) and distances of the pairs of row i to be listed: those within
  // reach, or all but those of distance `hops`.
  void append_row(int64_t i, std::vector<int32_t>& columns, std::vector<uint8_t>& distances) {
    found_.clear();
    distance_[i] = kSelf;
    size_t level_begin = 0;
    expand(i, 1);
    for (int64_t distance = 2; distance <= hops_; ++distance) {
      const size_t level_end = found_.size();
      for (size_t p = level_begin; p < level_end; ++p) expand(found_[p], distance);
      level_begin = level_end;
    }
    distance_[i] = 0;
    if (lists_far_) {
      append_others(columns, distances);
      return;
    }
    put_in_order();
    for (const int32_t column : found_) {
      columns.push_back(column);
      distances.push_back(distance_[column]);
      distance_[column] = 0;
    }
  }

 private:
  static constexpr uint8_t kSelf = 255;
  static constexpr int64_t kWord = sizeof(uint64_t);

  void expand(int64_t from, int64_t distance) {
    for (int64_t e = graph_.row_ptr[from]; e < graph_.row_ptr[from + 1]; ++e) {
      const int32_t to = graph_.col[e];
      if (distance_[to]) continue;
      distance_[to] = static_cast<uint8_t>(distance);
      found_.push_back(to);
    }
  }

  void append_others(std::vector<int32_t>& columns, std::vector<uint8_t>& distances) {
    for (int64_t j = 0; j < graph_.rows; ++j) {
      if (distance_[j] == hops_) continue;
      columns.push_back(static_cast<int32_t>(j));
      distances.push_back(static_cast<uint8_t>(distance_[j] ? distance_[j] : hops_ + 1));
    }
    for (const int32_t column : found_) distance_[column] = 0;
  }

  // Many found: reading the marks in order, a word at a time, is cheaper than sorting.
  void put_in_order() {
    if (static_cast<int64_t>(found_.size()) * 2 * kWord < graph_.rows) {
      std::sort(found_.begin(), found_.end());
      return;
    }
    found_.clear();
    for (int64_t begin = 0; begin < graph_.rows; begin += kWord) {
      uint64_t marks;
      std::memcpy(&marks, distance_.data() + begin, kWord);
      for (; marks; marks &= ~(0xffull << (std::countr_zero(marks) & ~7))) {
        found_.push_back(static_cast<int32_t>(begin + std::countr_zero(marks) / 8));
      }
    }
  }

  PatternView graph_;
  int64_t hops_;
  bool lists_far_;
  std::vector<uint8_t> distance_;  // of each row from the one at hand; 0: not found
  std::vector<int32_t> found_;
};

// The same with a bit for each pair of rows: a step of the search joins whole rows of bits at once.
class BitShellSearch {
 public:
  // 32 MB of bits; memory must not grow with the square of N beyond that.
  static constexpr int64_t kMostRows = 16384;

  explicit BitShellSearch(PatternView graph)
      : rows_(graph.rows), words_((graph.rows + 63) / 64), bits_(rows_ * words_, 0) {
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t e = graph.row_ptr[i]; e < graph.row_ptr[i + 1]; ++e) {
        bits_[i * words_ + graph.col[e] / 64] |= bit(graph.col[e]);
      }
    }
  }

  struct Scratch {
    std::vector<uint64_t> reached, frontier, next, listed;
    std::vector<uint8_t> distance;  // of the row at hand: `hops` unless the row is nearer
    std::vector<int32_t> nearer;    // rows whose distance is not `hops`
    std::vector<int32_t> columns;   // what a row finds, before it is appended
    std::vector<uint8_t> distances;
  };
  Scratch make_scratch(int64_t hops) const {
    const std::vector<uint64_t> none(words_);
    return {none,
            none,
            none,
            none,
            std::vector<uint8_t>(rows_, static_cast<uint8_t>(hops)),
            {},
            std::vector<int32_t>(rows_),
            std::vector<uint8_t>(rows_)};
  }

  void append_row(int64_t i, int64_t hops, bool lists_far, Scratch& s,
                  std::vector<int32_t>& columns, std::vector<uint8_t>& distances) const {
    std::fill(s.reached.begin(), s.reached.end(), 0);
    std::fill(s.listed.begin(), s.listed.end(), 0);
    std::fill(s.frontier.begin(), s.frontier.end(), 0);
    s.reached[i / 64] = s.frontier[i / 64] = bit(i);
    uint8_t* known = s.distance.data();
    uint64_t* next = s.next.data();
    for (int64_t distance = 1; distance <= hops; ++distance) {
      std::fill(s.next.begin(), s.next.end(), 0);
      for_each_bit(s.frontier, [&](int64_t j) {
        const uint64_t* row = bits_.data() + j * words_;
        for (int64_t w = 0; w < words_; ++w) next[w] |= row[w];
      });
      for (int64_t w = 0; w < words_; ++w) {
        s.frontier[w] = next[w] & ~s.reached[w];
        s.reached[w] |= next[w];
      }
      if (distance == hops) break;  // the last shell, by far the largest, is not marked
      for_each_bit(s.frontier, [&](int64_t j) {
        known[j] = static_cast<uint8_t>(distance);
        s.nearer.push_back(static_cast<int32_t>(j));
      });
      for (int64_t w = 0; w < words_; ++w) s.listed[w] |= s.frontier[w];
    }
    s.reached[i / 64] &= ~bit(i);
    for (int64_t w = 0; w < words_; ++w) {
      s.listed[w] = lists_far ? s.listed[w] | ~s.reached[w] : s.reached[w];
    }
    if (rows_ % 64 != 0) s.listed[words_ - 1] &= bit(rows_) - 1;
    int32_t* column = s.columns.data();
    uint8_t* distance = s.distances.data();
    const auto far = static_cast<uint8_t>(hops + 1);
    for_each_bit(s.listed, [&](int64_t j) {
      *column++ = static_cast<int32_t>(j);
      *distance++ = s.reached[j / 64] & bit(j) ? known[j] : far;
    });
    columns.insert(columns.end(), s.columns.data(), column);
    distances.insert(distances.end(), s.distances.data(), distance);
    for (const int32_t j : s.nearer) known[j] = static_cast<uint8_t>(hops);
    s.nearer.clear();
  }

 private:
  static uint64_t bit(int64_t j) { return uint64_t{1} << (j % 64); }

  template <class Use>
  static void for_each_bit(const std::vector<uint64_t>& set, Use&& use) {
    for (size_t w = 0; w < set.size(); ++w) {
      for (uint64_t rest = set[w]; rest; rest &= rest - 1) {
        use(static_cast<int64_t>(64 * w) + std::countr_zero(rest));
      }
    }
  }

  int64_t rows_, words_;
  std::vector<uint64_t> bits_;
};

// Whether more pairs are at distance `hops` than farther, by rows spread evenly.
template <class MakeSearch>
bool last_shell_is_larger(int64_t rows, int64_t hops, MakeSearch&& make_search) {
  constexpr int64_t kRows = 64;
  auto append_row = make_search(false);
  int64_t last = 0, farther = 0;
  for (int64_t i = 0; i < rows; i += std::max<int64_t>(1, rows / kRows)) {
    std::vector<int32_t> columns;
    std::vector<uint8_t> distances;
    append_row(i, columns, distances);
    last += std::count(distances.begin(), distances.end(), static_cast<uint8_t>(hops));
    farther += rows - 1 - static_cast<int64_t>(columns.size());
  }
  return last > farther;
}

// Rows are searched in blocks by several threads and put together in order; each thread has a
// search of its own, a function (row, columns, distances) that appends what is to be listed.
template <class MakeSearch>
HopPairs search_blocks(PatternView graph, int64_t hops, int threads, HopPairs out,
                       MakeSearch&& make_search) {
  const bool lists_far = last_shell_is_larger(graph.rows, hops, make_search);
  constexpr int64_t kBlock = 128;
  struct Block {
    std::vector<int32_t> columns;
    std::vector<uint8_t> distances;
    std::vector<int64_t> sizes;
  };
  const int64_t block_count = (graph.rows + kBlock - 1) / kBlock;
  std::vector<Block> blocks(block_count);
#pragma omp parallel num_threads(threads) if (block_count > 1)
  {
    auto append_row = make_search(lists_far);
#pragma omp for schedule(dynamic)
    for (int64_t b = 0; b < block_count; ++b) {
      const int64_t end = std::min(graph.rows, (b + 1) * kBlock);
      for (int64_t i = b * kBlock; i < end; ++i) {
        const size_t before = blocks[b].columns.size();
        append_row(i, blocks[b].columns, blocks[b].distances);
        blocks[b].sizes.push_back(static_cast<int64_t>(blocks[b].columns.size() - before));
      }
    }
  }
  out.hops = hops;
  out.unlisted = lists_far ? hops - 1 : hops;
  out.near.rows = out.near.cols = graph.rows;
  out.near.row_ptr.assign(1, 0);
  out.near.row_ptr.reserve(graph.rows + 1);
  for (const Block& block : blocks) {
    for (const int64_t size : block.sizes) {
      out.near.row_ptr.push_back(out.near.row_ptr.back() + size);
    }
  }
  out.near.col.resize(out.near.row_ptr.back());
  out.distance.resize(out.near.row_ptr.back());
  for_fixed_pieces(block_count, 1, threads, [&](int64_t b, int64_t, int64_t) {
    const int64_t to = out.near.row_ptr[b * kBlock];
    std::copy(blocks[b].columns.begin(), blocks[b].columns.end(), out.near.col.begin() + to);
    std::copy(blocks[b].distances.begin(), blocks[b].distances.end(), out.distance.begin() + to);
  });
  return out;
}

}  // namespace

HopPairs hop_shells(PatternView graph, int64_t hops, int threads, HopPairs room) {
  if (graph.rows <= BitShellSearch::kMostRows) {
    const BitShellSearch search(graph);
    return search_blocks(graph, hops, threads, std::move(room), [&](bool lists_far) {
      return [&search, hops, lists_far, scratch = search.make_scratch(hops)](
                 int64_t i, auto& columns, auto& distances) mutable {
        search.append_row(i, hops, lists_far, scratch, columns, distances);
      };
    });
  }
  return search_blocks(graph, hops, threads, std::move(room), [&](bool lists_far) {
    return [search = ShellSearch(graph, hops, lists_far)](int64_t i, auto& columns,
                                                          auto& distances) mutable {
      search.append_row(i, columns, distances);
    };
  });
}

}  // namespace glgnn
