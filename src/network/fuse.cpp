#include "network/fuse.h"

#include <algorithm>
#include <iterator>

#include "core/parallel.h"
#include "kernels/edges.h"

namespace glgnn {

Matrix fuse_predictions(const std::vector<ModuleResult>& modules, const NetworkWeights& network,
                        int threads) {
  const Matrix& any = modules.front().stage.p;
  Matrix fused(any.rows(), any.cols());
  float* const out = fused.data();
  for_row_ranges(fused.size(), 2 * fused.size(), threads, [&](int64_t first, int64_t last) {
    for (size_t r = 0; r < network.members.size(); ++r) {
      const float* const p = modules[network.members[r]].stage.p.data();
      const auto weight = static_cast<float>(network.weights[r]);
      for (int64_t e = first; e < last; ++e) out[e] += weight * p[e];
    }
  });
  return fused;
}

std::vector<float> fuse_selections(const std::vector<ModuleResult>& modules,
                                   const NetworkWeights& network) {
  std::vector<float> fused(modules[network.members.front()].stage.selection.size(), 0.0f);
  for (size_t r = 0; r < network.members.size(); ++r) {
    const std::vector<float>& selection = modules[network.members[r]].stage.selection;
    for (size_t f = 0; f < selection.size(); ++f) {
      fused[f] += static_cast<float>(network.weights[r]) * selection[f];
    }
  }
  return fused;
}

namespace {

// Some rows of a union, and what is needed to make one.
struct UnionRows {
  std::vector<int64_t> count;
  std::vector<int32_t> col;
  std::vector<float> values;
};
struct UnionRoom {
  std::vector<float> sum;
  std::vector<uint8_t> seen;
  std::vector<int32_t> columns;
};

void add_row(UnionRows& to, UnionRoom& room, int64_t i, const std::vector<const Csr*>& graphs,
             const std::vector<float>& weights) {
  room.columns.clear();
  for (size_t m = 0; m < graphs.size(); ++m) {
    const Pattern& p = *graphs[m]->pattern;
    for (int64_t e = p.row_ptr[i]; e < p.row_ptr[i + 1]; ++e) {
      const int32_t j = p.col[e];
      if (!room.seen[j]) room.seen[j] = 1, room.columns.push_back(j);
      room.sum[j] += weights[m] * graphs[m]->values[e];
    }
  }
  std::sort(room.columns.begin(), room.columns.end());
  for (const int32_t j : room.columns) {
    to.col.push_back(j);
    to.values.push_back(room.sum[j]);
    room.sum[j] = 0.0f;
    room.seen[j] = 0;
  }
  to.count.push_back(std::ssize(room.columns));
}

}  // namespace

Csr weighted_union(const std::vector<const Csr*>& graphs, const std::vector<float>& weights,
                   int threads) {
  constexpr int64_t kRows = 2048;  // of a piece
  const int64_t n = graphs[0]->rows();
  std::vector<UnionRows> pieces((n + kRows - 1) / kRows);
  parallel_for_in_rooms(
      std::ssize(pieces), threads, 1,
      [&] {
        return UnionRoom{std::vector<float>(n, 0.0f), std::vector<uint8_t>(n, 0), {}};
      },
      [&](UnionRoom& room, int64_t p) {
        for (int64_t i = p * kRows; i < std::min(n, (p + 1) * kRows); ++i) {
          add_row(pieces[p], room, i, graphs, weights);
        }
      });
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = n;
  for (const UnionRows& piece : pieces) {
    for (const int64_t count : piece.count) {
      pattern->row_ptr.push_back(pattern->row_ptr.back() + count);
    }
  }
  Csr out;
  pattern->col.resize(pattern->row_ptr.back());
  out.values.resize(pattern->row_ptr.back());
  parallel_for(std::ssize(pieces), threads, 1, [&](int64_t p) {
    const int64_t begin = pattern->row_ptr[p * kRows];
    std::ranges::copy(pieces[p].col, pattern->col.begin() + begin);
    std::ranges::copy(pieces[p].values, out.values.begin() + begin);
  });
  out.pattern = std::move(pattern);
  return out;
}

Csr fuse_graphs(const std::vector<FittedModule>& modules, int threads) {
  std::vector<const Csr*> graphs;
  std::vector<float> weights;
  for (const FittedModule& module : modules) {
    graphs.push_back(&module.graph);
    weights.push_back(module.weight);
  }
  Csr fused = weighted_union(graphs, weights, threads);
  const int64_t* const row_ptr = fused.pattern->row_ptr.data();
  for_row_ranges(fused.rows(), 8 * fused.nnz(), threads, [&](int64_t first, int64_t last) {
    ref::edge_softmax_forward(fused.values.data(), fused.values.data(), row_ptr + first,
                              last - first);
  });
  return fused;
}

}  // namespace glgnn
