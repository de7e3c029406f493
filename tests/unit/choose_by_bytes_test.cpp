// Bounds by bytes never rule out a pair that matters, rule out most others, and the choice is the
// one that tiles of floats give.
#include <limits>

#include "cpu_kernels_util.h"
#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/cpu/graph_learn/coarse_rows.h"
#include "kernels/cpu/graph_learn/packed_rows.h"

namespace glgnn {
namespace {

using cpu::kPanelRows;

Pattern listed(const Choice<float>& choice, int64_t k) {
  Pattern pattern{std::ssize(choice.count), std::ssize(choice.count), {0}, {}};
  for (int64_t i = 0; i < pattern.rows; ++i) {
    const auto row = choice.col.begin() + i * k;
    pattern.col.insert(pattern.col.end(), row, row + choice.count[i]);
    pattern.row_ptr.push_back(pattern.nnz());
  }
  return pattern;
}

// Only without the sums of exponentials pairs may be ruled out.
template <class Rows>
void expect_same_choice(const Rows& z, HopKind hop_kind, ChooseOptions options) {
  const Hops hops(z.rows, hop_kind);
  for_each_instruction_set([&] {
    Choice<float> by_floats = choose_fast(z, hops, options);
    by_floats.lse.clear();
    for (int threads : {1, 3}) {
      EXPECT_TRUE(choose_blind(z, hops, options, threads) == by_floats) << threads << " threads";
    }
    const Pattern likely = listed(by_floats, options.k);
    ChooseOptions again = options;
    again.likely = likely.view();
    EXPECT_TRUE(choose_blind(z, hops, again, 2) == by_floats) << "with likely pairs";
  });
}

template <class Rows>
void expect_same_choices() {
  for (bool whole : {false, true}) {  // whole numbers: full of ties
    for (const HopKind hop_kind : kHopKinds) {
      SCOPED_TRACE(testing::Message()
                   << "whole numbers " << whole << " hops " << static_cast<int>(hop_kind));
      expect_same_choice(Rows(1300, 130, 3, whole), hop_kind, {.k = 10});
      expect_same_choice(Rows(403, 97, 4, whole), hop_kind, {.k = 30, .positive_only = true});
    }
  }
}

TEST(ChooseByBytes, DenseRowsChooseTheSame) { expect_same_choices<DenseRows>(); }
TEST(ChooseByBytes, SparseRowsChooseTheSame) { expect_same_choices<SparseRows>(); }

// Lengths from 1e-24 to 1e12, rows of zeros, rows that are all alike, and numbers that are not
// finite.
TEST(ChooseByBytes, OddRowsChooseTheSame) {
  DenseRows lengths(700, 120, 5), alike(700, 120, 6), wrong(700, 120, 7), infinite(700, 120, 8);
  for (int64_t i = 0; i < 700; ++i) {
    const float length = i % 50 == 7 ? 0.0f : std::pow(10.0f, static_cast<float>(i % 37 - 24));
    for (int64_t f = 0; f < 120; ++f) {
      lengths.values[i * 120 + f] *= length;
      alike.values[i * 120 + f] = alike.values[f];
    }
  }
  wrong.values[120 * 33 + 5] = std::numeric_limits<float>::quiet_NaN();
  infinite.values[120 * 44 + 9] = std::numeric_limits<float>::infinity();
  const std::pair<const char*, const DenseRows&> odd[] = {
      {"lengths", lengths}, {"alike", alike}, {"not a number", wrong}, {"infinite", infinite}};
  for (const auto& [name, z] : odd) {
    const Hops none(700, HopKind::kNone);
    Choice<float> by_floats = choose_fast(z, none, {.k = 12});
    by_floats.lse.clear();
    EXPECT_TRUE(choose_blind(z, none, {.k = 12}, 2) == by_floats) << name;
  }
}

// Each row asks for what its tenth best pair has: those pairs are marked, few others are.
TEST(ChooseByBytes, MarksWhatMattersAndLittleElse) {
  constexpr int64_t kRows = 96, kFeatures = 200;
  const DenseRows z(kRows, kFeatures, 9);
  const cpu::Blocks blocks(kRows);
  cpu::Scratch<float> packed_room;
  cpu::CoarseScratch room;
  const cpu::CoarseRows coarse =
      cpu::pack_coarse_rows(room, cpu::pack_rows(packed_room, z.single(), blocks, 1), blocks, 1);
  if (!coarse.usable()) GTEST_SKIP() << "this processor has no products of bytes";

  Floats s(kRows * kRows), bounds(kRows);
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kRows; ++j) {
      double sum = 0;
      for (int64_t f = 0; f < kFeatures; ++f) {
        sum += z.wide[i * kFeatures + f] * z.wide[j * kFeatures + f];
      }
      s[i * kRows + j] = static_cast<float>(sum);
    }
    Floats row(s.begin() + i * kRows, s.begin() + (i + 1) * kRows);
    std::nth_element(row.begin(), row.begin() + 9, row.end(), std::greater());
    bounds[i] = std::nextafter(row[9], -HUGE_VALF);
  }
  std::vector<uint64_t> pairs(kPanelRows);
  const cpu::BoundedRows rows{0, kPanelRows, bounds.data()};
  const cpu::BoundedRows columns{kPanelRows, kPanelRows, bounds.data() + kPanelRows};
  ASSERT_TRUE(cpu::find_coarse_pairs(pairs.data(), coarse, rows, coarse, columns, {},
                                     kPanelRows * kPanelRows));
  int64_t matter = 0, marked = 0;
  for (int64_t r = 0; r < kPanelRows; ++r) {
    for (int64_t c = 0; c < kPanelRows; ++c) {
      const float least = std::min(bounds[r], bounds[kPanelRows + c]);
      const bool matters = s[r * kRows + kPanelRows + c] > least;
      const bool is_marked = (pairs[r] >> c & 1) != 0;
      EXPECT_LE(matters, is_marked) << r << ", " << c;
      matter += matters;
      marked += is_marked;
    }
  }
  EXPECT_GT(matter, 100);
  EXPECT_LT(marked, 2 * matter);
  EXPECT_FALSE(cpu::find_coarse_pairs(pairs.data(), coarse, rows, coarse, columns, {}, marked - 1));
}

}  // namespace
}  // namespace glgnn
