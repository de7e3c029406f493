// Cases of what is made from patterns alone (against brute force), and of hop weights.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "check.h"
#include "kernels/edges.h"
#include "kernels/graph_norm.h"
#include "kernels/hops.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

constexpr const char* kPatternOnly = "its results are whole numbers";

template <class From>
std::vector<int64_t> whole(const From& values) {
  return {values.begin(), values.end()};
}

// A case whose results are whole numbers: `run` and `brute_force` return them. Patterns come as
// row_ptr and columns.
using Whole = std::vector<std::vector<int64_t>>;
Case whole_case(std::string name, std::function<Whole(int threads)> run,
                std::function<Whole()> brute_force, double bytes, bool has_threads = false) {
  Case c{.name = name,
         .forward = [=](auto& r) { r.exact = run(1); },
         .no_gradient = kPatternOnly,
         .oracle = [=](Run<double>& r) { r.exact = brute_force(); },
         .forward_work = {.bytes = bytes}};
  if (has_threads) {
    c.backends = {{"cpu", [=](Run<float>& r, int threads) { r.exact = run(threads); }, {}}};
  }
  return c;
}

Case transpose_case(std::string name, SharedPattern pattern) {
  const auto run = [=](int) -> Whole {
    const Transpose out = transpose(pattern->view());
    return {{out.pattern.rows, out.pattern.cols},
            out.pattern.row_ptr,
            whole(out.pattern.col),
            out.source};
  };
  const auto brute_force = [=]() -> Whole {
    Whole out{{pattern->cols, pattern->rows}, {0}, {}, {}};
    for (int64_t j = 0; j < pattern->cols; ++j) {
      for (int64_t i = 0; i < pattern->rows; ++i) {
        const int64_t e = find_entry(pattern->view(), i, j);
        if (e >= 0) out[2].push_back(i), out[3].push_back(e);
      }
      out[1].push_back(static_cast<int64_t>(out[2].size()));
    }
    return out;
  };
  return whole_case(name, run, brute_force, 16.0 * pattern->nnz());
}

Case add_self_loops_case(std::string name, SharedPattern pattern) {
  const auto run = [=](int threads) -> Whole {
    const SelfLoops out = add_self_loops(pattern->view(), threads);
    return {out.pattern.row_ptr, whole(out.pattern.col), out.source};
  };
  const auto brute_force = [=]() -> Whole {
    Whole out{{0}, {}, {}};
    for (int64_t i = 0; i < pattern->rows; ++i) {
      for (int64_t j = 0; j < pattern->cols; ++j) {
        const int64_t e = find_entry(pattern->view(), i, j);
        if (e >= 0 || i == j) out[1].push_back(j), out[2].push_back(e);
      }
      out[0].push_back(static_cast<int64_t>(out[1].size()));
    }
    return out;
  };
  return whole_case(name, run, brute_force, 24.0 * pattern->nnz(), true);
}

Case symmetric_union_case(std::string name, SharedPattern pattern) {
  const auto run = [=](int threads) -> Whole {
    const SymmetricUnion out = symmetric_union(pattern->view(), threads);
    return {out.pattern().row_ptr,
            whole(out.pattern().col),
            out.here,
            out.there,
            out.mirrored.source,
            out.place};
  };
  const auto brute_force = [=]() -> Whole {
    Whole out{{0}, {}, {}, {}, {}, std::vector<int64_t>(pattern->nnz())};
    std::map<std::pair<int64_t, int64_t>, int64_t> place;
    for (int64_t i = 0; i < pattern->rows; ++i) {
      for (int64_t j = 0; j < pattern->cols; ++j) {
        const int64_t here = find_entry(pattern->view(), i, j);
        const int64_t there = find_entry(pattern->view(), j, i);
        if (here < 0 && there < 0 && i != j) continue;
        place[{i, j}] = static_cast<int64_t>(out[1].size());
        if (here >= 0) out[5][here] = place[{i, j}];
        out[1].push_back(j), out[2].push_back(here), out[3].push_back(there);
      }
      out[0].push_back(static_cast<int64_t>(out[1].size()));
    }
    for (const auto& [pair, at] : place) out[4].push_back(place[{pair.second, pair.first}]);
    return out;
  };
  return whole_case(name, run, brute_force, 48.0 * pattern->nnz(), true);
}

Case find_near_case(std::string name, SharedPattern kept, SharedPattern near) {
  const auto run = [=](int threads) -> Whole {
    std::vector<int64_t> out(kept->nnz());
    find_near(out.data(), kept->view(), near->view(), threads);
    return {out};
  };
  const auto brute_force = [=]() -> Whole {
    Whole out{{}};
    for (int64_t i = 0; i < kept->rows; ++i) {
      for (int64_t e = kept->row_ptr[i]; e < kept->row_ptr[i + 1]; ++e) {
        const bool none = near->rows == 0;
        out[0].push_back(none ? -1 : find_entry(near->view(), i, kept->col[e]));
      }
    }
    return out;
  };
  return whole_case(name, run, brute_force, 4.0 * (3 * kept->nnz() + near->nnz()), true);
}

// Where the rows begin that have one entry each.
std::vector<int64_t> all_to_one_rows(int64_t n) {
  std::vector<int64_t> out(n + 1);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// Distances by Floyd and Warshall of all pairs, hops + 1 for those above `hops` and of i to itself.
Whole floyd_warshall(PatternView graph, int64_t hops) {
  const int64_t n = graph.rows, far = 1 << 20;
  std::vector<int64_t> distance(n * n, far);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t e = graph.row_ptr[i]; e < graph.row_ptr[i + 1]; ++e) {
      distance[i * n + graph.col[e]] = 1;
    }
  }
  for (int64_t m = 0; m < n; ++m) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const int64_t through = distance[i * n + m] + distance[m * n + j];
        distance[i * n + j] = std::min(distance[i * n + j], through);
      }
    }
  }
  for (int64_t i = 0; i < n; ++i) distance[i * n + i] = far;
  for (int64_t& d : distance) d = std::min(d, hops + 1);
  return {distance};
}

// Asked for all pairs of every row, and for few of them.
Case hop_shells_case(std::string name, SharedPattern graph, int64_t hops) {
  const auto run = [=](int threads) -> Whole {
    const int64_t n = graph->rows;
    const HopShells shells(graph, hops);
    const SharedPattern all = full_pattern(n, n);
    std::vector<uint8_t> of_all(n * n), of_one(n);
    shells.distances(of_all.data(), all->view(), threads);
    std::vector<int64_t> out(of_all.begin(), of_all.end());
    for (int64_t j = 0; j < n; ++j) {
      const Pattern one{n, n, all_to_one_rows(n), std::vector<int32_t>(n, static_cast<int32_t>(j))};
      shells.distances(of_one.data(), one.view(), threads);
      for (int64_t i = 0; i < n; ++i) {
        if (of_one[i] != out[i * n + j]) out[i * n + j] = -1;
      }
    }
    return {out};
  };
  return whole_case(
      name, run, [=] { return floyd_warshall(graph->view(), hops); },
      4.0 * graph->nnz() * graph->nnz() / std::max<int64_t>(1, graph->rows), true);
}

// A^1 .. A^hops as dense matrices; the pairs are those with a number other than 0 in one of them.
void dense_powers(Run<double>& r, PatternView graph, int64_t hops) {
  const int64_t n = graph.rows;
  std::vector<std::vector<double>> power(hops, std::vector<double>(n * n, 0.0));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t e = graph.row_ptr[i]; e < graph.row_ptr[i + 1]; ++e) {
      power[0][i * n + graph.col[e]] = r.in[0][e];
    }
  }
  for (int64_t l = 1; l < hops; ++l) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t m = 0; m < n; ++m) {
        for (int64_t j = 0; j < n; ++j) {
          power[l][i * n + j] += power[l - 1][i * n + m] * power[0][m * n + j];
        }
      }
    }
  }
  r.exact = {{0}, {}};
  size_t next = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const bool near = i != j && std::any_of(power.begin(), power.end(),
                                              [&](const auto& p) { return p[i * n + j] != 0; });
      if (!near) continue;
      r.exact[1].push_back(j);
      for (int64_t l = 0; l < hops && next < r.out[0].size(); ++l) {
        r.out[0][next++] = power[l][i * n + j];
      }
    }
    r.exact[0].push_back(static_cast<int64_t>(r.exact[1].size()));
  }
}

// Values are multiples of 1/8, so that the powers are exact in float.
Case hop_powers_case(std::string name, SharedPattern graph, int64_t hops) {
  std::vector<double> values = whole_numbers(1, graph->nnz(), 1, 8);
  for (double& x : values) x /= 8;
  const std::vector<float> in_float(values.begin(), values.end());
  const HopPairs pairs = hop_powers(graph->view(), in_float.data(), hops);
  return {.name = name,
          .in = {{"values", values, false}},
          .out = {{"coefficients", static_cast<int64_t>(pairs.coefficients.size()), false}},
          .forward =
              [=]<class T>(Run<T>& r) {
                const std::vector<float> a(r.in[0].begin(), r.in[0].end());
                const HopPairs out = hop_powers(graph->view(), a.data(), hops);
                r.out[0].assign(out.coefficients.begin(), out.coefficients.end());
                r.exact = {out.near.row_ptr, whole(out.near.col)};
              },
          .no_gradient = "the given graph is data",
          .oracle = [=](Run<double>& r) { dense_powers(r, graph->view(), hops); },
          .forward_work = {.bytes = 8.0 * static_cast<double>(pairs.coefficients.size())}};
}

using SharedPairs = std::shared_ptr<const HopPairs>;

SharedPairs shells(SharedPattern graph, int64_t hops) {
  return std::make_shared<HopPairs>(hop_shells(graph, hops));
}

SharedPairs powers(SharedPattern graph, int64_t hops) {
  std::vector<float> values;
  for (const double x : uniform(4, graph->nnz(), 0.1, 1)) values.push_back(static_cast<float>(x));
  return std::make_shared<HopPairs>(hop_powers(graph->view(), values.data(), hops));
}

// As at the start of training without a graph: nothing is near.
SharedPairs no_pairs(int64_t hops) {
  HopPairs out;
  out.hops = hops;
  return std::make_shared<HopPairs>(out);
}

Case hop_weights_case(std::string name, SharedPairs pairs) {
  return {
      .name = name,
      .in = {{"v", uniform(1, pairs->hops + 1, 0.1, 1), false}},
      .out = {{"h", pairs->near.nnz()}},
      .forward =
          [=]<class T>(Run<T>& r) { ref::hop_weights<T>(r.out[0].data(), *pairs, r.in[0].data()); },
      .no_gradient = "only the kept pairs have one: hop_gather",
      .oracle =
          [=](Run<double>& r) {
            const std::vector<double>& v = r.in[0];
            for (int64_t e = 0; e < pairs->near.nnz(); ++e) {
              r.out[0][e] = 0.0;
              for (int64_t l = 0; l < pairs->hops; ++l) {
                r.out[0][e] += v[l] * pairs->coefficients[e * pairs->hops + l];
              }
            }
          },
      .forward_work = {.bytes = 5.0 * pairs->near.nnz()}};
}

// h of the kept pairs: one weight of a shell; or a sum over the powers, the last weight for all
// that are not near.
void weigh_by_definition(std::vector<double>& h, const std::vector<double>& v,
                         const HopPairs& pairs, const Pattern& kept) {
  std::vector<uint8_t> distance(kept.nnz(), static_cast<uint8_t>(v.size()));
  if (pairs.shells.rows() > 0) pairs.shells.distances(distance.data(), kept.view(), 1);
  for (int64_t i = 0; i < kept.rows; ++i) {
    for (int64_t e = kept.row_ptr[i]; e < kept.row_ptr[i + 1]; ++e) {
      const bool listed = pairs.near.rows > 0;
      const int64_t near = listed ? find_entry(pairs.near.view(), i, kept.col[e]) : -1;
      h[e] = near < 0 ? v[distance[e] - 1] : 0.0;
      for (int64_t l = 0; near >= 0 && l < pairs.hops; ++l) {
        h[e] += v[l] * pairs.coefficients[near * pairs.hops + l];
      }
    }
  }
}

Case hop_gather_case(std::string name, SharedPairs pairs, SharedPattern kept) {
  const int64_t n = kept->nnz(), weights = pairs->hops + 1;
  std::vector<float> shares(n * weights);
  hop_shares(shares.data(), kept->view(), *pairs, 1);
  return {.name = name,
          .in = {{"v", uniform(1, pairs->hops + 1, 0.1, 1)}},
          .out = {{"h", n}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::hop_gather_forward<T>(r.out[0].data(), shares.data(), n, r.in[0].data(),
                                           weights);
              },
          .backward =
              [=]<class T>(Run<T>& r) {
                ref::hop_gather_backward<T>(r.d_in[0].data(), r.d_out[0].data(), shares.data(), n,
                                            weights);
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int threads) {
                          cpu::hop_gather_forward(r.out[0].data(), shares.data(), n, r.in[0].data(),
                                                  weights, threads);
                        },
                        [=](Run<float>& r, int threads) {
                          cpu::hop_gather_backward(r.d_in[0].data(), r.d_out[0].data(),
                                                   shares.data(), n, weights, threads);
                        }}},
          .oracle = [=](Run<double>& r) { weigh_by_definition(r.out[0], r.in[0], *pairs, *kept); },
          .forward_work = {.bytes = 13.0 * n},
          .backward_work = {.bytes = 13.0 * n}};
}

SharedPattern both_ways(SharedPattern graph) {
  return std::make_shared<Pattern>(symmetric_union(graph->view(), 1).pattern());
}

// Row 0 leads to every other row, row 1 to the first half of them: hubs.
SharedPattern star(int64_t n) {
  auto out = std::make_shared<Pattern>();
  out->rows = out->cols = n;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t leads_to = i == 0 ? n : i == 1 ? n / 2 : 0;
    for (int64_t j = 2; j < leads_to; ++j) out->col.push_back(static_cast<int32_t>(j));
    out->row_ptr.push_back(out->nnz());
  }
  return out;
}

// 0 - 1 - 2 - ... both ways: distances grow to n - 1.
SharedPattern path(int64_t n) {
  auto out = std::make_shared<Pattern>();
  out->rows = out->cols = n;
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) out->col.push_back(static_cast<int32_t>(i - 1));
    if (i + 1 < n) out->col.push_back(static_cast<int32_t>(i + 1));
    out->row_ptr.push_back(out->nnz());
  }
  return out;
}

std::vector<Case> transpose_cases() {
  return {transpose_case("23x19, empty rows", random_pattern(1, 23, 19, 5)),
          transpose_case("one row", full_pattern(1, 4)),
          transpose_case("no entries", empty_pattern(3, 5)),
          transpose_case("no rows", empty_pattern(0, 5))};
}

std::vector<Case> add_self_loops_cases() {
  return {add_self_loops_case("23, none there", random_graph(1, 23, 5)),
          add_self_loops_case("17, some there", random_pattern(2, 17, 17, 5)),
          add_self_loops_case("all there", full_pattern(4, 4)),
          add_self_loops_case("no entries", empty_pattern(3, 3)),
          add_self_loops_case("no rows", empty_pattern(0, 0)),
          add_self_loops_case("601, some there", random_pattern(3, 601, 601, 90))};
}

std::vector<Case> symmetric_union_cases() {
  return {symmetric_union_case("23", random_graph(1, 23, 5)),
          symmetric_union_case("17, with loops", random_pattern(2, 17, 17, 5)),
          symmetric_union_case("all pairs", full_pattern(4, 4)),
          symmetric_union_case("no entries", empty_pattern(3, 3)),
          symmetric_union_case("601", random_pattern(3, 601, 601, 90))};
}

std::vector<Case> find_near_cases() {
  return {find_near_case("23", random_graph(1, 23, 6), random_graph(2, 23, 8)),
          find_near_case("all kept", full_pattern(9, 9), random_pattern(2, 9, 9, 4)),
          find_near_case("none near", random_graph(1, 7, 3), empty_pattern(7, 7)),
          find_near_case("no graph", random_graph(1, 7, 3), empty_pattern(0, 0)),
          find_near_case("none kept", empty_pattern(7, 7), random_graph(1, 7, 3)),
          find_near_case("601", random_graph(1, 601, 60), random_graph(2, 601, 90))};
}

std::vector<Case> hop_shells_cases() {
  return {hop_shells_case("23, K 2", random_graph(1, 23, 2), 2),
          hop_shells_case("17, loops, K 3", random_pattern(2, 17, 17, 2), 3),
          hop_shells_case("path of 19, K 7", path(19), 7),
          hop_shells_case("all pairs, K 4", full_pattern(6, 6), 4),
          hop_shells_case("no entries", empty_pattern(5, 5), 2),
          hop_shells_case("one row", full_pattern(1, 1), 2),
          hop_shells_case("601, K 2", random_graph(3, 601, 3), 2),
          hop_shells_case("201, nearly all in two steps", random_graph(3, 201, 40), 2),
          hop_shells_case("201, both ways, K 1", both_ways(random_graph(3, 201, 4)), 1),
          hop_shells_case("201, both ways, K 2", both_ways(random_graph(3, 201, 4)), 2),
          hop_shells_case("201, both ways, K 3", both_ways(random_graph(3, 201, 2)), 3),
          hop_shells_case("star of 301", both_ways(star(301)), 2)};
}

std::vector<Case> hop_powers_cases() {
  return {hop_powers_case("13, K 1", random_graph(1, 13, 3), 1),
          hop_powers_case("13, K 3", random_graph(1, 13, 3), 3),
          hop_powers_case("11, loops, K 2", random_pattern(2, 11, 11, 3), 2),
          hop_powers_case("path of 9, K 4", path(9), 4),
          hop_powers_case("no entries", empty_pattern(5, 5), 2)};
}

std::vector<Case> hop_weights_cases() {
  return {hop_weights_case("powers", powers(random_graph(1, 23, 2), 3)),
          hop_weights_case("no graph", no_pairs(2))};
}

std::vector<Case> hop_gather_cases() {
  const SharedPattern graph = random_graph(1, 23, 2), kept = random_graph(5, 23, 8);
  return {hop_gather_case("shells", shells(graph, 2), kept),
          hop_gather_case("shells, both ways", shells(both_ways(graph), 2), kept),
          hop_gather_case("powers", powers(graph, 3), kept),
          hop_gather_case("shells, K 1", shells(graph, 1), kept),
          hop_gather_case("no graph", no_pairs(2), kept),
          hop_gather_case("empty graph", shells(empty_pattern(23, 23), 2), kept),
          hop_gather_case("none kept", shells(graph, 2), empty_pattern(23, 23)),
          hop_gather_case("601, 10 a row", shells(random_graph(1, 601, 3), 2),
                          random_graph(5, 601, 10)),
          hop_gather_case("powers, 601, 10 a row", powers(random_graph(1, 601, 3), 2),
                          random_graph(5, 601, 10))};
}

}  // namespace

std::vector<Op> pattern_ops() {
  return {
      {"transpose", transpose_cases,
       [] { return std::vector{transpose_case("3000, 20 a row", random_graph(1, 3000, 20))}; }},
      {"add_self_loops", add_self_loops_cases,
       [] {
         return std::vector{add_self_loops_case("3000, 20 a row", random_graph(1, 3000, 20))};
       }},
      {"symmetric_union", symmetric_union_cases,
       [] {
         return std::vector{symmetric_union_case("3000, 20 a row", random_graph(1, 3000, 20))};
       }},
      {"find_near", find_near_cases,
       [] {
         return std::vector{find_near_case("3000, 20 of 60 a row", random_graph(1, 3000, 20),
                                           random_graph(2, 3000, 60))};
       }},
      {"hop_shells", hop_shells_cases,
       [] {
         return std::vector{hop_shells_case("1000, 8 a row, K 2", random_graph(1, 1000, 8), 2)};
       }},
      {"hop_powers", hop_powers_cases,
       [] {
         return std::vector{hop_powers_case("3000, 8 a row, K 2", random_graph(1, 3000, 8), 2)};
       }},
      {"hop_weights", hop_weights_cases,
       [] {
         return std::vector{hop_weights_case("3000, 8 a row", powers(random_graph(1, 3000, 8), 2))};
       }},
      {"hop_gather", hop_gather_cases,
       [] {
         return std::vector{hop_gather_case("3000, 20 a row", shells(random_graph(1, 3000, 8), 2),
                                            random_graph(5, 3000, 20))};
       }},
  };
}

}  // namespace glgnn::op_check
