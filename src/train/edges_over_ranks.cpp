#include "train/edges_over_ranks.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "kernels/losses.h"

namespace glgnn {
namespace {

// Own edges, columns by the numbers of all rows.
Pattern ascending_columns(const OwnNeighbours& found, int64_t all_rows) {
  Pattern pattern;
  pattern.rows = std::ssize(found.count);
  pattern.cols = all_rows;
  pattern.row_ptr.reserve(found.count.size() + 1);
  for (const int64_t count : found.count) pattern.row_ptr.push_back(pattern.row_ptr.back() + count);
  pattern.col.reserve(static_cast<size_t>(pattern.row_ptr.back()));
  for (int64_t i = 0; i < pattern.rows; ++i) {
    const auto begin = found.col.begin() + i * found.wide;
    pattern.col.insert(pattern.col.end(), begin, begin + found.count[i]);
    std::sort(pattern.col.begin() + pattern.row_ptr[i], pattern.col.end());
  }
  return pattern;
}

// Of each rank the edges of its rows that lead to own rows: row, column, row, column, ...
std::vector<std::vector<int32_t>> edges_to_own(const Pattern& own, const RowRange& range,
                                               int64_t all_rows, Ranks& ranks) {
  std::vector<std::vector<int32_t>> lists(static_cast<size_t>(ranks.count()));
  for (int64_t i = 0; i < own.rows; ++i) {
    for (int64_t e = own.row_ptr[i]; e < own.row_ptr[i + 1]; ++e) {
      const int rank = owner_of(own.col[e], all_rows, ranks.count());
      if (rank == ranks.self()) continue;
      lists[rank].push_back(static_cast<int32_t>(range.begin + i));
      lists[rank].push_back(own.col[e]);
    }
  }
  std::vector<std::string> letters;
  for (const auto& list : lists) letters.push_back(letter_of(list));
  letters = ranks.swap(std::move(letters));
  for (size_t rank = 0; rank < lists.size(); ++rank) {
    lists[rank] = Letter(letters[rank]).take_rest<int32_t>();
  }
  return lists;
}

bool is_in(const RowRange& range, int32_t row) { return row >= range.begin && row < range.end; }

}  // namespace

EdgesOverRanks::EdgesOverRanks(const OwnNeighbours& found, int64_t all_rows, Ranks& ranks)
    : ranks_(ranks),
      all_rows_(all_rows),
      range_(rows_of_rank(all_rows, ranks.count(), ranks.self())),
      given_(static_cast<size_t>(ranks.count())) {
  Pattern own = ascending_columns(found, all_rows);
  const auto to_own = edges_to_own(own, range_, all_rows, ranks);
  number_places(own, to_own);
  for (int64_t e = 0; e < own.nnz(); ++e) {
    if (is_in(range_, own.col[e])) continue;
    given_[owner_of(own.col[e], all_rows, ranks.count())].push_back(e);
  }
  for (auto& edges : given_) edges.shrink_to_fit();
  join_edges(std::move(own), to_own);
}

void EdgesOverRanks::number_places(const Pattern& own,
                                   const std::vector<std::vector<int32_t>>& to_own) {
  std::vector<int32_t> others;
  for (const int32_t column : own.col) {
    if (!is_in(range_, column)) others.push_back(column);
  }
  for (const auto& list : to_own) {
    for (size_t e = 0; e < list.size(); e += 2) others.push_back(list[e]);
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  others.shrink_to_fit();
  first_ = std::lower_bound(others.begin(), others.end(), range_.begin) - others.begin();
  numbers_.resize(others.size() + static_cast<size_t>(range_.size()));
  const auto first_own = std::copy_n(others.begin(), first_, numbers_.begin());
  std::iota(first_own, first_own + range_.size(), static_cast<int32_t>(range_.begin));
  std::copy(others.begin() + first_, others.end(), first_own + range_.size());
  others_ = std::make_unique<RowsFromOthers>(std::move(others), all_rows_, ranks_);
}

std::vector<int32_t> EdgesOverRanks::numbers_of(const std::vector<int32_t>& places) const {
  std::vector<int32_t> numbers(places.size());
  std::transform(places.begin(), places.end(), numbers.begin(),
                 [&](int32_t place) { return numbers_[place]; });
  return numbers;
}

int32_t EdgesOverRanks::place_of(int32_t number) const {
  if (is_in(range_, number)) return static_cast<int32_t>(first_ + number - range_.begin);
  return static_cast<int32_t>(std::lower_bound(numbers_.begin(), numbers_.end(), number) -
                              numbers_.begin());
}

void EdgesOverRanks::join_edges(Pattern own, const std::vector<std::vector<int32_t>>& to_own) {
  own.cols = places();
  for (int32_t& column : own.col) column = place_of(column);
  auto all = std::make_shared<Pattern>();
  all->rows = all->cols = places();
  all->row_ptr.reserve(numbers_.size() + 1);
  size_t edges = own.col.size();
  for (const auto& list : to_own) edges += list.size() / 2;
  all->col.reserve(edges);
  const auto end_rows_until = [&](int64_t place) {
    while (std::ssize(all->row_ptr) <= place) all->row_ptr.push_back(all->nnz());
  };
  for (int rank = 0; rank < ranks_.count(); ++rank) {
    if (rank == ranks_.self()) {
      end_rows_until(first_);
      const int64_t before = all->nnz();
      all->col.insert(all->col.end(), own.col.begin(), own.col.end());
      for (int64_t i = 0; i < own.rows; ++i) all->row_ptr.push_back(before + own.row_ptr[i + 1]);
      continue;
    }
    const std::vector<int32_t>& list = to_own[rank];
    for (size_t e = 0; e < list.size(); e += 2) {
      end_rows_until(place_of(list[e]));
      all->col.push_back(place_of(list[e + 1]));
    }
  }
  end_rows_until(places());
  own_ = std::make_shared<const Pattern>(std::move(own));
  all_ = std::move(all);
}

const std::vector<EdgesOverRanks::ToRank>& EdgesOverRanks::to_ranks() {
  if (!to_ranks_.empty()) return to_ranks_;
  to_ranks_.resize(static_cast<size_t>(ranks_.count()));
  for (int rank = 0; rank < ranks_.count(); ++rank) {
    const bool is_self = rank == ranks_.self();
    const RowRange theirs = is_self ? range_ : rows_of_rank(all_rows_, ranks_.count(), rank);
    // All own rows are at hand; of another rank's those that are wanted, which may be more than own
    // edges lead to.
    const auto begin = std::lower_bound(numbers_.begin(), numbers_.end(), theirs.begin);
    const auto end = std::lower_bound(begin, numbers_.end(), theirs.end);
    const auto first = static_cast<int32_t>(begin - numbers_.begin());
    const auto last = static_cast<int32_t>(end - numbers_.begin());
    ToRank& to = to_ranks_[rank];
    to.numbers.assign(begin, end);
    to.pattern.rows = range_.size();
    to.pattern.cols = last - first;
    to.pattern.row_ptr.reserve(static_cast<size_t>(range_.size() + 1));
    for (int64_t i = 0; i < own_->rows; ++i) {
      for (int64_t e = own_->row_ptr[i]; e < own_->row_ptr[i + 1]; ++e) {
        const int32_t place = own_->col[e];
        if (place < first || place >= last) continue;
        to.pattern.col.push_back(place - first);
        to.edge.push_back(e);
      }
      to.pattern.row_ptr.push_back(to.pattern.nnz());
    }
    to.pattern.col.shrink_to_fit();
    to.edge.shrink_to_fit();
  }
  return to_ranks_;
}

void EdgesOverRanks::fill_rows(float* of_places, int64_t width) {
  others_->get(of_places, of_places + first_ * width, width, width, range_.size());
}

Matrix EdgesOverRanks::with_others(const Matrix& own) {
  Matrix all(places(), own.cols());
  std::copy_n(own.data(), own.size(), all[first_]);
  fill_rows(all.data(), own.cols());
  return all;
}

void EdgesOverRanks::fill_edges(float* values) {
  const float* own = values + first_edge();
  std::vector<std::string> letters;
  for (const auto& edges : given_) {
    std::vector<float> numbers;
    for (const int64_t e : edges) numbers.push_back(own[e]);
    letters.push_back(letter_of(numbers));
  }
  letters = ranks_.swap(std::move(letters));
  for (int rank = 0; rank < ranks_.count(); ++rank) {
    if (rank == ranks_.self()) {
      values += own_->nnz();
      continue;
    }
    const auto numbers = Letter(letters[rank]).take_rest<float>();
    values = std::copy(numbers.begin(), numbers.end(), values);
  }
}

Matrix ShownOverRanks::rows(const std::vector<int32_t>& numbers, float weight) const {
  Matrix out(std::ssize(numbers), columns);
  for (int64_t r = 0; columns > 0 && r < out.rows(); ++r) {
    if (classes[numbers[r]] >= 0) out[r][classes[numbers[r]]] = weight;
  }
  return out;
}

Matrix ShownOverRanks::rows(const RowRange& range, float weight) const {
  Matrix out(range.size(), columns);
  for (int64_t r = 0; columns > 0 && r < out.rows(); ++r) {
    if (classes[range.begin + r] >= 0) out[r][classes[range.begin + r]] = weight;
  }
  return out;
}

OwnColumns::OwnColumns(const NormalisedEdges& of)
    : numbers(of.edges->numbers_of(of.graph.pattern->col)),
      view(of.edges->own_rows(*of.graph.pattern)) {
  view.cols = of.edges->all_rows();
  view.col = numbers.data();
}

SharedPattern rows_near_own(const NormalisedEdges& graph, Ranks& ranks) {
  const OwnColumns columns(graph);
  const PatternView& own = columns.view;
  const EdgesOverRanks& edges = *graph.edges;
  // The columns of own rows, for those ranks that want them: their number, then they.
  const std::vector<std::string> letters =
      graph.edges->others().swap_for_rows([&](int64_t row, std::string& letter) {
        const int64_t count = own.row_size(row);
        append(letter, &count, 1);
        append(letter, own.col + own.row_ptr[row], static_cast<size_t>(count));
      });
  auto known = std::make_shared<Pattern>();
  known->rows = known->cols = edges.all_rows();
  const auto end_rows_until = [&](int64_t row) {
    while (std::ssize(known->row_ptr) <= row) known->row_ptr.push_back(known->nnz());
  };
  const std::vector<int32_t>& numbers = graph.edges->others().numbers();
  auto number = numbers.begin();
  for (int rank = 0; rank < ranks.count(); ++rank) {
    if (rank == ranks.self()) {
      for (int64_t i = 0; i < own.rows; ++i) {
        end_rows_until(edges.range().begin + i);
        known->col.insert(known->col.end(), own.col + own.row_ptr[i], own.col + own.row_ptr[i + 1]);
      }
      continue;
    }
    Letter letter(letters[rank]);
    const int64_t end = rows_of_rank(edges.all_rows(), ranks.count(), rank).end;
    for (; number != numbers.end() && *number < end; ++number) {
      end_rows_until(*number);
      const int64_t count = letter.take<int64_t>(1)[0];
      const auto theirs = letter.take<int32_t>(static_cast<size_t>(count));
      known->col.insert(known->col.end(), theirs.begin(), theirs.end());
    }
  }
  end_rows_until(known->rows);
  return known;
}

Csr near_rows(const Csr& graph, const RowRange& own) {
  const Pattern& all = *graph.pattern;
  std::vector<bool> is_near(static_cast<size_t>(all.rows), false);
  for (int64_t i = own.begin; i < own.end; ++i) {
    is_near[i] = true;
    for (int64_t e = all.row_ptr[i]; e < all.row_ptr[i + 1]; ++e) is_near[all.col[e]] = true;
  }
  Csr near;
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = all.rows;
  for (int64_t i = 0; i < all.rows; ++i) {
    const int64_t begin = all.row_ptr[i], end = is_near[i] ? all.row_ptr[i + 1] : begin;
    pattern->col.insert(pattern->col.end(), all.col.begin() + begin, all.col.begin() + end);
    near.values.insert(near.values.end(), graph.values.begin() + begin, graph.values.begin() + end);
    pattern->row_ptr.push_back(pattern->nnz());
  }
  near.pattern = std::move(pattern);
  return near;
}

std::vector<float> hop_shares(const EdgesOverRanks& edges, const HopPairs& hops, int threads) {
  const Pattern& own = *edges.own();
  const std::vector<int32_t> columns = edges.numbers_of(own.col);
  std::vector<int64_t> row_ptr(static_cast<size_t>(edges.all_rows() + 1), 0);
  for (int64_t i = 0; i < own.rows; ++i) row_ptr[edges.range().begin + i + 1] = own.row_ptr[i + 1];
  for (int64_t i = edges.range().end; i < edges.all_rows(); ++i) row_ptr[i + 1] = own.nnz();
  std::vector<float> shares(static_cast<size_t>(own.nnz() * (hops.hops + 1)));
  hop_shares(shares.data(), {edges.all_rows(), edges.all_rows(), row_ptr.data(), columns.data()},
             hops, threads);
  return shares;
}

}  // namespace glgnn
