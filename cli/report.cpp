// glgnn report: a model as one HTML page.
#include <fmt/core.h>
#include <glgnn/model.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "commands.h"
#include "output_files.h"
#include "report/page.h"
#include "report/text_file.h"

namespace glgnn::cli {
namespace {

namespace fs = std::filesystem;

struct ReportCommand {
  std::string model, out;
  bool quiet = false;

  int run() const {
    const fs::path page = out.empty() ? report_beside(model) : fs::path(out);
    refuse_to_overwrite(page, model,
                        "the report would overwrite the model; choose another file with -o");
    require_page();
    const Model fitted = load_model(model);
    if (!quiet) fmt::print(stderr, "placing {} rows ...\n", fitted.probabilities.rows());
    write_text_file(page, report_page(fitted));
    if (!quiet) fmt::print("wrote {} (report); open it in a browser\n", page.string());
    return 0;
  }
};

}  // namespace

Command add_report(CLI::App& program) {
  const auto command = std::make_shared<ReportCommand>();
  CLI::App* app = program.add_subcommand("report", "a model as one HTML page to look at");
  app->add_option("MODEL", command->model, "model file that `glgnn fit` wrote")->type_name("");
  app->add_option("-o,--out", command->out, "page to write (MODEL's name with .html)")
      ->type_name("FILE");
  app->add_flag("--quiet", command->quiet, "print errors only");
  return {app, [command, app] {
            require_argument(*app, "MODEL", command->model);
            return command->run();
          }};
}

}  // namespace glgnn::cli
