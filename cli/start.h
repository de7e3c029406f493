// What a program does around its work.
#pragma once

#include <functional>

namespace glgnn::cli {

// The exit status of `program`; an error becomes a sentence on the standard error. May start the
// program anew, with settings of the OpenMP library that are read only then.
int run_guarded(char** argv, const std::function<int()>& program);

}  // namespace glgnn::cli
