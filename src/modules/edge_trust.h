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
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

namespace glgnn {

// The graph with each weight times its edge's trust, without edges that are more likely random than
// true. `graph` is symmetric, and so is the result. Rows are compared by the angle of `x` (N x d)
// with the mean of their neighbours added, the other end of the edge left out.
Csr trusted_edges(const Csr& graph, const Matrix& x, int threads);

}  // namespace glgnn
