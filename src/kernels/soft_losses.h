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
template <class T>
void soft_pull(MatView<T> d_x, MatView<const T> x, MatView<const T> targets, const T* weights,
               T consistency);

}  // namespace glgnn::ref

namespace glgnn::cpu {

void soft_pull(MatView<float> d_x, MatView<const float> x, MatView<const float> targets,
               const float* weights, float consistency, int threads);

}  // namespace glgnn::cpu
