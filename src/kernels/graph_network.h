// The network of graphs: how much U modules (sub-modules and the aggregation module) agree, and the
// mix.
//
// network_alpha  alpha_uv = sum_ic a_ic X_u,ic X_v,ic / N, U x U; a is N x C, or 1 x C for all rows
//   backward     d_X_u += sum_v (d_alpha_uv + d_alpha_vu) a X_v / N;  d_a += sum_uv d_alpha_uv X_u
//   X_v / N
// network_mix    y = sum_u weight_u X_u
//   backward     d_X_u += weight_u d_y;  d_weight_u += sum d_y X_u
// A null gradient is skipped. Nothing is saved. Sums over rows in double. Cost O(U^2 N C), O(U N
// C).
#pragma once

#include <glgnn/matrix.h>

#include <span>

namespace glgnn {
namespace ref {

template <class T>
void network_alpha_forward(MatView<T> alpha, std::span<const MatView<const T>> x,
                           MatView<const T> a);
template <class T>
void network_alpha_backward(std::span<const MatView<T>> d_x, MatView<T> d_a,
                            MatView<const T> d_alpha, std::span<const MatView<const T>> x,
                            MatView<const T> a);
template <class T>
void network_mix_forward(MatView<T> y, std::span<const MatView<const T>> x, const T* weight);
template <class T>
void network_mix_backward(std::span<const MatView<T>> d_x, T* d_weight, MatView<const T> d_y,
                          std::span<const MatView<const T>> x, const T* weight);

}  // namespace ref

namespace cpu {

void network_alpha_forward(MatView<float> alpha, std::span<const MatView<const float>> x,
                           MatView<const float> a, int threads);
void network_alpha_backward(std::span<const MatView<float>> d_x, MatView<float> d_a,
                            MatView<const float> d_alpha, std::span<const MatView<const float>> x,
                            MatView<const float> a, int threads);
void network_mix_forward(MatView<float> y, std::span<const MatView<const float>> x,
                         const float* weight, int threads);
void network_mix_backward(std::span<const MatView<float>> d_x, float* d_weight,
                          MatView<const float> d_y, std::span<const MatView<const float>> x,
                          const float* weight, int threads);

}  // namespace cpu
}  // namespace glgnn
