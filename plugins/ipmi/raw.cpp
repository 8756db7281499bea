#include "plugins/ipmi/raw.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace fmd::ipmi {
namespace {

constexpr int kChassis = 0x00, kSensorEvent = 0x04, kApplication = 0x06, kStorage = 0x0A;

// The hexadecimal number after `key`, as in "rsp=0xcb".
std::optional<int> hex_after(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == line.npos) return std::nullopt;
  const std::string number(line.substr(at + key.size(), 8));
  char* end = nullptr;
  const long value = strtol(number.c_str(), &end, 16);
  if (end == number.c_str()) return std::nullopt;
  return static_cast<int>(value);
}

// stdout: the bytes of all answers, sixteen per line.
Bytes bytes_of(std::string_view out) {
  Bytes bytes;
  for (size_t at = 0; at + 1 < out.size();) {
    if (isxdigit(static_cast<unsigned char>(out[at])) &&
        isxdigit(static_cast<unsigned char>(out[at + 1]))) {
      bytes.push_back(
          static_cast<uint8_t>(strtol(std::string(out.substr(at, 2)).c_str(), nullptr, 16)));
      at += 2;
    } else {
      ++at;
    }
  }
  return bytes;
}

}  // namespace

namespace request {
Request device_id() {
  return {kApplication, 0x01, {}};
}
Request sel_info() {
  return {kStorage, 0x40, {}};
}
Request sel_time() {
  return {kStorage, 0x48, {}};
}
Request sdr_info() {
  return {kStorage, 0x20, {}};
}
Request sel_entry(uint16_t id) {
  return {kStorage,
          0x43,
          {0, 0, static_cast<uint8_t>(id & 0xFF), static_cast<uint8_t>(id >> 8), 0, 0xFF}};
}
Request sensor_reading(int number) {
  return {kSensorEvent, 0x2D, {static_cast<uint8_t>(number)}};
}
Request chassis_status() {
  return {kChassis, 0x01, {}};
}
// The second byte was added later: a BMC that does not support it rejects the longer request.
Request identify(int seconds, bool on_for_good) {
  Request request{kChassis, 0x04, {static_cast<uint8_t>(seconds)}};
  if (on_for_good) request.data.push_back(1);
  return request;
}
}  // namespace request

std::string script(const std::vector<Request>& requests) {
  std::string text;
  char word[8];
  const auto add = [&](int byte) {
    snprintf(word, sizeof word, " 0x%02x", static_cast<unsigned>(byte & 0xFF));
    text += word;
  };
  for (const Request& one : requests) {
    text += "raw";
    add(one.netfn);
    add(one.command);
    for (const uint8_t byte : one.data) add(byte);
    text += "\n";
  }
  return text;
}

// stderr has a line for each request sent ("RAW REQ (… netfn=0xa lun=0x0 cmd=0x43 …)") and one with
// the length of the answer or the refusal; stdout has the bytes.
std::vector<Answer> parse_answers(const std::vector<Request>& requests, std::string_view out,
                                  std::string_view err) {
  std::vector<Answer> answers(requests.size());
  const Bytes bytes = bytes_of(out);
  size_t sent = 0, taken = 0;
  while (!err.empty()) {
    const size_t end = err.find('\n');
    const std::string_view line = err.substr(0, end);
    err.remove_prefix(end == err.npos ? err.size() : end + 1);
    if (line.starts_with("RAW REQ (")) {
      const Request* expected = sent < requests.size() ? &requests[sent] : nullptr;
      if (!expected || hex_after(line, "netfn=0x") != expected->netfn ||
          hex_after(line, "cmd=0x") != expected->command)
        return answers;  // what follows belongs to another request
      ++sent;
    } else if (sent > 0 && line.starts_with("RAW RSP (")) {
      const size_t length = strtoul(std::string(line.substr(9)).c_str(), nullptr, 10);
      if (length > bytes.size() - taken) return answers;
      answers[sent - 1].data = Bytes(bytes.begin() + static_cast<long>(taken),
                                     bytes.begin() + static_cast<long>(taken + length));
      taken += length;
    } else if (sent > 0 && line.starts_with("Unable to send RAW command")) {
      answers[sent - 1].completion = hex_after(line, "rsp=0x").value_or(0xFF);
    }
  }
  return answers;
}

}  // namespace fmd::ipmi
