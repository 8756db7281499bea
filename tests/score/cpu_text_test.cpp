#include "cpu_text.h"

#include <gtest/gtest.h>

namespace fmd::score {
namespace {

class CpuTextTest : public testing::Test {
 protected:
  using Words = std::vector<std::pair<const char*, const char*>>;

  std::optional<Event> read(const char* event_class, const std::string& part, const Words& words) {
    Event played;
    played.event_class = event_class;
    played.resource = part;
    for (const auto& [name, word] : words) played.payload.set(name, text(word));
    return CpuText::recorded().event(host_, played);
  }
  std::string said(const char* name) const {
    const Value* value = event_ ? event_->payload.find(name) : nullptr;
    return value ? to_text(*value) : "";
  }

  Host host_{shapes().front()};
  std::optional<Event> event_;
};

TEST_F(CpuTextTest, AMachineCheckIsTheCores) {
  for (const std::string& core : host_.cores)
    for (const char* severity : {"corrected", "deferred", "uncorrected"})
      for (const char* level : {"L1", "L2"})
        for (const char* name : {"ereport.cpu.cache", "ereport.cpu.tlb"}) {
          event_ = read(name, core, {{"level", level}, {"severity", severity}});
          ASSERT_TRUE(event_) << name;
          EXPECT_EQ(event_->event_class, name);
          EXPECT_EQ(event_->resource, core);
          EXPECT_EQ(said("severity"), severity);
          EXPECT_EQ(said("level"), level);
        }
  event_ = read("ereport.cpu.internal", host_.cores.back(), {{"severity", "corrected"}});
  ASSERT_TRUE(event_);
  EXPECT_EQ(event_->event_class, "ereport.cpu.internal");
  EXPECT_EQ(event_->resource, host_.cores.back());
}

TEST_F(CpuTextTest, TheRecordedStatusIsDecoded) {
  event_ =
      read("ereport.cpu.cache", host_.cores.front(), {{"level", "L1"}, {"severity", "corrected"}});
  ASSERT_TRUE(event_);
  EXPECT_EQ(said("status"), "9c00004000010135");
  EXPECT_EQ(said("bank"), "3");
  EXPECT_EQ(said("address"), "0x12345678");
  EXPECT_EQ(said("text"), "corrected error in the L1 data cache (data read)");
}

TEST_F(CpuTextTest, TheBusIsTheProcessors) {
  event_ = read("ereport.cpu.bus", host_.processors.back(), {{"severity", "uncorrected"}});
  ASSERT_TRUE(event_);
  EXPECT_EQ(event_->event_class, "ereport.cpu.bus");
  EXPECT_EQ(event_->resource, host_.processors.back());
  EXPECT_EQ(said("severity"), "uncorrected");
}

TEST_F(CpuTextTest, ALinkErrorIsOfTheDeviceBelowThePort) {
  const std::string device = "dev://pci=0000:01:00.0";
  const auto link = [&](const char* severity) {
    event_ =
        read("ereport.io.pci.link", device, {{"severity", severity}, {"port", "0000:00:01.0"}});
    ASSERT_TRUE(event_) << severity;
    EXPECT_EQ(event_->event_class, "ereport.io.pci.link");
    EXPECT_EQ(event_->resource, device);
    EXPECT_EQ(said("severity"), severity);
    EXPECT_EQ(said("port"), "0000:00:01.0");
    EXPECT_EQ(said("reporter"), "0000:00:01.0");
  };
  link("fatal");
  EXPECT_EQ(said("text"), "Data Link Protocol Error");
  link("uncorrected");
  EXPECT_EQ(said("text"), "Data Link Protocol Error|Completion Timeout");
  link("corrected");
  EXPECT_EQ(said("text"), "Bad TLP");
}

// Such events are then played as generated.
TEST_F(CpuTextTest, WhatWasNotRecordedIsNotRead) {
  EXPECT_FALSE(read("ereport.cpu.cache", host_.processors.front(),
                    {{"level", "L3"}, {"severity", "corrected"}}));
  EXPECT_FALSE(read("ereport.cpu.cache", "cpu://socket=9/core=9",
                    {{"level", "L1"}, {"severity", "corrected"}}));
  EXPECT_FALSE(read("ereport.cpu.tlb", host_.cores.front(), {{"level", "L1"}}));
}

}  // namespace
}  // namespace fmd::score
