#include "failure.h"

#include <glgnn/error.h>

#include <CLI/Error.hpp>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>

#include "core/check.h"
#include "terminal.h"

namespace glgnn::cli {
namespace {

constexpr int kOurFault = 70;

// Plain stdio: this runs when memory may be short.
int say(const char* text, int status, const char* advice = "") {
  const bool colour = Paint(stderr).on();
  std::fprintf(stderr, "%sglgnn:%s %s%s%s\n", colour ? "\x1b[31m" : "", colour ? "\x1b[0m" : "",
               text, *advice ? "; " : "", advice);
  return status;
}

}  // namespace

int report_failure() noexcept {
  std::fflush(stdout);
  try {
    throw;
  } catch (const Error& error) {
    return say(error.what(), exit_status(error.kind()));
  } catch (const CLI::ParseError& error) {
    return say(error.what(), exit_status(ErrorKind::kUsage), "`glgnn --help` shows how");
  } catch (const std::bad_alloc&) {
    return say(
        "out of memory; fewer rows or columns help, in paper mode also smaller --k, --modules "
        "or --hidden",
        exit_status(ErrorKind::kData));
  } catch (const std::system_error& error) {
    return say(error.what(), exit_status(ErrorKind::kIo));
  } catch (const InternalFault& fault) {
    return say(fault.what(), kOurFault);
  } catch (const std::exception& error) {
    return say(error.what(), kOurFault, kReportIt);
  } catch (...) {
    return say("unknown failure", kOurFault, kReportIt);
  }
}

}  // namespace glgnn::cli
