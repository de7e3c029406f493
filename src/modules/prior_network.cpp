#include "modules/prior_network.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "kernels/attention.h"
#include "modules/prior_weights.h"

namespace glgnn {
namespace {

using Net = PriorNetwork;

constexpr int64_t kRowsAtOnce = 16;  // so many rows go through a layer while they are in the cache

float from_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 31, fraction = half & 1023;
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -small : small;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

// The file's numbers, one after the other.
class WeightReader {
 public:
  explicit WeightReader(std::span<const unsigned char> bytes) : bytes_(bytes) {}

  Matrix take(int64_t rows, int64_t cols) {
    Matrix out(rows, cols);
    for (int64_t e = 0; e < out.size(); ++e, at_ += 2) {
      GLGNN_ASSERT(at_ + 2 <= bytes_.size());
      out.data()[e] = from_half(static_cast<uint16_t>(bytes_[at_] | bytes_[at_ + 1] << 8));
    }
    return out;
  }
  bool ends() const { return at_ == bytes_.size(); }

 private:
  std::span<const unsigned char> bytes_;
  size_t at_ = 0;
};

struct Norm {
  Matrix gain, offset;

  explicit Norm(WeightReader& file)
      : gain(file.take(1, Net::kWidth)), offset(file.take(1, Net::kWidth)) {}
  void apply(MatView<float> y, MatView<const float> x) const {
    cpu::layer_norm(y, x, gain.data(), offset.data());
  }
};

// x weights + offset; without an offset where it is empty. The file has the weights transposed.
struct Linear {
  Matrix weights, offset;

  Linear(WeightReader& file, int64_t from, int64_t to, bool has_offset) : weights(from, to) {
    const Matrix stored = file.take(to, from);
    for (int64_t i = 0; i < from; ++i) {
      for (int64_t j = 0; j < to; ++j) weights[i][j] = stored[j][i];
    }
    if (has_offset) offset = file.take(1, to);
  }
  Matrix product(MatView<const float> x) const {
    Matrix y(x.rows, weights.cols());
    cpu::row_products(y.view(), x, weights.view());
    return y;
  }
  Matrix apply(MatView<const float> x) const {
    Matrix y = product(x);
    for (int64_t i = 0; i < y.rows(); ++i) {
      for (int64_t c = 0; c < y.cols(); ++c) y[i][c] += offset[0][c];
    }
    return y;
  }
};

// Two linear maps, and gelu between them.
struct TwoLinear {
  Linear first, second;

  TwoLinear(WeightReader& file, int64_t from, int64_t hidden, int64_t to)
      : first(file, from, hidden, true), second(file, hidden, to, true) {}
  Matrix apply(MatView<const float> x) const {
    Matrix hidden = first.product(x);
    cpu::gelu(hidden.view(), first.offset.data());
    return second.apply(std::as_const(hidden).view());
  }
};

struct AttentionWeights {
  Linear query, heard, out;  // heard: keys, then values

  explicit AttentionWeights(WeightReader& file)
      : query(file, Net::kWidth, Net::kWidth, false),
        heard(file, Net::kWidth, 2 * Net::kWidth, false),
        out(file, Net::kWidth, Net::kWidth, false) {}
};

struct LayerWeights {
  AttentionWeights columns, rows;
  Norm before_columns, before_rows, before_own;
  TwoLinear own;

  explicit LayerWeights(WeightReader& file)
      : columns(file),
        rows(file),
        before_columns(file),
        before_rows(file),
        before_own(file),
        own(file, Net::kWidth, Net::kHidden, Net::kWidth) {}
};

struct Weights {
  WeightReader file{prior_weights()};
  TwoLinear cell{file, Net::kCell, Net::kWidth, Net::kWidth};
  Matrix classes = file.take(Net::kMostClasses + 1, Net::kWidth);  // the last: not known
  std::vector<LayerWeights> layers;
  Norm norm;
  TwoLinear answer;

  Weights()
      : layers(take_layers(file)),
        norm(file),
        answer(file, Net::kWidth, Net::kHidden, Net::kMostClasses) {
    GLGNN_ASSERT(file.ends());
  }
  static std::vector<LayerWeights> take_layers(WeightReader& file) {
    std::vector<LayerWeights> layers;
    for (int64_t l = 0; l < Net::kLayers; ++l) layers.emplace_back(file);
    return layers;
  }
};

const Weights& weights() {
  static const Weights all;
  return all;
}

void add(MatView<float> x, const Matrix& more) {
  for (int64_t e = 0; e < x.size(); ++e) x.data[e] += more.data()[e];
}

Matrix normed(const Norm& norm, MatView<const float> x) {
  Matrix out(x.rows, x.cols);
  norm.apply(out.view(), x);
  return out;
}

// Some rows of a table on their way through the layers: a row of x for each of their cells, those
// of a row of the table together, its class last.
struct Rows {
  int64_t count, columns;
  Matrix x;

  // `classes`: of the rows; empty where they are asked for.
  Rows(const float* cells, int64_t rows, int64_t columns_, std::span<const int32_t> classes)
      : count(rows), columns(columns_), x(rows * columns_, Net::kWidth) {
    const int64_t features = columns - 1;
    const Matrix read = weights().cell.apply({cells, rows * features, Net::kCell});
    for (int64_t i = 0; i < rows; ++i) {
      if (features > 0) std::copy_n(read[i * features], features * Net::kWidth, x[i * columns]);
      const int64_t known = classes.empty() ? Net::kMostClasses : classes[i];
      std::copy_n(weights().classes[known], Net::kWidth, x[i * columns + features]);
    }
  }

  // From here on only these columns of each row.
  void keep_from(int64_t first) {
    Matrix kept(count * (columns - first), Net::kWidth);
    for (int64_t i = 0; i < count; ++i) {
      std::copy_n(x[i * columns + first], (columns - first) * Net::kWidth,
                  kept[i * (columns - first)]);
    }
    x = std::move(kept);
    columns -= first;
  }

  void listen_to_columns(const LayerWeights& layer) {
    const Matrix n = normed(layer.before_columns, std::as_const(x).view());
    const Matrix query = layer.columns.query.product(n.view());
    const Matrix heard = layer.columns.heard.product(n.view());
    Matrix said(x.rows(), Net::kWidth), keys(Net::kWidth, columns), values(columns, Net::kWidth);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t first = i * columns;
      for (int64_t s = 0; s < columns; ++s) {
        const float* const both = heard[first + s];
        for (int64_t c = 0; c < Net::kWidth; ++c) keys[c][s] = both[c];
        std::copy_n(both + Net::kWidth, Net::kWidth, values[s]);
      }
      cpu::attend({said[first], columns, Net::kWidth}, {query[first], columns, Net::kWidth},
                  std::as_const(keys).view(), std::as_const(values).view(), Net::kHeads);
    }
    add(x.view(), layer.columns.out.product(std::as_const(said).view()));
  }

  // Puts what others will listen to at rows first, first + 1, ... of `table`.
  void tell(const LayerWeights& layer, PriorTable::Heard& table, int64_t first, int64_t labelled) {
    const Matrix n = normed(layer.before_rows, std::as_const(x).view());
    const Matrix heard = layer.rows.heard.product(n.view());
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t s = 0; s < columns; ++s) {
        const float* const both = heard[i * columns + s];
        float* const keys = table.keys.data() + s * Net::kWidth * labelled + first + i;
        for (int64_t c = 0; c < Net::kWidth; ++c) keys[c * labelled] = both[c];
        std::copy_n(both + Net::kWidth, Net::kWidth,
                    table.values.data() + (s * labelled + first + i) * Net::kWidth);
      }
    }
  }

  // `skipped`: columns of the table that these rows no longer have.
  void listen_to_rows(const LayerWeights& layer, const PriorTable::Heard& table, int64_t labelled,
                      int64_t skipped) {
    const Matrix n = normed(layer.before_rows, std::as_const(x).view());
    const Matrix query = layer.rows.query.product(n.view());
    Matrix said(x.rows(), Net::kWidth), asked(count, Net::kWidth), heard(count, Net::kWidth);
    for (int64_t s = 0; s < columns; ++s) {
      for (int64_t i = 0; i < count; ++i) {
        std::copy_n(query[i * columns + s], Net::kWidth, asked[i]);
      }
      const int64_t place = (s + skipped) * labelled * Net::kWidth;
      cpu::attend(heard.view(), std::as_const(asked).view(),
                  {table.keys.data() + place, Net::kWidth, labelled},
                  {table.values.data() + place, labelled, Net::kWidth}, Net::kHeads);
      for (int64_t i = 0; i < count; ++i) {
        std::copy_n(heard[i], Net::kWidth, said[i * columns + s]);
      }
    }
    add(x.view(), layer.rows.out.product(std::as_const(said).view()));
    const Matrix own = normed(layer.before_own, std::as_const(x).view());
    add(x.view(), layer.own.apply(own.view()));
  }
};

}  // namespace

PriorTable read_labelled(const Matrix& cells, std::span<const int32_t> classes, int threads) {
  PriorTable table{
      .labelled = cells.rows(), .columns = cells.cols() / Net::kCell + 1, .layers = {}};
  std::vector<Rows> parts;
  for (int64_t first = 0; first < table.labelled; first += kRowsAtOnce) {
    const int64_t count = std::min(kRowsAtOnce, table.labelled - first);
    parts.emplace_back(cells[first], count, table.columns, classes.subspan(first, count));
  }
  const auto numbers = static_cast<size_t>(table.columns * Net::kWidth * table.labelled);
  for (const LayerWeights& layer : weights().layers) {
    PriorTable::Heard& heard = table.layers.emplace_back();
    heard.keys.resize(numbers);
    heard.values.resize(numbers);
    parallel_for(std::ssize(parts), threads, 1, [&](int64_t p) {
      parts[p].listen_to_columns(layer);
      parts[p].tell(layer, heard, p * kRowsAtOnce, table.labelled);
    });
    if (std::ssize(table.layers) == Net::kLayers) break;  // nobody asks what they become
    parallel_for(std::ssize(parts), threads, 1,
                 [&](int64_t p) { parts[p].listen_to_rows(layer, heard, table.labelled, 0); });
  }
  return table;
}

Matrix prior_logits(const PriorTable& table, const Matrix& cells, int threads) {
  Matrix logits(cells.rows(), Net::kMostClasses);
  for_fixed_pieces(cells.rows(), kRowsAtOnce, threads, [&](int64_t, int64_t first, int64_t last) {
    Rows rows(cells[first], last - first, table.columns, {});
    for (int64_t l = 0; l < Net::kLayers; ++l) {
      const LayerWeights& layer = weights().layers[l];
      rows.listen_to_columns(layer);
      const bool ends = l + 1 == Net::kLayers;  // what the class has become is all that is asked
      const int64_t skipped = ends ? table.columns - 1 : 0;
      if (ends) rows.keep_from(skipped);
      rows.listen_to_rows(layer, table.layers[l], table.labelled, skipped);
    }
    const Matrix n = normed(weights().norm, std::as_const(rows.x).view());
    const Matrix said = weights().answer.apply(n.view());
    std::copy_n(said.data(), said.size(), logits[first]);
  });
  return logits;
}

}  // namespace glgnn
