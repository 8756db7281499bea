// Expected failures are values: Result<T> holds a T or an Error whose text tells an administrator
// what to do. Exceptions are for bugs. Libraries return errors; only the outermost layer logs them.
#pragma once
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace fmd {

struct Error {
  // One sentence for an administrator: what is wrong and, if known, what to do.
  std::string message;
  std::string file;  // set when the cause is a file
  int line = 0;      // 1-based; 0: unknown
  // A retry is useless until a person has changed something.
  bool permanent = false;

  // "FILE:LINE: message", "FILE: message" or "message".
  std::string text() const {
    if (file.empty()) return message;
    return line > 0 ? file + ":" + std::to_string(line) + ": " + message : file + ": " + message;
  }
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message, std::string file = {}, int line = 0) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(file), line});
}

}  // namespace fmd
