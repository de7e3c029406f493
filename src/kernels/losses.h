// The terms of the loss; each is one number, summed in double.
//
// cross_entropy  - mean over `rows` of log softmax(x_i)[label_i]
//   backward     d_x_i += d_loss (softmax(x_i) - onehot(label_i)) / rows
// sparse_l1      sum over the union of two patterns of |a - b| (an absent entry is 0)
//   backward     d_a += d_loss sign(a - b), d_b -= the same; 0 where a = b
// sum_squares    sum x^2;  backward d_x += 2 d_loss x
// Patterns: same rows, columns ascending. Cost O(rows C), O(nnz_a + nnz_b), O(n).
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <span>

namespace glgnn {
namespace ref {

template <class T>
double cross_entropy_forward(MatView<const T> x, std::span<const int32_t> rows,
                             const int32_t* label_of_row);
template <class T>
void cross_entropy_backward(MatView<T> d_x, T d_loss, MatView<const T> x,
                            std::span<const int32_t> rows, const int32_t* label_of_row);
template <class T>
double sparse_l1_forward(PatternView pattern_a, const T* a, PatternView pattern_b, const T* b);
template <class T>
void sparse_l1_backward(T* d_a, T* d_b, T d_loss, PatternView pattern_a, const T* a,
                        PatternView pattern_b, const T* b);
template <class T>
double sum_squares_forward(const T* x, int64_t n);
template <class T>
void sum_squares_backward(T* d_x, T d_loss, const T* x, int64_t n);

}  // namespace ref

namespace cpu {

double sparse_l1_forward(PatternView pattern_a, const float* a, PatternView pattern_b,
                         const float* b, int threads);
void sparse_l1_backward(float* d_a, float* d_b, float d_loss, PatternView pattern_a, const float* a,
                        PatternView pattern_b, const float* b, int threads);

}  // namespace cpu

// Losses against soft targets t (N x C, constant); p_i = softmax(x_i); summed in double.
//
// soft_cross_entropy  - sum_i w_i sum_c t_ic log p_ic;      rows of weight 0 are not read
//   backward          d_x_i += d_loss w_i (p_i sum_c t_ic - t_i)
// softmax_distance    mean_i |p_i - t_i|^2
//   backward          d_x_i += d_loss p_i (d_i - d_i . p_i),  d_i = 2 (p_i - t_i) / N
// sharpen (no gradient)  t_i = p_i^2 / sum_c p_ic^2
// soft_pull (no gradient of its own)  the gradients of soft_cross_entropy with d_loss 1 and of
//   softmax_distance to the sharpened p with d_loss `consistency`, both at once: p is made once
// Cost O(N C).

namespace ref {

template <class T>
double soft_cross_entropy_forward(MatView<const T> x, MatView<const T> targets, const T* weights);
template <class T>
void soft_cross_entropy_backward(MatView<T> d_x, T d_loss, MatView<const T> x,
                                 MatView<const T> targets, const T* weights);
template <class T>
double softmax_distance_forward(MatView<const T> x, MatView<const T> targets);
template <class T>
void softmax_distance_backward(MatView<T> d_x, T d_loss, MatView<const T> x,
                               MatView<const T> targets);
template <class T>
void sharpen(MatView<T> targets, MatView<const T> x);
template <class T>
void soft_pull(MatView<T> d_x, MatView<const T> x, MatView<const T> targets, const T* weights,
               T consistency);

}  // namespace ref

namespace cpu {

void soft_pull(MatView<float> d_x, MatView<const float> x, MatView<const float> targets,
               const float* weights, float consistency, int threads);

}  // namespace cpu
}  // namespace glgnn
