#include "compare_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/message.h"
#include "report/graph_text.h"
#include "report/machine.h"
#include "scores.h"
#include "text.h"

namespace glgnn::cli {
namespace {

// The colours and letters of the report's page.
constexpr const char* kStyle = R"(
:root { --ground: #f6f7f9; --card: #fff; --ink: #17202c; --muted: #586577; --line: #dde2e9; --bar: #4477aa; --best: #c2570c; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #10151c; --card: #18202a; --ink: #e8edf3; --muted: #9aa8b9; --line: #2b3644; --bar: #5f97cf; --best: #f2a65a; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 8px 16px 40px; }
section { padding: 20px 22px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 4px 10px; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
th, p.note { color: var(--muted); font-weight: 400; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.fault { color: var(--muted); white-space: normal; }
svg { display: block; }
line { stroke: var(--bar); stroke-width: 2; }
circle { fill: var(--bar); }
.best line { stroke: var(--best); }
.best circle { fill: var(--best); }
)";

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
      R"(<svg width="{0}" height="18" role="img" aria-label="{1} to {2}"><line x1="{3:.1f}" x2="{4:.1f}" y1="9" y2="9"/><circle cx="{5:.1f}" cy="9" r="4"/></svg>)",
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
  const std::string title = "Methods on " + xml_text(facts.dataset);
  return fmt::format(
      R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{0}</title><style>{1}</style></head><body><main>
<h1>{0}</h1>
<section><table>
<thead><tr><th class="number">rank</th><th>method</th><th class="number">test accuracy</th><th>{2:.0f} to {3:.0f} %</th><th class="number">95 % interval</th><th class="number">a run</th><th class="number">memory</th></tr></thead>
<tbody>
{4}</tbody></table>
<p class="note">{5} rows; {6} of each method, the same rows for all; {7} settings of each rival tried by validation. Orange: no worse than the first, for all that these runs can tell. glgnn {8}, commit {9}.</p>
</section></main></body></html>
)",
      title, kStyle, 100 * scale.low, 100 * scale.high, rows, facts.rows,
      counted(facts.runs, "run"), facts.budget, version(), commit());
}

}  // namespace glgnn::cli
