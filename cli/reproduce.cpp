// glgnn reproduce: the tables and figures of the paper, ours beside its own.
#include <fmt/core.h>
#include <glgnn/context.h>
#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "core/clock.h"
#include "evaluation_result.h"
#include "ranks.h"
#include "report/json.h"
#include "report/machine.h"
#include "report/text_file.h"
#include "reproduction.h"
#include "start.h"
#include "text.h"

namespace glgnn::cli {
namespace {

const std::vector<std::string> kAll{"table1", "table2", "table3", "figures"};

// What the result of a cell is kept under.
Json question_of(const Cell& cell) {
  return {{"evaluate", joined(cell.words, " ")}, {"commit", commit()}, {"glgnn", version()}};
}

Json cell_json(const Cell& cell) {
  return {{"name", cell.name},
          {"dataset", cell.dataset},
          {"what", cell.what},
          {"x", cell.x},
          {"paper", cell.figure < 0 ? Json(nullptr) : Json(cell.figure)},
          {"question", question_of(cell)},
          {"result", cell.result},
          {"fault", cell.fault.empty() ? Json(nullptr) : Json(cell.fault)}};
}

std::string label_of(const Cell& cell) {
  const std::string place =
      cell.what == "accuracy" ? "" : fmt::format(" ({} {:.6g})", cell.what, cell.x);
  return cell.name + " on " + cell.dataset + place;
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
    const Json question = question_of(cell);
    for (const Json& row : known_) {
      if (row.at("question") != question) continue;
      cell.result = row.at("result");
      return true;
    }
    return false;
  }

  void keep(const Cell& cell) {
    if (cell.result.is_null()) return;
    out_ << json_text(Json{{"question", question_of(cell)}, {"result", cell.result}}) << std::endl;
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
  Asked asked;
  std::string file, page;
  std::optional<int> threads;
  bool resume = false, json = false, quiet = false;

  int run() const;

 private:
  int run_one(const std::string& table, const InterruptGuard& interrupt) const;
  bool measure_all(const std::string& path, std::vector<Cell>& cells,
                   const InterruptGuard& interrupt) const;
  void print(const Study& study, const std::vector<Cell>& cells) const;
};

void take_answer(Cell& cell, const ChildAnswer& answer) {
  const Json result = Json::parse(answer.result, nullptr, false);
  if (answer.status == 0 && result.is_object())
    cell.result = result;
  else
    cell.fault = answer.fault.empty() ? "gave no result" : answer.fault;
}

// False when it was interrupted.
bool ReproduceCommand::measure_all(const std::string& path, std::vector<Cell>& cells,
                                   const InterruptGuard& interrupt) const {
  std::optional<CellFile> known;
  std::vector<int64_t> left;
  if (ranks().leads()) {
    known.emplace(path, resume);
    left = left_to_measure(cells, *known);
  }
  std::vector<std::vector<std::string>> questions;
  for (const Cell& cell : cells) {
    questions.push_back(cell.words);
    if (threads) {
      questions.back().insert(questions.back().end(), {"--threads", std::to_string(*threads)});
    }
  }
  const auto start = Clock::now();
  const size_t all = left.size();
  size_t measured = 0;
  const auto on_answer = [&](size_t c, const ChildAnswer& answer) {
    take_answer(cells[c], answer);
    known->keep(cells[c]);
    ++measured;
    if (quiet) return;
    const double each = seconds_since(start) / static_cast<double>(measured);
    fmt::print(stderr, "{}/{} {}: {}  about {} left\n", measured, all, label_of(cells[c]),
               accuracy_text(cells[c]), duration_text(each * static_cast<double>(all - measured)));
  };
  ask_all(questions, left, ranks(), on_answer, [&] { return interrupt.interrupted(); });
  if (measured == all) return true;
  fmt::print(stderr, "stopped after {} of {} cells; {} holds them: go on with --resume\n", measured,
             all, known->path());
  return false;
}

void ReproduceCommand::print(const Study& study, const std::vector<Cell>& cells) const {
  for (const StudyTable& table : study.tables) {
    fmt::print("\n{}\n", table.title);
    print_table(stdout, table.columns, table.rows);
  }
  for (const auto& note : study.notes) fmt::print("{}\n", note);
  for (const Cell& cell : cells) {
    if (!cell.fault.empty()) fmt::print("failed: {}: {}\n", label_of(cell), cell.fault);
  }
}

int ReproduceCommand::run_one(const std::string& table, const InterruptGuard& interrupt) const {
  Asked one = asked;
  one.table = table;
  Reproduction found = reproduction_of(one);
  Json questions = Json::array();
  for (const Cell& cell : found.cells) questions.push_back(question_of(cell));
  require_same_on_all_ranks(facts_of_run(0, json_text(questions)));
  if (!json) {
    fmt::print("{}\n", found.intro);
    std::fflush(stdout);
  }
  const std::string base = "reproduce-" + table;
  const bool whole = measure_all(file.empty() ? base + ".jsonl" : file, found.cells, interrupt);
  if (!ranks().leads()) return 0;
  if (!whole) return interrupt.exit_status();
  const Study study = found.show(found.cells);
  const std::string written = page.empty() ? base + ".html" : page;
  write_text_file(written, study_page(study));
  if (!json) {
    print(study, found.cells);
    fmt::print("wrote {}; open it in a browser\n", written);
    return 0;
  }
  Json list = Json::array();
  for (const Cell& cell : found.cells) list.push_back(cell_json(cell));
  Json object = {{"table", table},
                 {"runs", asked.runs},
                 {"budget", asked.budget},
                 {"page", written},
                 {"cells", std::move(list)}};
  object.update(program_json(threads.value_or(default_context().threads)));
  fmt::print("{}\n", json_text(object));
  return 0;
}

int ReproduceCommand::run() const {
  const InterruptGuard interrupt;
  if (asked.table != "all") return run_one(asked.table, interrupt);
  if (!file.empty() || !page.empty() || !asked.datasets.empty() || !asked.methods.empty()) {
    throw Error(ErrorKind::kUsage,
                "reproduce all: --file, --page, --datasets and --methods are for one table; name "
                "it, or leave them out");
  }
  for (const auto& table : kAll) {
    if (const int status = run_one(table, interrupt)) return status;
  }
  return 0;
}

}  // namespace

Command add_reproduce(CLI::App& program) {
  const auto command = std::make_shared<ReproduceCommand>();
  CLI::App* app =
      program.add_subcommand("reproduce", "a table of the paper anew, beside its figures (hours)");
  app->add_option("TABLE", command->asked.table,
                  "table1 (graph unknown), table2 (noise), table3 (graph known), figures, or all")
      ->type_name("");
  const auto names = [&](const std::string& option, std::vector<std::string>& list,
                         const std::string& text) {
    app->add_option(option, list, text)
        ->type_name("NAMES")
        ->delimiter(',')
        ->allow_extra_args(false);
  };
  names("--datasets", command->asked.datasets, "only these, with commas");
  names("--methods", command->asked.methods,
        "only these, with commas; paper and best are our own modes");
  app->add_option("--runs", command->asked.runs, "of each cell (10)")->type_name("N");
  app->add_option("--budget", command->asked.budget,
                  "how many settings of each rival a run tries by validation (8)")
      ->type_name("N");
  app->add_option("--epochs", command->asked.epochs,
                  "of paper mode, for a quick look (those of the paper)")
      ->type_name("N");
  app->add_option("--threads", command->threads, "for each cell (all)")->type_name("N");
  app->add_option("--file", command->file, "keeps the cells (reproduce-TABLE.jsonl)")
      ->type_name("FILE");
  app->add_option("--page", command->page, "tables and plots (reproduce-TABLE.html)")
      ->type_name("FILE");
  app->add_flag("--resume", command->resume,
                "take cells of the same commit and settings from the file");
  app->add_flag("--json", command->json, "one JSON object on the standard output, nothing else");
  app->add_flag("--quiet", command->quiet, "no progress");
  return {app,
          [command, app] {
            require_argument(*app, "TABLE", command->asked.table);
            return command->run();
          },
          true};
}

}  // namespace glgnn::cli
