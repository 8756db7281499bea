#include "fmd/protocol/lines.h"

#include <algorithm>
#include <cstring>

#include "fmd/base/json.h"

namespace fmd::wire {

namespace {

std::string line(const nlohmann::json& message) {
  std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text += '\n';
  return text;
}

}  // namespace

char* LineBuffer::room(size_t bytes) {
  if (start_ > 0 && start_ >= used_ / 2) {  // moves at most as many bytes as were consumed
    std::memmove(buffer_.data(), buffer_.data() + start_, used_ - start_);
    used_ -= start_;
    line_ -= start_;
    start_ = 0;
  }
  if (const size_t needed = used_ + bytes + kReadable; buffer_.size() < needed)
    buffer_.resize(needed);
  return buffer_.data() + used_;
}

bool LineBuffer::filled(size_t bytes) {
  if (refused_) return false;
  const size_t end = used_ + bytes;
  while (used_ < end) {
    const auto* newline =
        static_cast<const char*>(std::memchr(buffer_.data() + used_, '\n', end - used_));
    used_ = newline ? static_cast<size_t>(newline - buffer_.data()) : end;
    if (used_ - line_ > kMaxLine) {
      used_ = line_;
      refused_ = true;
      return false;
    }
    if (newline) line_ = ++used_;
  }
  return true;
}

bool LineBuffer::append(std::string_view bytes) {
  if (refused_) return false;
  std::copy(bytes.begin(), bytes.end(), room(bytes.size()));
  return filled(bytes.size());
}

std::optional<std::string_view> LineBuffer::next() {
  if (start_ >= line_) {
    if (start_ == used_) used_ = start_ = line_ = 0;
    return std::nullopt;
  }
  const size_t newline = buffer_.find('\n', start_);
  const std::string_view whole(buffer_.data() + start_, newline - start_);
  start_ = newline + 1;
  return whole;
}

void LineBuffer::give_room_back() {
  if (used_ == 0) std::string().swap(buffer_);
}

std::string request(uint64_t id, std::string_view method, const nlohmann::json& params) {
  return line({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

std::string notification(std::string_view method, const nlohmann::json& params) {
  return line({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

std::string result(uint64_t id, const nlohmann::json& value) {
  return line({{"jsonrpc", "2.0"}, {"id", id}, {"result", value}});
}

std::string error(std::optional<uint64_t> id, int code, std::string_view message) {
  const nlohmann::json answered = id ? nlohmann::json(*id) : nlohmann::json();
  return line(
      {{"jsonrpc", "2.0"}, {"id", answered}, {"error", {{"code", code}, {"message", message}}}});
}

}  // namespace fmd::wire
