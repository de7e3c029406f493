// Training on a thread of its own, so that Python stays alive meanwhile: Ctrl-C is seen, and
// progress is told on the thread that asked.
#pragma once

#include <glgnn/trainer.h>
#include <pybind11/pybind11.h>

#include <functional>

namespace glgnn::python {

// Called with the GIL held, which is free while the training runs. `on_epoch` gets a dict for each
// report, or is None. An exception of Python (Ctrl-C, or one of on_epoch) ends the training after
// the module or epoch it is at, and is thrown on.
FitResult watched_fit(const std::function<FitResult(const FitOptions&)>& train,
                      const pybind11::object& on_epoch);

pybind11::dict to_dict(const EpochReport& report);

}  // namespace glgnn::python
