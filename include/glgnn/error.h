// What can go wrong, by who has to act: every exception the library throws on purpose is an Error.
#pragma once

#include <stdexcept>
#include <string>

namespace glgnn {

// Who has to act.
enum class ErrorKind {
  kUsage,        // a wrong call or setting
  kData,         // the data cannot be used as they are
  kIo,           // a file or the disk
  kUnsupported,  // a thing this build or version cannot do
  kDevice,       // an accelerator
};

// The text says what was found, what was expected, and how to repair it.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  ErrorKind kind() const { return kind_; }  // who has to act

 private:
  ErrorKind kind_;
};

// The exit status of a program that ends with this error (docs/cli.md lists them).
int exit_status(ErrorKind kind);

}  // namespace glgnn
