// GraphML graphs: nodes are the data's rows by their ids, by the node's name, or by their number.
#include <algorithm>
#include <map>
#include <new>
#include <pugixml.hpp>

#include "data/edge_list.h"
#include "data/line_reader.h"

namespace glgnn {
namespace {

// The line of a byte, for errors.
Place place_of(const std::filesystem::path& path, const std::string& text, ptrdiff_t byte) {
  const auto end =
      text.begin() + std::clamp<ptrdiff_t>(byte, 0, static_cast<ptrdiff_t>(text.size()));
  return {path, 1 + std::count(text.begin(), end, '\n')};
}

// The name of an element without its namespace: some programs write <g:edge>.
std::string local_name(const pugi::xml_node& node) {
  const std::string name = node.name();
  const size_t colon = name.find(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

class Reader : public pugi::xml_tree_walker {
 public:
  Reader(const std::filesystem::path& path, const std::string& text, const RowNames& names)
      : path_(path), text_(text), names_(names) {}

  // Keys come before nodes and nodes before the edges between them, but not always: three walks.
  enum class Walk { kKeys, kNodes, kEdges } walk = Walk::kKeys;
  bool is_graphml = false;
  EdgeList list;

  bool for_each(pugi::xml_node& node) override {
    const std::string name = local_name(node);
    is_graphml = is_graphml || name == "graphml";
    if (walk == Walk::kKeys && name == "key") {
      keys_[node.attribute("id").value()] = node.attribute("attr.name").value();
    } else if (walk == Walk::kNodes && name == "node") {
      rows_[node.attribute("id").value()] = row_of(node);
    } else if (walk == Walk::kEdges && name == "edge") {
      add_edge(node);
    }
    return true;
  }

 private:
  // Counts lines from the beginning: for errors alone.
  Place place(const pugi::xml_node& node) const {
    return place_of(path_, text_, node.offset_debug());
  }

  // The text of the node's or edge's <data> of that name.
  std::string data_of(const pugi::xml_node& node, const std::string& wanted) const {
    for (const pugi::xml_node& data : node.children()) {
      if (local_name(data) != "data") continue;
      const auto key = keys_.find(data.attribute("key").value());
      if (key != keys_.end() && key->second == wanted) return data.text().get();
    }
    return "";
  }

  // -1 where the node is no row: that matters only if an edge needs it.
  int64_t row_of(const pugi::xml_node& node) const {
    const std::string id = node.attribute("id").value();
    int64_t row = names_.find(id);
    if (names_.by_number()) {
      // igraph and yEd write n0, n1, ...
      return row < 0 && id.starts_with('n') ? names_.find(id.substr(1)) : row;
    }
    for (const char* key : {"id", "name", "label"}) {
      if (row < 0) row = names_.find(data_of(node, key));
    }
    return row;
  }

  int64_t end_of(const pugi::xml_node& edge, const char* which) const {
    const std::string id = edge.attribute(which).value();
    const auto found = rows_.find(id);
    const int64_t row =
        found != rows_.end() && found->second >= 0 ? found->second : names_.find(id);
    return row >= 0 ? row : names_.need(id, place(edge));
  }

  void add_edge(const pugi::xml_node& edge) {
    const std::string text = data_of(edge, "weight");
    float weight = 1.0f;
    if (!text.empty() && !parse_weight(text, weight)) bad_weight(text, place(edge));
    list.add(end_of(edge, "source"), end_of(edge, "target"), weight);
  }

  const std::filesystem::path& path_;
  const std::string& text_;
  const RowNames& names_;
  std::map<std::string, std::string> keys_;
  std::map<std::string, int64_t> rows_;
};

}  // namespace

EdgeList read_graphml(const std::filesystem::path& path, const RowNames& names) {
  const std::string text = read_text(path);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (parsed.status == pugi::status_out_of_memory) throw std::bad_alloc();
  if (!parsed) {
    fail(ErrorKind::kData, place_of(path, text, parsed.offset),
         {"not whole XML", parsed.description(), "a GraphML document",
          "write the file again with the program that made it"});
  }
  Reader reader(path, text, names);
  for (const auto walk : {Reader::Walk::kKeys, Reader::Walk::kNodes, Reader::Walk::kEdges}) {
    reader.walk = walk;
    document.traverse(reader);
  }
  if (!reader.is_graphml) {
    fail(ErrorKind::kData, {path},
         {"not GraphML", document.first_child().name(), "an element graphml with nodes and edges",
          "write it with networkx.write_graphml, or give an edge list"});
  }
  return std::move(reader.list);
}

}  // namespace glgnn
