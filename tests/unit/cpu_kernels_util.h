// Random rows, graphs and hops for the tests of fast kernels, and the comparisons they share.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "kernels/edges.h"
#include "kernels/graph_learn.h"
#include "kernels/graph_norm.h"

namespace glgnn {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

inline Doubles widen(const Floats& x) { return Doubles(x.begin(), x.end()); }

// Normal numbers, or whole numbers from -2 to 2, whose products and sums are exact in float.
inline Floats random_numbers(int64_t n, uint32_t seed, bool whole = false) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> integer(-2, 2);
  Floats x(n);
  for (float& value : x) value = whole ? static_cast<float>(integer(generator)) : normal(generator);
  return x;
}

// Each pair with the given chance; every seventh row is empty.
inline Pattern random_pattern(int64_t rows, int64_t cols, double chance, uint32_t seed) {
  std::mt19937 generator(seed);
  std::bernoulli_distribution present(std::min(chance, 1.0));
  Pattern pattern{rows, cols, {0}, {}};
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      if (present(generator) && i % 7 != 3) pattern.col.push_back(static_cast<int32_t>(j));
    }
    pattern.row_ptr.push_back(pattern.nnz());
  }
  return pattern;
}

inline double largest_error(const Doubles& exact, const Floats& x) {
  double error = 0;
  for (size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(exact[i] - x[i]));
  return error;
}

inline void expect_as_accurate(const Doubles& exact, const Floats& naive, const Floats& fast) {
  if (fast.size() == 1 && fast[0] == exact[0]) return;  // log of an empty sum
  double scale = 0;
  for (double x : exact) scale = std::max(scale, std::abs(x));
  for (float x : fast) ASSERT_TRUE(std::isfinite(x));
  EXPECT_LE(largest_error(exact, fast), 2 * largest_error(exact, naive) + 3e-7 * scale);
}

// Rows to compare, dense or sparse, in float and in double.
struct DenseRows {
  int64_t rows, D;
  Floats values;
  Doubles wide;

  DenseRows(int64_t n, int64_t features, uint32_t seed, bool whole = false)
      : rows(n), D(features), values(random_numbers(n * features, seed, whole)) {
    if (!whole) {
      for (float& x : values) x /= std::sqrt(std::sqrt(static_cast<float>(features)));
    }
    wide = widen(values);
  }
  int64_t gradient_size() const { return rows * D; }
  ZDense<float> single() const { return {{values.data(), rows, D}}; }
  ZDense<double> twice() const { return {{wide.data(), rows, D}}; }
  template <class T>
  MatView<T> gradient(std::vector<T>& d_z) const {
    return {d_z.data(), rows, D};
  }
};

struct SparseRows {
  int64_t rows;
  Pattern pattern;
  Transpose by_column;
  Floats values;
  Doubles wide;

  SparseRows(int64_t n, int64_t features, uint32_t seed, bool whole = false)
      : rows(n),
        pattern(random_pattern(n, features, 0.2, seed)),
        by_column(transpose(pattern.view())),
        values(random_numbers(pattern.nnz(), seed, whole)),
        wide(widen(values)) {}
  int64_t gradient_size() const { return pattern.nnz(); }
  ZSparse<float> single() const {
    return {pattern.view(), values.data(), by_column.pattern.view(), by_column.source.data()};
  }
  ZSparse<double> twice() const {
    return {pattern.view(), wide.data(), by_column.pattern.view(), by_column.source.data()};
  }
  template <class T>
  T* gradient(std::vector<T>& d_z) const {
    return d_z.data();
  }
};

template <class T>
struct Choice {
  std::vector<int32_t> col;
  std::vector<int64_t> count;
  std::vector<T> lse;
  bool operator==(const Choice&) const = default;
};

enum class HopKind { kNone, kListed, kShells };
inline constexpr HopKind kHopKinds[] = {HopKind::kNone, HopKind::kListed, HopKind::kShells};

struct Hops {
  Pattern near;
  HopShells shells;
  Floats h;
  Doubles wide;
  // Weights 1 and 4 against 2 for the rest: no two classes tie.
  Hops(int64_t rows, HopKind kind) {
    if (kind == HopKind::kListed) {
      near = random_pattern(rows, rows, 0.1, 5);
      for (int64_t e = 0; e < near.nnz(); ++e) h.push_back(e % 3 == 0 ? 1.0f : 4.0f);
    } else if (kind == HopKind::kShells) {
      const Pattern one_way = random_pattern(rows, rows, 2.0 / static_cast<double>(rows), 5);
      shells = {std::make_shared<Pattern>(symmetric_union(one_way.view(), 1).pattern()), 2};
      h = {1.0f, 4.0f, 2.0f};
    }
    wide = widen(h);
  }
  HopWeights<float> single() const { return weights<float>(h); }
  HopWeights<double> twice() const { return weights<double>(wide); }

 private:
  template <class T, class Numbers>
  HopWeights<T> weights(const Numbers& numbers) const {
    HopWeights<T> out{near.view(), numbers.data(), T(2)};
    if (shells.rows() > 0) out.shells = &shells, out.h_of_shell = numbers.data();
    return out;
  }
};

template <class Rows>
Choice<float> choose_fast(const Rows& z, const Hops& hops, const ChooseOptions& options,
                          int threads = 1) {
  Choice<float> out{std::vector<int32_t>(z.rows * options.k, -1), std::vector<int64_t>(z.rows, -1),
                    Floats(z.rows)};
  cpu::graph_learn_choose(out.col.data(), out.count.data(), out.lse.data(), z.single(),
                          hops.single(), options, threads);
  return out;
}

// The choice alone, without the sums of exponentials.
template <class Rows>
Choice<float> choose_blind(const Rows& z, const Hops& hops, const ChooseOptions& options,
                           int threads = 1) {
  Choice<float> out{
      std::vector<int32_t>(z.rows * options.k, -1), std::vector<int64_t>(z.rows, -1), {}};
  cpu::graph_learn_choose(out.col.data(), out.count.data(), nullptr, z.single(), hops.single(),
                          options, threads);
  return out;
}

template <class T, class Z, class H>
Choice<T> choose_ref(const Z& z, const H& hops, const ChooseOptions& options) {
  Choice<T> out{std::vector<int32_t>(z.rows() * options.k, -1), std::vector<int64_t>(z.rows(), -1),
                std::vector<T>(z.rows())};
  ref::graph_learn_choose(out.col.data(), out.count.data(), out.lse.data(), z, hops, options);
  return out;
}

// Runs the check for every instruction set the kernels were compiled for and the machine has.
template <class Check>
inline void for_each_instruction_set(Check&& check) {
  for (int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SSE4, HWY_SCALAR}) {
    if (!(hwy::SupportedTargets() & target) && target != HWY_SCALAR) continue;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check();
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace glgnn
