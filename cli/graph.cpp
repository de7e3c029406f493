// glgnn graph: the learned graph of a model as a file of other programs.
#include <fmt/core.h>
#include <glgnn/error.h>
#include <glgnn/graph_file.h>
#include <glgnn/model.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <optional>

#include "commands.h"
#include "data/message.h"
#include "output_files.h"
#include "progress.h"

namespace glgnn::cli {
namespace {

struct GraphCommand {
  std::string model, format, module = "fused", out;
  double min_weight = 0;
  std::optional<int64_t> top;
  bool undirected = false, quiet = false;

  int run() const;

 private:
  GraphOptions options(const Model& fitted) const;
  GraphFormat chosen_format() const;
};

GraphFormat GraphCommand::chosen_format() const {
  if (!format.empty()) return graph_format(format);
  const std::string ending = std::filesystem::path(out).extension();
  return ending.empty() ? GraphFormat::kCsv : graph_format(ending);
}

GraphOptions GraphCommand::options(const Model& fitted) const {
  GraphOptions chosen{.min_weight = min_weight, .undirected = undirected};
  if (top && *top < 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--top: found {}, expected 1 or more edges of each row; without it all "
                            "are written",
                            *top));
  }
  chosen.top = top.value_or(0);
  if (module == "fused") return chosen;
  const auto modules = static_cast<int64_t>(fitted.modules.size());
  const auto read = std::from_chars(module.data(), module.data() + module.size(), chosen.module);
  const bool whole = read.ec == std::errc() && read.ptr == module.data() + module.size();
  if (!whole || chosen.module < 1 || chosen.module > modules) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--module: found {}, expected fused or a number from 1 to {}; "
                            "`glgnn info {}` shows the modules",
                            quote(module), modules, model));
  }
  return chosen;
}

int GraphCommand::run() const {
  const GraphFormat chosen = chosen_format();
  refuse_to_overwrite(out, model, "--out would overwrite the model; choose another file");
  if (chosen == GraphFormat::kNpz && out.empty()) {
    throw Error(ErrorKind::kUsage, "format npz is no text; name a file with --out FILE");
  }
  const Model fitted = load_model(model);
  GraphOptions how = options(fitted);
  Progress progress(fitted.fused_graph.rows(), quiet);
  progress.label("writing");
  how.on_row = [&](int64_t rows) { progress.update({.done = rows}); };
  if (out.empty()) {
    write_graph(
        fitted, chosen, [](std::string_view text) { fmt::print("{}", text); }, how);
  } else {
    write_graph(fitted, chosen, out, how);
  }
  progress.vanish();
  return 0;
}

}  // namespace

Command add_graph(CLI::App& program) {
  const auto command = std::make_shared<GraphCommand>();
  CLI::App* app = program.add_subcommand("graph", "the learned graph, for other programs");
  app->add_option("MODEL", command->model, "model file that `glgnn fit` wrote")->type_name("");
  app->add_option("--format", command->format,
                  "default: by the ending of --out, or csv; gexf is for Gephi, npz for SciPy")
      ->type_name("csv|graphml|gexf|npz");
  app->add_option("--module", command->module, "the graph of one module (fused)")
      ->type_name("fused|1..M");
  app->add_option("--min-weight", command->min_weight, "leave lighter edges out")->type_name("W");
  app->add_option("--top", command->top, "the heaviest K edges of each row alone")->type_name("K");
  app->add_flag("--undirected", command->undirected, "the mean of both directions, each edge once");
  app->add_option("--out", command->out, "file to write instead of the standard output")
      ->type_name("FILE");
  app->add_flag("--quiet", command->quiet, "print errors only");
  return {app, [command, app] {
            require_argument(*app, "MODEL", command->model);
            return command->run();
          }};
}

}  // namespace glgnn::cli
