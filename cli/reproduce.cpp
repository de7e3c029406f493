// glgnn reproduce: a table of the paper, ours beside its figures.
#include <fmt/core.h>
#include <glgnn/context.h>
#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "data/message.h"
#include "dist/hand_out.h"
#include "evaluation_result.h"
#include "paper_tables.h"
#include "ranks.h"
#include "report/json.h"
#include "report/machine.h"
#include "start.h"
#include "text.h"

namespace glgnn::cli {
namespace {

constexpr int64_t kRuns = 10, kBudget = 8;

// One cell of the table: a method on a dataset, the paper's figure and ours.
struct Cell {
  std::string name, dataset;
  double figure = -1;     // below 0: the paper has none
  Json question = {};     // what the result is kept under
  Json result = nullptr;  // null: it failed
  std::string fault = {};
};

bool is_ours(const std::string& method) { return method == "paper" || method == "best"; }

// "93.2 ± 1.0 (93.8)": ours, and the paper's.
std::string cell_text(const Cell& cell) {
  const std::string theirs = cell.figure < 0 ? "" : fmt::format(" ({:.1f})", cell.figure);
  if (cell.result.is_null()) return "failed" + theirs;
  return fmt::format("{:.1f} ± {:.1f}{}", 100 * cell.result.at("test_accuracy_mean").get<double>(),
                     100 * cell.result.at("test_accuracy_std").get<double>(), theirs);
}

Json cell_json(const Cell& cell) {
  return {{"name", cell.name},
          {"dataset", cell.dataset},
          {"paper", cell.figure < 0 ? Json(nullptr) : Json(cell.figure)},
          {"question", cell.question},
          {"result", cell.result},
          {"fault", cell.fault.empty() ? Json(nullptr) : Json(cell.fault)}};
}

// The cells that were measured before, by what they were asked.
class CellFile {
 public:
  CellFile(std::string path, bool resume) : path_(std::move(path)) {
    std::ifstream in(path_);
    for (std::string line; resume && std::getline(in, line);) {
      Json row = Json::parse(line, nullptr, false);
      // A line that was cut short is measured again.
      if (row.is_object() && row.contains("question") && row.contains("result")) {
        known_.push_back(std::move(row));
      }
    }
    out_.open(path_, resume ? std::ios::app : std::ios::trunc);
    if (!out_) {
      throw Error(ErrorKind::kIo, path_ + ": cannot be written; name another with --file");
    }
  }

  const std::string& path() const { return path_; }

  // Whether the answer is known; puts it into the cell.
  bool find(Cell& cell) const {
    for (const Json& row : known_) {
      if (row.at("question") != cell.question) continue;
      cell.result = row.at("result");
      return true;
    }
    return false;
  }

  void keep(const Cell& cell) {
    if (cell.result.is_null()) return;
    out_ << json_text(Json{{"question", cell.question}, {"result", cell.result}}) << std::endl;
  }

 private:
  std::string path_;
  std::vector<Json> known_;
  std::ofstream out_;
};

// The cells whose answer is not known; the last datasets of a table are the largest.
std::vector<int64_t> left_to_measure(std::vector<Cell>& cells, const CellFile& known) {
  std::vector<int64_t> left;
  for (size_t c = 0; c < cells.size(); ++c) {
    if (!known.find(cells[c])) left.push_back(static_cast<int64_t>(c));
  }
  const auto column = [&](int64_t c) {
    return std::ranges::find(cells, cells[c].dataset, &Cell::dataset) - cells.begin();
  };
  if (ranks().count() > 1) std::ranges::stable_sort(left, std::greater{}, column);
  return left;
}

struct ReproduceCommand {
  std::string table, file;
  std::vector<std::string> datasets, methods;
  int64_t runs = kRuns, budget = kBudget;
  std::optional<int> threads;
  bool resume = false, json = false, quiet = false;

  int run() const;

 private:
  std::vector<std::string> columns(const PaperTable& paper) const;
  std::vector<Cell> planned(const PaperTable& paper) const;
  void measure(Cell& cell) const;
  bool measure_all(std::vector<Cell>& cells, const InterruptGuard& interrupt) const;
  void print(const std::vector<Cell>& cells, const std::vector<std::string>& columns) const;
};

std::vector<std::string> ReproduceCommand::columns(const PaperTable& paper) const {
  for (const auto& name : datasets) {
    if (std::ranges::find(paper.datasets, name) != paper.datasets.end()) continue;
    throw Error(ErrorKind::kUsage, fmt::format("--datasets: found {}, expected some of {}",
                                               quote(name), joined(paper.datasets, ", ")));
  }
  return datasets.empty() ? paper.datasets : datasets;
}

std::vector<Cell> ReproduceCommand::planned(const PaperTable& paper) const {
  std::vector<Cell> cells;
  for (const PaperRow& row : paper.rows) {
    if (!methods.empty() && std::ranges::find(methods, row.method) == methods.end()) continue;
    for (const auto& dataset : columns(paper)) {
      const auto at = std::ranges::find(paper.datasets, dataset) - paper.datasets.begin();
      Cell cell{row.name, dataset, row.figures[static_cast<size_t>(at)]};
      cell.question = {{"dataset", dataset}, {"graph", paper.graph}, {"method", row.method},
                       {"runs", runs},       {"commit", commit()},   {"glgnn", version()}};
      if (!is_ours(row.method)) cell.question["budget"] = budget;
      cells.push_back(std::move(cell));
    }
  }
  if (cells.empty()) {
    throw Error(ErrorKind::kUsage, "--methods: none of them is in " + table +
                                       "; `glgnn methods` has the names, paper and best are ours");
  }
  return cells;
}

void ReproduceCommand::measure(Cell& cell) const {
  const auto method = cell.question.at("method").get<std::string>();
  std::vector<std::string> words{cell.dataset, "--graph",
                                 cell.question.at("graph").get<std::string>(), "--runs",
                                 std::to_string(runs)};
  words.insert(words.end(), {is_ours(method) ? "--mode" : "--method", method});
  if (!is_ours(method)) words.insert(words.end(), {"--budget", std::to_string(budget)});
  if (threads) words.insert(words.end(), {"--threads", std::to_string(*threads)});
  const ChildAnswer answer = ask_evaluate(words);
  const Json result = Json::parse(answer.result, nullptr, false);
  if (answer.status == 0 && result.is_object())
    cell.result = result;
  else
    cell.fault = answer.fault.empty() ? "gave no result" : answer.fault;
}

// False when it was interrupted.
bool ReproduceCommand::measure_all(std::vector<Cell>& cells,
                                   const InterruptGuard& interrupt) const {
  std::optional<CellFile> known;
  Job job;
  if (ranks().leads()) {
    known.emplace(file.empty() ? "reproduce-" + table + ".jsonl" : file, resume);
    job.pieces = left_to_measure(cells, *known);
  }
  const auto start = std::chrono::steady_clock::now();
  const size_t all = job.pieces.size();
  size_t measured = 0;
  job.make = [&](int64_t c) {
    measure(cells[c]);
    return !interrupt.interrupted();
  };
  job.pack = [&](int64_t c) { return json_text(Json{cells[c].result, cells[c].fault}); };
  job.unpack = [&](int64_t c, const std::string& bytes) {
    const Json answer = Json::parse(bytes);
    cells[c].result = answer[0];
    cells[c].fault = answer[1].get<std::string>();
  };
  job.finished = [&](int64_t c) {
    known->keep(cells[c]);
    ++measured;
    if (quiet) return;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    const double each = spent.count() / static_cast<double>(measured);
    fmt::print(stderr, "{}/{} {} on {}: {}  about {} left\n", measured, all, cells[c].name,
               cells[c].dataset, cell_text(cells[c]),
               duration_text(each * static_cast<double>(all - measured)));
  };
  job.stopped = [&] { return interrupt.interrupted(); };
  hand_out(ranks(), job);
  if (measured == all) return true;
  fmt::print(stderr, "stopped after {} of {} cells; {} holds them: go on with --resume\n", measured,
             all, known->path());
  return false;
}

void ReproduceCommand::print(const std::vector<Cell>& cells,
                             const std::vector<std::string>& shown) const {
  std::vector<Column> titles{{"method"}};
  for (const auto& dataset : shown) titles.push_back({dataset, true});
  std::vector<std::vector<std::string>> rows;
  for (size_t c = 0; c < cells.size(); ++c) {
    if (c % shown.size() == 0) rows.push_back({cells[c].name});
    rows.back().push_back(cell_text(cells[c]));
  }
  print_table(stdout, titles, rows);
  for (const Cell& cell : cells) {
    if (cell.fault.empty()) continue;
    fmt::print("failed: {} on {}: {}\n", cell.name, cell.dataset, cell.fault);
  }
}

int ReproduceCommand::run() const {
  const PaperTable& paper = paper_table(table);
  std::vector<Cell> cells = planned(paper);
  Json asked = Json::array();
  for (const Cell& cell : cells) asked.push_back(cell.question);
  require_same_on_all_ranks(facts_of_run(0, json_text(asked)));
  if (!json) {
    fmt::print(
        "{} of the paper, graph {}: mean and standard deviation of {}, {} settings of each "
        "rival tried by validation; the paper's figure in brackets\n",
        table, paper.graph, counted(runs, "run"), budget);
    std::fflush(stdout);
  }
  const InterruptGuard interrupt;
  const bool whole = measure_all(cells, interrupt);
  if (!ranks().leads()) return 0;
  if (!whole) return interrupt.exit_status();
  if (!json) {
    print(cells, columns(paper));
    return 0;
  }
  Json list = Json::array();
  for (const Cell& cell : cells) list.push_back(cell_json(cell));
  Json object = {{"table", table},
                 {"graph", paper.graph},
                 {"runs", runs},
                 {"budget", budget},
                 {"cells", std::move(list)}};
  object.update(program_json(threads.value_or(default_context().threads)));
  fmt::print("{}\n", json_text(object));
  return 0;
}

}  // namespace

Command add_reproduce(CLI::App& program) {
  const auto command = std::make_shared<ReproduceCommand>();
  CLI::App* app =
      program.add_subcommand("reproduce", "a table of the paper anew, beside its figures (hours)");
  app->add_option("TABLE", command->table, "table1 (graph unknown) or table3 (graph known)")
      ->type_name("");
  const auto names = [&](const std::string& option, std::vector<std::string>& list,
                         const std::string& text) {
    app->add_option(option, list, text)
        ->type_name("NAMES")
        ->delimiter(',')
        ->allow_extra_args(false);
  };
  names("--datasets", command->datasets, "only these, with commas");
  names("--methods", command->methods, "only these, with commas; paper and best are our own modes");
  app->add_option("--runs", command->runs, "of each cell (10)")->type_name("N");
  app->add_option("--budget", command->budget,
                  "how many settings of each rival a run tries by validation (8)")
      ->type_name("N");
  app->add_option("--threads", command->threads, "for each cell (all)")->type_name("N");
  app->add_option("--file", command->file, "keeps the cells (reproduce-TABLE.jsonl)")
      ->type_name("FILE");
  app->add_flag("--resume", command->resume,
                "take cells of the same commit and settings from the file");
  app->add_flag("--json", command->json, "one JSON object on the standard output, nothing else");
  app->add_flag("--quiet", command->quiet, "no progress");
  return {app,
          [command, app] {
            require_argument(*app, "TABLE", command->table);
            return command->run();
          },
          true};
}

}  // namespace glgnn::cli
