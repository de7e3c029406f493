#include "report/row_text.h"

namespace glgnn {

std::string row_id(const Model& model, int64_t row) {
  return model.row_ids.empty() ? std::to_string(row) : model.row_ids[static_cast<size_t>(row)];
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace glgnn
