// A BMC's records, readings and log entries, through the plugin and the shipped rules to the cases and
// their texts.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "fmd/base/json.h"
#include "plugins/ipmi/news.h"
#include "plugins/ipmi/parts.h"
#include "plugins/ipmi/tests/ipmi_fixture.h"
#include "plugins/sdk/messages.h"
#include "tests/lib/told_cases.h"

namespace fmd::ipmi::testing {

using nlohmann::json;
using Cases = std::vector<std::string>;

inline constexpr int64_t kSecond = 1'000'000'000, kNow = 1'800'000'000 * kSecond;
inline constexpr uint32_t kClock = 1'800'000'000;  // the BMC's
inline constexpr uint16_t kPresent = 1, kInputLost = 1 | 1 << 3, kFailed = 1 | 1 << 1;

// A record of `ipmitool sdr dump` (IPMI specification, section 43). at: by byte number in the
// specification.
inline std::string record(int type, size_t fixed, const std::map<size_t, int>& at,
                          const std::string& name) {
  std::string bytes(fixed, '\0');
  bytes[2] = 0x51;
  bytes[3] = static_cast<char>(type);
  for (const auto& [number, value] : at) bytes[number - 1] = static_cast<char>(value);
  bytes[fixed - 1] = static_cast<char>(0xC0 | name.size());
  bytes += name;
  bytes[4] = static_cast<char>(bytes.size() - 5);
  return bytes;
}

struct Place {
  int entity, instance;
};

// A compact record of a discrete sensor. mask: the states it can show.
inline std::string states(int number, int type, Place place, const std::string& name,
                          int mask = 0x0F, int reading = code::kSpecific) {
  return record(0x02, 32,
                {{6, 0x20},
                 {8, number},
                 {9, place.entity},
                 {10, place.instance},
                 {13, type},
                 {14, reading},
                 {19, mask}},
                name);
}
// A full record of a fan, in steps of 100 rpm, with a lower critical threshold.
inline std::string fan(int number, Place place, const std::string& name) {
  return record(0x01, 48,
                {{6, 0x20},
                 {8, number},
                 {9, place.entity},
                 {10, place.instance},
                 {12, 0x08},
                 {13, code::kFan},
                 {14, code::kThreshold},
                 {19, 0x02},
                 {22, 18},
                 {25, 100},
                 {41, 5}},
                name);
}
inline std::string locator(int fru, Place place, const std::string& name) {
  return record(0x11, 16,
                {{6, 0x20}, {7, fru}, {8, 0x80}, {13, place.entity}, {14, place.instance}}, name);
}

class Machine {
 public:
  // silent: sensors that were never read.
  Machine(const std::string& records, const std::string& printed_frus,
          const std::set<int>& silent = {})
      : sdr_(parse_sdr(records)), frus_(parse_frus(printed_frus)) {
    EXPECT_FALSE(sdr_.broken);
    owners_.system = system_;
    for (const Sensor& sensor : sdr_.sensors)
      if (!silent.contains(sensor.number))
        say(sensor.number, sensor.reading_type == code::kThreshold
                               ? Reading{true, 56, 0, false}
                               : Reading{true, 0, kPresent, false});
    tell();
  }
  void say(int number, const Reading& reading) {
    for (int look = 0; look < 2; ++look) watch_.take(number, reading);
  }
  void shows(int number, uint16_t now) {
    say(number, {true, 0, now, false});
    tell();
  }
  void stops(int number) {
    say(number, {true, 2, 0x02, false});
    tell();
  }
  void unreadable(int number) { say(number, {}); }
  Resources parts() {
    return describe({system_, bmc_, sdr_, watch_, meaning_, frus_, owners_, identify_, now_},
                    remembered_);
  }
  void tell() {
    json resources = json::array();
    for (auto& [fmri, one] : parts()) {
      json resource = one;
      resource["present"] = true;
      resources.push_back(std::move(resource));
    }
    const json params{{"complete", false}, {"resources", resources}, {"gone", json::array()}};
    told_.hear("ipmi", {{"method", "inventory"}, {"params", params}}, kNow);
  }
  // A log entry. first_read: it existed when the plugin started.
  void logged(const SelEntry& entry, int64_t booted_ns, bool first_read = true) {
    const News::Around around{system_,   sdr_,   watch_, meaning_,
                              owners_,   kClock, kNow,   booted_ns - 7 * 86400 * kSecond,
                              first_read};
    json events = json::array();
    for (const sdk::OutEvent& event : news_.of(entry, around))
      events.push_back({{"class", event.event_class},
                        {"resource", event.resource},
                        {"time", event.time_ns},
                        {"payload", event.payload}});
    told_.hear("ipmi", {{"method", "events"}, {"params", {{"events", events}}}}, kNow);
  }
  json part(const std::string& type, const std::string& label) {
    for (const auto& [fmri, one] : parts())
      if (one["type"] == type && one["properties"]["label"] == label) return one["properties"];
    ADD_FAILURE() << "no " << type << " " << label;
    return {};
  }
  std::vector<std::string> labels(const std::string& type) {
    std::vector<std::string> out;
    for (const auto& [fmri, one] : parts())
      if (one["type"] == type) out.push_back(one["properties"]["label"]);
    std::sort(out.begin(), out.end());
    return out;
  }
  Cases cases() {
    told_.wait(2);
    return told_.cases();
  }
  std::string description() const {
    return told_.documents().empty() ? "" : told_.documents().front().description;
  }

 private:
  const std::string system_ = "host";
  Sdr sdr_;
  Watch watch_;
  Meaning meaning_ = standard();
  std::map<int, FruText> frus_;
  BmcFacts bmc_;
  Remembered remembered_;
  const std::chrono::steady_clock::time_point now_{std::chrono::hours(1)};
  Owners owners_;
  Identify identify_;
  News news_;
  ToldCases told_;
};

inline std::string printed(int id, const std::string& name, const std::string& serial) {
  return "FRU Device Description : " + name + " (ID " + std::to_string(id) +
         ")\n Product Name          : MODEL " + name + "\n Product Serial        : " + serial +
         "\n\n";
}

}  // namespace fmd::ipmi::testing
