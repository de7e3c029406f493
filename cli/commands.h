// The commands of the program: each adds itself to the command line and gives back what to run,
// which returns the exit status.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace glgnn::cli {

using Run = std::function<int()>;

struct Command {
  CLI::App* app;
  Run run;
  bool shares_work = false;  // every rank runs it; others are rank 0's alone (ranks.h)
};

// `arguments` are those of the whole program, to say how to repeat it.
Command add_fit(CLI::App& program, std::vector<std::string> arguments);
Command add_predict(CLI::App& program);
Command add_graph(CLI::App& program);
Command add_nearest(CLI::App& program);
Command add_explain(CLI::App& program);
Command add_evaluate(CLI::App& program, std::vector<std::string> arguments);
Command add_report(CLI::App& program);
Command add_suggest(CLI::App& program);
Command add_inspect(CLI::App& program);
Command add_datasets(CLI::App& program);
Command add_settings(CLI::App& program);
Command add_info(CLI::App& program);

// kUsage when a positional argument that the command cannot do without is empty.
void require_argument(const CLI::App& app, const std::string& name, const std::string& value);

// The commands about rivals, as those of commands.h.
Command add_methods(CLI::App& program);
Command add_compare(CLI::App& program);
Command add_reproduce(CLI::App& program);

}  // namespace glgnn::cli
