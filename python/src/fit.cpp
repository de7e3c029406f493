#include <glgnn/error.h>
#include <glgnn/fit_dataset.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "core/available_memory.h"
#include "core/parallel.h"
#include "data/cells.h"
#include "data/data.h"
#include "data/features.h"
#include "fitted.h"
#include "train/trainers.h"

namespace glgnn::python {
namespace {

namespace py = pybind11;

class Watch {
 public:
  // From the training: false to stop it.
  bool tell(const EpochReport& report) {
    const std::scoped_lock locked(lock_);
    reports_.push_back(report);
    news_.notify_one();
    return !stop_;
  }

  void finish() {
    const std::scoped_lock locked(lock_);
    done_ = true;
    news_.notify_one();
  }

  void stop() { stop_ = true; }

  // Waits for news, a moment at the most; `reports` gets what was told since.
  bool wait_until_done(std::vector<EpochReport>& reports) {
    constexpr std::chrono::milliseconds kMoment(50);
    std::unique_lock locked(lock_);
    news_.wait_for(locked, kMoment, [&] { return done_ || !reports_.empty(); });
    reports.clear();
    reports.swap(reports_);
    return done_;
  }

 private:
  std::mutex lock_;
  std::condition_variable news_;
  std::vector<EpochReport> reports_;
  bool done_ = false;
  std::atomic<bool> stop_ = false;
};

}  // namespace

py::dict to_dict(const EpochReport& report) {
  py::dict line;
  line["epoch"] = report.epoch;
  line["epochs"] = report.epochs;
  line["loss"] = report.loss;
  line["loss_graph"] = report.loss_graph;
  line["loss_entropy"] = report.loss_entropy;
  line["loss_decay"] = report.loss_decay;
  line["train_accuracy"] = report.train_accuracy;
  line["val_accuracy"] = report.val_accuracy;
  line["val_loss"] = report.val_loss;
  line["best"] = report.best;
  line["seconds"] = report.seconds;
  return line;
}

FitResult watched_fit(const std::function<FitResult(const FitOptions&)>& train,
                      const py::object& on_epoch) {
  Watch watch;
  std::optional<FitResult> result;
  std::exception_ptr failure, interruption;
  FitOptions options;
  options.on_epoch = [&](const EpochReport& report) { return watch.tell(report); };
  std::thread training([&] {
    try {
      result = train(options);
    } catch (...) {
      failure = std::current_exception();
    }
    watch.finish();
  });
  std::vector<EpochReport> reports;
  for (bool done = false; !done;) {
    {
      const py::gil_scoped_release others_run;
      done = watch.wait_until_done(reports);
    }
    if (interruption) continue;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      for (const EpochReport& report : reports) {
        if (!on_epoch.is_none()) on_epoch(to_dict(report));
      }
    } catch (...) {
      interruption = std::current_exception();
      watch.stop();
    }
  }
  {
    const py::gil_scoped_release others_run;
    training.join();
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

// From arrays that the package has checked to a fitted model.

namespace {

struct Table {
  py::object features;  // an array, the parts of a sparse matrix, or a list of columns
  py::array labels;
  std::vector<std::string> class_names, feature_names, row_ids;
  std::string label_name, id_name;  // of the columns that they were, or empty
  py::object graph;                 // None, or as graph_from() takes it
};

// A column that holds no features, so that it is known in files with the same columns.
void add_column(Dataset& dataset, const std::string& name, ColumnKind kind) {
  const auto& columns = dataset.plan.columns;
  const bool is_known = std::any_of(columns.begin(), columns.end(),
                                    [&](const TableColumn& c) { return c.name == name; });
  if (name.empty() || is_known) return;
  TableColumn column;
  column.name = name;
  column.kind = kind;
  dataset.plan.columns.push_back(std::move(column));
}

Dataset to_dataset(const Table& table, std::vector<std::string>& doubts) {
  Dataset dataset;
  if (py::isinstance<py::list>(table.features)) {
    const TableColumns columns(table.features.cast<py::list>());
    const py::gil_scoped_release others_run;
    dataset = read_frame(columns.frame(), {}, doubts);
    add_column(dataset, table.label_name, ColumnKind::kLabel);
    add_column(dataset, table.id_name, ColumnKind::kRowId);
  } else {
    std::vector<Rounding> rounding;
    dataset.features = features_from(table.features, &rounding);
    dataset.feature_names = table.feature_names;
    dataset.plan.feature_names = table.feature_names;
    note_close_columns(dataset, rounding);
    for (const std::string& note : dataset.notes) {
      if (PyErr_WarnEx(PyExc_UserWarning, note.c_str(), 1) != 0) throw py::error_already_set();
    }
    if (!dataset.features.is_sparse) leave_out_constant_columns(dataset, 1, rounding);
  }
  dataset.name = "table";
  dataset.labels = to_vector<int32_t>(table.labels);
  dataset.class_names = table.class_names;
  dataset.row_ids = table.row_ids;
  dataset.has_graph = !table.graph.is_none();
  if (dataset.has_graph) dataset.graph = graph_from(table.graph.cast<py::tuple>());
  dataset.features.indicators = indicator_blocks(dataset.plan);
  sparsify(dataset);  // as the readers of files do: the same numbers give the same model
  return dataset;
}

Config to_config(const std::map<std::string, std::string>& settings) {
  Config config;
  for (const auto& [name, value] : settings) set_setting(config, name, value);
  const std::string mode = get_setting(config, "mode");
  for (const Setting& setting : list_settings(config)) {
    if (setting.mode.empty() || setting.mode == mode || !settings.contains(setting.name)) continue;
    throw Error(ErrorKind::kUsage, "setting " + setting.name + " is read in mode " + setting.mode +
                                       " only, and this is mode " + mode + "; set mode=\"" +
                                       setting.mode + "\", or leave it out");
  }
  return config;
}

void check_memory(const Dataset& dataset, const Config& config) {
  const auto available = available_memory();
  const int64_t needed = estimate_memory(
      dataset.features, dataset.has_graph ? &dataset.graph : nullptr, dataset.classes(), config);
  if (!available || needed <= *available) return;
  const auto megabytes = [](int64_t bytes) { return std::to_string(bytes >> 20) + " MB"; };
  PyErr_SetString(PyExc_MemoryError,
                  ("training needs about " + megabytes(needed) + ", and " + megabytes(*available) +
                   " are available; fewer rows, or in paper mode smaller k, "
                   "modules or hidden, help")
                      .c_str());
  throw py::error_already_set();
}

Split split_rows(const Dataset& dataset, std::optional<double> val_fraction, uint64_t seed) {
  if (!val_fraction) return split_labels(dataset, 0, seed);
  if (!(*val_fraction >= 0 && *val_fraction < 1)) {
    throw Error(ErrorKind::kUsage, "val_fraction: found " + std::to_string(*val_fraction) +
                                       ", expected a number from 0 and below 1");
  }
  return make_split(dataset.labels, dataset.classes(), {.train = 1 - *val_fraction}, seed);
}

std::unique_ptr<Fitted> fit_table(const Table& table,
                                  const std::map<std::string, std::string>& settings,
                                  std::optional<double> val_fraction, int threads,
                                  const std::string& device, const py::object& on_epoch) {
  const Config config = to_config(settings);
  std::vector<std::string> doubts;
  Dataset dataset = to_dataset(table, doubts);
  const Split split = split_rows(dataset, val_fraction, config.seed);
  check_memory(dataset, resolve_settings(config, dataset));
  Context context = default_context();
  if (threads > 0) context.threads = threads;
  require_threads(context.threads);
  Context where = context;  // predictions are made on the processor
  where.device = device_named(device);
  where =
      device_of_training(where, dataset.features, dataset.has_graph, resolve_auto(config, dataset));
  FitResult result = watched_fit(
      [&](const FitOptions& options) {
        return fit_dataset(std::move(dataset), split, config, where, options);
      },
      on_epoch);
  auto fitted = std::make_unique<Fitted>(std::move(result.model), context);
  fitted->doubts = std::move(doubts);
  return fitted;
}

}  // namespace

void bind_fit(py::module_& module) {
  module.def(
      "fit",
      [](const py::object& features, const py::array& labels,
         const std::vector<std::string>& class_names, const std::vector<std::string>& feature_names,
         const std::vector<std::string>& row_ids, const std::string& label_name,
         const std::string& id_name, const py::object& graph,
         const std::map<std::string, std::string>& settings, std::optional<double> val_fraction,
         int threads, const std::string& device, const py::object& on_epoch) {
        return fit_table(
            {features, labels, class_names, feature_names, row_ids, label_name, id_name, graph},
            settings, val_fraction, threads, device, on_epoch);
      },
      py::kw_only(), py::arg("features"), py::arg("labels"), py::arg("class_names"),
      py::arg("feature_names"), py::arg("row_ids"), py::arg("label_name"), py::arg("id_name"),
      py::arg("graph"), py::arg("settings"), py::arg("val_fraction"), py::arg("threads"),
      py::arg("device"), py::arg("on_epoch"),
      "Trains on a table; labels are class numbers, -1 where unknown.");
}

}  // namespace glgnn::python
