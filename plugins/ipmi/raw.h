// Raw: sends several requests to a BMC in one session with `ipmitool -v exec FILE`, and parses the
// answers. The bytes are defined by the specification; ipmitool's own texts vary by release and are
// not used. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::ipmi {

using Bytes = std::vector<uint8_t>;

struct Request {
  int netfn = 0, command = 0;
  Bytes data;
};

namespace request {
Request device_id();
Request sel_info();
Request sel_time();
Request sdr_info();
Request sel_entry(uint16_t id);  // 0: the first, 0xFFFF: the last
Request sensor_reading(int number);
Request chassis_status();
// The machine's locate LED: on for some seconds (0: off), or until further notice.
Request identify(int seconds, bool on_for_good);
}  // namespace request

struct Answer {
  std::optional<Bytes> data;  // empty: refused, or no answer
  int completion = 0;         // of a refusal (0xCB: no such record)
};

std::string script(const std::vector<Request>& requests);
// One answer per request, in the same order. out, err: ipmitool's output.
std::vector<Answer> parse_answers(const std::vector<Request>& requests, std::string_view out,
                                  std::string_view err);

}  // namespace fmd::ipmi
