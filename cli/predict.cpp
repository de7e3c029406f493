// glgnn predict: the predictions of a model for the rows it was fitted on.
#include <fmt/core.h>
#include <glgnn/error.h>
#include <glgnn/model.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "report/predictions.h"
#include "report/text_file.h"

namespace glgnn::cli {
namespace {

struct PredictCommand {
  std::string model, new_rows, out;
  bool json = false;

  int run() const {
    if (!new_rows.empty()) {
      throw Error(ErrorKind::kUnsupported,
                  new_rows +
                      ": rows that the model has never seen cannot be predicted yet; put them into "
                      "the data with an empty label, run `glgnn fit`, and predict without NEW");
    }
    if (!out.empty() && std::filesystem::exists(out) && std::filesystem::exists(model) &&
        std::filesystem::equivalent(out, model)) {
      throw Error(ErrorKind::kUsage,
                  out + ": --out would overwrite the model; choose another file");
    }
    const Model fitted = load_model(model);
    const std::string text =
        json ? json_text(predictions_json(fitted)) + "\n" : predictions_csv(fitted);
    if (out.empty()) {
      fmt::print("{}", text);
    } else {
      write_text_file(out, text);
    }
    return 0;
  }
};

}  // namespace

Command add_predict(CLI::App& program) {
  const auto command = std::make_shared<PredictCommand>();
  CLI::App* app = program.add_subcommand(
      "predict", "predictions for the rows a model was fitted on: class and probabilities");
  app->add_option("MODEL", command->model, "model file that `glgnn fit` wrote")->type_name("");
  app->add_option("NEW", command->new_rows, "rows never seen (not supported yet)")->type_name("");
  app->add_option("--out", command->out, "file to write instead of the standard output")
      ->type_name("FILE");
  app->add_flag("--json", command->json, "one JSON object instead of CSV");
  return {app, [command, app] {
            require_argument(*app, "MODEL", command->model);
            return command->run();
          }};
}

}  // namespace glgnn::cli
