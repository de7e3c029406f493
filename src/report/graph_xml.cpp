// Graphs as XML. Nodes are numbered, as GraphML's ids hold no blanks or signs; the ids of the rows
// are an attribute (GraphML) or the label (GEXF).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "report/graph_text.h"
#include "report/machine.h"
#include "report/predictions.h"

namespace glgnn {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Character {
  size_t bytes = 1;
  bool allowed = false;  // by XML 1.0
};

bool allowed_in_xml(uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code <= 0xD7FF || (code >= 0xE000 && code <= 0xFFFD) ||
         (code >= 0x10000 && code <= 0x10FFFF);
}

// The first character of `text`; one byte that is not allowed where there is no valid UTF-8.
Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {1, allowed_in_xml(lead)};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  uint32_t code = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  // A character written with more bytes than it needs is not UTF-8.
  const uint32_t smallest = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (code < smallest) return {};
  return {bytes, allowed_in_xml(code)};
}

// The reference that stands for a character of the markup; null for all others. Line ends and tabs
// would be changed to spaces by a reader.
const char* reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\t':
      return "&#9;";
    case '\n':
      return "&#10;";
    case '\r':
      return "&#13;";
    default:
      return nullptr;
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!character.allowed) {
      out += kReplacement;
    } else if (const char* const escaped = reference(text[0])) {
      out += escaped;
    } else {
      out += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

namespace {

constexpr const char* kXml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

const char* direction(const GraphOptions& options) {
  return options.undirected ? "undirected" : "directed";
}

// What is known of one row, by the names of the attributes; empty values are left out.
struct Attribute {
  const char* name;
  std::string value;
};

std::array<Attribute, 4> attributes_of(const GraphRows& rows, int64_t row) {
  const std::string predicted = rows.predicted_class(row);
  return {{{"class", rows.known_class(row)},
           {"predicted", predicted},
           {"probability", predicted.empty() ? "" : fmt::format("{:.6f}", rows.probability(row))},
           {"part", rows.part[static_cast<size_t>(row)]}}};
}

struct Colour {
  int r, g, b;
};

// Hues as far apart as the number of classes allows, neighbours of different lightness.
Colour class_colour(int64_t number, int64_t classes) {
  const double hue = 6.0 * static_cast<double>(number) / static_cast<double>(classes);
  const double light = number % 2 == 0 ? 0.85 : 0.6;
  const auto channel = [&](double shift) {
    const double at = std::fmod(hue + shift, 6.0);
    const double full = std::clamp(std::abs(at - 3.0) - 1.0, 0.0, 1.0);
    return static_cast<int>(std::lround(255 * light * (0.25 + 0.75 * full)));
  };
  return {channel(0), channel(4), channel(2)};
}

void write_gexf_node(const GraphRows& rows, int64_t row, const WriteText& write) {
  write(fmt::format("      <node id=\"{}\" label=\"{}\">\n        <attvalues>\n", row,
                    xml_text(row_id(rows.model, row))));
  for (const auto& [name, value] : attributes_of(rows, row)) {
    if (value.empty()) continue;
    write(fmt::format("          <attvalue for=\"{}\" value=\"{}\"/>\n", name, xml_text(value)));
  }
  write("        </attvalues>\n");
  if (!rows.predicted_class(row).empty()) {
    const Colour colour =
        class_colour(rows.predicted[static_cast<size_t>(row)], rows.model.probabilities.cols());
    write(fmt::format("        <viz:color r=\"{}\" g=\"{}\" b=\"{}\"/>\n", colour.r, colour.g,
                      colour.b));
  }
  write("      </node>\n");
}

}  // namespace

void write_graphml(const GraphRows& rows, const Csr& graph, const GraphOptions& options,
                   const WriteText& write) {
  write(kXml);
  write("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  const auto key = [&](const char* of, const char* name, const char* type) {
    write(fmt::format("  <key id=\"{}\" for=\"{}\" attr.name=\"{}\" attr.type=\"{}\"/>\n", name, of,
                      name, type));
  };
  for (const char* name : {"id", "class", "predicted", "part"}) key("node", name, "string");
  key("node", "probability", "double");
  key("edge", "weight", "double");
  key("edge", "module", "string");
  write(fmt::format("  <graph id=\"G\" edgedefault=\"{}\">\n", direction(options)));
  for (int64_t row = 0; row < graph.rows(); ++row) {
    write(fmt::format("    <node id=\"n{}\">\n      <data key=\"id\">{}</data>\n", row,
                      xml_text(row_id(rows.model, row))));
    for (const auto& [name, value] : attributes_of(rows, row)) {
      if (value.empty()) continue;
      write(fmt::format("      <data key=\"{}\">{}</data>\n", name, xml_text(value)));
    }
    write("    </node>\n");
  }
  const std::string module = graph_name(options);
  for_edges(graph, options, [&](int64_t i, int64_t j, float weight) {
    write(
        fmt::format("    <edge source=\"n{}\" target=\"n{}\"><data key=\"weight\">{}</data>"
                    "<data key=\"module\">{}</data></edge>\n",
                    i, j, weight, module));
  });
  write("  </graph>\n</graphml>\n");
}

void write_gexf(const GraphRows& rows, const Csr& graph, const GraphOptions& options,
                const WriteText& write) {
  write(kXml);
  write(
      "<gexf xmlns=\"http://gexf.net/1.3\" xmlns:viz=\"http://gexf.net/1.3/viz\" "
      "version=\"1.3\">\n");
  write(
      fmt::format("  <meta>\n    <creator>glgnn {}</creator>\n    <description>{}: learned graph, "
                  "{}</description>\n  </meta>\n",
                  version(), xml_text(rows.model.dataset),
                  options.module == 0 ? "fused" : "module " + graph_name(options)));
  write(
      fmt::format("  <graph defaultedgetype=\"{}\" mode=\"static\">\n"
                  "    <attributes class=\"node\" mode=\"static\">\n",
                  direction(options)));
  for (const char* name : {"class", "predicted", "probability", "part"}) {
    const bool number = std::string_view(name) == "probability";
    write(fmt::format("      <attribute id=\"{}\" title=\"{}\" type=\"{}\"/>\n", name, name,
                      number ? "double" : "string"));
  }
  write("    </attributes>\n    <nodes>\n");
  for (int64_t row = 0; row < graph.rows(); ++row) write_gexf_node(rows, row, write);
  write("    </nodes>\n    <edges>\n");
  int64_t number = 0;
  for_edges(graph, options, [&](int64_t i, int64_t j, float weight) {
    write(fmt::format("      <edge id=\"{}\" source=\"{}\" target=\"{}\" weight=\"{}\"/>\n",
                      number++, i, j, weight));
  });
  write("    </edges>\n  </graph>\n</gexf>\n");
}

}  // namespace glgnn
