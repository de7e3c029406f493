// One line of the report.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "report/json.h"

namespace glgnn::bench {

struct Result {
  std::string name;
  std::optional<double> seconds{}, peak_mb{};
  std::string peer{};  // empty: there is nothing to compare with
  std::optional<double> peer_seconds{}, peer_peak_mb{};
  std::string note{};           // why a number is missing
  Json extra = Json::object();  // gflops, gbs, n, d, k, recall ...
};

// ratio is peer_seconds / seconds: above 1 we are faster.
inline Json result_json(const Result& result) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  std::optional<double> ratio;
  if (result.seconds && result.peer_seconds) ratio = *result.peer_seconds / *result.seconds;
  Json object = {{"name", result.name},
                 {"seconds", number(result.seconds)},
                 {"peer", result.peer.empty() ? Json(nullptr) : Json(result.peer)},
                 {"peer_seconds", number(result.peer_seconds)},
                 {"ratio", number(ratio)},
                 {"peak_mb", number(result.peak_mb)},
                 {"peer_peak_mb", number(result.peer_peak_mb)}};
  object.update(result.extra);
  if (!result.note.empty()) object["note"] = result.note;
  return object;
}

}  // namespace glgnn::bench
