#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "core/parallel.h"
#include "data/features.h"
#include "fitted.h"
#include "report/explanations.h"
#include "report/model_columns.h"
#include "report/predictions.h"

namespace glgnn::python {
namespace {

namespace py = pybind11;

const Model& model_of(const py::object& fitted) { return fitted.cast<const Fitted&>().model(); }

py::object features_of(const py::object& fitted) {
  const Features& features = model_of(fitted).features;
  if (features.is_sparse) return show_tuple(features.sparse, fitted);
  return show_array(features.dense, fitted);
}

py::list module_graphs_of(const py::object& fitted) {
  py::list graphs;
  for (const FittedModule& module : model_of(fitted).modules) {
    graphs.append(show_tuple(module.graph, fitted));
  }
  return graphs;
}

py::list history_of(const Fitted& fitted) {
  py::list lines;
  for (const EpochReport& report : fitted.model().history) lines.append(to_dict(report));
  return lines;
}

// None where nothing was judged.
py::object estimate_of(const Fitted& fitted) {
  const Estimate& estimate = fitted.model().estimate;
  if (estimate.rows == 0) return py::none();
  py::dict out;
  out["accuracy"] = estimate.accuracy;
  out["low"] = estimate.low;
  out["high"] = estimate.high;
  out["rows"] = estimate.rows;
  out["majority_class"] = estimate.majority_class;
  out["majority_share"] = estimate.majority_share;
  out["baseline_accuracy"] =
      estimate.baseline < 0 ? py::object(py::none()) : py::float_(estimate.baseline);
  const std::vector<double> shares = class_shares(fitted.model());
  out["class_shares"] = shares.empty() ? py::object(py::none()) : py::cast(shares);
  return out;
}

py::dict settings_of(const Fitted& fitted) {
  py::dict values;
  for (const Setting& setting : list_settings(fitted.model().config)) {
    values[py::str(setting.name)] = setting.value;
  }
  return values;
}

// The columns of the table that fit() was given; of arrays only where some are left out.
py::list columns_of(const Fitted& fitted) {
  py::list columns;
  for (const TableColumn& column : fitted.model().plan.columns) {
    columns.append(py::make_tuple(column.name, column_kind_name(column.kind)));
  }
  return columns;
}

py::tuple scale_of(const Fitted& fitted) {
  const FeatureScale& scale = fitted.model().plan.scale;
  return py::make_tuple(to_array(scale.shift), to_array(scale.factor));
}

// Rows as fit() takes them: an array, the parts of a sparse matrix, or a list of columns.
py::tuple predict(const Fitted& fitted, const py::object& rows, int64_t near) {
  NewRowPredictions predictions;
  std::vector<std::string> notes;
  if (py::isinstance<py::list>(rows)) {
    const TableColumns columns(rows.cast<py::list>());
    const py::gil_scoped_release others_run;
    predictions = fitted.predict(columns.frame(), near, notes);
  } else {
    const Features features = features_from(rows);
    const py::gil_scoped_release others_run;
    predictions = fitted.predict(features, near);
  }
  py::list near_rows;
  for (const auto& of_row : predictions.near) {
    py::list list;
    for (const NearRow& one : of_row) list.append(py::make_tuple(one.row, one.weight));
    near_rows.append(list);
  }
  return py::make_tuple(to_array(predictions.probabilities), near_rows, notes);
}

py::dict explain(const Fitted& fitted, int32_t row) {
  Explanation explanation;
  {
    const py::gil_scoped_release others_run;
    explanation = fitted.explain(row);
  }
  py::list edges, features;
  for (const auto& edge : explanation.edges) {
    edges.append(py::make_tuple(edge.row, edge.module, edge.weight));
  }
  for (const auto& feature : explanation.features) {
    const ColumnValue value = column_value(fitted.model(), feature.feature, feature.value);
    const py::object found =
        value.number ? py::object(py::float_(*value.number)) : py::object(py::str(value.text));
    features.append(py::make_tuple(value.name, found, feature.weight));
  }
  py::dict out;
  out["row"] = explanation.row;
  out["predicted"] = explanation.predicted;
  out["probability"] = explanation.probability;
  out["edges"] = edges;
  out["features"] = features;
  out["modules"] = explanation.modules;
  out["fidelity_plus"] = explanation.fidelity_plus;
  out["fidelity_minus"] = explanation.fidelity_minus;
  out["sparsity"] = explanation.sparsity;
  return out;
}

py::list suggest(const Fitted& fitted, int64_t count) {
  std::vector<Suggestion> found;
  {
    const py::gil_scoped_release others_run;
    found = fitted.suggest(count);
  }
  py::list list;
  for (const Suggestion& one : found) {
    py::dict item;
    item["id"] = row_id(fitted.model(), one.row);
    item["row"] = one.row;
    item["score"] = one.score;
    item["reason"] = suggestion_reason(fitted.model(), one);
    item["doubt"] = one.doubt;
    item["disagreement"] = one.disagreement;
    item["reach"] = one.reach;
    list.append(item);
  }
  return list;
}

std::unique_ptr<Fitted> load(const std::string& path, int threads) {
  Context context = default_context();
  if (threads > 0) context.threads = threads;
  require_threads(context.threads);
  return std::make_unique<Fitted>(load_model(path), context);
}

}  // namespace

void bind_fitted(py::module_& module) {
  py::class_<Fitted>(module, "Fitted", "A fitted model: what was learned, and the data of it.")
      .def_property_readonly(
          "probabilities",
          [](const py::object& f) { return show_array(model_of(f).probabilities, f); })
      .def_property_readonly("network", [](const Fitted& f) { return to_array(f.model().network); })
      .def_property_readonly(
          "graph", [](const py::object& f) { return show_tuple(model_of(f).fused_graph, f); })
      .def_property_readonly("module_graphs", &module_graphs_of)
      .def_property_readonly("module_notes",
                             [](const Fitted& f) {
                               std::vector<std::string> notes;
                               for (const FittedModule& m : f.model().modules)
                                 notes.push_back(m.note);
                               return notes;
                             })
      .def_property_readonly("module_weights",
                             [](const Fitted& f) { return module_weights(f.model()); })
      .def_property_readonly("feature_weights",
                             [](const Fitted& f) { return to_array(feature_weights(f.model())); })
      .def_property_readonly("feature_names",
                             [](const Fitted& f) { return f.model().feature_names; })
      .def_property_readonly("class_names", [](const Fitted& f) { return f.model().class_names; })
      .def_property_readonly("row_ids", [](const Fitted& f) { return f.model().row_ids; })
      .def_property_readonly("labels", [](const Fitted& f) { return to_array(f.model().labels); })
      .def_property_readonly("train", [](const Fitted& f) { return to_array(f.model().train); })
      .def_property_readonly("val",
                             [](const Fitted& f) { return to_array(validated_rows(f.model())); })
      .def_property_readonly("features", &features_of)
      .def_property_readonly("history", &history_of)
      .def_property_readonly("estimate", &estimate_of)
      .def_property_readonly("best_epoch", [](const Fitted& f) { return f.model().best_epoch; })
      .def_property_readonly("settings", &settings_of)
      .def_property_readonly("columns", &columns_of)
      .def_readonly("doubts", &Fitted::doubts)
      .def_property_readonly("is_of_array",
                             [](const Fitted& f) { return is_of_array(f.model().plan); })
      .def_property_readonly("notes", [](const Fitted& f) { return f.model().notes; })
      .def_property_readonly("scale", &scale_of)
      .def_property(
          "caller_data", [](const Fitted& f) { return f.model().caller_data; },
          [](Fitted& f, const std::string& text) { f.model().caller_data = text; })
      .def("predict", &predict, py::arg("rows"), py::arg("near") = 5,
           "Probabilities of new rows, the fitted rows that took part with their weights, notes.")
      .def("explain", &explain, py::arg("row"))
      .def("suggest", &suggest, py::arg("count"))
      .def("save", &Fitted::save, py::arg("path"), py::call_guard<py::gil_scoped_release>())
      .def("report", &Fitted::report, py::arg("path"), py::call_guard<py::gil_scoped_release>());
  module.def("load", &load, py::arg("path"), py::arg("threads") = 0,
             py::call_guard<py::gil_scoped_release>());
}

}  // namespace glgnn::python
