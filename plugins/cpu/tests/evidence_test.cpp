// Records that are not evidence against a part, and trace lines that cannot be parsed.
#include "plugins/cpu/options.h"
#include "plugins/cpu/tests/cpu_rig.h"

namespace fmd::cpu::testing {
namespace {

// A NUC's firmware leaves this in bank 4, read at each boot: UC and PCC set, EN clear.
TEST_F(CpuTest, ARecordThatWasNotEnabledAccusesNobody) {
  start();
  for (const uint64_t status : {0xa600000000020408ull, 0xa200000000000005ull}) {
    core_.events.clear();
    checked(status);
    ASSERT_TRUE(told(1));
    EXPECT_EQ(core_.events[0]["class"], "ereport.cpu.leftover");
    EXPECT_EQ(core_.events[0]["resource"], "cpu://socket=0");
    EXPECT_EQ(core_.events[0]["payload"]["why"], "the error was not enabled in its bank");
  }
  core_.events.clear();
  checked(0xb600000000020408);  // the same, enabled
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.cpu.internal");
}

TEST_F(CpuTest, ARecordOlderThanThisBootAccusesNobody) {
  start();
  timespec up{};
  clock_gettime(CLOCK_BOOTTIME, &up);
  age_s_ = up.tv_sec + 4000;
  checked(0xb200000000000135);
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.cpu.leftover");
  EXPECT_EQ(core_.events[0]["payload"]["why"], "the record is older than this boot");
  age_s_ = 1;
  checked(0xb200000000000135);
  ASSERT_TRUE(told(2));
  EXPECT_EQ(core_.events[1]["class"], "ereport.cpu.cache");
}

TEST(CpuOptions, WhatCorrectedErrorsCostAtTheTopOrInATable) {
  sdk::testing::TempTree tree;
  const auto offline = [&](const char* text) {
    tree.file("/cpu.toml", text);
    const auto options = load_options(tree.root() + "/cpu.toml");
    return options ? (options->corrected_offline ? "offline" : "report") : "refused";
  };
  EXPECT_STREQ(offline(""), "report");
  EXPECT_STREQ(offline("corrected = \"offline\"\n"), "offline");
  EXPECT_STREQ(offline("[cpu]\ncorrected = \"offline\"\n"), "offline");
  EXPECT_STREQ(offline("[cpu]\ncorrected = \"report\"\n"), "report");
  EXPECT_STREQ(offline("[cpu]\ncorrected = \"always\"\n"), "refused");
  EXPECT_STREQ(offline("[core]\ncorrected = \"offline\"\n"), "refused");
}

// A record that is too old, or of this boot, is not the reason for the last crash.
TEST_F(CpuTest, ACrashThatIsNotThisBootsCauseAccusesNobody) {
  constexpr uint64_t kTime = 1795228661;
  struct Row {
    uint64_t booted;
    const char *event_class, *why;
  };
  for (const Row& row :
       {Row{kTime + 200, "ereport.cpu.crash", ""}, Row{kTime + 6 * 86400, "ereport.cpu.crash", ""},
        Row{kTime + 8 * 86400, "ereport.cpu.leftover",
            "the record is older than a week before this boot"},
        Row{kTime - 500, "ereport.cpu.leftover",
            "the record is of this boot, which it did not stop"}}) {
    tree_.remove("/memory.json");
    tree_.remove("/sys/fs/pstore");
    core_.events.clear();
    core_.cursor.clear();
    booted_s_ = row.booted;
    start();
    tree_.file("/sys/fs/pstore/dmesg-erst-1",
               fmt::format("mce: [Hardware Error]: CPU 1: Machine Check Exception: 5 Bank 3: "
                           "be00000000000136\n"
                           "mce: [Hardware Error]: PROCESSOR 0:606a6 TIME {} SOCKET 0 APIC 12\n",
                           kTime));
    restart();
    ASSERT_TRUE(told(1)) << row.booted;
    EXPECT_EQ(core_.events[0]["class"], row.event_class) << row.booted;
    EXPECT_EQ(core_.events[0]["payload"].value("why", ""), row.why);
  }
}

TEST_F(CpuTest, ALineThatCannotBeReadMakesItDegraded) {
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
  traced("mc_event: one error of a new kind");
  ASSERT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "degraded"; }));
  const std::string said = core_.of("status").back()["reason"];
  EXPECT_NE(said.find("1 line of the kernel's trace could not be read"), said.npos) << said;
  EXPECT_NE(said.find("one error of a new kind"), said.npos) << said;
}

TEST_F(CpuTest, AFormatThatIsNotKnownMakesItDegraded) {
  tree_.file(std::string(kInstance) + "/events/mce/mce_record/format",
             "name: mce_record\n\nprint fmt: \"CPU %d bank %d status %llx\", REC->cpu\n");
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "degraded");
  const std::string said = core_.of("status").back()["reason"];
  EXPECT_NE(said.find("mce/mce_record"), said.npos) << said;
}

}  // namespace
}  // namespace fmd::cpu::testing
