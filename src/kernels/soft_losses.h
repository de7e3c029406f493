// Losses against soft targets t (N x C, constant); p_i = softmax(x_i); summed in double.
//
// soft_cross_entropy  - sum_i w_i sum_c t_ic log p_ic;      rows of weight 0 are not read
//   backward          d_x_i += d_loss w_i (p_i sum_c t_ic - t_i)
// softmax_distance    mean_i |p_i - t_i|^2
//   backward          d_x_i += d_loss p_i (d_i - d_i . p_i),  d_i = 2 (p_i - t_i) / N
// sharpen (no gradient)  t_i = p_i^2 / sum_c p_ic^2
// Cost O(N C).
#pragma once

#include <glgnn/matrix.h>

namespace glgnn::ref {

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

}  // namespace glgnn::ref
