// Cases of graph_learn: the chosen pairs and log-sum-exp, dense and sparse.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "check.h"
#include "kernels/graph_learn.h"
#include "kernels/graph_norm.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

// log of the sum of exp(s), over what the caller has put into s.
double log_sum_exp(const std::vector<double>& s) {
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const double x : s) top = std::max(top, x);
  for (const double x : s) sum += std::exp(x - top);
  return top + std::log(sum);
}

// What graph_learn_choose is asked; near has no rows if there are no hop weights.
struct Choice {
  ChooseOptions options;
  SharedPattern near = std::make_shared<Pattern>();
  bool compare_columns = false;  // numbers are whole and h all alike: the very columns must agree
  bool describe = true;          // false: only the kernel, to be timed
  bool shells = false;           // near is a graph, and a pair's weight that of its distance in it
};

constexpr int64_t kHops = 2;

// The place of the weight of (i, j): how far j is from i in the graph, less 1.
int64_t shell_of(PatternView graph, int64_t i, int64_t j) {
  if (i == j) return kHops;
  if (find_entry(graph, i, j) >= 0) return 0;
  for (int64_t e = graph.row_ptr[i]; e < graph.row_ptr[i + 1]; ++e) {
    if (find_entry(graph, graph.col[e], j) >= 0) return 1;
  }
  return kHops;
}

constexpr float kOther = 0.375f;  // h_other of all cases

// t_ij = S_ij + log h_ij by its definition; without hop weights, S.
template <class T>
double score(const std::vector<double>& z, int64_t cols, const Choice& choice,
             const std::vector<T>& h, int64_t i, int64_t j) {
  const double s = dot(z, cols, i, j);
  if (choice.near->rows == 0) return s;
  if (choice.shells) return s + std::log(h[shell_of(choice.near->view(), i, j)]);
  const int64_t e = find_entry(choice.near->view(), i, j);
  return s + std::log(e >= 0 ? static_cast<double>(h[e]) : static_cast<double>(kOther));
}

// Row i's columns as results: how many, what is wrong with them (0), and their scores, largest
// first, so that a tie may go to any column of the same score.
template <class T>
void describe_row(Run<T>& r, const std::vector<double>& z, int64_t cols, const Choice& choice,
                  int64_t i, const std::vector<int32_t>& columns) {
  const int64_t n = static_cast<int64_t>(z.size()) / cols, k = choice.options.k;
  std::vector<double> scores;
  int64_t faults = static_cast<int64_t>(columns.size()) > k;
  for (size_t p = 0; p < columns.size(); ++p) {
    const int64_t j = columns[p];
    const bool inside = j >= 0 && j < n && (choice.options.diagonal || j != i);
    if (!inside || (p > 0 && j <= columns[p - 1])) {
      ++faults;
    } else {
      scores.push_back(score(z, cols, choice, r.in[1], i, j));
    }
  }
  std::sort(scores.begin(), scores.end(), std::greater<>());
  scores.resize(k, 0.0);
  std::copy(scores.begin(), scores.end(), r.out[0].begin() + i * k);
  r.exact[0].push_back(static_cast<int64_t>(columns.size()));
  r.exact[1].push_back(faults);
  if (choice.compare_columns) r.exact[2].insert(r.exact[2].end(), columns.begin(), columns.end());
}

template <class T, class Rows, class Choose>
void run_choose(Run<T>& r, const Rows& rows, const Choice& choice, Choose&& choose) {
  const int64_t n = rows.rows(), k = choice.options.k;
  std::vector<int32_t> col(n * k, -1);
  std::vector<int64_t> count(n, -1);
  HopWeights<T> hops;
  const HopShells shells = choice.shells ? HopShells(choice.near, kHops) : HopShells();
  if (choice.shells) {
    hops.shells = &shells;
    hops.h_of_shell = r.in[1].data();
  } else {
    hops = {choice.near->view(), r.in[1].data(), T(kOther)};
  }
  choose(col.data(), count.data(), r.out[1].data(), rows.z(r.in[0]), hops, choice.options);
  if (!choice.describe) return;
  const std::vector<double> z = rows.as_dense(r.in[0]);
  r.exact.assign(3, {});
  for (int64_t i = 0; i < n; ++i) {
    const int64_t filled = std::clamp<int64_t>(count[i], 0, k);
    describe_row(r, z, rows.cols(), choice, i, {col.begin() + i * k, col.begin() + i * k + filled});
  }
}

// Sorts all pairs of each row.
template <class Rows>
void brute_force_choose(Run<double>& r, const Rows& rows, const Choice& choice) {
  const std::vector<double> z = rows.as_dense(r.in[0]);
  const int64_t n = rows.rows(), cols = rows.cols();
  r.exact.assign(3, {});
  for (int64_t i = 0; i < n; ++i) {
    std::vector<std::pair<double, int32_t>> order;  // by falling score, then rising column
    std::vector<double> all;
    for (int64_t j = 0; j < n; ++j) {
      if (j == i && !choice.options.diagonal) continue;
      const double s = dot(z, cols, i, j);
      all.push_back(s);
      if (choice.options.positive_only && !(s > 0)) continue;
      order.emplace_back(-score(z, cols, choice, r.in[1], i, j), static_cast<int32_t>(j));
    }
    r.out[1][i] = log_sum_exp(all);
    std::sort(order.begin(), order.end());
    if (static_cast<int64_t>(order.size()) > choice.options.k) order.resize(choice.options.k);
    std::vector<int32_t> columns;
    for (const auto& [negative, j] : order) columns.push_back(j);
    std::sort(columns.begin(), columns.end());
    describe_row(r, z, cols, choice, i, columns);
  }
}

// The weights of the near pairs, or of the shells.
std::vector<double> hop_weights(const Choice& choice) {
  if (choice.shells) return {1.0, 0.5, 0.125};
  const int64_t pairs = choice.near->nnz();
  if (choice.compare_columns) return std::vector<double>(pairs, 0.5);
  return uniform(9, pairs, 0.1, 1);
}

SharedPattern symmetric_graph(uint64_t seed, int64_t n, int64_t per_row) {
  return std::make_shared<Pattern>(
      symmetric_union(random_graph(seed, n, per_row)->view(), 1).pattern());
}

// What each row has chosen, or the rows after it where `others`: pairs to be listed as likely.
Pattern listed_pairs(const std::vector<int32_t>& col, const std::vector<int64_t>& count, int64_t k,
                     bool others) {
  const int64_t n = static_cast<int64_t>(count.size());
  Pattern out;
  out.rows = out.cols = n;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < count[i]; ++c) {
      out.col.push_back(others ? static_cast<int32_t>((i + 1 + c) % n) : col[i * k + c]);
    }
    out.row_ptr.push_back(out.nnz());
    std::sort(out.col.begin() + out.row_ptr[i], out.col.end());
  }
  return out;
}

// Chooses twice: the second time with a list of likely pairs, which must change nothing. (`others`
// that are not positive may not be listed as chosen, and are not where only positive ones are.)
template <class Rows>
void run_choose_again(Run<float>& r, const Rows& rows, const Choice& choice, bool others,
                      int threads) {
  run_choose(r, rows, choice,
             [&](int32_t* col, int64_t* count, float* lse, const auto& z,
                 const HopWeights<float>& hops, ChooseOptions options) {
               const int64_t n = rows.rows(), k = options.k;
               cpu::graph_learn_choose(col, count, lse, z, hops, options, threads);
               const Pattern likely = listed_pairs({col, col + n * k}, {count, count + n}, k,
                                                   others && !options.positive_only);
               options.likely = likely.view();
               std::fill(col, col + n * k, -1);
               cpu::graph_learn_choose(col, count, lse, z, hops, options, threads);
             });
}

template <class Rows>
Case choose_case(std::string name, Rows rows, std::vector<double> z, Choice choice) {
  return with_cuda(
      {.name = name,
       .in = {{"z", z}, {"h", hop_weights(choice)}},
       .out = {{"scores", rows.rows() * choice.options.k}, {"lse", rows.rows()}},
       .forward =
           [=]<class T>(Run<T>& r) {
             run_choose(r, rows, choice,
                        [](auto... arguments) { ref::graph_learn_choose(arguments...); });
           },
       .backends =
           {{"cpu",
             [=](Run<float>& r, int threads) {
               run_choose(r, rows, choice, [threads](auto... arguments) {
                 cpu::graph_learn_choose(arguments..., threads);
               });
             },
             {}},
            {"cpu, the chosen listed",
             [=](Run<float>& r, int threads) { run_choose_again(r, rows, choice, false, threads); },
             {}},
            {"cpu, others listed",
             [=](Run<float>& r, int threads) { run_choose_again(r, rows, choice, true, threads); },
             {}}},
       .no_gradient = "the choice is constant for the gradient; lse is checked by itself",
       .oracle = choice.describe ? [=](Run<double>& r) { brute_force_choose(r, rows, choice); }
                                 : Oracle(),
       .forward_work = {.flops = rows.all_pairs_flops()}},
      [=](Run<float>& r, int) {
        run_choose(r, rows, choice,
                   [](auto... arguments) { cuda::graph_learn_choose(arguments...); });
      });
}

template <class T, class Rows, class Choose>
void run_lse(Run<T>& r, const Rows& rows, bool diagonal, Choose&& choose) {
  std::vector<int32_t> col(rows.rows());
  std::vector<int64_t> count(rows.rows());
  choose(col.data(), count.data(), r.out[0].data(), rows.z(r.in[0]), HopWeights<T>{},
         ChooseOptions{.k = 1, .diagonal = diagonal});
}

template <class Rows>
Case lse_case(std::string name, Rows rows, std::vector<double> z, bool diagonal) {
  const double flops = rows.all_pairs_flops();
  return with_cuda(
      {.name = name,
       .in = {{"z", z}},
       .out = {{"lse", rows.rows()}},
       .forward =
           [=]<class T>(Run<T>& r) {
             run_lse(r, rows, diagonal,
                     [](auto... arguments) { ref::graph_learn_choose(arguments...); });
           },
       .backward =
           [=]<class T>(Run<T>& r) {
             ref::graph_learn_lse_backward<T>(rows.gradient(r.d_in[0]), r.d_out[0].data(),
                                              rows.z(r.in[0]), r.out[0].data(), diagonal);
           },
       .backends = {{"cpu",
                     [=](Run<float>& r, int threads) {
                       run_lse(r, rows, diagonal, [threads](auto... arguments) {
                         cpu::graph_learn_choose(arguments..., threads);
                       });
                     },
                     [=](Run<float>& r, int threads) {
                       cpu::graph_learn_lse_backward(rows.gradient(r.d_in[0]), r.d_out[0].data(),
                                                     rows.z(r.in[0]), r.out[0].data(), diagonal,
                                                     threads);
                     }}},
       .oracle =
           [=](Run<double>& r) {
             const std::vector<double> dense = rows.as_dense(r.in[0]);
             for (int64_t i = 0; i < rows.rows(); ++i) {
               std::vector<double> all;
               for (int64_t j = 0; j < rows.rows(); ++j) {
                 if (diagonal || i != j) all.push_back(dot(dense, rows.cols(), i, j));
               }
               r.out[0][i] = log_sum_exp(all);
             }
           },
       .forward_work = {.flops = flops},
       .backward_work = {.flops = 2 * flops}},
      [=](Run<float>& r, int) {
        run_lse(r, rows, diagonal,
                [](auto... arguments) { cuda::graph_learn_choose(arguments...); });
      },
      [=](Run<float>& r, int) {
        cuda::graph_learn_lse_backward(rows.gradient(r.d_in[0]), r.d_out[0].data(), rows.z(r.in[0]),
                                       r.out[0].data(), diagonal);
      });
}

std::vector<Case> joined(const std::vector<std::vector<Case>>& parts) {
  std::vector<Case> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

// Rows with equal ones and zero ones among them: rows 1 and 4 are 0, rows 5 and 7 are row 2.
std::vector<double> repeated_rows(std::vector<double> z, int64_t cols) {
  for (int64_t f = 0; f < cols; ++f) z[1 * cols + f] = z[4 * cols + f] = 0;
  copy_row(z, cols, 5, 2);
  copy_row(z, cols, 7, 2);
  return z;
}

std::vector<Case> choose_dense_cases() {
  const auto with = [](std::string name, int64_t n, int64_t d, Choice choice) {
    return choose_case(name, DenseRows{n, d}, uniform(n + d, n * d), choice);
  };
  std::vector<Case> out{
      with("17x5, k 4", 17, 5, {.options = {.k = 4}}),
      with("17x5, hops", 17, 5, {.options = {.k = 4}, .near = random_graph(3, 17, 5)}),
      with("17x5, shells", 17, 5,
           {.options = {.k = 4}, .near = random_graph(3, 17, 5), .shells = true}),
      with("301x40, shells", 301, 40,
           {.options = {.k = 20}, .near = random_graph(6, 301, 30), .shells = true}),
      with("301x40, shells, symmetric", 301, 40,
           {.options = {.k = 20}, .near = symmetric_graph(6, 301, 3), .shells = true}),
      with("97x130, shells, symmetric, diagonal", 97, 130,
           {.options = {.k = 5, .diagonal = true},
            .near = symmetric_graph(6, 97, 2),
            .shells = true}),
      with("17x5, shells, positive only", 17, 5,
           {.options = {.k = 9, .positive_only = true},
            .near = symmetric_graph(3, 17, 2),
            .shells = true}),
      with("17x5, diagonal", 17, 5, {.options = {.k = 3, .diagonal = true}}),
      with("17x5, positive only", 17, 5,
           {.options = {.k = 14, .positive_only = true}, .near = random_graph(4, 17, 5)}),
      with("k > N", 5, 3, {.options = {.k = 9}, .near = random_graph(3, 5, 2)}),
      with("k = N", 131, 4, {.options = {.k = 131, .diagonal = true}}),
      with("one row", 1, 3, {.options = {.k = 2}}),
      with("one row, diagonal", 1, 3, {.options = {.k = 2, .diagonal = true}}),
      with("48x1, k 3", 48, 1, {.options = {.k = 3}, .near = random_graph(5, 48, 6)}),
      with("49x7, k 3", 49, 7, {.options = {.k = 3}, .near = random_graph(5, 49, 6)}),
      with("97x300, k 5", 97, 300, {.options = {.k = 5}}),
      with("301x40, k 20", 301, 40, {.options = {.k = 20}, .near = random_graph(6, 301, 9)}),
      with("533x3, k 1", 533, 3, {.options = {.k = 1, .diagonal = true}}),
      with("1100x3, k 33", 1100, 3, {.options = {.k = 33}, .near = random_graph(7, 1100, 4)}),
      with("6740x1, k 3", 6740, 1, {.options = {.k = 3}})};
  out.back().heavy = true;
  // Cut into more blocks for three threads than for two.
  out.push_back(with("1601x3, k 9", 1601, 3,
                     {.options = {.k = 9}, .near = symmetric_graph(7, 1601, 4), .shells = true}));
  out.back().heavy = true;
  // Several tiles of columns, more features than are multiplied at a time, the paper's k.
  out.push_back(with("1300x70, k 110", 1300, 70,
                     {.options = {.k = 110}, .near = random_graph(9, 1300, 40), .shells = true}));
  out.back().heavy = true;
  out.push_back(choose_case("large numbers", DenseRows{61, 40}, uniform(3, 61 * 40, -4, 4),
                            {.options = {.k = 6}, .near = random_graph(8, 61, 9)}));
  return out;
}

// Whole numbers: every tie is one in any arithmetic, and must go to the smaller column.
std::vector<Case> choose_tie_cases() {
  const auto with = [](std::string name, int64_t d, std::vector<double> z, Choice choice) {
    choice.compare_columns = true;
    return choose_case(name, DenseRows{static_cast<int64_t>(z.size()) / d, d}, z, choice);
  };
  std::vector<double> rising(1100), falling(1100);
  for (int64_t i = 0; i < 1100; ++i) rising[i] = falling[1099 - i] = static_cast<double>(i);
  return {with("equal and zero rows", 6, repeated_rows(whole_numbers(1, 13 * 6, -2, 2), 6),
               {.options = {.k = 5}}),
          with("many ties", 4, whole_numbers(2, 201 * 4, -1, 1), {.options = {.k = 7}}),
          with("many ties, hops", 4, whole_numbers(2, 201 * 4, -1, 1),
               {.options = {.k = 7}, .near = random_graph(7, 201, 20)}),
          with("many ties, positive only", 4, whole_numbers(3, 201 * 4, -1, 1),
               {.options = {.k = 60, .positive_only = true}, .near = random_graph(7, 201, 20)}),
          with("all equal", 2, std::vector<double>(2 * 700, 1.0), {.options = {.k = 33}}),
          with("rising scores", 1, rising, {.options = {.k = 12}}),
          with("falling scores", 1, falling, {.options = {.k = 12, .diagonal = true}}),
          with("all zero", 4, std::vector<double>(36, 0.0), {.options = {.k = 3}}),
          with("all zero, positive only", 4, std::vector<double>(36, 0.0),
               {.options = {.k = 3, .positive_only = true}})};
}

std::vector<Case> choose_sparse_cases() {
  const auto with = [](std::string name, SharedPattern pattern, Choice choice) {
    return choose_case(name, SparseRows(pattern), uniform(1, pattern->nnz()), choice);
  };
  const SharedPattern ties = random_pattern(8, 201, 9, 4);
  // So few numbers that no tile of dense rows is made of them, and enough rows for groups of
  // columns.
  const SharedPattern scattered = random_pattern(9, 601, 97, 6);
  return {with("sparse 17x11, k 4", random_pattern(1, 17, 11, 4), {.options = {.k = 4}}),
          with("sparse 17x11, hops", random_pattern(1, 17, 11, 4),
               {.options = {.k = 4}, .near = random_graph(3, 17, 5)}),
          with("sparse 301x97, shells", random_pattern(5, 301, 97, 8),
               {.options = {.k = 20}, .near = random_graph(6, 301, 30), .shells = true}),
          with("scattered, shells, symmetric", scattered,
               {.options = {.k = 12}, .near = symmetric_graph(4, 601, 3), .shells = true}),
          with("sparse 17x11, diagonal", random_pattern(1, 17, 11, 4),
               {.options = {.k = 4, .diagonal = true}}),
          with("sparse 17x11, positive only", random_pattern(1, 17, 11, 4),
               {.options = {.k = 14, .positive_only = true}, .near = random_graph(4, 17, 5)}),
          with("sparse k > N", random_pattern(1, 5, 4, 2), {.options = {.k = 9}}),
          with("sparse one row", random_pattern(1, 1, 4, 3), {.options = {.k = 2}}),
          with("sparse no entries", empty_pattern(7, 3),
               {.options = {.k = 2}, .compare_columns = true}),
          choose_case("sparse many ties", SparseRows(ties), whole_numbers(2, ties->nnz(), 1, 2),
                      {.options = {.k = 7}, .compare_columns = true}),
          choose_case("scattered, many ties", SparseRows(scattered),
                      whole_numbers(2, scattered->nnz(), -1, 2),
                      {.options = {.k = 20}, .compare_columns = true}),
          choose_case("scattered, ties, positive", SparseRows(scattered),
                      whole_numbers(2, scattered->nnz(), 1, 2),
                      {.options = {.k = 40, .positive_only = true}, .compare_columns = true}),
          with("scattered, hops", scattered,
               {.options = {.k = 12, .diagonal = true}, .near = random_graph(4, 601, 40)}),
          with("scattered, positive only", scattered,
               {.options = {.k = 60, .positive_only = true}, .near = random_graph(4, 601, 40)}),
          with("sparse 301x97, k 20", random_pattern(5, 301, 97, 8),
               {.options = {.k = 20}, .near = random_graph(6, 301, 9)}),
          with("sparse 1601x29, k 5", random_pattern(6, 1601, 29, 3), {.options = {.k = 5}})};
}

std::vector<Case> lse_dense_cases() {
  const auto with = [](std::string name, int64_t n, int64_t d, bool diagonal) {
    return lse_case(name, DenseRows{n, d}, uniform(n + d, n * d), diagonal);
  };
  std::vector<Case> out{with("17x5", 17, 5, false),
                        with("17x5, diagonal", 17, 5, true),
                        with("one row", 1, 3, false),
                        with("one row, diagonal", 1, 3, true),
                        with("two rows", 2, 1, false),
                        with("49x9", 49, 9, false),
                        with("97x300", 97, 300, false),
                        with("301x13", 301, 13, false),
                        with("301x13, diagonal", 301, 13, true),
                        with("700x64", 700, 64, false),
                        with("700x130", 700, 130, true),
                        with("6740x1", 6740, 1, false)};
  for (size_t c = out.size() - 3; c < out.size(); ++c) out[c].heavy = true;
  out.back().naive_limit = 5e-5;  // sums of 6740 numbers in float
  // S is some hundreds, so that float knows exp(S - lse) to a few digits less.
  out.push_back(lse_case("large numbers", DenseRows{61, 40}, uniform(3, 61 * 40, -4, 4), false));
  out.back().naive_limit = 1e-3;
  out.push_back(lse_case("equal and zero rows", DenseRows{13, 6},
                         repeated_rows(uniform(1, 13 * 6), 6), false));
  return out;
}

std::vector<Case> lse_sparse_cases() {
  const auto with = [](std::string name, SharedPattern pattern, bool diagonal) {
    return lse_case(name, SparseRows(pattern), uniform(1, pattern->nnz()), diagonal);
  };
  return {with("sparse 17x11", random_pattern(1, 17, 11, 4), false),
          with("sparse 17x11, diagonal", random_pattern(1, 17, 11, 4), true),
          with("sparse one row", random_pattern(1, 1, 4, 3), false),
          with("sparse no entries", empty_pattern(7, 3), false),
          with("sparse 301x97", random_pattern(5, 301, 97, 8), false),
          with("sparse 301x97, diagonal", random_pattern(5, 301, 97, 8), true)};
}

}  // namespace

std::vector<Op> graph_learn_ops() {
  static constexpr int64_t kRows = 2000, kCols = 256;
  static constexpr auto sparse_rows = [] { return random_pattern(1, kRows, 1433, 18); };
  return {
      {"graph_learn_choose",
       [] {
         return joined({choose_dense_cases(), choose_tie_cases(), choose_sparse_cases()});
       },
       [] {
         const Choice choice{.options = {.k = 20}, .describe = false};
         const SharedPattern z = sparse_rows();
         return std::vector{
             choose_case("2000x256, k 20", DenseRows{kRows, kCols}, uniform(1, kRows * kCols),
                         choice),
             choose_case("sparse 2000x1433, k 20", SparseRows(z), uniform(1, z->nnz()), choice)};
       }},
      {"graph_learn_lse",
       [] {
         return joined({lse_dense_cases(), lse_sparse_cases()});
       },
       [] {
         const SharedPattern z = sparse_rows();
         return std::vector{
             lse_case("2000x256", DenseRows{kRows, kCols}, uniform(1, kRows * kCols, -0.3, 0.3),
                      false),
             lse_case("sparse 2000x1433", SparseRows(z), uniform(1, z->nnz()), false)};
       }},
  };
}

}  // namespace glgnn::op_check
