// The glgnn program.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "arguments.h"
#include "commands.h"
#include "ranks.h"
#include "report/machine.h"
#include "start.h"

namespace glgnn::cli {
namespace {

int run_program(int argc, char** argv) {
  CLI::App program("GL-GNN: classification by graphs that are learned from the data");
  program.name("glgnn");
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_version_flag("--version", fmt::format("glgnn {} ({})", version(), commit()));
  const std::vector<Command> commands{add_fit(program, {argv, argv + argc}),
                                      add_predict(program),
                                      add_graph(program),
                                      add_nearest(program),
                                      add_explain(program),
                                      add_suggest(program),
                                      add_evaluate(program, {argv, argv + argc}),
                                      add_inspect(program),
                                      add_datasets(program),
                                      add_settings(program),
                                      add_methods(program),
                                      add_compare(program),
                                      add_reproduce(program),
                                      add_info(program),
                                      add_report(program)};
  // What the parser cannot place is ours to report: we know the nearest name.
  program.allow_extras();
  for (const auto& command : commands) command.app->allow_extras();
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  }
  const Command& chosen = chosen_command(program, commands);
  return chosen.shares_work || ranks().leads() ? chosen.run() : 0;
}

}  // namespace
}  // namespace glgnn::cli

int main(int argc, char** argv) {
  return glgnn::cli::run_guarded(argv, [&] { return glgnn::cli::run_program(argc, argv); });
}
