// The fast kernels against ref<double>: they may err at most twice as much as ref<float>; the
// chosen graph is the same; the bits depend neither on the threads nor on the run. All of it holds
// for every instruction set the machine has.
#include <set>
#include <tuple>

#include "cpu_kernels_util.h"
#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "kernels/layers.h"
#include "kernels/nearest_rows.h"

namespace glgnn {
namespace {

struct Size {
  int64_t rows, features, k;
};
// Around the edges of vectors, panels (48 rows) and blocks; k of none and k of all.
const Size kSizes[] = {{1, 1, 1},     {2, 3, 5},     {7, 5, 3},     {47, 13, 10},
                       {48, 8, 48},   {49, 17, 90},  {97, 64, 0},   {211, 30, 7},
                       {403, 9, 110}, {150, 300, 3}, {803, 46, 20}, {1700, 7, 15}};

template <class Rows>
void check_choice(const Size& size, HopKind hop_kind, ChooseOptions options) {
  SCOPED_TRACE(testing::Message() << "rows " << size.rows << " features " << size.features << " k "
                                  << size.k << " hops " << static_cast<int>(hop_kind)
                                  << " diagonal " << options.diagonal << " positive "
                                  << options.positive_only);
  options.k = size.k;
  const Hops hops(size.rows, hop_kind);

  // Whole numbers: S is exact and full of ties, so that the choice must be the very same.
  const Rows whole(size.rows, size.features, 1, true);
  const auto whole_choice = choose_ref<double>(whole.twice(), hops.twice(), options);
  // Other numbers: near ties may fall otherwise, in very few rows.
  const Rows z(size.rows, size.features, 2);
  const auto exact = choose_ref<double>(z.twice(), hops.twice(), options);
  const auto naive = choose_ref<float>(z.single(), hops.single(), options);
  for_each_instruction_set([&] {
    const auto fast_whole = choose_fast(whole, hops, options);
    EXPECT_EQ(whole_choice.col, fast_whole.col);
    EXPECT_EQ(whole_choice.count, fast_whole.count);
    const auto fast = choose_fast(z, hops, options);
    EXPECT_EQ(exact.count, fast.count);
    expect_as_accurate(exact.lse, naive.lse, fast.lse);
    int64_t different = 0;
    for (int64_t i = 0; i < size.rows; ++i) {
      const auto row = exact.col.begin() + i * size.k;
      different += !std::equal(row, row + size.k, fast.col.begin() + i * size.k);
    }
    EXPECT_LE(different, size.rows / 300);
  });
}

template <class Rows>
void check_all_choices() {
  for (const Size& size : kSizes) {
    for (const HopKind hop_kind : kHopKinds) {
      for (bool diagonal : {false, true}) {
        for (bool positive : {false, true}) {
          if (size.rows > 500 && (diagonal || positive != (hop_kind == HopKind::kListed))) continue;
          check_choice<Rows>(size, hop_kind, {.diagonal = diagonal, .positive_only = positive});
        }
      }
    }
  }
}

TEST(CpuKernels, ChooseDense) { check_all_choices<DenseRows>(); }
TEST(CpuKernels, ChooseSparse) { check_all_choices<SparseRows>(); }

// The nearest rows by distance, as the reference finds them: exactly where products are exact, and
// but for near ties elsewhere.
TEST(CpuKernels, NearestRows) {
  for (const Size& size : kSizes) {
    SCOPED_TRACE(testing::Message() << "rows " << size.rows << " features " << size.features);
    const int64_t kept = std::min(size.k, size.rows - 1);
    for (const bool whole : {true, false}) {
      const DenseRows z(size.rows, size.features, 2, whole);
      std::vector<int32_t> exact(size.rows * kept);
      ref::nearest_rows<double>(exact.data(), z.twice().z, size.k);
      for_each_instruction_set([&] {
        std::vector<int32_t> fast(exact.size(), -1), again(exact.size(), -1);
        cpu::nearest_rows(fast.data(), z.single().z, size.k, 1);
        cpu::nearest_rows(again.data(), z.single().z, size.k, 3);
        EXPECT_EQ(fast, again);
        int64_t different = 0;
        for (int64_t i = 0; i < size.rows; ++i) {
          const auto row = exact.begin() + i * kept;
          different += !std::equal(row, row + kept, fast.begin() + i * kept);
        }
        EXPECT_LE(different, whole ? 0 : size.rows / 300);
      });
    }
  }
}

// All similarities equal, also as +0 and -0: the smallest columns win, whatever the order in which
// the blocks meet.
TEST(CpuKernels, TiesGoToTheSmallerColumn) {
  for (float size : {0.5f, 1e-30f}) {
    DenseRows z(1000, 1, 1);
    for (int64_t i = 0; i < 1000; ++i) z.values[i] = size < 0.1f && i % 3 == 0 ? -size : size;
    for_each_instruction_set([&] {
      const auto fast = choose_fast(z, Hops(1000, HopKind::kNone), {.k = 70});
      for (int64_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(fast.count[i], 70);
        for (int64_t c = 0; c < 70; ++c) ASSERT_EQ(fast.col[i * 70 + c], c + (i <= c));
      }
    });
  }
}

// Without lse the choice is the same, and similarities that would overflow e^x do no harm.
TEST(CpuKernels, LargeSimilarities) {
  DenseRows z(300, 16, 3);
  for (float& x : z.values) x *= 30;
  z.wide = widen(z.values);
  const Hops none(300, HopKind::kNone);
  const auto exact = choose_ref<double>(z.twice(), none.twice(), {.k = 5});
  const auto naive = choose_ref<float>(z.single(), none.single(), {.k = 5});
  for_each_instruction_set([&] {
    const auto fast = choose_fast(z, none, {.k = 5});
    expect_as_accurate(exact.lse, naive.lse, fast.lse);
    const auto blind = choose_blind(z, none, {.k = 5});
    EXPECT_EQ(blind.col, fast.col);
    EXPECT_EQ(blind.count, fast.count);
  });
}

template <class Rows>
Floats lse_gradient(const Rows& z, const Floats& d_lse, const Floats& lse, bool diagonal,
                    int threads, float start = 0.25f) {
  Floats d_z(z.gradient_size(), start);
  cpu::graph_learn_lse_backward(z.gradient(d_z), d_lse.data(), z.single(), lse.data(), diagonal,
                                threads);
  return d_z;
}

template <class Rows>
void check_lse_backward() {
  for (const Size& size : kSizes) {
    for (bool diagonal : {false, true}) {
      SCOPED_TRACE(testing::Message() << "rows " << size.rows << " features " << size.features
                                      << " diagonal " << diagonal);
      const Rows z(size.rows, size.features, 4);
      const Floats d_lse = random_numbers(size.rows, 5);
      const Hops none(size.rows, HopKind::kNone);
      const auto exact = choose_ref<double>(z.twice(), none.twice(), {.diagonal = diagonal});
      const auto naive = choose_ref<float>(z.single(), none.single(), {.diagonal = diagonal});
      Doubles exact_gradient(z.gradient_size(), 0.25);
      ref::graph_learn_lse_backward(z.gradient(exact_gradient), widen(d_lse).data(), z.twice(),
                                    exact.lse.data(), diagonal);
      Floats naive_gradient(z.gradient_size(), 0.25f);
      ref::graph_learn_lse_backward(z.gradient(naive_gradient), d_lse.data(), z.single(),
                                    naive.lse.data(), diagonal);
      for_each_instruction_set([&] {
        expect_as_accurate(exact_gradient, naive_gradient,
                           lse_gradient(z, d_lse, naive.lse, diagonal, 1));
      });
    }
  }
}

TEST(CpuKernels, LseBackwardDense) { check_lse_backward<DenseRows>(); }
TEST(CpuKernels, LseBackwardSparse) { check_lse_backward<SparseRows>(); }

// With Z_0 = 1, lse_0 = 0 and d_lse = (1, 0, 0, ...) the gradient of row j is e^(Z_j).
TEST(CpuKernels, ExpWithinTwoUnitsInTheLastPlace) {
  DenseRows z(8701, 1, 1);
  for (int64_t i = 1; i < z.rows; ++i) z.values[i] = static_cast<float>(1 - i) / 100;
  z.values[0] = 1;
  Floats d_lse(z.rows), lse(z.rows, 1e4f);
  d_lse[0] = 1;
  lse[0] = 0;
  for_each_instruction_set([&] {
    const Floats d_z = lse_gradient(z, d_lse, lse, false, 1, 0.0f);
    EXPECT_EQ(d_z[1], 1.0f);
    for (int64_t i = 1; i < z.rows; ++i) {
      const double exact = std::exp(static_cast<double>(z.values[i]));
      ASSERT_NEAR(d_z[i], exact, 2 * 1.2e-7 * exact) << z.values[i];
    }
  });
}

template <class Rows>
void check_edge_dot() {
  for (const Size& size : kSizes) {
    SCOPED_TRACE(testing::Message() << "rows " << size.rows << " features " << size.features);
    const Rows z(size.rows, size.features, 6);
    const Pattern pattern = random_pattern(size.rows, size.rows, 20.0 / (20 + size.rows), 7);
    const Transpose back = transpose(pattern.view());
    Doubles exact(pattern.nnz());
    Floats naive(pattern.nnz());
    ref::edge_dot_forward(exact.data(), pattern.view(), z.twice());
    ref::edge_dot_forward(naive.data(), pattern.view(), z.single());
    const Floats d_s = random_numbers(pattern.nnz(), 8);
    Doubles exact_gradient(z.gradient_size(), 0.5);
    Floats naive_gradient(z.gradient_size(), 0.5f);
    ref::edge_dot_backward(z.gradient(exact_gradient), widen(d_s).data(), pattern.view(),
                           back.view(), z.twice());
    ref::edge_dot_backward(z.gradient(naive_gradient), d_s.data(), pattern.view(), back.view(),
                           z.single());
    for_each_instruction_set([&] {
      Floats fast(pattern.nnz()), fast_gradient(z.gradient_size(), 0.5f);
      cpu::edge_dot_forward(fast.data(), pattern.view(), z.single(), 1);
      cpu::edge_dot_backward(z.gradient(fast_gradient), d_s.data(), pattern.view(), back.view(),
                             z.single(), 1);
      expect_as_accurate(exact, naive, fast);
      expect_as_accurate(exact_gradient, naive_gradient, fast_gradient);
    });
  }
}

TEST(CpuKernels, EdgeDotDense) { check_edge_dot<DenseRows>(); }
TEST(CpuKernels, EdgeDotSparse) { check_edge_dot<SparseRows>(); }

// The three results of spmm by the reference: y, then d_values and d_x, which start at 1.
template <class T>
std::tuple<std::vector<T>, std::vector<T>, std::vector<T>> spmm_ref(
    const Pattern& pattern, const Transpose& back, const std::vector<T>& values,
    const std::vector<T>& x, const std::vector<T>& d_y, int64_t H) {
  const MatView<const T> x_view{x.data(), pattern.cols, H}, d_y_view{d_y.data(), pattern.rows, H};
  std::vector<T> y(d_y.size()), d_values(values.size(), 1), d_x(x.size(), 1);
  ref::spmm_forward(MatView<T>{y.data(), pattern.rows, H}, pattern.view(), values.data(), x_view);
  ref::spmm_backward_values(d_values.data(), pattern.view(), d_y_view, x_view);
  ref::spmm_backward_x(MatView<T>{d_x.data(), pattern.cols, H}, back.view(), values.data(),
                       d_y_view);
  return {y, d_values, d_x};
}

TEST(CpuKernels, Spmm) {
  const Pattern pattern = random_pattern(150, 90, 0.15, 9);
  const Transpose back = transpose(pattern.view());
  const Floats values = random_numbers(pattern.nnz(), 10);
  for (int64_t H : {1, 7, 16, 32, 46, 100}) {
    SCOPED_TRACE(H);
    const Floats x = random_numbers(90 * H, 11), d_y = random_numbers(150 * H, 12);
    const auto exact = spmm_ref(pattern, back, widen(values), widen(x), widen(d_y), H);
    const auto naive = spmm_ref(pattern, back, values, x, d_y, H);
    const MatView<const float> x_view{x.data(), 90, H}, d_y_view{d_y.data(), 150, H};
    for_each_instruction_set([&] {
      Floats y(150 * H, 9.0f), d_values(pattern.nnz(), 1.0f), d_x(90 * H, 1.0f);
      cpu::spmm_forward({y.data(), 150, H}, pattern.view(), values.data(), x_view, 1);
      cpu::spmm_backward_values(d_values.data(), pattern.view(), d_y_view, x_view, 1);
      cpu::spmm_backward_x({d_x.data(), 90, H}, back.view(), values.data(), d_y_view, 1);
      expect_as_accurate(std::get<0>(exact), std::get<0>(naive), y);
      expect_as_accurate(std::get<1>(exact), std::get<1>(naive), d_values);
      expect_as_accurate(std::get<2>(exact), std::get<2>(naive), d_x);
    });
  }
}

TEST(CpuKernels, Gemm) {
  for (const Size& size :
       {Size{1, 1, 1}, {65, 7, 33}, {130, 32, 500}, {3, 40, 0}, {2100, 16, 20}}) {
    const int64_t m = size.rows, n = size.features, inner = size.k;
    const Floats a = random_numbers(m * inner, 13), b = random_numbers(inner * n, 14);
    const Doubles wide_a = widen(a), wide_b = widen(b);
    for (int variant = 0; variant < 8; ++variant) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << inner << " " << variant);
      const GemmOptions options{(variant & 1) != 0, (variant & 2) != 0, (variant & 4) != 0};
      const auto left = [&]<class T>(const std::vector<T>& x) -> MatView<const T> {
        return {x.data(), options.transpose_a ? inner : m, options.transpose_a ? m : inner};
      };
      const auto right = [&]<class T>(const std::vector<T>& x) -> MatView<const T> {
        return {x.data(), options.transpose_b ? n : inner, options.transpose_b ? inner : n};
      };
      Doubles exact(m * n, 2.0);
      ref::gemm({exact.data(), m, n}, left(wide_a), right(wide_b), options);
      Floats naive(m * n, 2.0f), fast(m * n, 2.0f), fast_by_three(m * n, 2.0f);
      ref::gemm({naive.data(), m, n}, left(a), right(b), options);
      cpu::gemm({fast.data(), m, n}, left(a), right(b), options, 1);
      cpu::gemm({fast_by_three.data(), m, n}, left(a), right(b), options, 3);
      expect_as_accurate(exact, naive, fast);
      EXPECT_EQ(fast, fast_by_three);
      Doubles wide(m * n, 2.0);
      cpu::gemm({wide.data(), m, n}, left(wide_a), right(wide_b), options, 3);
      for (int64_t e = 0; e < m * n; ++e) EXPECT_NEAR(exact[e], wide[e], 1e-11);
    }
  }
}

TEST(CpuKernels, InvertsPositiveMatrices) {
  for (const int64_t n : {1, 2, 7, 150}) {
    const Doubles x = widen(random_numbers(n * n, 15));
    Doubles a(n * n), plain, fast, one(n * n);
    ref::gemm<double>({a.data(), n, n}, {x.data(), n, n}, {x.data(), n, n}, {false, true, false});
    for (int64_t i = 0; i < n; ++i) a[i * n + i] += 0.1;
    plain = fast = a;
    const double log_root = ref::invert({plain.data(), n, n});
    EXPECT_NEAR(cpu::invert({fast.data(), n, n}), log_root, 1e-9 * static_cast<double>(n));
    ref::gemm<double>({one.data(), n, n}, {a.data(), n, n}, {fast.data(), n, n}, {});
    for (int64_t e = 0; e < n * n; ++e) {
      EXPECT_NEAR(plain[e], fast[e], 1e-8);
      EXPECT_NEAR(one[e], e % (n + 1) == 0 ? 1 : 0, 1e-8);
    }
  }
  for (const auto invert : {ref::invert, cpu::invert}) {
    Doubles no_inverse{1, 2, 2, 1};
    EXPECT_TRUE(std::isnan(invert({no_inverse.data(), 2, 2})));
    EXPECT_TRUE(std::isnan(no_inverse[1]));
  }
}

// Every pair of blocks meets once, and within a round no block plays twice.
TEST(CpuKernels, BlocksMeetOnce) {
  for (int64_t rows : {0, 1, 47, 96, 193, 1000, 1536, 5000, 16384, 70001}) {
    SCOPED_TRACE(rows);
    const cpu::Blocks blocks(rows);
    EXPECT_EQ(blocks.first(0), 0);
    EXPECT_GE(blocks.first(blocks.count()), rows);
    std::vector<std::pair<int64_t, int64_t>> met;
    cpu::for_each_block_pair(blocks, 1,
                             [&](int64_t i, int64_t j, int) { met.push_back(std::minmax(i, j)); });
    const int64_t count = blocks.count();
    EXPECT_EQ(std::ssize(met), count * (count + 1) / 2);
    EXPECT_EQ(std::set(met.begin(), met.end()).size(), met.size());
    for (int64_t game = count; game < std::ssize(met); game += count / 2) {
      std::set<int64_t> playing;
      for (int64_t p = game; p < game + count / 2; ++p)
        playing.insert({met[p].first, met[p].second});
      EXPECT_EQ(std::ssize(playing), count);
    }
  }
}

// Of so many rows that their marks are made tile by tile: the choice is that of the listed pairs.
TEST(CpuKernels, ChoosesByShellsOfManyRows) {
  constexpr int64_t kRows = 14210;
  ASSERT_EQ(HopShells::search_bytes(kRows, 2), 0);
  // A ring with steps of 1 and 5 both ways: two steps lead 2, 4, 6 and 10 away.
  const auto of_steps = [](const std::vector<int>& steps) {
    Pattern pattern{kRows, kRows, {0}, {}};
    for (int64_t i = 0; i < kRows; ++i) {
      for (const int step : steps) {
        pattern.col.push_back(static_cast<int32_t>((i + step + kRows) % kRows));
      }
      std::sort(pattern.col.begin() + pattern.row_ptr.back(), pattern.col.end());
      pattern.row_ptr.push_back(pattern.nnz());
    }
    return pattern;
  };
  Hops shells(0, HopKind::kNone), listed(0, HopKind::kNone);
  shells.shells = {std::make_shared<Pattern>(of_steps({-5, -1, 1, 5})), 2};
  shells.h = {64.0f, 8.0f, 2.0f};
  listed.near = of_steps({-10, -6, -5, -4, -2, -1, 1, 2, 4, 5, 6, 10});
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t e = listed.near.row_ptr[i]; e < listed.near.row_ptr[i + 1]; ++e) {
      const int64_t apart = std::abs(listed.near.col[e] - i);
      const int64_t step = std::min(apart, kRows - apart);
      listed.h.push_back(step == 1 || step == 5 ? 64.0f : 8.0f);
    }
  }
  const DenseRows z(kRows, 2, 21);
  const auto expected = choose_blind(z, listed, {.k = 6});
  EXPECT_TRUE(choose_blind(z, shells, {.k = 6}, 2) == expected);
}

template <class Rows>
void check_same_bits() {
  const Rows z(1111, 37, 15);
  const Hops hops(1111, HopKind::kShells);
  const Floats d_lse = random_numbers(1111, 16);
  const Pattern pattern = random_pattern(1111, 1111, 0.01, 17);
  const Transpose back = transpose(pattern.view());
  const Floats d_s = random_numbers(pattern.nnz(), 18);
  const auto run = [&](int threads) {
    const auto choice = choose_fast(z, hops, {.k = 20}, threads);
    Floats d_z = lse_gradient(z, d_lse, choice.lse, false, threads);
    Floats s(pattern.nnz());
    cpu::edge_dot_forward(s.data(), pattern.view(), z.single(), threads);
    cpu::edge_dot_backward(z.gradient(d_z), d_s.data(), pattern.view(), back.view(), z.single(),
                           threads);
    return std::tuple(choice, d_z, s);
  };
  for_each_instruction_set([&] {
    const auto once = run(1);
    for (int threads : {2, 3, 4}) EXPECT_TRUE(once == run(threads)) << threads << " threads";
  });
  const auto once = run(1);
  for (int repeat = 0; repeat < 10; ++repeat) ASSERT_TRUE(once == run(2)) << "repeat " << repeat;
}

TEST(CpuKernels, DropoutDrawsTheSameNumbers) {
  const Rng rng{0x123456789abcdefull, Stream::kDropHidden, 3, 41};
  for (const int64_t n : {1, 5, 63, 64, 65, 1023, 1024, 1025, 5000}) {
    const Floats x = random_numbers(n, 3);
    Floats expected(n), expected_d(n, 0.5f);
    ref::dropout_forward(expected.data(), x.data(), n, 0.3f, rng);
    ref::dropout_backward(expected_d.data(), x.data(), n, 0.3f, rng);
    for_each_instruction_set([&] {
      Floats y(n), d_x(n, 0.5f);
      cpu::dropout_forward(y.data(), x.data(), n, 0.3f, rng, 2);
      cpu::dropout_backward(d_x.data(), x.data(), n, 0.3f, rng, 2);
      EXPECT_EQ(y, expected) << n;
      EXPECT_EQ(d_x, expected_d) << n;
    });
  }
}

TEST(CpuKernels, SameBitsDense) { check_same_bits<DenseRows>(); }
TEST(CpuKernels, SameBitsSparse) { check_same_bits<SparseRows>(); }

}  // namespace
}  // namespace glgnn
