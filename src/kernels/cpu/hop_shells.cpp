#include "kernels/hop_shells.h"

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

HopShells::HopShells(SharedPattern graph, int64_t hops)
    : graph_(std::move(graph)),
      hops_(hops),
      words_((graph_->rows + kMarkedColumns - 1) / kMarkedColumns),
      symmetric_(has_all_mirrored(*graph_)),
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
  const bool one_by_one = hops_ == 2 && symmetric_ && end - begin <= 2 * graph_->view().row_size(i);
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

}  // namespace glgnn
