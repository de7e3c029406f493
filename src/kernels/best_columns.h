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
  const auto is_better = [t](int32_t a, int32_t b) { return t[a] != t[b] ? t[a] > t[b] : a < b; };
  heap.clear();  // its top is the worst of those kept
  for (int32_t j = 0; j < n && kept > 0; ++j) {
    if (static_cast<int64_t>(heap.size()) < kept) {
      heap.push_back(j);
      std::push_heap(heap.begin(), heap.end(), is_better);
    } else if (is_better(j, heap.front())) {
      std::pop_heap(heap.begin(), heap.end(), is_better);
      heap.back() = j;
      std::push_heap(heap.begin(), heap.end(), is_better);
    }
  }
  std::copy(heap.begin(), heap.end(), col);
  std::sort(col, col + heap.size());
}

}  // namespace glgnn
