// Framing of the plugin protocol, shared by the daemon's socket side and the SDK: JSON-RPC 2.0, a line a
// message (schemas/plugin-protocol.md).
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/core/result.h"

namespace fmd::wire {

inline constexpr size_t kMaxLine = 1 << 20;  // bytes, newline not counted

// Collects bytes, hands out whole lines. Amortised linear.
class LineBuffer {
 public:
  // False: the line under way exceeds kMaxLine; the peer is to be cut off.
  bool append(std::string_view bytes);
  // The next whole line without its newline; valid until the next append().
  std::optional<std::string_view> next();

 private:
  std::string buffer_;
  size_t start_ = 0, scanned_ = 0;
};

std::string request(uint64_t id, std::string_view method, const nlohmann::json& params);
std::string notification(std::string_view method, const nlohmann::json& params);
std::string result(uint64_t id, const nlohmann::json& value);
std::string error(std::optional<uint64_t> id, int code, std::string_view message);

}  // namespace fmd::wire
