// The sentences that fit, evaluate and info say about data and models.
#pragma once

#include <glgnn/dataset.h>
#include <glgnn/model.h>

#include <string>
#include <vector>

namespace glgnn::cli {

// How a scaling leaves the features: "standardised", "rows of sum 1".
std::string scaling_words(Scaling scaling);

// "wine: 178 rows, 13 features (standardised), 3 classes"
std::string data_sentence(const Dataset& dataset, const Config& config);

// "10 labelled, 20 validation, 148 test"; in folds "60 labelled (all validate in turn)", where
// `in_turn` of them validate.
std::string split_sentence(const Split& split, int64_t in_turn = 0);

// "graph 1 0.41 - graph 2 0.33 - graph 3 0.26"; in best mode by what they are: "gaussian on rank
// 0.79 (8 graphs) - spread on standard 0.21 (2 graphs)"
std::string network_sentence(const Model& model);

// The names of the features that count most, best first.
std::vector<std::string> key_features(const Model& model, size_t limit);

// What an estimate says, a sentence each: the accuracy to expect with its interval, what simpler
// answers reach, and whether the model is any better than those. Empty where nothing was judged.
std::vector<std::string> estimate_sentences(const Model& model);

// How common the classes seem to be where the labels do not tell; empty: nothing to say.
std::string shares_sentence(const Model& model);

// How many edges of the given graph the learned one has; empty if all.
std::string given_edges_sentence(const Pattern& given, const Model& model);

// The line of the log that the model's numbers belong to.
EpochReport best_epoch(const Model& model);

// What stands out about a split and is easy to overlook, one sentence each.
std::vector<std::string> split_notes(const Dataset& dataset, const Split& split, Mode mode);

}  // namespace glgnn::cli
