// Tables in plain text: columns as wide as they need, the last one wrapped at the screen's edge.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace glgnn::cli {

struct Column {
  std::string title;
  bool numeric = false;  // to the right
};

void print_table(std::FILE* out, const std::vector<Column>& columns,
                 const std::vector<std::vector<std::string>>& rows);

}  // namespace glgnn::cli
