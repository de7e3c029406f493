// The k largest of a row of numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace glgnn {

// Writes the columns of the `kept` largest of t[0 .. n - 1], ascending; ties go to the smaller
// column. `heap` is room to work in.
template <class T>
void best_columns(int32_t* col, const T* t, int64_t n, int64_t kept, std::vector<int32_t>& heap) {
  constexpr int64_t kChunk = 32;  // looked at without a branch for each
  const auto is_better = [t](int32_t a, int32_t b) { return t[a] != t[b] ? t[a] > t[b] : a < b; };
  const auto has_better = [t](int64_t first, T worst) {
    int found = 0;
    for (int64_t j = first; j < first + kChunk; ++j) found |= t[j] > worst;
    return found != 0;
  };
  heap.clear();  // its top is the worst of those kept
  for (int64_t first = 0; first < n && kept > 0; first += kChunk) {
    const int64_t last = std::min(n, first + kChunk);
    const bool is_full = static_cast<int64_t>(heap.size()) == kept;
    // A later column of the same number is not better.
    if (is_full && last - first == kChunk && !has_better(first, t[heap.front()])) continue;
    for (auto j = static_cast<int32_t>(first); j < last; ++j) {
      if (static_cast<int64_t>(heap.size()) < kept) {
        heap.push_back(j);
        std::push_heap(heap.begin(), heap.end(), is_better);
      } else if (is_better(j, heap.front())) {
        std::pop_heap(heap.begin(), heap.end(), is_better);
        heap.back() = j;
        std::push_heap(heap.begin(), heap.end(), is_better);
      }
    }
  }
  std::copy(heap.begin(), heap.end(), col);
  std::sort(col, col + heap.size());
}

}  // namespace glgnn
