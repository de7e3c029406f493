// glgnn-bench: how fast glgnn is on this machine, beside its limits and other programs.
#include <fmt/core.h>
#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "bench/explanations.h"
#include "cli/arguments.h"
#include "cli/start.h"
#include "cli/text.h"
#include "cli/threads.h"
#include "data/message.h"
#include "report/machine.h"

namespace glgnn::bench {
namespace {

struct BenchCommand {
  Options options;
  cli::ThreadOption threads;
  CompareOptions comparison;
  std::string child, folder;
  bool json = false;

  int run();
};

std::string number(const Json& result, const char* key, const char* format) {
  if (!result.contains(key) || result[key].is_null()) return "-";
  return fmt::format(fmt::runtime(format), result[key].get<double>());
}

std::string rate(const Json& result) {
  if (result.contains("gflops")) return number(result, "gflops", "{:.1f} GFLOP/s");
  if (result.contains("gbs")) return number(result, "gbs", "{:.1f} GB/s");
  return "-";
}

void print_report(const Json& report) {
  fmt::print("{}, {}, {}, commit {}\n", report["machine"].get<std::string>(),
             counted(report["threads"].get<int64_t>(), "thread"),
             report["flags"]["simd"].get<std::string>(), report["commit"].get<std::string>());
  std::vector<std::vector<std::string>> rows;
  for (const Json& result : report["results"]) {
    rows.push_back({result["name"].get<std::string>(), number(result, "seconds", "{:.5f}"),
                    rate(result),
                    result["peer"].is_null() ? "-" : result["peer"].get<std::string>(),
                    number(result, "peer_seconds", "{:.5f}"), number(result, "ratio", "{:.2f}"),
                    number(result, "peak_mb", "{:.0f}"), number(result, "peer_peak_mb", "{:.0f}"),
                    result.value("note", "")});
  }
  cli::print_table(stdout,
                   {{"name"},
                    {"seconds", true},
                    {"rate", true},
                    {"peer"},
                    {"peer's seconds", true},
                    {"ratio", true},
                    {"MB", true},
                    {"peer's MB", true},
                    {"note"}},
                   rows);
  if (report.contains("complexity")) {
    const auto exponent = [&](const char* what) {
      return report["complexity"][what]["exponent"].get<double>();
    };
    fmt::print(
        "processor time of paper mode grows as N^{:.2f} M^{:.2f} T^{:.2f}; the paper says "
        "O(M T (N^2 + N))\n",
        exponent("rows"), exponent("modules"), exponent("epochs"));
  }
  if (!report.contains("scaling") || report["scaling"]["all"].is_null()) return;
  for (const char* which : {"all", "larger_half"}) {
    const Json& fit = report["scaling"][which];
    if (fit.is_null()) continue;
    fmt::print("N = {} to {}: seconds grow as N^{:.2f}, memory as N^{:.2f}\n",
               fit["from"].get<int64_t>(), fit["to"].get<int64_t>(), fit["seconds"].get<double>(),
               fit["peak_mb"].get<double>());
  }
}

int BenchCommand::run() {
  options.threads = threads.context().threads;
  options.device = threads.device;
  if (!comparison.model.empty()) {
    comparison.json = json;
    return compare_explanations(comparison, threads.context());
  }
  if (!child.empty()) {
    fmt::print("{}\n", json_text(run_child(child, folder, options)));
    return 0;
  }
  const auto& known = parts();
  if (!options.only.empty() && std::find(known.begin(), known.end(), options.only) == known.end()) {
    throw Error(ErrorKind::kUsage,
                "--only: found " + quote(options.only) + ", expected " + cli::joined(known, ", "));
  }
  options.say = [](const std::string& what) { fmt::print(stderr, "measuring {}\n", what); };
  const Json report = run_all(options);
  json ? fmt::print("{}\n", json_text(report, 1)) : print_report(report);
  // A measurement of ours that failed is our fault; its note says why.
  constexpr int kOwnFault = 70;
  const auto& results = report["results"];
  const bool failed = std::any_of(results.begin(), results.end(),
                                  [](const Json& result) { return result["seconds"].is_null(); });
  if (failed) fmt::print(stderr, "glgnn: a measurement of ours failed; its note says why\n");
  return failed ? kOwnFault : 0;
}

int run_program(int argc, char** argv) {
  CLI::App program(
      "Speed and memory of glgnn on this machine, beside its limits and other programs");
  program.name("glgnn-bench");
  program.formatter(std::make_shared<cli::HelpFormatter>());
  BenchCommand command;
  program.add_option("--only", command.options.only, "one part")
      ->type_name("kernels|epochs|graphs|scaling|complexity");
  program.add_flag("--quick", command.options.quick, "small sizes: to see that it works");
  program
      .add_option("--peers", command.options.python,
                  "the Python that has the peers' packages (/usr/bin/python3), or none")
      ->type_name("PYTHON");
  program.add_option("--mnist", command.options.mnist, "folder of MNIST, for the graphs")
      ->type_name("DIR");
  program
      .add_option("--explanations", command.comparison.model,
                  "instead: how faithful explanations of this model are, beside other ways; or how "
                  "well they find the motifs of ba-shapes, tree-cycles or tree-cycles-root")
      ->type_name("MODEL|SET");
  program.add_option("--rows", command.comparison.rows, "with --explanations: rows to draw (20)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  program
      .add_option("--seeds", command.comparison.seeds,
                  "with --explanations: seeds of the other ways (3)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  program.add_flag("--json", command.json, "one JSON object");
  program.add_option("--child", command.child, "one measurement in this process")
      ->group(cli::kUnlisted);
  program.add_option("--folder", command.folder, "where --child leaves data")
      ->group(cli::kUnlisted);
  command.threads.add_to(program);
  command.threads.add_device_to(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help
    return program.exit(asked);
  }
  return command.run();
}

}  // namespace
}  // namespace glgnn::bench

int main(int argc, char** argv) {
  return glgnn::cli::run_guarded(argv, [&] { return glgnn::bench::run_program(argc, argv); });
}
