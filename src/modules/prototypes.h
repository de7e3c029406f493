// Class prototypes by expectation-maximisation (gaussian.h, multinomial.h): what both leave.
//
// Both repeat: M-step, the classes' prototypes from the present soft labels; E-step, soft labels
// from the prototypes, propagated over the graph; training rows keep their labels.
#pragma once

#include <glgnn/dataset.h>
#include <glgnn/matrix.h>

#include "modules/kind.h"

namespace glgnn {

// Logits that are linear in a row: x weights + offset.
struct LinearHead {
  Matrix weights;  // F x C
  Matrix offset;   // 1 x C

  Matrix logits(const Features& x) const;
  void check(const std::string& what, int64_t inputs, int64_t outputs) const;
  template <class Archive, class Head>
  static void walk(Archive& archive, Head& head) {
    archive(head.weights);
    archive(head.offset);
  }
};

struct PrototypeState {
  static constexpr bool kInLogits = false;
  View input = View::kRaw;
  LinearHead head;  // made when the module is kept

  template <class Archive, class State>
  static void walk(Archive& archive, State& state) {
    walk_view(archive, state.input);
    LinearHead::walk(archive, state.head);
  }
  void check(const std::string& what, const StateShape& fitted) const;
  void add_views(std::set<View>& views) const { views.insert(input); }
  Matrix logits(const RowViews& rows) const { return head.logits(rows.at(input)); }
};

}  // namespace glgnn
