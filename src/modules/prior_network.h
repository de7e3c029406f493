// A network that has completed millions of drawn tables before it sees yours (tools/prior). It is
// given the cells of all rows and the classes of some, and says the classes of the others; nothing
// in it is trained here. (Mueller, Hollmann and others, ICLR 2022, explain why that comes near the
// best guess under the tables that were drawn; Hollmann and others, Nature 637, 2025, read every
// cell as here.)
//
// Each cell is kWidth numbers, and so is each row's class. In each of kLayers layers the cells of a
// row listen to each other, then those of a column to the cells of the rows with a label, then each
// goes through two layers of its own:
//
//   x = x + attend(norm(x)) over the row,   x = x + attend(norm(x)) over the labelled rows,
//   x = x + gelu(norm(x) up) down
//
// What a row's class has become gives the logits. Nothing depends on the order of rows or columns.
// Cost O(N F kLayers kWidth (kWidth + T + F)) for T labelled rows.
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>
#include <span>
#include <vector>

namespace glgnn {

struct PriorNetwork {
  static constexpr int64_t kLayers = 6, kWidth = 96, kHeads = 3, kHidden = 192;
  static constexpr int64_t kCode = 8;          // numbers that stand for a level of a category
  static constexpr int64_t kCell = 4 + kCode;  // numbers that are read of a cell
  static constexpr int64_t kMostClasses = 10;
};

// What the network keeps of the rows with a label: of each layer and column what others listen to.
struct PriorTable {
  struct Heard {
    std::vector<float> keys, values;  // of each column kWidth x T, and T x kWidth
  };
  int64_t labelled = 0, columns = 0;  // T, and those of the table and that of the classes
  std::vector<Heard> layers;
};

// cells: T x (F kCell), classes: of the rows, below kMostClasses.
PriorTable read_labelled(const Matrix& cells, std::span<const int32_t> classes, int threads);

// Logits of all kMostClasses, of rows whose cells these are.
Matrix prior_logits(const PriorTable& table, const Matrix& cells, int threads);

}  // namespace glgnn
