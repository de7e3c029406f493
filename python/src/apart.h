// Work on a thread of its own. OpenMP keeps its workers with the thread that used them, and they do
// not survive a fork: a Python thread that never used OpenMP itself may fork and go on.
#pragma once

#include <exception>
#include <thread>

namespace glgnn::python {

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

}  // namespace glgnn::python
