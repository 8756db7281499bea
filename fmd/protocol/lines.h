// Framing of the plugin protocol, shared by the daemon and the SDK: JSON-RPC 2.0, one message per
// line (schemas/plugin-protocol.md).
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd::wire {

inline constexpr size_t kMaxLine = 1 << 20;  // bytes, without the newline
inline constexpr size_t kReadable = 64;      // bytes after a line

// Collects bytes and returns whole lines. Amortised linear. Take all whole lines before adding
// more: then it never holds more than one line and one read.
class LineBuffer {
 public:
  // Returns where to put up to `bytes` more bytes; then call filled() with the actual number.
  char* room(size_t bytes);
  // False: a line exceeds kMaxLine; the peer must be cut off. Earlier lines can still be taken.
  bool filled(size_t bytes);
  bool append(std::string_view bytes);
  // The next whole line without its newline; valid until the next call. kReadable bytes after it
  // can be read; their values do not matter.
  std::optional<std::string_view> next();
  // Frees the buffer's memory if it is empty. Large inventories are rare.
  void give_room_back();

 private:
  std::string buffer_;  // only used_ bytes are valid
  size_t used_ = 0;
  size_t start_ = 0;      // where the next line begins
  size_t line_ = 0;       // start of the incomplete line: no newline from here on
  bool refused_ = false;  // a line was too long: no more input is accepted
};

// Each returns one message with its newline. Invalid UTF-8 in the params becomes U+FFFD, so that a
// message can always be sent.
std::string request(uint64_t id, std::string_view method, const nlohmann::json& params);
std::string notification(std::string_view method, const nlohmann::json& params);
std::string result(uint64_t id, const nlohmann::json& value);
std::string error(std::optional<uint64_t> id, int code, std::string_view message);

}  // namespace fmd::wire
