// glgnn datasets: what is shipped with the program.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "data/data.h"
#include "report/json.h"
#include "table.h"

namespace glgnn::cli {
namespace {

struct Entry {
  DatasetCard card;
  size_t splits = 0, train = 0, val = 0, test = 0;
};

std::vector<Entry> shipped_entries() {
  std::vector<Entry> entries;
  for (const auto& name : shipped_datasets()) {
    const Dataset dataset = load_dataset(name);
    const Split& first = dataset.splits.front();
    entries.push_back({shipped_card(name), dataset.splits.size(), first.train.size(),
                       first.val.size(), first.test.size()});
  }
  return entries;
}

void print_json(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const auto& [card, splits, train, val, test] : entries) {
    list.push_back({{"name", card.name},
                    {"title", card.title},
                    {"rows", card.rows},
                    {"features", card.features},
                    {"classes", card.classes},
                    {"edges", card.edges > 0 ? Json(card.edges) : Json(nullptr)},
                    {"splits", splits},
                    {"labelled", train},
                    {"val", val},
                    {"test", test},
                    {"licence", card.licence},
                    {"source", card.source}});
  }
  fmt::print("{}\n", json_text(list, 1));
}

void print_entries(const std::vector<Entry>& entries) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [card, splits, train, val, test] : entries) {
    rows.push_back({card.name, std::to_string(card.rows), std::to_string(card.features),
                    std::to_string(card.classes), card.edges > 0 ? std::to_string(card.edges) : "-",
                    fmt::format("{}/{}/{}", train, val, test), std::to_string(splits),
                    card.licence});
  }
  print_table(stdout,
              {{"name"},
               {"rows", true},
               {"features", true},
               {"classes", true},
               {"edges", true},
               {"labelled/val/test", true},
               {"splits", true},
               {"licence"}},
              rows);
}

}  // namespace

Command add_datasets(CLI::App& program) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* app = program.add_subcommand("datasets", "the datasets shipped with the program");
  app->add_flag("--json", *json, "one JSON array");
  return {app, [json] {
            const auto entries = shipped_entries();
            *json ? print_json(entries) : print_entries(entries);
            return 0;
          }};
}

}  // namespace glgnn::cli
