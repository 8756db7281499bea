#include "zfs_text.h"

#include <gtest/gtest.h>

namespace fmd::score {
namespace {

constexpr const char* kVdev = "zfs://pool=7/vdev=1003";
constexpr int64_t kTime = 1'790'000'000'250'000'000;

TEST(ZfsText, WhatIsPlayedWasRecorded) {
  for (const char* name :
       {"ereport.fs.zfs.io", "ereport.fs.zfs.checksum", "ereport.fs.zfs.probe_failure",
        "resource.fs.zfs.removed", "resource.fs.zfs.statechange"})
    EXPECT_TRUE(ZfsText::recorded().knows(name)) << name;
  EXPECT_FALSE(ZfsText::recorded().event("ereport.fs.zfs.nonsense", kVdev, kTime, {}));
}

TEST(ZfsText, ItIsOfThatVdevAtThatTimeAndElseAsItWas) {
  const auto event =
      ZfsText::recorded().event("ereport.fs.zfs.checksum", kVdev, kTime, {{"ena", "0x2a"}});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->event_class, "ereport.fs.zfs.checksum");
  EXPECT_EQ(event->resource, kVdev);
  EXPECT_EQ(event->time_ns, kTime);
  EXPECT_EQ(event->ena, 42U);
  const auto is = [&](const char* name, const Value& value) {
    const Value* has = event->payload.find(name);
    return has && *has == value;
  };
  EXPECT_TRUE(is("vdev_type", Value(std::string("disk"))));
  EXPECT_TRUE(is("context", Value(std::string("none"))));
  EXPECT_TRUE(is("scan", Value(std::string())));
  EXPECT_TRUE(is("parent_type", Value(std::string("raidz"))));
}

TEST(ZfsText, AStateIsTheOneThatIsPlayed) {
  const auto event = ZfsText::recorded().event("resource.fs.zfs.statechange", kVdev, kTime,
                                               {{"vdev_state", "\"REMOVED\" (0x3)"}});
  ASSERT_TRUE(event);
  const Value* state = event->payload.find("vdev_state");
  ASSERT_TRUE(state);
  EXPECT_EQ(*state, Value(std::string("REMOVED")));
}

}  // namespace
}  // namespace fmd::score
