// The objects that logs and results are made of.
#pragma once

#include <glgnn/config.h>
#include <glgnn/context.h>
#include <glgnn/dataset.h>
#include <glgnn/model.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace glgnn {

using Json = nlohmann::ordered_json;

// {"mode": "paper", "k": 90, ...}, numbers as numbers.
Json settings_json(const Config& config);

// One setting's value as JSON: true, 90, 0.1 or "paper".
Json value_json(const std::string& value);

// Sizes of the data and of the split that is used.
Json data_json(const Dataset& dataset, const Split& split);

// {"yes": 0.12, "no": 0.88}: how common the classes seem to be among the rows without a label; null
// where that is not known to differ from the labels.
Json class_shares_json(const Model& model);

// estimated_accuracy, estimated_low, estimated_high, majority_share, majority_class,
// baseline_accuracy and class_shares; null where nothing was judged.
Json estimate_json(const Model& model);

Json epoch_json(const EpochReport& report);

// Name, version, commit, threads and CPU: what one needs to compare two results.
Json program_json(int threads);
// With the GPU that a resolved context runs on, if it does.
Json program_json(const Context& context);

// As text; bytes that are not UTF-8 (a class name in Latin-1) are replaced, not refused.
std::string json_text(const Json& value, int indent = -1);

// "2024-05-17T08:30:00Z", now.
std::string utc_time();

}  // namespace glgnn
