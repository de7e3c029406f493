// Pages of studies: tables and curves, in the letters and colours of the report's page.
#pragma once

#include <string>
#include <vector>

#include "text.h"

namespace glgnn::cli {

struct StudyTable {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

struct Curve {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> spread = {};  // drawn on both sides of y; empty: none is known
};

struct Chart {
  std::string title, x_title, y_title;
  std::vector<Curve> curves;
};

struct Study {
  std::string title;
  std::vector<std::string> notes;  // a sentence or two each
  std::vector<StudyTable> tables = {};
  std::vector<Chart> charts = {};
};

// One HTML text that needs nothing else.
std::string study_page(const Study& study);

// A page around a body that is HTML already; the title is text.
std::string html_page(const std::string& title, const std::string& body);

// The chart alone.
std::string svg_of(const Chart& chart);

}  // namespace glgnn::cli
