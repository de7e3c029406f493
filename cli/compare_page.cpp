#include "compare_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/message.h"
#include "report/graph_text.h"
#include "scores.h"
#include "study_page.h"
#include "text.h"

namespace glgnn::cli {
namespace {

constexpr double kWidth = 260;  // of a drawn interval, in pixels

// The part of the accuracies that is drawn, so that intervals do not lie in a heap.
struct Scale {
  double low = 0, high = 1;

  explicit Scale(const std::vector<Standing>& ranked) {
    double least = 1, most = 0;
    for (const Standing& s : ranked) {
      if (s.accuracy.empty()) continue;
      least = std::min(least, s.low);
      most = std::max(most, s.high);
    }
    if (least >= most) return;
    low = std::max(0.0, std::floor(20 * least) / 20);
    high = std::min(1.0, std::ceil(20 * most) / 20);
  }

  double at(double accuracy) const {
    return 8 + (kWidth - 16) * (std::clamp(accuracy, low, high) - low) / (high - low);
  }
};

std::string drawn(const Standing& s, const Scale& scale) {
  return fmt::format(
      R"(<svg class="interval" width="{0}" height="18" role="img" aria-label="{1} to {2}"><line x1="{3:.1f}" x2="{4:.1f}" y1="9" y2="9"/><circle cx="{5:.1f}" cy="9" r="4"/></svg>)",
      kWidth, percent(s.low), percent(s.high), scale.at(s.low), scale.at(s.high),
      scale.at(s.mean()));
}

std::string row_of(const Standing& s, size_t rank, const Scale& scale) {
  const std::string name = xml_text(s.name);
  if (s.accuracy.empty()) {
    return fmt::format(
        R"(<tr><td></td><td>{}</td><td colspan="5" class="fault">failed: {}</td></tr>)", name,
        xml_text(s.fault));
  }
  return fmt::format(
      R"(<tr{}><td class="number">{}</td><td>{}</td><td class="number">{}</td><td>{}</td><td class="number">{:.1f} .. {:.1f} %</td><td class="number">{}</td><td class="number">{:.0f} MB</td></tr>)",
      s.as_good ? R"( class="best")" : "", rank, name, percent(s.mean()), drawn(s, scale),
      100 * s.low, 100 * s.high, duration_text(s.seconds), s.memory_mb);
}

}  // namespace

double Standing::mean() const { return accuracy.empty() ? -1 : mean_of(accuracy); }

std::string compare_page(const ComparisonFacts& facts, const std::vector<Standing>& ranked) {
  const Scale scale(ranked);
  std::string rows;
  for (size_t r = 0; r < ranked.size(); ++r) rows += row_of(ranked[r], r + 1, scale) + "\n";
  return html_page("Methods on " + facts.dataset,
                   fmt::format(
                       R"(<section><table>
<thead><tr><th class="number">rank</th><th>method</th><th class="number">test accuracy</th><th>{:.0f} to {:.0f} %</th><th class="number">95 % interval</th><th class="number">a run</th><th class="number">memory</th></tr></thead>
<tbody>
{}</tbody></table>
<p class="note">{} rows; {} of each method, the same rows for all; {} settings of each rival tried by validation. Orange: no worse than the first, for all that these runs can tell.</p>
</section>
)",
                       100 * scale.low, 100 * scale.high, rows, facts.rows,
                       counted(facts.runs, "run"), facts.budget));
}

}  // namespace glgnn::cli
