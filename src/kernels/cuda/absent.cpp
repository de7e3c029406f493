// The device and the kernels of a build without CUDA: there is none, and they say so.
// (CMakeLists.txt takes this file or the .cu files.)
#include <glgnn/error.h>

#include "core/cuda/device.h"
#include "kernels/graph_learn.h"
#include "kernels/layers.h"
#include "kernels/nearest_rows.h"
#include "kernels/paper_training.h"
#include "kernels/propagate.h"

namespace glgnn::cuda {
namespace {

constexpr const char* kAbsent =
    "this program was compiled without CUDA; `make cuda` compiles it in where nvcc is installed, "
    "or use the processor (device cpu)";

}  // namespace

bool compiled() { return false; }

std::optional<DeviceInfo> find_device(std::string* why) {
  if (why) *why = kAbsent;
  return {};
}

std::future<void> start_device(bool) { return {}; }
void end_device() {}
bool has_ended() { return false; }

void require_device() { throw Error(ErrorKind::kUnsupported, kAbsent); }

int64_t estimate_memory(int64_t, int64_t) { return 0; }
void require_room(int64_t, int64_t) { require_device(); }

int64_t peak_memory() { return 0; }
void reset_peak_memory() {}

void graph_learn_choose(int32_t*, int64_t*, float*, const ZDense<float>&, const HopWeights<float>&,
                        const ChooseOptions&) {
  require_device();
}
void graph_learn_choose(int32_t*, int64_t*, float*, const ZSparse<float>&, const HopWeights<float>&,
                        const ChooseOptions&) {
  require_device();
}
void graph_learn_lse_backward(MatView<float>, const float*, const ZDense<float>&, const float*,
                              bool) {
  require_device();
}
void graph_learn_lse_backward(float*, const float*, const ZSparse<float>&, const float*, bool) {
  require_device();
}
void nearest_rows(int32_t*, MatView<const float>, int64_t) { require_device(); }
void ranked_rows(int32_t*, const HeldMatrix&, int64_t) { require_device(); }

struct HeldRows::Arrays {};
HeldRows::HeldRows(MatView<const float>, const float*, const float*, MatView<const float>) {
  require_device();
}
HeldRows::~HeldRows() = default;
void HeldRows::query(int32_t*, MatView<const float>, MatView<const float>, int64_t) const {}

struct HeldGraph::Arrays {};
HeldGraph::HeldGraph(PatternView, const float*) { require_device(); }
HeldGraph::~HeldGraph() = default;
void HeldGraph::propagate(MatView<float>, MatView<const float>, int64_t, float) const {}

struct HeldMatrix::Arrays {};
HeldMatrix::HeldMatrix(MatView<const float>) { require_device(); }
HeldMatrix::HeldMatrix(std::unique_ptr<const Arrays> arrays) : arrays_(std::move(arrays)) {}
HeldMatrix::HeldMatrix(HeldMatrix&&) noexcept = default;
HeldMatrix& HeldMatrix::operator=(HeldMatrix&&) noexcept = default;
HeldMatrix::~HeldMatrix() = default;
int64_t HeldMatrix::rows() const { return 0; }
int64_t HeldMatrix::cols() const { return 0; }
HeldMatrix HeldMatrix::times(MatView<const float> v) const { return HeldMatrix(v); }
HeldMatrix HeldMatrix::softmax_times(MatView<const float> v, const float*) const {
  return HeldMatrix(v);
}
Matrix HeldMatrix::transposed_times(const HeldMatrix&) const { return {}; }
Matrix HeldMatrix::column_squares() const { return {}; }
HeldMatrix HeldMatrix::standardised(std::span<const double>, std::span<const double>) const {
  return HeldMatrix(MatView<const float>{});
}
int64_t HeldMatrix::distinct_rows() const { return 0; }
ColumnMoments HeldMatrix::moments() const { return {}; }
Matrix HeldMatrix::logits(const CurvedHead&) const { return {}; }
Matrix HeldMatrix::to_host() const { return {}; }

std::vector<double> HeldClasses::mass() const { return {}; }
void HeldClasses::match_mass(std::span<const double>) {}
void HeldClasses::set(std::span<const int32_t>, std::span<const int32_t>) {}

void two_layers_forward(MatView<float>, MatView<float>, const TwoLayers<float>&) {
  require_device();
}
void two_layers_backward(const TwoLayersGradient<float>&, MatView<const float>,
                         MatView<const float>, const TwoLayers<float>&) {
  require_device();
}

struct HeldHead::Arrays {};
HeldHead::HeldHead(const HeldMatrix&, const HeldMatrix&, const HeldGraph*, const HeadParameters&,
                   const HeadTraining&) {
  require_device();
}
HeldHead::~HeldHead() = default;
void HeldHead::train_epoch(int64_t, float, const Rng&, const Rng&) {}
Matrix HeldHead::look(std::span<const int32_t>) const { return {}; }
void HeldHead::keep() {}
void HeldHead::go_back() {}
Matrix HeldHead::logits() const { return {}; }
HeadParameters HeldHead::parameters() const { return {}; }

struct HeldPaper::Arrays {};
HeldPaper::HeldPaper(const PaperTask&, const PaperNumbers&, std::span<const PatternView>, int64_t) {
  require_device();
}
HeldPaper::~HeldPaper() = default;
PaperLosses HeldPaper::run_epoch(MatView<float>) { return {}; }
void HeldPaper::keep() {}
PaperEvaluation HeldPaper::kept() const { return {}; }
PaperNumbers HeldPaper::numbers() const { return {}; }
std::vector<PaperGraph> HeldPaper::second_graphs() const { return {}; }

}  // namespace glgnn::cuda
