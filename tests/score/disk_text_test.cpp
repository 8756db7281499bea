#include "disk_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fmd::score {
namespace {

constexpr int64_t kUptime = 77 * kSec;

const ShapeSpec& a_shape(bool multipath, bool nvme) {
  const auto& all = shapes();
  return *std::find_if(all.begin(), all.end(), [&](const ShapeSpec& spec) {
    return spec.multipath == multipath && spec.nvme == nvme;
  });
}

std::string said(const Event& event, const char* name) {
  const Value* value = event.payload.find(name);
  return value ? to_text(*value) : "";
}

class DiskTextTest : public testing::Test {
 protected:
  Event read(std::string_view event_class, const std::string& part) {
    const auto event = DiskText::recorded().event(host_, event_class, part, kUptime);
    EXPECT_TRUE(event) << event_class;
    return event.value_or(Event());
  }

  Host host_{a_shape(false, false)};
  const Disk& disk_ = host_.disks.at(2);
};

TEST_F(DiskTextTest, EachIsReadAsWhatItIsOfThatDiskOrItsPath) {
  for (const char* name : {"ereport.disk.io.medium", "ereport.disk.io.hardware"}) {
    const Event event = read(name, disk_.fmri);
    EXPECT_EQ(event.event_class, name);
    EXPECT_EQ(event.resource, disk_.fmri) << name;
    EXPECT_EQ(said(event, "device"), "sdc") << name;
  }
  for (const char* name :
       {"ereport.disk.path.transport", "ereport.disk.path.timeout", "ereport.disk.path.reset"}) {
    const Event event = read(name, disk_.paths.front());
    EXPECT_EQ(event.event_class, name);
    EXPECT_EQ(event.resource, disk_.paths.front()) << name;
    EXPECT_EQ(said(event, "device"), "sdc") << name;
  }
}

TEST_F(DiskTextTest, TheKernelsWordsAreTold) {
  const Event medium = read("ereport.disk.io.medium", disk_.fmri);
  EXPECT_EQ(said(medium, "text"), "critical medium error");
  EXPECT_EQ(said(medium, "operation"), "read");
  EXPECT_EQ(said(medium, "sector"), "504848");
  EXPECT_EQ(said(read("ereport.disk.io.hardware", disk_.fmri), "text"), "Hardware Error");
  const std::string& path = disk_.paths.front();
  EXPECT_EQ(said(read("ereport.disk.path.transport", path), "text"), "Ack/nak timeout");
  EXPECT_EQ(said(read("ereport.disk.path.reset", path), "text"),
            "Power-on or device reset occurred");
  const Event timeout = read("ereport.disk.path.timeout", path);
  EXPECT_EQ(said(timeout, "text"), "no answer");
  EXPECT_EQ(said(timeout, "sector"), "1600");
}

TEST_F(DiskTextTest, TheWayIsTheOneThatIsNamed) {
  const Host host(a_shape(true, false));
  for (const Disk& disk : host.disks)
    for (const std::string& path : disk.paths)
      for (const char* name : {"ereport.disk.path.transport", "ereport.disk.path.timeout"}) {
        const auto event = DiskText::recorded().event(host, name, path, kUptime);
        ASSERT_TRUE(event) << path;
        EXPECT_EQ(event->resource, path) << name;
      }
}

// Such events are then played as generated.
TEST_F(DiskTextTest, WhatWasNotRecordedIsNotRead) {
  EXPECT_FALSE(DiskText::recorded().event(host_, "sysevent.disk.removed", disk_.fmri, kUptime));
  EXPECT_FALSE(DiskText::recorded().event(host_, "ereport.disk.io.medium", "dev://wwn=1", kUptime));
  const Host nvme(a_shape(false, true));
  EXPECT_FALSE(DiskText::recorded().event(nvme, "ereport.disk.path.timeout",
                                          nvme.disks.front().paths.front(), kUptime));
}

}  // namespace
}  // namespace fmd::score
