#include <glgnn/config.h>
#include <glgnn/error.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

#include "core/nearest.h"

namespace glgnn {
namespace {

template <class E>
struct Names;  // the words of an enum, in the order of its values

#define GLGNN_NAMES(E, ...)                                               \
  template <>                                                             \
  struct Names<E> {                                                       \
    static constexpr auto list = std::to_array<const char*>(__VA_ARGS__); \
  }
GLGNN_NAMES(Mode, {"paper", "best"});
GLGNN_NAMES(Scaling,
            {"auto", "none", "standard", "max", "row_sum", "row_unit", "standard_unit", "tfidf"});
GLGNN_NAMES(SelectStart, {"near_one", "uniform"});
GLGNN_NAMES(EvalLabels, {"zero", "train"});
GLGNN_NAMES(Similarity, {"dot", "cosine"});
GLGNN_NAMES(SoftmaxOver, {"all", "kept"});
GLGNN_NAMES(HopForm, {"shells", "powers"});
GLGNN_NAMES(GivenGraph, {"always", "start", "union"});
GLGNN_NAMES(LastGraph, {"second", "first"});
GLGNN_NAMES(Rescale, {"sum_k", "sum_one", "largest_one", "none"});
GLGNN_NAMES(Symmetrise, {"mean", "max", "none"});
GLGNN_NAMES(Aggregation, {"mean", "trained", "previous", "constant"});
GLGNN_NAMES(Attention, {"per_row", "shared"});
GLGNN_NAMES(NetworkWeight, {"matrix", "scalar"});
GLGNN_NAMES(DecayOn, {"first", "all"});
GLGNN_NAMES(ClassWeights, {"none", "balanced"});
GLGNN_NAMES(ClassShares, {"learned", "labels"});
#undef GLGNN_NAMES

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Range {
  double low = -kNoLimit;
  double high = kNoLimit;
};

// The one list of settings. `visit(name, member, range, text)` is called for each, in order.
template <class C, class Visit>
void for_each_setting(C& c, Visit&& visit) {
  const Range any{}, positive{1, kNoLimit}, not_negative{0, kNoLimit}, fraction{0, 1};
  visit("mode", c.mode, any,
        "best: the most accurate; paper: the paper's method with the readings below");
  visit("seed", c.seed, any, "of every random number; the same seed gives the same bits");
  visit("modules", c.modules, Range{1, 256}, "M, the number of sub-modules (and learned graphs)");
  visit("k", c.k, not_negative,
        "neighbours kept per row; 0: in paper mode the paper's for its sets, else by size; in best "
        "mode "
        "each module's own");
  visit("epochs", c.epochs, not_negative,
        "training steps; 0: in paper mode the paper's for its sets, else 200; in best mode 120");
  visit("hidden", c.hidden, Range{1, 4096}, "H, units of the first layer");
  visit("class_weights", c.class_weights, any,
        "none: every labelled row counts alike; balanced: every class does, however few its rows, "
        "in training and on validation");
  visit("class_shares", c.class_shares, any,
        "how common the classes are where all have as many labels: learned from the rows without a "
        "label, or as common as among the labels");
  visit(
      "scaling", c.scaling, any,
      "of the features: standard (z-scores of the columns), max (divide by the largest), row_sum "
      "(rows of sum 1), row_unit (rows of length 1), standard_unit (z-scores, then rows of length "
      "1), tfidf (columns weighed by how rare they are, then rows of length 1); auto: "
      "standard_unit for tables, row_unit for pixels; for sparse features row_unit, or tfidf where "
      "it "
      "clearly suits the validation rows better");
  visit("select_start", c.select_start, any,
        "start of the selection s: near_one (1 + 0.1 normal), or uniform on (0, 1)");
  visit("select_non_negative", c.select_non_negative, any, "clamp s at zero after each step");
  visit("label_weight", c.label_weight, Range{-1, kNoLimit},
        "lambda, the size of the labels concatenated to the features; 0: none; -1: the square root "
        "of the temperature, so that a shared label adds 1 to the similarity");
  visit("label_hide", c.label_hide, fraction,
        "part of the training labels hidden from the graph in each epoch");
  visit("eval_labels", c.eval_labels, any,
        "labels the graph sees at evaluation: zero (as the paper) or those of the training rows");
  visit("similarity", c.similarity, any, "of two rows: dot product, or cosine (rows of length 1)");
  visit("temperature", c.temperature, Range{0, kNoLimit},
        "tau, divides the similarity; 0: 0.1, or 0.2 where a graph is given");
  visit("diagonal", c.diagonal, any, "let a row be its own neighbour");
  visit("softmax_over", c.softmax_over, any,
        "edge probabilities normalised over all rows (exact, streamed) or over the k kept");
  visit("hops", c.hops, Range{1, 8}, "K, the hop distances with a weight of their own");
  visit("hop_form", c.hop_form, any,
        "shells (exact distance) or powers (entries of the weighted matrix powers)");
  visit("near_start", c.near_start, Range{1e-6, kNoLimit},
        "start of V_1, the weight of pairs one hop apart");
  visit("second_start", c.second_start, Range{1e-6, kNoLimit},
        "start of V_2 .. V_K, the weights of pairs two to K hops apart");
  visit("far_start", c.far_start, Range{1e-6, kNoLimit},
        "start of V_o, the weight of all other pairs");
  visit("given_graph", c.given_graph, any,
        "graph known, hops are read from it: always, at the start only, or its union with the last "
        "learned graph");
  visit("last_graph", c.last_graph, any,
        "graph unknown, hops are read from the last epoch's second graph A1' or first graph A'");
  visit("sample_neighbours", c.sample_neighbours, any,
        "in training draw the k neighbours of a row by their probabilities (Gumbel-top-k) instead "
        "of taking the best");
  visit("rescale", c.rescale, any,
        "each kept row before the self-loop is added: scaled to sum k, to sum 1, to a largest "
        "entry of 1, or left as it is (none)");
  visit("symmetrise", c.symmetrise, any,
        "A with its transpose before normalising: the mean of both, the larger, or A alone (none)");
  visit(
      "refresh", c.refresh, positive,
      "epochs between two choices of neighbours; in between only kept similarities are recomputed");
  visit("bias", c.bias, any, "give each of the two layers a bias");
  visit("feature_graph", c.feature_graph, any,
        "a graph of the columns, too: each column is heard with the columns most like it, by "
        "the first layer (paper) or by further modules (best)");
  visit("aggregation", c.aggregation, any,
        "X_agg of the network of graphs: the mean of the modules, trained, the previous Y, or "
        "constant (1 / C)");
  visit("attention", c.attention, any,
        "a of the network of graphs: per_row (N x C numbers) or shared (C numbers)");
  visit("network_weight", c.network_weight, any, "B of the network of graphs: matrix or scalar");
  visit("network_start", c.network_start, any, "start of B: this times the identity");
  visit("alpha_mean", c.alpha_mean, any,
        "the agreement alpha of two modules is a mean over the rows; false: a sum");
  visit("mu1", c.mu1, not_negative, "weight of |A' - A1'|, the loss between the two graphs");
  visit("mu2", c.mu2, not_negative, "weight of the cross-entropy");
  visit("weight_decay", c.weight_decay, not_negative, "weight of the squared weights");
  visit("decay_on", c.decay_on, any, "weights that decay: W1 (first) or W1 and W2 (all)");
  visit("dropout", c.dropout, Range{0, 0.99}, "part of each layer's input dropped in training");
  visit("learning_rate", c.learning_rate, Range{1e-8, kNoLimit}, "of Adam");
  visit("members", c.members, Range{0, 64},
        "modules that the network of graphs joins, the best on validation of those tried; 0: 10, "
        "or 6 from each fold");
  visit("folds", c.folds, Range{0, 20},
        "where validation rows are not given: how often other labelled rows validate, so that all "
        "teach; 0: 5 up to 3000 rows and 1000 labels, 3 up to 10000 rows, else 1");
  visit("spread_heads", c.spread_heads, any, "modules that spread the labels over their graph");
  visit("prototype_heads", c.prototype_heads, any,
        "modules with class prototypes: Gaussian for tables, distributions over features for text");
  visit("gnn_heads", c.gnn_heads, any, "modules with two trained layers and propagation");
  visit("landmark_heads", c.landmark_heads, any,
        "modules that link every row to all labelled ones, features weighed by learning (tables)");
  visit("tree_heads", c.tree_heads, any,
        "modules of boosted trees, where labels are many (tables)");
  visit("prior_heads", c.prior_heads, any,
        "modules that ask a network which has learned from drawn tables, where labels are few");
  visit("votes", c.votes, any,
        "join the neighbours found in several views of the features into one graph");
  visit("edge_trust", c.edge_trust, any,
        "where some edges of a given graph look random, let most modules leave those out");
  visit("class_mixing", c.class_mixing, any,
        "learn which classes the edges of a given graph join, and predict by that, too");
  visit("propagation", c.propagation, any, "propagate predictions over the learned graph");
  visit("second_round", c.second_round, any,
        "learn each graph again from what the first round found, and train again on it");
  visit("label_links", c.label_links, any,
        "compare rows also by their predicted classes when a graph is learned again");
  visit("feature_weights", c.feature_weights, any,
        "let some modules weigh the features by what the first round selected");
  visit("teacher", c.teacher, any, "train also on the confident predictions of the round before");
  visit("consistency", c.consistency, any, "pull predictions towards their sharpened selves");
  visit("class_mass", c.class_mass, any, "modules that match the shares of the classes");
  visit("network_round", c.network_round, any,
        "train the trained heads once more, taught by the network of graphs");
  visit("averaging", c.averaging, any,
        "the network of graphs joins several modules; false: the one best on validation");
}

// Which settings a mode does not read.
constexpr std::string_view kBoth[] = {"mode",   "seed",          "k",
                                      "epochs", "class_weights", "feature_graph"};
constexpr std::string_view kBestOnly[] = {"members", "folds", "class_shares"};
// Parts of best mode that can be left out, to see what they are worth.
constexpr std::string_view kParts[] = {
    "spread_heads", "prototype_heads", "gnn_heads",       "landmark_heads", "tree_heads",
    "prior_heads",  "votes",           "edge_trust",      "class_mixing",   "propagation",
    "second_round", "label_links",     "feature_weights", "teacher",        "consistency",
    "class_mass",   "network_round",   "averaging"};

bool is_among(std::string_view name, std::span<const std::string_view> list) {
  return std::ranges::find(list, name) != list.end();
}

std::string mode_of(std::string_view name) {
  if (is_among(name, kBoth)) return "";
  return is_among(name, kBestOnly) || is_among(name, kParts) ? "best" : "paper";
}

std::string number_text(double value) {
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return Names<T>::list[static_cast<size_t>(value)];
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    return number_text(value);
  }
}

template <class T>
std::string allowed_text(const Range& range) {
  if constexpr (std::is_enum_v<T>) {
    std::string text;
    for (const char* word : Names<T>::list) text += (text.empty() ? "" : "|") + std::string(word);
    return text;
  } else if constexpr (std::is_same_v<T, bool>) {
    return "true|false";
  } else {
    std::string text = std::is_integral_v<T> ? "whole number" : "number";
    if (std::isfinite(range.low)) text += " from " + number_text(range.low);
    if (std::isfinite(range.high)) text += " to " + number_text(range.high);
    return text;
  }
}

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

template <class T>
bool parse_value(std::string_view text, const Range& range, T& value) {
  if constexpr (std::is_enum_v<T>) {
    const auto& list = Names<T>::list;
    const auto found = std::find(list.begin(), list.end(), text);
    if (found == list.end()) return false;
    value = static_cast<T>(found - list.begin());
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false") return false;
    value = text == "true";
    return true;
  } else {
    T parsed{};
    if (!parse_number(text, parsed)) return false;
    const double size = static_cast<double>(parsed);
    if (!(size >= range.low && size <= range.high) || !std::isfinite(size)) return false;
    value = parsed;
    return true;
  }
}

// As much of a text as a message should have; a byte 0 would end it.
std::string shown(std::string_view text) {
  constexpr size_t kLongest = 100;
  std::string out(text.substr(0, kLongest));
  std::replace(out.begin(), out.end(), '\0', '?');
  return text.size() > kLongest ? out + "…" : out;
}

[[noreturn]] void unknown_setting(std::string_view name) {
  std::vector<std::string> names;
  for (const Setting& setting : list_settings({})) names.push_back(setting.name);
  throw Error(ErrorKind::kUsage, "unknown setting \"" + shown(name) + "\"; the nearest is \"" +
                                     nearest_names(name, names, 1)[0] +
                                     "\"; `glgnn settings` lists them all");
}

}  // namespace

std::vector<Setting> list_settings(const Config& config) {
  std::vector<Setting> list;
  for_each_setting(config,
                   [&](const char* name, const auto& value, const Range& range, const char* text) {
                     using T = std::remove_cvref_t<decltype(value)>;
                     list.push_back({name, mode_of(name), value_text(value), allowed_text<T>(range),
                                     text, is_among(name, kParts)});
                   });
  return list;
}

void set_setting(Config& config, std::string_view name, std::string_view value) {
  bool known = false;
  for_each_setting(config, [&](const char* other, auto& member, const Range& range, const char*) {
    if (name != other) return;
    known = true;
    using T = std::remove_cvref_t<decltype(member)>;
    if (!parse_value(value, range, member)) {
      throw Error(ErrorKind::kUsage, "setting " + std::string(name) + ": found \"" + shown(value) +
                                         "\", expected " + allowed_text<T>(range));
    }
  });
  if (!known) unknown_setting(name);
}

std::string get_setting(const Config& config, std::string_view name) {
  std::string text;
  bool known = false;
  for_each_setting(config, [&](const char* other, const auto& value, const Range&, const char*) {
    if (name == other) known = true, text = value_text(value);
  });
  if (!known) unknown_setting(name);
  return text;
}

}  // namespace glgnn
