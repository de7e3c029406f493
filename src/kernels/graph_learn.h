// Choosing the learned graph, exact and never N x N.
//
// With S_ij = Z_i . Z_j and hop weights h_ij > 0:
//   lse_i  = log sum_j exp S_ij          over all j != i (or all j, if `diagonal`)
//   chosen = the k largest of t_ij = S_ij + log h_ij in row i; ties go to the smaller column
// in one pass over all pairs that keeps only a tile of S. The values of the chosen pairs are made
// from edge_dot and lse by edge_exp; the choice itself is constant for the gradient. Backward
// of lse, S being symmetric:
//   d_Z_i += sum_j [d_lse_i exp(S_ij - lse_i) + d_lse_j exp(S_ij - lse_j)] Z_j
// which recomputes the same tiles. Z is N x D, dense or sparse. Saved: lse. Memory O(N k + N D).
// Cost O(N^2 D) dense; sparse O(N^2 + sum_f df_f^2), df_f being the rows that have feature f.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>

#include "core/rng.h"
#include "kernels/hops.h"

namespace glgnn {

// The rows that are compared: dense, or sparse by rows with the same entries by columns beside.
template <class T>
struct ZDense {
  MatView<const T> z;
  int64_t rows() const { return z.rows; }
};
template <class T>
struct ZSparse {
  PatternView pattern;    // N x D
  const T* values;        // of the entries, by rows
  PatternView by_column;  // D x N, the transposed pattern
  const int64_t* source;  // entry of `pattern` for each entry of `by_column`
  int64_t rows() const { return pattern.rows; }
};

// Hop weights: by shells, or h on the near pairs and h_other elsewhere; without both, all pairs are
// alike.
template <class T>
struct HopWeights {
  PatternView near;      // N x N, columns ascending; no rows: no such pairs
  const T* h = nullptr;  // of each near pair
  T h_other = 1;
  const HopShells* shells = nullptr;
  const T* h_of_shell = nullptr;  // hops() + 1 weights, the last of all other pairs

  bool is_used() const { return shells || near.rows > 0; }
};

struct ChooseOptions {
  int64_t k = 0;
  bool diagonal = false;       // may a row choose itself
  bool positive_only = false;  // choose only pairs with S > 0
  // Pairs that are likely to be chosen, for instance those chosen for a Z that was nearly the same:
  // where a row lists k of them, worse ones are put aside at once. The result does not depend on
  // it; may be empty (no rows).
  PatternView likely = {};
};

// The k best of the candidates that each row lists, by t (one number for each candidate), with the
// same order and ties as graph_learn_choose. col: rows x k, ascending in each row.
void keep_best(int32_t* col, int64_t* count, PatternView candidates, const float* t, int64_t k);

namespace ref {

// col: N x k, the first count[i] of row i are filled, ascending; lse: N, or null if not wanted.
template <class T>
void graph_learn_choose(int32_t* col, int64_t* count, T* lse, const ZDense<T>& z,
                        const HopWeights<T>& hops, const ChooseOptions& options);
template <class T>
void graph_learn_choose(int32_t* col, int64_t* count, T* lse, const ZSparse<T>& z,
                        const HopWeights<T>& hops, const ChooseOptions& options);

// Rows first .. last - 1: k neighbours drawn without replacement, the chance of j in row i being
// proportional to exp(t_ij). That is the k largest of t_ij - log(-log u_ij) (Gumbel-top-k), u_ij
// being number i N + j of `rng`. One row of S at a time; cost O(N D) a row.
template <class T>
void graph_learn_draw(int32_t* col, int64_t* count, const ZDense<T>& z, const HopWeights<T>& hops,
                      const ChooseOptions& options, const Rng& rng, int64_t first, int64_t last);
template <class T>
void graph_learn_draw(int32_t* col, int64_t* count, const ZSparse<T>& z, const HopWeights<T>& hops,
                      const ChooseOptions& options, const Rng& rng, int64_t first, int64_t last);

template <class T>
void graph_learn_lse_backward(MatView<T> d_z, const T* d_lse, const ZDense<T>& z, const T* lse,
                              bool diagonal);
// d_z has one number for each entry of z.pattern: the gradient exists only where Z does.
template <class T>
void graph_learn_lse_backward(T* d_z, const T* d_lse, const ZSparse<T>& z, const T* lse,
                              bool diagonal);

}  // namespace ref

// The same, streamed over tiles and parallel over rows; the same bits for any number of threads.
namespace cpu {

void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZDense<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options, int threads);
void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZSparse<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options, int threads);
void graph_learn_lse_backward(MatView<float> d_z, const float* d_lse, const ZDense<float>& z,
                              const float* lse, bool diagonal, int threads);
void graph_learn_lse_backward(float* d_z, const float* d_lse, const ZSparse<float>& z,
                              const float* lse, bool diagonal, int threads);

}  // namespace cpu

// The same on a GPU (kernels/cuda/README.md): `likely` is not read, the pairs are all compared. The
// same bits on every repeat on one device, not those of the processor: sums run in another order.
namespace cuda {

void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZDense<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options);
void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZSparse<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options);
void graph_learn_lse_backward(MatView<float> d_z, const float* d_lse, const ZDense<float>& z,
                              const float* lse, bool diagonal);
void graph_learn_lse_backward(float* d_z, const float* d_lse, const ZSparse<float>& z,
                              const float* lse, bool diagonal);

}  // namespace cuda
}  // namespace glgnn
