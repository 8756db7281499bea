#include "fmd/protocol/lines.h"

#include "fmd/base/json.h"

namespace fmd::wire {

namespace {

constexpr size_t kKeptRoom = 256 << 10;  // bytes, as many as are read at once

std::string line(const nlohmann::json& message) {
  std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text += '\n';
  return text;
}

}  // namespace

bool LineBuffer::append(std::string_view bytes) {
  if (refused_) return false;
  if (start_ > 0 && start_ >= buffer_.size() / 2) {  // at most as many bytes move as were consumed
    buffer_.erase(0, start_);
    line_ -= start_;
    start_ = 0;
  }
  size_t taken = 0;
  while (taken < bytes.size()) {
    const size_t newline = bytes.find('\n', taken);
    const size_t end = newline == std::string_view::npos ? bytes.size() : newline;
    if (buffer_.size() - line_ + (end - taken) > kMaxLine) {
      buffer_.resize(line_);
      refused_ = true;
      return false;
    }
    const size_t next = newline == std::string_view::npos ? end : newline + 1;
    buffer_.append(bytes.substr(taken, next - taken));
    taken = next;
    if (newline != std::string_view::npos) line_ = buffer_.size();
  }
  return true;
}

std::optional<std::string_view> LineBuffer::next() {
  if (start_ >= line_) {
    // A snapshot of many disks comes seldom: its room is not kept.
    if (start_ == buffer_.size() && buffer_.capacity() > kKeptRoom) {
      std::string().swap(buffer_);
      start_ = line_ = 0;
    }
    return std::nullopt;
  }
  const size_t newline = buffer_.find('\n', start_);
  const std::string_view whole(buffer_.data() + start_, newline - start_);
  start_ = newline + 1;
  return whole;
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
