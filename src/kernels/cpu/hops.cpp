#include "kernels/hops.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/parallel.h"

namespace glgnn {
namespace {

constexpr uint32_t kWordStep = 64;  // what a place has for each word before it

uint32_t place_of(int64_t column) {
  return static_cast<uint32_t>(column / kMarkedColumns * kWordStep + column % kMarkedColumns);
}

void set(uint64_t* words, uint32_t place) {
  words[place / kWordStep] |= uint64_t{1} << (place % kWordStep);
}

bool is_set(const uint64_t* words, uint32_t place) {
  return words[place / kWordStep] >> (place % kWordStep) & 1;
}

// Rows are visited in order, so that each row's columns must come one after another as the rows
// that name it.
bool has_all_mirrored(const Pattern& graph) {
  std::vector<int64_t> next(graph.row_ptr.begin(), graph.row_ptr.end() - 1);
  for (int64_t i = 0; i < graph.rows; ++i) {
    for (int64_t e = graph.row_ptr[i]; e < graph.row_ptr[i + 1]; ++e) {
      int64_t& at = next[graph.col[e]];
      if (at == graph.row_ptr[graph.col[e] + 1] || graph.col[at] != i) return false;
      ++at;
    }
  }
  return true;
}

}  // namespace

HopShells::HopShells(SharedPattern graph, int64_t hops, bool knows_all)
    : graph_(std::move(graph)),
      hops_(hops),
      words_((graph_->rows + kMarkedColumns - 1) / kMarkedColumns),
      knows_all_(knows_all),
      symmetric_(!knows_all || has_all_mirrored(*graph_)),
      places_(graph_->col.size()),
      hub_of_(graph_->rows, -1) {
  std::transform(graph_->col.begin(), graph_->col.end(), places_.begin(), place_of);
  int32_t hubs = 0;
  for (int64_t i = 0; i < rows(); ++i) {
    if (graph_->view().row_size(i) > words_ / 2) hub_of_[i] = hubs++;
  }
  hub_marks_.assign(hubs * words_, 0);
  for (int64_t i = 0; i < rows(); ++i) {
    if (hub_of_[i] < 0) continue;
    uint64_t* words = hub_marks_.data() + hub_of_[i] * words_;
    for (int64_t e = graph_->row_ptr[i]; e < graph_->row_ptr[i + 1]; ++e) set(words, places_[e]);
  }
}

// Marks the neighbours of m.
void HopShells::add_row(uint64_t* to, int64_t m, int64_t first, int64_t count) const {
  if (hub_of_[m] >= 0) {
    const uint64_t* words = hub_marks_.data() + hub_of_[m] * words_ + first;
    for (int64_t w = 0; w < count; ++w) to[w] |= words[w];
    return;
  }
  const uint32_t* place = places_.data() + graph_->row_ptr[m];
  const uint32_t* end = places_.data() + graph_->row_ptr[m + 1];
  if (count == words_) {
    for (; place != end; ++place) set(to, *place);
    return;
  }
  const auto from = static_cast<uint32_t>(first * kWordStep);
  const auto until = static_cast<uint32_t>((first + count) * kWordStep);
  for (place = std::lower_bound(place, end, from); place != end && *place < until; ++place) {
    set(to, *place - from);
  }
}

RowMarks HopShells::marks(int64_t i, int64_t first, int64_t count, uint64_t* room) const {
  if (hops_ > 2) {  // what is within two steps must be known in all columns
    mark_all(i, room);
    return {room + first, words_};
  }
  std::fill(room, room + count, 0);
  add_row(room, i, first, count);
  if (hops_ == 2) {
    uint64_t* second = std::copy(room, room + count, room + count) - count;
    for (int64_t e = graph_->row_ptr[i]; e < graph_->row_ptr[i + 1]; ++e) {
      add_row(second, graph_->col[e], first, count);
    }
  }
  const int64_t own = i / kMarkedColumns - first;
  for (int64_t d = 0; d < hops_ && own >= 0 && own < count; ++d) {
    room[d * count + own] &= ~(uint64_t{1} << (i % kMarkedColumns));
  }
  return {room, count};
}

// All levels of all columns: each is the one before, and what that found first leads to.
void HopShells::mark_all(int64_t i, uint64_t* room) const {
  std::fill(room, room + words_, 0);
  add_row(room, i, 0, words_);
  for (int64_t d = 1; d < hops_; ++d) {
    const uint64_t* last = room + (d - 1) * words_;
    const uint64_t* earlier = d > 1 ? last - words_ : nullptr;
    uint64_t* level = room + d * words_;
    std::copy(last, last + words_, level);
    for (int64_t w = 0; w < words_; ++w) {
      for (uint64_t found = last[w] & ~(earlier ? earlier[w] : 0); found; found &= found - 1) {
        add_row(level, kMarkedColumns * w + std::countr_zero(found), 0, words_);
      }
    }
  }
  for (int64_t d = 0; d < hops_; ++d) {
    room[d * words_ + i / kMarkedColumns] &= ~(uint64_t{1} << (i % kMarkedColumns));
  }
}

// Whether i and j have a neighbour in common, in a symmetric graph.
bool HopShells::meet(int64_t i, int64_t j, const uint64_t* marks_of_i) const {
  const auto any = [&](int64_t row, const uint64_t* marks) {
    for (int64_t e = graph_->row_ptr[row]; e < graph_->row_ptr[row + 1]; ++e) {
      if (is_set(marks, places_[e])) return true;
    }
    return false;
  };
  return hub_of_[j] >= 0 ? any(i, hub_marks_.data() + hub_of_[j] * words_) : any(j, marks_of_i);
}

void HopShells::row_distances(uint8_t* out, const PatternView& pairs, int64_t i,
                              uint64_t* room) const {
  const int64_t begin = pairs.row_ptr[i], end = pairs.row_ptr[i + 1];
  if (begin == end) return;
  // Few pairs: each by itself. Many: as all columns.
  const bool one_by_one =
      hops_ == 2 && symmetric_ && knows_all_ && end - begin <= 2 * graph_->view().row_size(i);
  if (one_by_one) {
    std::fill(room, room + words_, 0);
    add_row(room, i, 0, words_);
  } else {
    marks(i, 0, words_, room);
  }
  for (int64_t e = begin; e < end; ++e) {
    const int64_t j = pairs.col[e];
    const uint32_t place = place_of(j);
    int64_t distance = 1;
    if (j == i) {
      distance = hops_ + 1;
    } else if (!one_by_one) {
      while (distance <= hops_ && !is_set(room + (distance - 1) * words_, place)) ++distance;
    } else if (!is_set(room, place)) {
      distance = meet(i, j, room) ? 2 : 3;
    }
    out[e] = static_cast<uint8_t>(distance);
  }
}

void HopShells::distances(uint8_t* of_pairs, PatternView pairs, int threads) const {
  for_row_ranges(pairs.rows, 16 * pairs.nnz(), threads, [&](int64_t first, int64_t last) {
    std::vector<uint64_t> room(hops_ * words_);
    for (int64_t i = first; i < last; ++i) row_distances(of_pairs, pairs, i, room.data());
  });
}

namespace {

// The first of ascending columns that is not below `column`, sought from `begin` on: in steps of a
// few vectors, then by counting.
const int32_t* skip_below(const int32_t* begin, const int32_t* end, int32_t column) {
  constexpr int64_t kStep = 16;
  while (end - begin > kStep && begin[kStep - 1] < column) begin += kStep;
  int32_t below = 0;
  if (end - begin >= kStep) {
    for (int64_t q = 0; q < kStep; ++q) below += begin[q] < column;
  } else {
    for (int64_t q = 0; q < end - begin; ++q) below += begin[q] < column;
  }
  return begin + below;
}

void find_near_row(int64_t* near_of_kept, const PatternView& kept, const PatternView& near,
                   int64_t i) {
  const int32_t* begin = near.col + near.row_ptr[i];
  const int32_t* end = near.col + near.row_ptr[i + 1];
  // Step by step where the near pairs are not very many more than the kept ones.
  const bool walk = end - begin < 64 * kept.row_size(i);
  for (int64_t e = kept.row_ptr[i]; e < kept.row_ptr[i + 1]; ++e) {
    begin = walk ? skip_below(begin, end, kept.col[e]) : std::lower_bound(begin, end, kept.col[e]);
    const bool found = begin != end && *begin == kept.col[e];
    near_of_kept[e] = found ? begin - near.col : -1;
  }
}

}  // namespace

HopPairs hop_shells(SharedPattern graph, int64_t hops) {
  HopPairs out;
  out.hops = hops;
  out.shells = HopShells(std::move(graph), hops);
  return out;
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

void find_near(int64_t* near_of_kept, PatternView kept, PatternView near, int threads) {
  if (near.rows == 0) {
    std::fill(near_of_kept, near_of_kept + kept.nnz(), -1);
    return;
  }
  for_row_ranges(kept.rows, 8 * kept.nnz(), threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) find_near_row(near_of_kept, kept, near, i);
  });
}

void hop_shares(float* shares, PatternView kept, const HopPairs& pairs, int threads) {
  const int64_t weights = pairs.hops + 1;
  std::fill(shares, shares + kept.nnz() * weights, 0.0f);
  if (pairs.shells.rows() > 0) {
    std::vector<uint8_t> distance(kept.nnz());
    pairs.shells.distances(distance.data(), kept, threads);
    for (int64_t e = 0; e < kept.nnz(); ++e) shares[e * weights + distance[e] - 1] = 1.0f;
    return;
  }
  std::vector<int64_t> near(kept.nnz());
  find_near(near.data(), kept, pairs.near.view(), threads);
  for (int64_t e = 0; e < kept.nnz(); ++e) {
    if (near[e] < 0) {
      shares[e * weights + pairs.hops] = 1.0f;
    } else {
      std::copy_n(pairs.coefficients.data() + near[e] * pairs.hops, pairs.hops,
                  shares + e * weights);
    }
  }
}

namespace cpu {

void hop_gather_forward(float* h_kept, const float* shares, int64_t kept, const float* v,
                        int64_t weights, int threads) {
  for_row_ranges(kept, weights * kept, threads, [&](int64_t first, int64_t last) {
    ref::hop_gather_forward(h_kept + first, shares + first * weights, last - first, v, weights);
  });
}

void hop_gather_backward(float* d_v, const float* d_h_kept, const float* shares, int64_t kept,
                         int64_t weights, int threads) {
  constexpr int64_t kPiece = 4096;
  const int64_t pieces = (kept + kPiece - 1) / kPiece;
  std::vector<float> sums(pieces * weights, 0.0f);
  for_fixed_pieces(kept, kPiece, threads, [&](int64_t piece, int64_t first, int64_t last) {
    ref::hop_gather_backward(sums.data() + piece * weights, d_h_kept + first,
                             shares + first * weights, last - first, weights);
  });
  for (int64_t p = 0; p < pieces; ++p) {
    for (int64_t l = 0; l < weights; ++l) d_v[l] += sums[p * weights + l];
  }
}

}  // namespace cpu
}  // namespace glgnn
