#include <algorithm>
#include <utility>

#include "core/parallel.h"
#include "kernels/losses.h"
#include "train/edges_over_ranks.h"

namespace glgnn {

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

Matrix selected_own(const Matrix& x, Var s, const Matrix& labels, int threads) {
  Matrix z(x.rows(), labels.cols() + x.cols());
  for_row_ranges(z.rows(), z.size(), threads, [&](int64_t begin, int64_t end) {
    const int64_t rows = end - begin;
    ref::feature_select_forward<float>({z[begin], rows, z.cols()}, {x[begin], rows, x.cols()},
                                       s.data(), {labels[begin], rows, labels.cols()});
  });
  return z;
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

// An own entry and its mirror, where that is another rank's, have the same gradient.
void add_with_mirrors(const SparseVar& to, const std::vector<float>& d) {
  const std::vector<int64_t>& mirror = to.transposed->source;
  for (int64_t e = 0; e < to.pattern->nnz(); ++e) {
    to.values.d_data()[e] += d[e];
    if (mirror[e] >= to.pattern->nnz()) to.values.d_data()[mirror[e]] += d[e];
  }
}

}  // namespace

double sparse_l1(Tape& tape, const NormalisedEdges& a, const NormalisedEdges& b, float weight) {
  if (a.graph.values.grad && weight != 0.0f) {
    tape.record([&tape, a, b, weight] {
      const OwnColumns own_a(a), own_b(b);
      std::vector<float> d_a(a.graph.pattern->col.size()), d_b(b.graph.pattern->col.size());
      cpu::sparse_l1_backward(d_a.data(), d_b.data(), weight, own_a.view, a.graph.values.data(),
                              own_b.view, b.graph.values.data(), tape.threads());
      add_with_mirrors(a.graph, d_a);
      add_with_mirrors(b.graph, d_b);
    });
  }
  return cpu::sparse_l1_forward(OwnColumns(a).view, a.graph.values.data(), OwnColumns(b).view,
                                b.graph.values.data(), tape.threads());
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
