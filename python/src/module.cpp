// glgnn._core: what the Python package calls. Its functions take what the package has checked.
#include "bindings.h"
#include "report/version.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of glgnn.";
  glgnn::python::translate_errors();
  glgnn::python::bind_settings(module);
  glgnn::python::bind_fitted(module);
  glgnn::python::bind_fit(module);
  module.attr("version") = glgnn::version();
}
