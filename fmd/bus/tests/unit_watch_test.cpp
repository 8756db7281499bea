// The state of plugins' units, as reported by a mock systemd on the bus.
#include "fmd/bus/unit_watch.h"

#include <cstdlib>
#include <map>

#include "fmd/bus/tests/bus_rig.h"

namespace fmd::test {
namespace {

struct FakeUnit {
  std::string load = "loaded", active = "inactive", file = "enabled";
  bool condition = true;
  uint64_t condition_us = 7;
  uint32_t restarts = 0;
};

class UnitWatchTest : public BusServerTest {
 protected:
  static FakeUnit* unit_at(void* self, const char* path) {
    char* name = nullptr;
    if (sd_bus_path_decode(path, "/org/freedesktop/systemd1/unit", &name) <= 0) return nullptr;
    const std::unique_ptr<char, decltype(&free)> owned(name, free);
    auto& units = static_cast<UnitWatchTest*>(self)->units_;
    const auto found = units.find(name);
    return found == units.end() ? nullptr : &found->second;
  }
  static int on_find(sd_bus*, const char* path, const char*, void* self, void** found,
                     sd_bus_error*) {
    *found = unit_at(self, path);
    return *found ? 1 : 0;
  }
  static int on_get(sd_bus*, const char*, const char*, const char* property, sd_bus_message* reply,
                    void* found, sd_bus_error*) {
    const auto& unit = *static_cast<FakeUnit*>(found);
    const std::string name = property;
    if (name == "ConditionResult")
      return sd_bus_message_append(reply, "b", static_cast<int>(unit.condition));
    if (name == "ConditionTimestampMonotonic")
      return sd_bus_message_append(reply, "t", unit.condition_us);
    if (name == "NRestarts") return sd_bus_message_append(reply, "u", unit.restarts);
    if (name == "Names") return sd_bus_message_append(reply, "as", 1, "of no interest");
    const std::string& value = name == "LoadState"     ? unit.load
                               : name == "ActiveState" ? unit.active
                                                       : unit.file;
    return sd_bus_message_append(reply, "s", value.c_str());
  }
  void run_systemd() {
    static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Names", "as", on_get, 0, 0),
        SD_BUS_PROPERTY("LoadState", "s", on_get, 0, 0),
        SD_BUS_PROPERTY("ActiveState", "s", on_get, 0, 0),
        SD_BUS_PROPERTY("UnitFileState", "s", on_get, 0, 0),
        SD_BUS_PROPERTY("ConditionResult", "b", on_get, 0, 0),
        SD_BUS_PROPERTY("ConditionTimestampMonotonic", "t", on_get, 0, 0),
        SD_BUS_VTABLE_END};
    systemd_ = connect();
    ASSERT_GE(sd_bus_add_fallback_vtable(systemd_.get(), nullptr, "/org/freedesktop/systemd1/unit",
                                         "org.freedesktop.systemd1.Unit", vtable, on_find, this),
              0);
    static const sd_bus_vtable service[] = {
        SD_BUS_VTABLE_START(0), SD_BUS_PROPERTY("NRestarts", "u", on_get, 0, 0), SD_BUS_VTABLE_END};
    ASSERT_GE(
        sd_bus_add_fallback_vtable(systemd_.get(), nullptr, "/org/freedesktop/systemd1/unit",
                                   "org.freedesktop.systemd1.Service", service, on_find, this),
        0);
    ASSERT_GE(sd_bus_request_name(systemd_.get(), "org.freedesktop.systemd1", 0), 0);
  }
  UnitState told(const FakeUnit& unit) {
    units_ = {{"fmd-some-thing.service", unit}};
    UnitState last = UnitState::unknown;
    bus::UnitWatch watch([&](const std::string& plugin, UnitState state, uint32_t restarts) {
      EXPECT_EQ(plugin, "some-thing");
      EXPECT_EQ(restarts, unit.restarts);
      last = state;
    });
    const bus::BusPtr bus = connect();
    watch.ask(bus.get(), {"some-thing"});
    EXPECT_TRUE(until([&] { return last != UnitState::unknown; }));
    return last;
  }

  bus::BusPtr systemd_;
  std::map<std::string, FakeUnit> units_;
};

TEST_F(UnitWatchTest, WhatAnAdministratorDidIsToldFromWhatFailed) {
  run_systemd();
  EXPECT_EQ(told({"loaded", "active"}), UnitState::runs);
  FakeUnit restarted;
  restarted.active = "active";
  restarted.restarts = 4711;
  EXPECT_EQ(told(restarted), UnitState::runs);
  EXPECT_EQ(told({"loaded", "activating", "disabled"}), UnitState::runs) << "it crashes, by hand";
  EXPECT_EQ(told({"loaded", "deactivating"}), UnitState::runs);
  EXPECT_EQ(told({"loaded", "inactive", "enabled"}), UnitState::stopped);
  EXPECT_EQ(told({"loaded", "inactive", "disabled"}), UnitState::disabled);
  EXPECT_EQ(told({"masked", "inactive", "masked"}), UnitState::disabled);
  EXPECT_EQ(told({"loaded", "inactive", "masked-runtime"}), UnitState::disabled);
  EXPECT_EQ(told({"loaded", "failed", "enabled"}), UnitState::failed);
  EXPECT_EQ(told({"loaded", "failed", "disabled"}), UnitState::disabled);
  EXPECT_EQ(told({"bad-setting", "inactive", "enabled"}), UnitState::failed);
  EXPECT_EQ(told({"not-found", "inactive", ""}), UnitState::absent);
  EXPECT_EQ(told({"loaded", "inactive", "enabled", false}), UnitState::unmet);
  EXPECT_EQ(told({"loaded", "inactive", "enabled", false, 0}), UnitState::stopped)
      << "not looked at";
}

TEST_F(UnitWatchTest, WithoutSystemdNothingIsTold) {
  bool told = false;
  bus::UnitWatch watch([&](const std::string&, UnitState, uint32_t) { told = true; });
  const bus::BusPtr bus = connect();
  watch.ask(bus.get(), {"zfs"});
  while (sd_event_run(event_.get(), 50'000) > 0) {
  }
  EXPECT_FALSE(told);
}

TEST_F(UnitWatchTest, TheServerAsksForWhomItIsTold) {
  run_systemd();
  units_ = {{"fmd-zfs.service", {"loaded", "inactive", "disabled"}}};
  away_ = {"zfs"};
  serve();
  ASSERT_TRUE(until([&] { return units_told_["zfs"] == UnitState::disabled; }));
  away_ = {"smart"};
  units_ = {{"fmd-smart.service", {"loaded", "inactive", "enabled"}}};
  ASSERT_TRUE(until([&] { return units_told_["smart"] == UnitState::stopped; }))
      << "asked again from time to time";
}

}  // namespace
}  // namespace fmd::test
