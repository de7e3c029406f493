#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/hops.h"

namespace glgnn {
namespace {

// Finds the near rows of one row after another; holds the scratch of one thread.
class ShellSearch {
 public:
  ShellSearch(PatternView graph, int64_t hops)
      : graph_(graph), hops_(hops), distance_(graph.rows + kWord, 0) {}

  // Appends the columns (ascending) and distances of row i.
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
  std::vector<uint8_t> distance_;  // of each row from the one at hand; 0: not found
  std::vector<int32_t> found_;
};

// The same with a bit for each pair of rows: a step of the search joins whole rows of bits at once.
class BitShellSearch {
 public:
  // 2 MB of bits; memory must not grow with the square of N beyond that.
  static constexpr int64_t kMostRows = 4096;

  explicit BitShellSearch(PatternView graph)
      : rows_(graph.rows), words_((graph.rows + 63) / 64), bits_(rows_ * words_, 0) {
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t e = graph.row_ptr[i]; e < graph.row_ptr[i + 1]; ++e) {
        bits_[i * words_ + graph.col[e] / 64] |= bit(graph.col[e]);
      }
    }
  }

  struct Scratch {
    std::vector<uint64_t> reached, frontier, next;
    std::vector<uint8_t> distance;
  };
  Scratch make_scratch() const {
    return {std::vector<uint64_t>(words_), std::vector<uint64_t>(words_),
            std::vector<uint64_t>(words_), std::vector<uint8_t>(rows_)};
  }

  void append_row(int64_t i, int64_t hops, Scratch& s, std::vector<int32_t>& columns,
                  std::vector<uint8_t>& distances) const {
    std::fill(s.reached.begin(), s.reached.end(), 0);
    std::fill(s.frontier.begin(), s.frontier.end(), 0);
    s.reached[i / 64] = s.frontier[i / 64] = bit(i);
    for (int64_t distance = 1; distance <= hops; ++distance) {
      std::fill(s.next.begin(), s.next.end(), 0);
      for_each_bit(s.frontier, [&](int64_t j) {
        const uint64_t* row = bits_.data() + j * words_;
        for (int64_t w = 0; w < words_; ++w) s.next[w] |= row[w];
      });
      for (int64_t w = 0; w < words_; ++w) {
        s.frontier[w] = s.next[w] & ~s.reached[w];
        s.reached[w] |= s.next[w];
      }
      for_each_bit(s.frontier, [&](int64_t j) { s.distance[j] = static_cast<uint8_t>(distance); });
    }
    s.reached[i / 64] &= ~bit(i);
    for_each_bit(s.reached, [&](int64_t j) {
      columns.push_back(static_cast<int32_t>(j));
      distances.push_back(s.distance[j]);
    });
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

// Rows are searched in blocks by several threads and put together in order; each thread has a
// search of its own, a function (row, columns, distances) that appends what it finds.
template <class MakeSearch>
HopPairs search_blocks(PatternView graph, int64_t hops, int threads, MakeSearch&& make_search) {
  constexpr int64_t kBlock = 256;
  struct Block {
    std::vector<int32_t> columns;
    std::vector<uint8_t> distances;
    std::vector<int64_t> sizes;
  };
  const int64_t block_count = (graph.rows + kBlock - 1) / kBlock;
  std::vector<Block> blocks(block_count);
#pragma omp parallel num_threads(threads) if (block_count > 1)
  {
    auto append_row = make_search();
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
  HopPairs out;
  out.hops = hops;
  out.near.rows = out.near.cols = graph.rows;
  out.near.row_ptr.reserve(graph.rows + 1);
  for (const Block& block : blocks) {
    for (const int64_t size : block.sizes) {
      out.near.row_ptr.push_back(out.near.row_ptr.back() + size);
    }
  }
  out.near.col.reserve(out.near.row_ptr.back());
  out.distance.reserve(out.near.row_ptr.back());
  for (const Block& block : blocks) {
    out.near.col.insert(out.near.col.end(), block.columns.begin(), block.columns.end());
    out.distance.insert(out.distance.end(), block.distances.begin(), block.distances.end());
  }
  return out;
}

}  // namespace

HopPairs hop_shells(PatternView graph, int64_t hops, int threads) {
  if (graph.rows <= BitShellSearch::kMostRows) {
    const BitShellSearch search(graph);
    return search_blocks(graph, hops, threads, [&] {
      return [&search, hops, scratch = search.make_scratch()](int64_t i, auto& columns,
                                                              auto& distances) mutable {
        search.append_row(i, hops, scratch, columns, distances);
      };
    });
  }
  return search_blocks(graph, hops, threads, [&] {
    return [search = ShellSearch(graph, hops)](int64_t i, auto& columns, auto& distances) mutable {
      search.append_row(i, columns, distances);
    };
  });
}

HopPairs hop_powers(PatternView graph, const float* values, int64_t hops) {
  HopPairs out;
  out.hops = hops;
  out.near.rows = out.near.cols = graph.rows;
  // reach[l * N + j]: entry (i, j) of A^(l + 1), for the row i at hand.
  std::vector<float> reach(hops * graph.rows, 0.0f);
  std::vector<uint8_t> seen(graph.rows, 0);
  std::vector<int32_t> found;
  for (int64_t i = 0; i < graph.rows; ++i) {
    found.clear();
    const auto spread = [&](int64_t from, float weight, int64_t level) {
      for (int64_t e = graph.row_ptr[from]; e < graph.row_ptr[from + 1]; ++e) {
        const int32_t to = graph.col[e];
        reach[level * graph.rows + to] += weight * values[e];
        if (!seen[to]) seen[to] = 1, found.push_back(to);
      }
    };
    spread(i, 1.0f, 0);
    for (int64_t level = 1; level < hops; ++level) {
      const size_t known = found.size();
      for (size_t p = 0; p < known; ++p) {
        const float weight = reach[(level - 1) * graph.rows + found[p]];
        if (weight != 0.0f) spread(found[p], weight, level);
      }
    }
    std::sort(found.begin(), found.end());
    for (const int32_t j : found) {
      seen[j] = 0;
      if (j != i) out.near.col.push_back(j);
      for (int64_t level = 0; level < hops; ++level) {
        if (j != i) out.coefficients.push_back(reach[level * graph.rows + j]);
        reach[level * graph.rows + j] = 0.0f;
      }
    }
    out.near.row_ptr.push_back(out.near.nnz());
  }
  return out;
}

void find_near(int64_t* near_of_kept, PatternView kept, PatternView near) {
  for (int64_t i = 0; i < kept.rows; ++i) {
    const int32_t* begin = near.rows ? near.col + near.row_ptr[i] : nullptr;
    const int32_t* end = near.rows ? near.col + near.row_ptr[i + 1] : nullptr;
    // Step by step where the near pairs are not many more than the kept ones.
    const bool walk = end - begin < 16 * kept.row_size(i);
    for (int64_t e = kept.row_ptr[i]; e < kept.row_ptr[i + 1]; ++e) {
      if (walk) {
        while (begin != end && *begin < kept.col[e]) ++begin;
      } else {
        begin = std::lower_bound(begin, end, kept.col[e]);
      }
      const bool found = begin != end && *begin == kept.col[e];
      near_of_kept[e] = found ? begin - near.col : -1;
    }
  }
}

}  // namespace glgnn
