#include "study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/graph_text.h"
#include "report/machine.h"

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
section { margin-top: 18px; padding: 20px 22px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow-x: auto; }
h2 { margin: 0 0 8px; font-size: 19px; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 4px 10px; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
th, p.note { color: var(--muted); font-weight: 400; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.fault { color: var(--muted); white-space: normal; }
svg { display: block; }
.chart text { fill: var(--muted); font-size: 12px; }
.chart .axis { stroke: var(--line); }
.interval line { stroke: var(--bar); stroke-width: 2; }
.interval circle { fill: var(--bar); }
.best .interval line { stroke: var(--best); }
.best .interval circle { fill: var(--best); }
)";

constexpr std::array kHues{"#4477aa", "#ee6677", "#228833", "#ccbb44",
                           "#66ccee", "#aa3377", "#ee7733", "#009988"};
constexpr double kLeft = 60, kRight = 480, kTop = 12, kBottom = 250;  // of what is drawn in

// Round numbers around a range, some five of them.
struct Axis {
  double low = 0, high = 1, step = 0.2;

  Axis(double least, double most) {
    if (!(most > least)) {
      const double around = std::max(1e-6, std::abs(least) * 0.1);
      least -= around;
      most += around;
    }
    const double rough = (most - least) / 5, power = std::pow(10, std::floor(std::log10(rough)));
    step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0}) {
      if (factor * power >= rough) step = factor * power;
    }
    low = step * std::floor(least / step + 1e-9);
    high = step * std::ceil(most / step - 1e-9);
  }

  double part(double value) const { return (value - low) / (high - low); }
  int ticks() const { return static_cast<int>(std::lround((high - low) / step)); }
};

struct Frame {
  Axis x, y;

  double across(double value) const { return kLeft + (kRight - kLeft) * x.part(value); }
  double down(double value) const { return kBottom - (kBottom - kTop) * y.part(value); }
};

Frame frame_of(const Chart& chart) {
  double left = 0, right = 0, least = 0, most = 0;
  bool any = false;
  for (const Curve& curve : chart.curves) {
    for (size_t p = 0; p < curve.x.size(); ++p) {
      const double spread = curve.spread.empty() ? 0 : curve.spread[p];
      const double low = curve.y[p] - spread, high = curve.y[p] + spread;
      left = any ? std::min(left, curve.x[p]) : curve.x[p];
      right = any ? std::max(right, curve.x[p]) : curve.x[p];
      least = any ? std::min(least, low) : low;
      most = any ? std::max(most, high) : high;
      any = true;
    }
  }
  return {Axis(left, right), Axis(least, most)};
}

std::string axes(const Chart& chart, const Frame& frame) {
  std::string out;
  for (int t = 0; t <= frame.y.ticks(); ++t) {
    const double value = frame.y.low + t * frame.y.step, y = frame.down(value);
    out += fmt::format(
        R"(<line class="axis" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/><text x="{:.1f}" y="{:.1f}" text-anchor="end">{:.6g}</text>)",
        kLeft, kRight, y, y, kLeft - 8, y + 4, value);
  }
  for (int t = 0; t <= frame.x.ticks(); ++t) {
    const double value = frame.x.low + t * frame.x.step;
    out += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{:.6g}</text>)",
                       frame.across(value), kBottom + 18, value);
  }
  out += fmt::format(
      R"svg(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text><text transform="rotate(-90)" x="{:.1f}" y="14" text-anchor="middle">{}</text>)svg",
      (kLeft + kRight) / 2, kBottom + 36, xml_text(chart.x_title), -(kTop + kBottom) / 2,
      xml_text(chart.y_title));
  return out;
}

std::string drawn(const Curve& curve, const Frame& frame, size_t number) {
  constexpr size_t kMostDots = 30;
  const char* hue = kHues[number % kHues.size()];
  std::string points, marks;
  for (size_t p = 0; p < curve.x.size(); ++p) {
    const double x = frame.across(curve.x[p]), y = frame.down(curve.y[p]);
    points += fmt::format("{:.1f},{:.1f} ", x, y);
    if (curve.x.size() > kMostDots) continue;
    marks += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5"/>)", x, y);
    if (curve.spread.empty()) continue;
    marks += fmt::format(R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>)", x,
                         frame.down(curve.y[p] - curve.spread[p]),
                         frame.down(curve.y[p] + curve.spread[p]));
  }
  const double at = kTop + 10 + 20 * static_cast<double>(number);
  return fmt::format(
      R"(<g stroke="{0}" fill="{0}"><polyline points="{1}" fill="none" stroke-width="2"/>{2}<circle cx="{3:.1f}" cy="{4:.1f}" r="3.5"/></g><text x="{5:.1f}" y="{6:.1f}">{7}</text>)",
      hue, points, marks, kRight + 16, at, kRight + 26, at + 4, xml_text(curve.name));
}

std::string html_of(const StudyTable& table) {
  std::string head, body;
  const auto kind = [&](size_t c) { return table.columns[c].numeric ? R"( class="number")" : ""; };
  for (size_t c = 0; c < table.columns.size(); ++c) {
    head += fmt::format("<th{}>{}</th>", kind(c), xml_text(table.columns[c].title));
  }
  for (const auto& row : table.rows) {
    body += "<tr>";
    for (size_t c = 0; c < row.size(); ++c) {
      body += fmt::format("<td{}>{}</td>", kind(c), xml_text(row[c]));
    }
    body += "</tr>\n";
  }
  return fmt::format(
      "<section><h2>{}</h2><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table>"
      "</section>\n",
      xml_text(table.title), head, body);
}

}  // namespace

std::string svg_of(const Chart& chart) {
  const Frame frame = frame_of(chart);
  const double height =
      std::max(kBottom + 44, kTop + 30 + 20 * static_cast<double>(chart.curves.size()));
  std::string out = fmt::format(
      R"(<svg class="chart" xmlns="http://www.w3.org/2000/svg" width="660" height="{:.0f}" role="img" aria-label="{}">)",
      height, xml_text(chart.title));
  out += axes(chart, frame);
  for (size_t c = 0; c < chart.curves.size(); ++c) out += drawn(chart.curves[c], frame, c);
  return out + "</svg>";
}

std::string html_page(const std::string& title, const std::string& body) {
  return fmt::format(
      R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{0}</title><style>{1}</style></head><body><main>
<h1>{0}</h1>
{2}<p class="note">glgnn {3}, commit {4}.</p>
</main></body></html>
)",
      xml_text(title), kStyle, body, version(), commit());
}

std::string study_page(const Study& study) {
  std::string body;
  for (const auto& note : study.notes) body += "<p class=\"note\">" + xml_text(note) + "</p>\n";
  for (const StudyTable& table : study.tables) body += html_of(table);
  for (const Chart& chart : study.charts) {
    body += fmt::format("<section><h2>{}</h2>{}</section>\n", xml_text(chart.title), svg_of(chart));
  }
  return html_page(study.title, body);
}

}  // namespace glgnn::cli
