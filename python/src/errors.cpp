// Errors of the library keep their text and become the exception a Python caller expects.
#include <glgnn/error.h>

#include "bindings.h"

namespace glgnn::python {
namespace {

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

}  // namespace

void translate_errors() {
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(exception_of(error.kind()), error.what());
    }
  });
}

}  // namespace glgnn::python
