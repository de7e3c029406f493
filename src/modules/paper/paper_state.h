// What a module of the paper's kind keeps for rows never seen; its selection s is in the record.
#pragma once

#include <glgnn/matrix.h>

namespace glgnn {

struct PaperState {
  Matrix w1, w2;  // the two layers
  Matrix v;       // of the hops
  Matrix b1, b2;  // of the layers; empty: none

  template <class Archive, class State>
  static void walk(Archive& archive, State& state) {
    archive(state.w1);
    archive(state.w2);
    archive(state.v);
    archive(state.b1);
    archive(state.b2);
  }
};

}  // namespace glgnn
