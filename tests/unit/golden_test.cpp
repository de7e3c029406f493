// The whole model against an independent dense implementation in double precision (tests/golden):
// the start, the first epoch's graphs and every gradient, ten steps of Adam, and the evaluation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "data/npz.h"
#include "kernels/dense.h"
#include "network/gl_gnn.h"

namespace glgnn {
namespace {

class Golden {
 public:
  explicit Golden(const std::string& name)
      : file_(GLGNN_TEST_DIR "/golden/traces.npz"), prefix_(name + "/") {
    config.mode = Mode::kPaper;
    for (const Setting& setting : list_settings(config)) {
      if (!has(setting.name)) continue;
      const NpyArray stored = read(setting.name);
      const bool is_switch = setting.allowed == "true|false";
      const bool is_word = !is_switch && setting.allowed.find('|') != std::string::npos;
      std::string value = is_word ? word_text(stored) : number_text(stored);
      if (is_switch) value = value == "0" ? "false" : "true";
      set_setting(config, setting.name, value);
    }
    read_features();
    labels_ = ints("labels");
    problem.features = &features_;
    problem.train = ints("train");
    problem.val = ints("val");
    problem.classes = 1 + *std::max_element(labels_.begin(), labels_.end());
    std::vector<int32_t> seen = problem.train;
    seen.insert(seen.end(), problem.val.begin(), problem.val.end());
    problem.labels = reveal_labels(labels_, seen);
    if (has("edges")) read_edges();
  }

  std::vector<float> floats(const std::string& name) const { return to_floats(read(name)); }
  std::vector<int32_t> ints(const std::string& name) const {
    const std::vector<int64_t> wide = to_integers(read(name));
    return {wide.begin(), wide.end()};
  }

  // The part of a stacked array that belongs to module m.
  std::vector<float> module_part(const std::string& name, int64_t m) const {
    const std::vector<float> all = floats(name);
    const int64_t size = static_cast<int64_t>(all.size()) / config.modules;
    return {all.begin() + m * size, all.begin() + (m + 1) * size};
  }

  // A float engine may be off by a few times what a float32 run of the oracle itself is off.
  double tolerance(const std::string& name) const {
    double largest = 0;
    for (const float value : floats(name)) largest = std::max<double>(largest, std::abs(value));
    return 4 * floats("float32_error_" + name)[0] + 4e-6 * largest + 1e-9;
  }

  Problem problem;
  Config config;

 private:
  bool has(const std::string& array) const { return file_.has(prefix_ + array); }
  NpyArray read(const std::string& array) const { return file_.read(prefix_ + array); }

  static std::string word_text(const NpyArray& array) {
    const std::vector<int64_t> letters = to_integers(array);
    return {letters.begin(), letters.end()};
  }

  static std::string number_text(const NpyArray& array) {
    if (array.kind == 'i') return std::to_string(to_integers(array)[0]);
    double value;
    std::memcpy(&value, array.bytes.data(), sizeof value);
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }

  void read_features() {
    if (has("x")) {
      features_.dense = to_matrix(read("x"));
      return;
    }
    auto pattern = std::make_shared<Pattern>();
    const std::vector<int64_t> shape = to_integers(read("shape"));
    pattern->rows = shape[0];
    pattern->cols = shape[1];
    pattern->row_ptr = to_integers(read("indptr"));
    pattern->col = ints("indices");
    features_.sparse = {pattern, floats("data")};
    features_.is_sparse = true;
  }

  void read_edges() {
    std::vector<std::vector<int32_t>> neighbours(features_.rows());
    const std::vector<int32_t> edges = ints("edges");
    for (size_t e = 0; e < edges.size(); e += 2) {
      neighbours[edges[e]].push_back(edges[e + 1]);
      neighbours[edges[e + 1]].push_back(edges[e]);
    }
    auto pattern = std::make_shared<Pattern>();
    pattern->rows = pattern->cols = features_.rows();
    for (auto& row : neighbours) {
      std::sort(row.begin(), row.end());
      pattern->col.insert(pattern->col.end(), row.begin(), row.end());
      pattern->row_ptr.push_back(pattern->nnz());
    }
    graph_ = {pattern, std::vector<float>(pattern->nnz(), 1.0f)};
    problem.graph = &graph_;
  }

  Npz file_;
  std::string prefix_;  // of the names of its arrays
  Features features_;
  std::vector<int32_t> labels_;
  Csr graph_;
};

class GoldenTrace : public ::testing::TestWithParam<const char*> {
 protected:
  GoldenTrace() : golden_(GetParam()), model_(golden_.problem, golden_.config, Context{2}) {}

  // The golden name of a parameter and the module it belongs to (-1: the network's).
  std::pair<std::string, int64_t> golden_name(const Parameter& p) const {
    if (p.name == "network.agg") return {"x_agg", -1};
    if (p.name.starts_with("network.")) return {p.name.substr(8), -1};
    const size_t dot = p.name.find('.');
    return {p.name.substr(dot + 1), std::stoll(p.name.substr(6, dot - 6))};
  }

  std::vector<float> expected(const std::string& prefix, const Parameter& p) const {
    const auto [name, module] = golden_name(p);
    return module < 0 ? golden_.floats(prefix + name) : golden_.module_part(prefix + name, module);
  }

  void compare(const float* found, const std::vector<float>& wanted, double tolerance,
               const std::string& what) const {
    double worst = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      worst = std::max<double>(worst, std::abs(found[i] - wanted[i]));
    }
    EXPECT_LE(worst, tolerance) << what;
  }

  void compare_parameters(const std::string& prefix, bool gradient) {
    for (Parameter* p : model_.parameters()) {
      const Matrix& found = gradient ? p->grad : p->value;
      const std::vector<float> wanted = expected(prefix, *p);
      ASSERT_EQ(found.size(), static_cast<int64_t>(wanted.size())) << p->name;
      compare(found.data(), wanted, golden_.tolerance(prefix + golden_name(*p).first),
              prefix + p->name);
    }
  }

  // Columns and values beside the diagonal, and the diagonal, of each module's normalised graph.
  void compare_graphs(const std::string& prefix, const std::vector<Csr>& graphs) const {
    for (int64_t m = 0; m < golden_.config.modules; ++m) {
      const std::vector<float> values = golden_.module_part(prefix + "_values", m);
      const std::vector<float> diagonal = golden_.module_part(prefix + "_diagonal", m);
      const std::vector<int32_t> all_columns = golden_.ints(prefix + "_columns");
      const Pattern& pattern = *graphs[m].pattern;
      const int64_t n = pattern.rows;
      const int64_t k = static_cast<int64_t>(values.size()) / n;  // slots of the longest row
      double worst = 0;
      for (int64_t i = 0; i < n; ++i) {
        int64_t slot = 0;
        for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
          if (pattern.col[e] == i) {
            worst = std::max<double>(worst, std::abs(graphs[m].values[e] - diagonal[i]));
            continue;
          }
          ASSERT_LT(slot, k);
          ASSERT_EQ(pattern.col[e], all_columns[(m * n + i) * k + slot]) << prefix << " row " << i;
          worst = std::max<double>(worst, std::abs(graphs[m].values[e] - values[i * k + slot]));
          ++slot;
        }
        if (slot < k) {
          EXPECT_EQ(all_columns[(m * n + i) * k + slot], -1) << prefix << " row " << i;
        }
      }
      EXPECT_LE(worst,
                golden_.tolerance(prefix + "_values") + golden_.tolerance(prefix + "_diagonal"))
          << prefix << " module " << m;
    }
  }

  void compare_prediction(const std::string& prefix, const GraphNetworkOutput& out) const {
    compare(out.network.data(), golden_.floats(prefix + "_nmat"),
            golden_.tolerance(prefix + "_nmat"), prefix + " network");
    Tape tape(Context{1}, false);
    const Var y = row_softmax(tape, out.logits);
    compare(y.data(), golden_.floats(prefix + "_y"), golden_.tolerance(prefix + "_y"),
            prefix + " Y");
  }

  static std::vector<Csr> graphs(const GlGnnOutput& out, bool second) {
    std::vector<Csr> list;
    for (const SubModuleOutput& m : out.modules)
      list.push_back(to_csr(second ? m.second_graph : m.graph));
    return list;
  }

  Golden golden_;
  GlGnn model_;
};

TEST_P(GoldenTrace, IsFollowed) {
  const std::string name = GetParam();
  const bool own_start = name != "generic" && name != "literal";
  for (Parameter* p : model_.parameters()) {
    const std::vector<float> start = expected("init_", *p);
    if (own_start) compare(p->value.data(), start, 2e-7, "start of " + p->name);
    std::copy(start.begin(), start.end(), p->value.data());
  }
  const std::vector<float> losses = golden_.floats("loss");
  for (int64_t epoch = 0; epoch < golden_.config.epochs; ++epoch) {
    Tape tape(Context{2}, true);
    const GlGnnOutput out = model_.forward(tape, {true, static_cast<uint32_t>(epoch), true});
    const LossTerms loss = model_.loss(tape, out);
    tape.backward();
    const double found[] = {loss.total(), loss.graph, loss.entropy, loss.decay};
    for (int term = 0; term < 4; ++term) {
      EXPECT_NEAR(found[term], losses[4 * epoch + term], golden_.tolerance("loss"))
          << "loss term " << term << " of epoch " << epoch;
    }
    if (epoch == 0) {
      compare_graphs("epoch0_a", graphs(out, false));
      compare_graphs("epoch0_a1", graphs(out, true));
      compare_prediction("epoch0", out.network);
      compare_parameters("grad_", true);
    }
    for (Parameter* p : model_.parameters()) {
      ref::adam_step(p->value.data(), p->mean.data(), p->square.data(), p->grad.data(),
                     p->value.size(), golden_.config.learning_rate, epoch + 1);
      p->grad.fill(0.0f);
    }
    model_.finish_epoch(out);
  }
  compare_parameters("final_", false);
  Tape tape(Context{2}, false);
  const GlGnnOutput out = model_.forward(tape, {false, 0, true});
  compare_graphs("eval_a", graphs(out, false));
  compare_prediction("eval", out.network);
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTrace,
                         ::testing::Values("unknown", "known", "sparse", "powers", "old", "generic",
                                           "literal"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace glgnn
