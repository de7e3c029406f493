// Counter-based random numbers: a number is a function of (seed, stream, step, index) and of
// nothing else, so that the same dropout falls for any number of threads and after any resume.
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace glgnn {

// What the numbers are for; a new use takes a new stream and leaves the others' numbers alone.
enum class Stream : uint32_t {
  kInit = 1,
  kDropInput = 2,
  kDropHidden = 3,
  kHideLabels = 4,
  kSplit = 5,
  kNoiseEdges = 6,
  kDirections = 7,
  kModules = 8,
  kLandmarks = 9,
  kEstimate = 10,
  kSampleNeighbours = 11,
  kNoiseWeights = 12,
  kTrees = 13,
  kPrior = 14
};

// A generator of the numbers of one stream of one owner (a sub-module's number, say) at one step.
struct Rng {
  uint64_t seed = 0;
  Stream stream = Stream::kInit;
  uint32_t owner = 0;
  uint32_t step = 0;

  // Four independent 32-bit numbers: block b serves the indices 4 b .. 4 b + 3.
  std::array<uint32_t, 4> block(uint64_t b) const {
    const uint32_t who = (static_cast<uint32_t>(stream) << 16) | owner;
    const r123::Philox4x32::ctr_type counter{
        {static_cast<uint32_t>(b), static_cast<uint32_t>(b >> 32), step, who}};
    const r123::Philox4x32::key_type key{
        {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}};
    const auto out = r123::Philox4x32()(counter, key);
    return {out[0], out[1], out[2], out[3]};
  }

  // Number `index`, uniform on the open interval (0, 1), an odd multiple of 2^-24.
  float uniform(uint64_t index) const { return to_uniform(block(index / 4)[index % 4]); }

  // Number `index`, standard normal.
  float normal(uint64_t index) const {
    const auto bits = block(index);
    return static_cast<float>(std::sqrt(-2.0 * std::log(to_uniform(bits[0]))) *
                              std::cos(2.0 * std::numbers::pi * to_uniform(bits[1])));
  }

  static float to_uniform(uint32_t bits) {
    return (static_cast<float>(bits >> 9) + 0.5f) * 0x1p-23f;
  }
};

}  // namespace glgnn
