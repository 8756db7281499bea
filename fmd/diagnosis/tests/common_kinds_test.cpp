// What one controller says of all that it watches: of several kinds at once, for so long, or not.
#include <fmt/format.h>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using namespace test;

constexpr const char* kReaderRules = R"(
[[rule]]
name = "hot"
kind = "state"
type = "sensor"
property = "level"
values = ["critical"]
where = { kind = ["temperature"] }
fault = "fault.t.hot"

[[rule]]
name = "volts"
kind = "state"
type = "sensor"
property = "level"
values = ["critical"]
where = { kind = ["voltage"] }
hold = "30s"
fault = "fault.t.volts"

[[rule]]
name = "fan"
kind = "state"
type = "fan"
property = "status"
values = ["critical"]
hold = "30s"
fault = "fault.t.fan"

[[rule]]
name = "reader"
kind = "cause"
faults = ["fault.t.hot", "fault.t.volts", "fault.t.fan"]
parts = ["sensor", "fan"]
along = ["path"]
kinds = 3
share = 0.5
within = "60s"
wait = "2s"
hold = "60s"
fault = "fault.t.reader"
)";

std::string reader_rules() {
  std::string out = kReaderRules;
  int number = 30;
  for (const char* name : {"hot", "volts", "fan", "reader"})
    out += fmt::format(R"(
[[fault]]
class = "fault.t.{}"
dictionary = "T"
number = {}
severity = "Critical"
title = "{}"
description = "d"
response = "r"
impact = "i"
action = "a"
)",
                       name, number++, name) +
           (std::string(name) == "reader" ? "" : "[fault.repair]\nwhen_clear = true\n");
  return out;
}

// Four temperatures, two voltages and two fans.
class Reader : public ::testing::Test {
 protected:
  Reader() : rig(reader_rules()) {
    std::vector<Edge> edges;
    for (int n = 1; n <= 8; ++n) {
      say(n, false, 0);
      edges.push_back({Relation::path, part(n)});
    }
    rig.put("hc://bmc=0", "bmc", {}, edges, kStart);
    rig.news();
  }
  static std::string part(int n) { return fmt::format("hc://{}={}", n <= 6 ? "sensor" : "fan", n); }
  void say(int n, bool critical, int64_t when) {
    if (n > 6) {
      rig.put(part(n), "fan", {{"status", std::string(critical ? "critical" : "OK")}}, {},
              kStart + when);
      return;
    }
    rig.put(part(n), "sensor",
            {{"kind", std::string(n <= 4 ? "temperature" : "voltage")},
             {"level", std::string(critical ? "critical" : "nominal")}},
            {}, kStart + when);
  }
  void all(bool critical, int64_t when) {
    for (int n = 1; n <= 8; ++n) say(n, critical, when);
  }
  void until(int64_t to) {
    for (auto next = rig.engine->next_deadline_ns(); next && *next <= kStart + to;
         next = rig.engine->next_deadline_ns())
      rig.engine->on_time(*next);
    rig.engine->on_time(kStart + to);
  }
  // How many cases have a verdict, by class.
  std::string verdicts() const {
    std::map<std::string, int> found;
    for (const auto& [uuid, c] : rig.engine->cases())
      if (c.faulty() && c.state != CaseState::unsolved) ++found[c.fault_class.substr(8)];
    std::string out;
    for (const auto& [name, count] : found) out += fmt::format("{} {} ", count, name);
    return out;
  }
  Rig rig;
};

TEST_F(Reader, WhatAllSayForSecondsIsNothing) {
  all(true, 0);
  until(25 * kSecond);
  all(false, 25 * kSecond);
  until(kDay);
  EXPECT_EQ(rig.news(), "");
}

TEST_F(Reader, WhatAllSayForAMinuteIsOfWhatReadsThem) {
  all(true, 0);
  until(59 * kSecond);
  EXPECT_EQ(verdicts(), "");
  until(kDay);
  EXPECT_EQ(verdicts(), "1 reader ");
  all(false, kDay + kSecond);
  EXPECT_EQ(verdicts(), "");
}

TEST_F(Reader, HeatIsToldAtOnce) {
  for (int n = 1; n <= 4; ++n) say(n, true, 0);
  until(2 * kSecond);
  EXPECT_EQ(verdicts(), "4 hot ") << "of one kind, however many";
}

TEST_F(Reader, OneThatStaysCriticalGetsItsOwnCase) {
  all(true, 0);
  until(2 * kMinute);
  for (int n = 2; n <= 8; ++n) say(n, false, 2 * kMinute);
  until(4 * kMinute);
  EXPECT_EQ(verdicts(), "1 hot ");
}

TEST_F(Reader, MinutesApartTheyAreWhatTheySay) {
  for (int n = 1; n <= 8; ++n) {
    say(n, true, n * 3 * kMinute);
    until(n * 3 * kMinute + kMinute);
  }
  EXPECT_EQ(verdicts(), "2 fan 4 hot 2 volts ");
}

TEST_F(Reader, FewerThanHalfOfAllAreWhatTheySay) {
  for (const int n : {1, 5, 7}) say(n, true, 0);
  until(5 * kMinute);
  EXPECT_EQ(verdicts(), "1 fan 1 hot 1 volts ");
}

}  // namespace
}  // namespace fmd
