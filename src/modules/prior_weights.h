// The weights of the network of prior_network.h: data/prior/weights.f16, in the program.
#pragma once

#include <span>

namespace glgnn {

std::span<const unsigned char> prior_weights();

}  // namespace glgnn
