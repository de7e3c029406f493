// The graph of a module: neighbours found in several views, one vote each, joined with the given
// graph.
#pragma once

#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/dataset.h>

#include <optional>
#include <span>
#include <vector>

#include "kernels/dense.h"

namespace glgnn {

// How a graph takes the edges of the given one.
enum class GivenEdges {
  kAll,
  kTrusted,           // each by how likely it is true (edge_trust.cpp)
  kAllDespiteDoubts,  // all, beside modules that take the trusted ones
};

struct RowGraphOptions {
  int64_t k = 5;
  bool euclidean = false;  // else by the angle between rows
  double self_weight = 1;  // of the self-loop
  double given_weight =
      0;  // of the learned edges beside the given graph's, both having the same sum
  GivenEdges given_edges = GivenEdges::kAll;
  double label_weight = 0;  // of the soft labels beside the features
  double select = 0;        // features are weighted by their selection to this power; 0: not at all
};

struct RowGraphInputs {
  std::vector<const Features*> views = {};
  const std::vector<float>* selection = nullptr;  // one number for each column, or null
  const Matrix* soft_labels = nullptr;            // N x C, or null
  const Csr* given = nullptr;                     // symmetric, or null
};

// The rows nearest to each row in one view, nearest first.
struct NearestRows {
  int64_t wide = 0;            // room for each row
  std::vector<int32_t> col;    // N x wide
  std::vector<int64_t> count;  // how many of them a row has
};
NearestRows rank_nearest(const Features& view, bool euclidean, int64_t k, const Context& context);
// The same by angle on the device; nothing where half of the rows may be copies of others, whose
// neighbours are not simply the nearest rows.
std::optional<NearestRows> rank_nearest(const cuda::HeldMatrix& view, int64_t k);

// The graph of the options.k nearest rows in each of several views, features alone being compared.
Csr join_votes(std::span<const NearestRows* const> votes, const Csr* given,
               const RowGraphOptions& options, int threads);

// S = D^-1/2 (A + self I) D^-1/2 with A the sum over the views of (A_v + A_v^T) / 2, A_v marking
// the k nearest rows of each row. Symmetric to the bit.
Csr build_row_graph(const RowGraphInputs& inputs, const RowGraphOptions& options,
                    const Context& context);

// How likely each edge of a given graph is true.
//
// Rows that a true edge joins are more alike than rows that have nothing to do with each other.
// With f the density of the likeness of given edges, f0 that of random pairs and 1 - pi the part of
// the edges that are random,
//
//   trust(s) = 1 - (1 - pi) f0(s) / f(s)
//
// (one less the local false discovery rate: Efron, Journal of the American Statistical Association
// 96, 2001). f / f0 is taken to rise with the likeness, and 1 - pi is its smallest value. Labels
// take no part. Time O(E d), memory O(E + N d) for E edges and rows of d numbers.
//
struct TrustedEdges {
  Csr graph;               // without edges that are more likely random than true
  double random_part = 0;  // 1 - pi
};
// Each weight times its edge's trust. `graph` is symmetric, and so is the result. Rows are compared
// by the angle of `x` (N x d) with the mean of their neighbours added, the other end of the edge
// left out.
TrustedEdges trusted_edges(const Csr& graph, const Matrix& x, int threads);

}  // namespace glgnn
