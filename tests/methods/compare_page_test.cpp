// The page of `glgnn compare`.
#include "compare_page.h"

#include <gtest/gtest.h>

namespace glgnn::cli {
namespace {

TEST(ComparePage, ShowsRankIntervalTimeMemoryAndFaults) {
  const Standing first{.name = "forest",
                       .accuracy = {0.9, 0.92},
                       .low = 0.88,
                       .high = 0.94,
                       .seconds = 2,
                       .memory_mb = 31,
                       .as_good = true};
  const Standing failed{.name = "gcn", .fault = "needs a <graph>"};
  const std::string page = compare_page({"a & b", 150, 2, 8}, {first, failed});
  for (const auto* text : {"Methods on a &amp; b", "forest", "91.0 %", "88.0 .. 94.0 %", "31 MB",
                           "<tr class=\"best\">", "failed: needs a &lt;graph&gt;", "150 rows"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  // 85 to 95 % is drawn: the interval's ends and the mean lie at 30, 90 and 60 % of it.
  for (const auto* place : {"x1=\"81.2\"", "x2=\"227.6\"", "cx=\"154.4\""}) {
    EXPECT_NE(page.find(place), std::string::npos) << place;
  }
}

}  // namespace
}  // namespace glgnn::cli
