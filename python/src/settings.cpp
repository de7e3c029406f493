#include <glgnn/config.h>
#include <pybind11/stl.h>

#include "bindings.h"

namespace glgnn::python {
namespace {

namespace py = pybind11;

py::list all_settings() {
  py::list list;
  for (const Setting& setting : list_settings({})) {
    py::dict line;
    line["name"] = setting.name;
    line["mode"] = setting.mode;
    line["default"] = setting.value;
    line["allowed"] = setting.allowed;
    line["text"] = setting.text;
    list.append(line);
  }
  return list;
}

}  // namespace

void bind_settings(py::module_& module) {
  module.def("settings", &all_settings, "Every setting with its default, as a list of dicts.");
}

}  // namespace glgnn::python
