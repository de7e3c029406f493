#include "report/suggestions.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/row_text.h"

namespace glgnn {
namespace {

// From where on it is worth a word.
constexpr double kDoubtful = 0.5, kDisagreeing = 0.1, kReaching = 1.5;

}  // namespace

std::string suggestion_reason(const Model& model, const Suggestion& suggestion) {
  const float* p = model.probabilities[suggestion.row];
  const auto share = [&](int32_t c) {
    return fmt::format("{} {:.0f} %", model.class_names[static_cast<size_t>(c)], 100 * p[c]);
  };
  std::string reason = suggestion.doubt >= kDoubtful && suggestion.next >= 0
                           ? share(suggestion.likely) + " or " + share(suggestion.next)
                           : "likely " + share(suggestion.likely);
  if (suggestion.disagreement >= kDisagreeing) reason += "; the graphs disagree";
  if (suggestion.reach >= kReaching) {
    reason += fmt::format("; speaks for {} rows", std::lround(suggestion.reach));
  }
  return reason;
}

Json suggestions_json(const Model& model, const std::vector<Suggestion>& suggestions) {
  Json list = Json::array();
  for (const Suggestion& suggestion : suggestions) {
    list.push_back({{"id", row_id(model, suggestion.row)},
                    {"row", suggestion.row},
                    {"score", suggestion.score},
                    {"reason", suggestion_reason(model, suggestion)},
                    {"doubt", suggestion.doubt},
                    {"disagreement", suggestion.disagreement},
                    {"reach", suggestion.reach}});
  }
  return list;
}

}  // namespace glgnn
