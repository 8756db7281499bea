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

inline constexpr size_t kMaxLine = 1 << 20;  // bytes, newline not counted
inline constexpr size_t kReadable = 64;      // bytes behind a line

// Collects bytes, hands out whole lines. Amortised linear. Take out what is whole before more is put
// in: what is kept is then never more than one line and one read.
class LineBuffer {
 public:
  // Where so many bytes more can be put; then filled() says how many there are.
  char* room(size_t bytes);
  // False: a line exceeds kMaxLine; the peer is to be cut off. Whole lines before it can still be
  // taken.
  bool filled(size_t bytes);
  bool append(std::string_view bytes);
  // The next whole line without its newline; valid until the next call. kReadable bytes behind it can
  // be read, whatever they are.
  std::optional<std::string_view> next();
  // Frees the buffer's memory if it is empty. Large inventories are rare.
  void give_room_back();

 private:
  std::string buffer_;  // of which used_ bytes are meant
  size_t used_ = 0;
  size_t start_ = 0;      // where the next line begins
  size_t line_ = 0;       // where the line under way begins: no newline from here on
  bool refused_ = false;  // a line was too long: nothing more is taken
};

// Each returns one whole message with its newline. Strings in params that are not UTF-8 are
// repaired (U+FFFD), so that a message can always be sent.
std::string request(uint64_t id, std::string_view method, const nlohmann::json& params);
std::string notification(std::string_view method, const nlohmann::json& params);
std::string result(uint64_t id, const nlohmann::json& value);
std::string error(std::optional<uint64_t> id, int code, std::string_view message);

}  // namespace fmd::wire
