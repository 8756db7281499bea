// Whether fmd starts at the next boot, as reported by a mock systemd on the bus.
#include "fmd/bus/boot_watch.h"

#include <map>

#include "fmd/bus/tests/bus_rig.h"

namespace fmd::test {
namespace {

class BootWatchTest : public BusServerTest {
 protected:
  static int on_ask(sd_bus_message* message, void* self, sd_bus_error* error) {
    auto& test = *static_cast<BootWatchTest*>(self);
    const char* unit = nullptr;
    sd_bus_message_read(message, "s", &unit);
    ++test.asked_;
    const auto state = test.units_.find(unit);
    if (state == test.units_.end())
      return sd_bus_error_set(error, "org.freedesktop.DBus.Error.FileNotFound", "no such file");
    return sd_bus_reply_method_return(message, "s", state->second.c_str());
  }
  void run_systemd() {
    static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_METHOD("GetUnitFileState", "s", "s", on_ask, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_VTABLE_END};
    systemd_ = connect();
    ASSERT_GE(sd_bus_add_object_vtable(systemd_.get(), nullptr, "/org/freedesktop/systemd1",
                                       "org.freedesktop.systemd1.Manager", vtable, this),
              0);
    ASSERT_GE(sd_bus_request_name(systemd_.get(), "org.freedesktop.systemd1", 0), 0);
  }
  // The answer for these states of target and service; -1: none.
  int told(const std::string& target, const std::string& service) {
    units_ = {{"fmd.target", target}, {"fmd.service", service}};
    std::erase_if(units_, [](const auto& unit) { return unit.second.empty(); });
    int last = -1;
    asked_ = 0;
    bus::BootWatch watch([&](bool starts) { last = starts; });
    const bus::BusPtr bus = connect();
    watch.ask(bus.get());
    EXPECT_TRUE(until([&] { return asked_ == 2; }));
    until_idle();
    return last;
  }
  void until_idle() {
    while (sd_event_run(event_.get(), 50'000) > 0) {
    }
  }

  bus::BusPtr systemd_;
  std::map<std::string, std::string> units_;
  int asked_ = 0;
};

TEST_F(BootWatchTest, OneOfTheTwoEnabledIsEnough) {
  run_systemd();
  EXPECT_EQ(told("enabled", "enabled"), 1);
  EXPECT_EQ(told("enabled", "disabled"), 1);
  EXPECT_EQ(told("disabled", "enabled"), 1);
  EXPECT_EQ(told("disabled", "disabled"), 0);
  EXPECT_EQ(told("enabled-runtime", "masked"), 0) << "until the next boot only";
}

TEST_F(BootWatchTest, WhatNobodySaysIsNotTold) {
  run_systemd();
  EXPECT_EQ(told("", ""), -1) << "fmd was started by hand";
  EXPECT_EQ(told("disabled", ""), -1);
  EXPECT_EQ(told("linked", "disabled"), -1);
}

TEST_F(BootWatchTest, TheServerAsksOnceItIsOnTheBus) {
  run_systemd();
  units_ = {{"fmd.target", "disabled"}, {"fmd.service", "disabled"}};
  serve();
  ASSERT_TRUE(until([&] { return !starts_.empty(); }));
  EXPECT_FALSE(starts_.front());
  units_["fmd.target"] = "enabled";
  ASSERT_TRUE(until([&] { return starts_.back(); })) << "asked again from time to time";
}

}  // namespace
}  // namespace fmd::test
