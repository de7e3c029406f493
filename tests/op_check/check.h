// op_check: one table of cases drives every check of an op in src/kernels, and its benchmark.
//
// How to add an op
//   1. Take the cases_*.cpp it belongs to and write a function that returns a Case: its inputs as
//      numbers (make.h has generators), its outputs as sizes, and `forward` and `backward` as
//      generic lambdas over Run<T> that call ref::. Hold kinks (relu at 0, |a - b| at a = b, ties)
//      at least kKink away from the inputs: the differences step 2 kStep to each side.
//   2. Add one line to that file's table of ops: the name, its cases, and one or two of a size
//      at which time matters, with the work they do. Cases: odd sizes, one row, empty rows and
//      patterns, zero and duplicate rows, and one large enough that threads share the work.
//   3. Add a Backend to the case for each faster implementation.
//   A case without a backward must say why in `no_gradient`; a kink itself is a case with
//   `oracle_backward`, which says what the gradient is there.
//
// What each case goes through (check.cpp)
//   oracle    ref<double> against an independent formula or brute force, where the case has one
//   forward   ref<float> against ref<double>, within naive_limit; every backend against
//             ref<double>, within twice the error of ref<float> plus kRounding
//   gradient  ref<double> backward against central differences of ref<double> forward
//   backward  as forward; gradients start from numbers that are not 0, so that a kernel that
//             overwrites instead of adding is found
//   repeat    kRepeats runs, and kThreads threads for a backend, to the same bits
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace glgnn::op_check {

inline constexpr double kStep = 1e-3;           // of the central differences
inline constexpr double kKink = 0.02;           // how far inputs stay from a kink
inline constexpr double kGradientLimit = 1e-6;  // relative
inline constexpr double kOracleLimit = 1e-12;   // relative to the largest number
inline constexpr double kRounding = 5e-7;       // 4 float roundings, the same
inline constexpr int kRepeats = 10;
inline constexpr int kThreads = 4;  // 1 .. kThreads are compared

// The numbers of one run, in the order in which the case lists them. A forward reads `in` and
// writes `out` (and fills `exact`, whole-number results that are compared without tolerance); a
// backward reads `in`, `out` and `d_out` and adds to `d_in`.
template <class T>
struct Run {
  std::vector<std::vector<T>> in, out, d_in, d_out;
  std::vector<std::vector<int64_t>> exact;
};

// A generic lambda over Run<T>, kept for both types.
struct Step {
  std::function<void(Run<float>&)> in_float;
  std::function<void(Run<double>&)> in_double;

  Step() = default;
  template <std::invocable<Run<double>&> F>
  Step(F f) : in_float(f), in_double(f) {}
  explicit operator bool() const { return in_double != nullptr; }
};

using ThreadedStep = std::function<void(Run<float>&, int threads)>;
using Oracle = std::function<void(Run<double>&)>;

struct Input {
  std::string name = {};
  std::vector<double> values = {};  // each a float, so that all types start from the same numbers
  bool gradient = true;
};

struct Output {
  std::string name = {};
  int64_t size = 0;
  bool gradient = true;  // false: saved for the backward or a side result, no gradient comes in
};

struct Backend {
  std::string name = {};
  ThreadedStep forward = {}, backward = {};
};

// What a run does, for the benchmark: operations, or else the bytes that must move.
struct Work {
  double flops = 0;
  double bytes = 0;
};

struct Case {
  std::string name = {};
  std::vector<Input> in = {};
  std::vector<Output> out = {};
  Step forward = {}, backward = {};
  std::vector<Backend> backends = {};
  std::string no_gradient = {};  // why there is none
  Oracle oracle = {};            // fills `out` and `exact`
  Oracle oracle_backward = {};   // adds to d_in; replaces the differences at a kink
  double naive_limit = 5e-6;     // of ref<float>, relative to the largest number
  bool heavy = false;            // backends only: ref is slow here, smaller cases check it
  Work forward_work = {}, backward_work = {};
};

// The case with a backend "cuda" too, where this program has a GPU to run on.
Case with_cuda(Case c, ThreadedStep forward, ThreadedStep backward = {});

struct Op {
  std::string name;
  std::vector<Case> (*cases)();
  std::vector<Case> (*bench)();  // of sizes at which time matters
};

std::vector<Op> dense_ops();        // cases_dense.cpp
std::vector<Op> graph_learn_ops();  // cases_graph_learn.cpp
std::vector<Op> edge_ops();         // cases_edges.cpp
std::vector<Op> norm_ops();         // cases_norm.cpp
std::vector<Op> pattern_ops();      // cases_patterns.cpp
std::vector<Op> loss_ops();         // cases_loss.cpp
std::vector<Op> fused_ops();        // cases_fused.cpp
std::vector<Op> best_ops();         // cases_best.cpp
std::vector<Op> query_ops();        // cases_queries.cpp
std::vector<Op> paper_ops();        // cases_paper.cpp
std::vector<Op> attention_ops();    // cases_attention.cpp

struct Report {
  std::string line;                 // what was measured
  std::vector<std::string> faults;  // empty: passed
};

// `broken` is the self-test: the analytic gradient is multiplied by 1.01 before it is compared, or,
// where there is none, the first result is changed, and the check must fail.
Report check_case(const Case& c, bool broken);

// Prints the time of each backend and the rate it reaches.
void bench_case(const Op& op, const Case& c);

// A run of the case with its inputs filled in, outputs not a number and gradients not 0.
template <class T>
Run<T> make_run(const Case& c);

}  // namespace glgnn::op_check
