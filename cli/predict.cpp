// glgnn predict: the predictions of a model, for the rows it was fitted on or for new ones.
#include <fmt/core.h>
#include <glgnn/model.h>
#include <glgnn/new_rows.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "commands.h"
#include "data/message.h"
#include "output_files.h"
#include "progress.h"
#include "report/predictions.h"
#include "report/text_file.h"
#include "text.h"
#include "threads.h"

namespace glgnn::cli {
namespace {

struct PredictCommand {
  std::string model, new_rows, out, label, id, format;
  int64_t near = 3;
  bool json = false, quiet = false;
  ThreadOption threads;

  int run() const {
    refuse_to_overwrite(out, model, "--out would overwrite the model; choose another file");
    refuse_to_overwrite(out, new_rows,
                        "--out would overwrite the rows to predict; choose another file");
    const Model fitted = load_model(model);
    TextFile file(out);
    const int64_t rows = new_rows.empty() ? write_fitted(fitted, file) : write_new(fitted, file);
    file.finish();
    if (!out.empty() && !quiet) {
      fmt::print(stderr, "wrote {} ({})\n", out, counted(rows, "row"));
    }
    return 0;
  }

 private:
  // Both give the number of rows.
  int64_t write_fitted(const Model& fitted, TextFile& file) const {
    file.write(json ? json_text(predictions_json(fitted)) + "\n" : predictions_csv(fitted));
    return fitted.probabilities.rows();
  }

  // Block by block: neither the rows nor the answers need fit into the memory.
  int64_t write_new(const Model& fitted, TextFile& file) const {
    NewRows rows(new_rows, fitted.plan, fitted.class_names,
                 {.label = label, .id = id, .format = format, .sparse = fitted.features.is_sparse});
    const NewRowPredictor predictor(fitted, threads.context());
    const NewRowWriter writer(fitted, near, json);
    file.write(writer.head());
    Progress progress(1000, quiet);
    progress.label("predicting");
    int64_t count = 0, labelled = 0, right = 0;
    RowBlock block;
    while (rows.next(block)) {
      const NewRowPredictions found = predictor.predict(block.features, near);
      file.write(writer.rows(block.ids, found));
      const std::vector<int32_t> classes = predicted_classes(found.probabilities);
      count += static_cast<int64_t>(classes.size());
      for (size_t r = 0; r < classes.size(); ++r) {
        labelled += block.labels[r] >= 0;
        right += block.labels[r] == classes[r];
      }
      progress.update({.done = std::max<int64_t>(1, std::llround(1000 * rows.part_read()))});
    }
    progress.vanish();
    if (quiet) return count;
    for (const std::string& note : rows.notes()) fmt::print(stderr, "note: {}\n", note);
    if (labelled > 0) {
      const double part = static_cast<double>(right) / static_cast<double>(labelled);
      fmt::print(stderr, "accuracy {}   ({} of {} rows with a label)\n", percent(part), right,
                 labelled);
    }
    return count;
  }
};

}  // namespace

Command add_predict(CLI::App& program) {
  const auto command = std::make_shared<PredictCommand>();
  CLI::App* app = program.add_subcommand(
      "predict", "class and probabilities: of the fitted rows, or of rows never seen");
  app->add_option("MODEL", command->model, "model file that `glgnn fit` wrote")->type_name("");
  app->add_option("NEW", command->new_rows,
                  "rows never seen, in the format of the fitted data, - for the standard input")
      ->type_name("");
  app->add_option("--label", command->label, "for arrays: the file of labels to compare with")
      ->type_name("FILE");
  app->add_option("--id", command->id, "column that names the new rows")->type_name("COLUMN");
  app->add_option("--format", command->format,
                  "csv, tsv, svmlight, npy, npz or mtx, if the name does not say")
      ->type_name("FORMAT");
  app->add_option("--near", command->near, "how many of the deciding fitted rows to name (3)")
      ->type_name("N")
      ->check(whole_number(0));
  app->add_option("--out", command->out, "file to write instead of the standard output")
      ->type_name("FILE");
  app->add_flag("--json", command->json, "JSON instead of CSV; new rows: one object a line");
  app->add_flag("--quiet", command->quiet, "no progress and no notes");
  command->threads.add_to(*app);
  command->threads.add_device_to(*app, "the processor");
  return {app, [command, app] {
            require_argument(*app, "MODEL", command->model);
            return command->run();
          }};
}

}  // namespace glgnn::cli
