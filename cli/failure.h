// The one place where an error becomes a sentence and an exit status.
#pragma once

namespace glgnn::cli {

// To be called in a catch block: prints `glgnn: TEXT` on the standard error.
int report_failure() noexcept;

}  // namespace glgnn::cli
