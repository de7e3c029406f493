// The parts of the Python module; module.cpp puts them together.
#pragma once

#include <pybind11/pybind11.h>

namespace glgnn::python {

void bind_fitted(pybind11::module_& module);
void bind_fit(pybind11::module_& module);

}  // namespace glgnn::python
