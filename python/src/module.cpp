// glgnn._core: what the Python package calls. Its functions take what the package has checked.
#include <glgnn/config.h>
#include <glgnn/error.h>
#include <pybind11/stl.h>

#include <system_error>

#include "bindings.h"
#include "data/message.h"
#include "data/values.h"
#include "report/machine.h"

namespace glgnn::python {
namespace {

namespace py = pybind11;

PyObject* exception_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kIo:
      return PyExc_OSError;
    case ErrorKind::kDevice:
      return PyExc_RuntimeError;
    default:
      return PyExc_ValueError;
  }
}

// Errors of the library keep their text and become the exception a Python caller expects.
void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(exception_of(error.kind()), error.what());
    } catch (const std::system_error& error) {  // links in a circle, a name that is too long
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });
}

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
}  // namespace glgnn::python

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of glgnn.";
  glgnn::python::translate_errors();
  module.def(
      "check_columns",
      [](int64_t columns, int64_t entries) { glgnn::check_columns(columns, entries, {"X"}); },
      "Refuses sparse rows that claim more columns than their entries can mean.");
  module.def(
      "means_unlabelled",
      [](const std::string& text) {
        return glgnn::is_missing(text) || glgnn::may_mean_unknown(text);
      },
      "Whether a text is one of the words that files have for rows without a label.");
  module.def("settings", &glgnn::python::all_settings,
             "Every setting with its default, as a list of dicts.");
  glgnn::python::bind_fitted(module);
  glgnn::python::bind_fit(module);
  module.attr("version") = glgnn::version();
}
