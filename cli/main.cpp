// The glgnn program.
#include <fmt/core.h>
#include <glgnn/error.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "arguments.h"
#include "commands.h"
#include "failure.h"
#include "help.h"
#include "idle_threads.h"
#include "report/version.h"

namespace glgnn::cli {
namespace {

// A full disk may show only when the last of the output leaves our buffer.
void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw Error(ErrorKind::kIo, fmt::format("cannot write the output: {}", std::strerror(errno)));
}

int run_program(int argc, char** argv) {
  CLI::App program("GL-GNN: classification by graphs that are learned from the data");
  program.name("glgnn");
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_version_flag("--version", fmt::format("glgnn {} ({})", version(), commit()));
  const std::vector<Command> commands{add_fit(program, {argv, argv + argc}),
                                      add_predict(program),
                                      add_graph(program),
                                      add_explain(program),
                                      add_suggest(program),
                                      add_evaluate(program, {argv, argv + argc}),
                                      add_inspect(program),
                                      add_datasets(program),
                                      add_settings(program),
                                      add_info(program),
                                      add_report(program),
                                      add_bench(program)};
  // What the parser cannot place is ours to report: we know the nearest name.
  program.allow_extras();
  for (const auto& command : commands) command.app->allow_extras();
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  }
  return chosen_command(program, commands).run();
}

}  // namespace
}  // namespace glgnn::cli

int main(int argc, char** argv) {
  // Large blocks go back to the system when they are freed; by default the limit grows with use,
  // and a third of the memory ends up in gaps.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  glgnn::cli::let_idle_threads_sleep(argv);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error, not the end
  try {
    const int status = glgnn::cli::run_program(argc, argv);
    glgnn::cli::flush_output();
    return status;
  } catch (...) {
    return glgnn::cli::report_failure();
  }
}
