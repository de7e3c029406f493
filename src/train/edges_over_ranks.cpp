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

Var edges_with_others(Tape& tape, const SharedEdges& edges, Var own) {
  auto [written, all] = tape.make(edges->all()->nnz(), 1, own.grad);
  const int64_t begin = edges->first_edge(), count = own.rows();
  std::copy_n(own.data(), count, written->data() + begin);
  edges->fill_edges(written->data());
  if (all.grad) {
    // Gradients of others' edges are those that their ranks have found, too.
    tape.record([own, begin, count, all = all] {
      for (int64_t e = 0; e < count; ++e) own.d_data()[e] += all.d_data()[begin + e];
    });
  }
  return all;
}

Var selected_dot(Tape& tape, const SharedEdges& edges, Var x, Var s, const ShownOverRanks& shown,
                 float label_weight) {
  auto [written, dots] = tape.make(edges->own()->nnz(), 1, s.grad);
  const Matrix& labels = tape.keep(shown.rows(edges->range(), label_weight));
  const auto with_rank = [&shown, &labels, edges, x, s, label_weight](auto&& work) {
    edges->others().by_rank(x.view(), [&](int rank, MatView<const float> theirs) {
      const EdgesOverRanks::ToRank& to = edges->to_ranks()[rank];
      const Matrix other_labels = shown.rows(to.numbers, label_weight);
      std::vector<float> values(to.edge.size());
      work(to, ZSelected<float>{x.view(), s.data(), labels.view(), theirs, other_labels.view()},
           values);
    });
  };
  const int threads = tape.threads();
  with_rank([&, out = written->data()](const EdgesOverRanks::ToRank& to, const ZSelected<float>& z,
                                       std::vector<float>& values) {
    cpu::selected_dot_forward(values.data(), to.pattern.view(), z, threads);
    for (size_t e = 0; e < values.size(); ++e) out[to.edge[e]] = values[e];
  });
  if (dots.grad) {
    tape.record([with_rank, s, threads, dots = dots] {
      with_rank([&](const EdgesOverRanks::ToRank& to, const ZSelected<float>& z,
                    std::vector<float>& d_values) {
        for (size_t e = 0; e < d_values.size(); ++e) d_values[e] = dots.d_data()[to.edge[e]];
        cpu::selected_dot_backward(s.d_data(), d_values.data(), to.pattern.view(), z, threads);
      });
    });
  }
  return dots;
}

Var multiply_rows(Tape& tape, const NormalisedEdges& a, Var own_x) {
  auto [written, y] = tape.make(own_x.rows(), own_x.cols(), true);
  cpu::spmm_forward(written->view(), a.edges->own_rows(*a.graph.pattern), a.graph.values.data(),
                    a.edges->with_others(*own_x.value).view(), tape.threads());
  if (y.grad) {
    tape.record([&tape, a, own_x, y = y] {
      const SparseVar& graph = a.graph;
      const Matrix x = a.edges->with_others(*own_x.value), d_y = a.edges->with_others(*y.grad);
      float* d_values = graph.values.d_data();
      cpu::spmm_backward_values(d_values, graph.pattern->view(), d_y.view(), x.view(),
                                tape.threads());
      cpu::spmm_backward_values(d_values + graph.pattern->nnz(), a.from_others->view(), d_y.view(),
                                x.view(), tape.threads());
      const Transpose& back = *graph.transposed;
      cpu::spmm_backward_x(own_x.d_view(), {a.edges->own_rows(back.pattern), back.source.data()},
                           graph.values.data(), d_y.view(), tape.threads());
    });
  }
  return y;
}

Var edge_dot(Tape& tape, const SharedEdges& edges, Var own_z) {
  auto [written, dots] = tape.make(edges->all()->nnz(), 1, own_z.grad);
  const auto with_z = [edges, own_z](auto&& work) {
    const Matrix z = edges->with_others(*own_z.value);
    work(ZDense<float>{z.view()});
  };
  with_z([&, out = written->data()](const ZDense<float>& z) {
    cpu::edge_dot_forward(out, edges->all()->view(), z, tape.threads());
  });
  if (dots.grad) {
    tape.record([&tape, with_z, edges, own_z, dots = dots] {
      with_z([&](const ZDense<float>& z) {
        const Transpose back = transpose(edges->all()->view(), tape.threads());
        cpu::edge_dot_backward(own_z.d_view(), dots.d_data(), edges->own_rows(*edges->all()),
                               {edges->own_rows(back.pattern), back.source.data()}, z,
                               tape.threads());
      });
    });
  }
  return dots;
}

namespace {

// Of the union of all() with its transpose: own rows, others' rows being empty. An entry whose
// mirror is another's has it after all own entries.
struct OwnUnion {
  SymmetricUnion own;
  SharedPattern from_others;
};

OwnUnion own_union(const EdgesOverRanks& edges, int threads) {
  const SymmetricUnion whole = symmetric_union(edges.all()->view(), threads);
  const Pattern& all = whole.pattern();
  const int64_t begin = all.row_ptr[edges.first()];
  const int64_t end = all.row_ptr[edges.first() + edges.range().size()];
  const auto own_part = [&](auto& to, const auto& from) {
    to.assign(from.begin() + begin, from.begin() + end);
  };
  OwnUnion out;
  Pattern& own = out.own.mirrored.pattern;
  auto others = std::make_shared<Pattern>();
  own.rows = own.cols = others->rows = others->cols = all.rows;
  own_part(own.col, all.col);
  own_part(out.own.here, whole.here);
  own_part(out.own.there, whole.there);
  own_part(out.own.mirrored.source, whole.mirrored.source);
  own.row_ptr.reserve(all.row_ptr.size());
  others->row_ptr.reserve(all.row_ptr.size());
  std::vector<int64_t> entry_of(all.col.size());  // of each entry of `all`
  for (int64_t i = 0; i < all.rows; ++i) {
    for (int64_t e = all.row_ptr[i]; e < all.row_ptr[i + 1]; ++e) {
      const bool is_own = e >= begin && e < end;
      entry_of[e] = is_own ? e - begin : end - begin + others->nnz();
      if (!is_own && all.col[e] != i) others->col.push_back(all.col[e]);
    }
    own.row_ptr.push_back(std::clamp(all.row_ptr[i + 1], begin, end) - begin);
    others->row_ptr.push_back(others->nnz());
  }
  others->col.shrink_to_fit();
  for (int64_t& mirror : out.own.mirrored.source) mirror = entry_of[mirror];
  // An edge of others leads to an own row: it has the gradient of its mirror.
  out.own.place = whole.place;
  for (int64_t& place : out.own.place) {
    if (place < begin || place >= end) place = whole.mirrored.source[place];
    place -= begin;
  }
  out.from_others = std::move(others);
  return out;
}

}  // namespace

NormalisedEdges symmetric_norm(Tape& tape, const SharedEdges& edges, Var a) {
  constexpr SymmetricForm kForm = SymmetricForm::kMean;
  const auto both = std::make_shared<const OwnUnion>(own_union(*edges, tape.threads()));
  const SymmetricUnion& own = both->own;
  const int64_t own_entries = own.pattern().nnz();
  auto [written, y] = tape.make(own_entries + both->from_others->nnz(), 1, a.grad);
  auto [roots, roots_var] = tape.make(edges->places(), 1, false);
  const cpu::FillOthers fill = [edges](float* of_places) { edges->fill_rows(of_places, 1); };
  cpu::symmetric_norm_forward(written->data(), roots->data(), a.data(), own, kForm, tape.threads(),
                              fill);
  for (int64_t e = 0; e < own_entries; ++e) {
    written->data()[own.mirrored.source[e]] = written->data()[e];  // the same bits
  }
  if (y.grad) {
    tape.record([&tape, edges, a, both, fill, y = y, roots = roots_var] {
      cpu::symmetric_norm_backward(a.d_data(), y.grad->data(), y.data(), roots.data(), a.data(),
                                   edges->all()->view(), both->own, kForm, tape.threads(), fill);
    });
  }
  return {edges,
          {SharedPattern(both, &own.pattern()), y,
           std::shared_ptr<const Transpose>(both, &own.mirrored)},
          both->from_others};
}

namespace {

// The own rows of a graph, columns by the numbers of all rows.
class OwnPart {
 public:
  explicit OwnPart(const NormalisedEdges& of)
      : pattern_(*of.graph.pattern),
        begin_(of.edges->first()),
        rows_(of.edges->range().size()),
        all_rows_(of.edges->all_rows()) {
    numbers_.reserve(pattern_.col.size());
    for (const int32_t place : pattern_.col) numbers_.push_back(of.edges->number_of(place));
  }
  PatternView view() const {
    return {rows_, all_rows_, pattern_.row_ptr.data() + begin_, numbers_.data()};
  }
  int64_t first_edge() const { return pattern_.row_ptr[begin_]; }
  int64_t end_edge() const { return pattern_.row_ptr[begin_ + rows_]; }
  bool has(int64_t edge) const { return edge >= first_edge() && edge < end_edge(); }

 private:
  const Pattern& pattern_;
  int64_t begin_, rows_, all_rows_;
  std::vector<int32_t> numbers_;
};

// Of an edge that leads to another rank's row and of its mirror, which is that rank's, the gradient
// is the same.
void add_with_mirrors(const NormalisedEdges& to, const OwnPart& own, const std::vector<float>& d) {
  const std::vector<int64_t>& mirror = to.graph.transposed->source;
  for (int64_t e = own.first_edge(); e < own.end_edge(); ++e) {
    to.graph.values.d_data()[e] += d[e];
    if (!own.has(mirror[e])) to.graph.values.d_data()[mirror[e]] += d[e];
  }
}

}  // namespace

double sparse_l1(Tape& tape, const NormalisedEdges& a, const NormalisedEdges& b, float weight) {
  const auto own_a = std::make_shared<const OwnPart>(a), own_b = std::make_shared<const OwnPart>(b);
  if (a.graph.values.grad && weight != 0.0f) {
    tape.record([&tape, a, b, own_a, own_b, weight] {
      std::vector<float> d_a(a.graph.values.rows()), d_b(b.graph.values.rows());
      cpu::sparse_l1_backward(d_a.data(), d_b.data(), weight, own_a->view(), a.graph.values.data(),
                              own_b->view(), b.graph.values.data(), tape.threads());
      add_with_mirrors(a, *own_a, d_a);
      add_with_mirrors(b, *own_b, d_b);
    });
  }
  return cpu::sparse_l1_forward(own_a->view(), a.graph.values.data(), own_b->view(),
                                b.graph.values.data(), tape.threads());
}

HopPairs hops_over_ranks(const NormalisedEdges& graph, int64_t hops, Ranks& ranks) {
  GLGNN_ASSERT(hops <= 2);
  const OwnPart own(graph);
  const EdgesOverRanks& edges = *graph.edges;
  // The columns of own rows, for those ranks that want them: their number, then they.
  const std::vector<std::string> letters =
      graph.edges->others().swap_for_rows([&](int64_t row, std::string& letter) {
        const int32_t* begin = own.view().col + own.view().row_ptr[row];
        const int64_t count = own.view().row_size(row);
        append(letter, &count, 1);
        append(letter, begin, static_cast<size_t>(count));
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
      for (int64_t i = 0; i < own.view().rows; ++i) {
        end_rows_until(edges.range().begin + i);
        known->col.insert(known->col.end(), own.view().col + own.view().row_ptr[i],
                          own.view().col + own.view().row_ptr[i + 1]);
      }
      continue;
    }
    Letter letter(letters[rank]);
    const RowRange theirs = rows_of_rank(edges.all_rows(), ranks.count(), rank);
    for (; number != numbers.end() && *number < theirs.end; ++number) {
      end_rows_until(*number);
      const int64_t count = letter.take<int64_t>(1)[0];
      const auto columns = letter.take<int32_t>(static_cast<size_t>(count));
      known->col.insert(known->col.end(), columns.begin(), columns.end());
    }
  }
  end_rows_until(known->rows);
  HopPairs out;
  out.hops = hops;
  out.shells = HopShells(std::move(known), hops, ranks.count() == 1);
  return out;
}

Pattern rows_of(const Pattern& graph, const RowRange& rows) {
  Pattern part;
  part.rows = rows.size();
  part.cols = graph.cols;
  const int64_t begin = graph.row_ptr[rows.begin], end = graph.row_ptr[rows.end];
  part.col.assign(graph.col.begin() + begin, graph.col.begin() + end);
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    part.row_ptr.push_back(graph.row_ptr[i + 1] - begin);
  }
  return part;
}

HopPairs hops_near(const Pattern& graph, const RowRange& own, int64_t hops) {
  std::vector<bool> wanted(static_cast<size_t>(graph.rows), false);
  for (int64_t i = own.begin; i < own.end; ++i) {
    wanted[i] = true;
    for (int64_t e = graph.row_ptr[i]; e < graph.row_ptr[i + 1]; ++e) wanted[graph.col[e]] = true;
  }
  auto known = std::make_shared<Pattern>();
  known->rows = known->cols = graph.rows;
  for (int64_t i = 0; i < graph.rows; ++i) {
    if (wanted[i]) {
      known->col.insert(known->col.end(), graph.col.begin() + graph.row_ptr[i],
                        graph.col.begin() + graph.row_ptr[i + 1]);
    }
    known->row_ptr.push_back(known->nnz());
  }
  HopPairs out;
  out.hops = hops;
  out.shells = HopShells(std::move(known), hops, own.size() == graph.rows);
  return out;
}

std::vector<float> hop_shares(const EdgesOverRanks& edges, const HopPairs& hops, int threads) {
  const Pattern& own = *edges.own();
  std::vector<int32_t> columns;  // by the numbers of all rows
  for (const int32_t place : own.col) columns.push_back(edges.number_of(place));
  std::vector<int64_t> row_ptr(static_cast<size_t>(edges.all_rows() + 1), 0);
  for (int64_t i = 0; i < own.rows; ++i) row_ptr[edges.range().begin + i + 1] = own.row_ptr[i + 1];
  for (int64_t i = edges.range().end; i < edges.all_rows(); ++i) row_ptr[i + 1] = own.nnz();
  std::vector<float> shares(static_cast<size_t>(own.nnz() * (hops.hops + 1)));
  hop_shares(shares.data(), {edges.all_rows(), edges.all_rows(), row_ptr.data(), columns.data()},
             hops, threads);
  return shares;
}

std::vector<double> sum_over_ranks(const std::vector<double>& numbers, Ranks& ranks) {
  std::vector<std::string> letters(static_cast<size_t>(ranks.count()), letter_of(numbers));
  letters = ranks.swap(std::move(letters));
  std::vector<double> sum(numbers.size(), 0.0);
  for (const std::string& letter : letters) {
    const auto theirs = Letter(letter).take_rest<double>();
    for (size_t e = 0; e < sum.size(); ++e) sum[e] += theirs[e];
  }
  return sum;
}

void sum_over_ranks(float* numbers, int64_t count, Ranks& ranks) {
  std::vector<std::string> letters(static_cast<size_t>(ranks.count()),
                                   letter_of(numbers, static_cast<size_t>(count)));
  letters = ranks.swap(std::move(letters));
  std::vector<double> sum(static_cast<size_t>(count), 0.0);
  for (const std::string& letter : letters) {
    const auto theirs = Letter(letter).take_rest<float>();
    for (size_t e = 0; e < sum.size(); ++e) sum[e] += theirs[e];
  }
  for (int64_t e = 0; e < count; ++e) numbers[e] = static_cast<float>(sum[e]);
}

Var sum_of_ranks(Tape& tape, Var x, Ranks& ranks) {
  auto [written, sum] = tape.make(x.rows(), x.cols(), x.grad);
  std::copy_n(x.data(), x.value->size(), written->data());
  sum_over_ranks(written->data(), x.value->size(), ranks);
  if (sum.grad) {
    tape.record([x, sum = sum] {
      for (int64_t e = 0; e < x.value->size(); ++e) x.d_data()[e] += sum.d_data()[e];
    });
  }
  return sum;
}

Var alike_on_ranks(Tape& tape, Var x, Ranks& ranks) {
  auto [written, same] = tape.make(x.rows(), x.cols(), x.grad);
  std::copy_n(x.data(), x.value->size(), written->data());
  if (same.grad) {
    tape.record([x, &ranks, same = same] {
      sum_over_ranks(same.d_data(), x.value->size(), ranks);
      for (int64_t e = 0; e < x.value->size(); ++e) x.d_data()[e] += same.d_data()[e];
    });
  }
  return same;
}

}  // namespace glgnn
