// The parts of the Python module; module.cpp puts them together.
#pragma once

#include <glgnn/trainer.h>
#include <pybind11/pybind11.h>

#include <exception>
#include <functional>
#include <thread>

namespace glgnn::python {

void bind_fitted(pybind11::module_& module);
void bind_fit(pybind11::module_& module);

// Work on a thread of its own. OpenMP keeps its workers with the thread that used them, and they do
// not survive a fork: a Python thread that never used OpenMP itself may fork and go on.
template <class Work>
auto run_apart(Work&& work) {
  decltype(work()) result;
  std::exception_ptr failure;
  std::thread([&] {
    try {
      result = work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
  return result;
}

// Training on a thread of its own, so that Python stays alive meanwhile: Ctrl-C is seen, and
// progress is told on the thread that asked.

// Called with the GIL held, which is free while the training runs. `on_epoch` gets a dict for each
// report, or is None. An exception of Python (Ctrl-C, or one of on_epoch) ends the training after
// the module or epoch it is at, and is thrown on.
FitResult watched_fit(const std::function<FitResult(const FitOptions&)>& train,
                      const pybind11::object& on_epoch);

pybind11::dict to_dict(const EpochReport& report);

}  // namespace glgnn::python
