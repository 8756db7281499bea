// Crash records in pstore.
#include "plugins/cpu/crash.h"

#include <gtest/gtest.h>

#include <cstring>

#include "plugins/cpu/findings.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::cpu {
namespace {

// Lines of __print_mce(), inside the text of a panic.
constexpr const char* kPanic =
    "Panic#1 Part1\n"
    "<6>[   12.000001] mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 2: 9c00004000010136\n"
    "<6>[   12.000002] mce: [Hardware Error]: TSC 0 ADDR 1000 \n"
    "<0>[   40.100000] mce: [Hardware Error]: CPU 5: Machine Check Exception: 5 Bank 3: "
    "be00000000000136\n"
    "<0>[   40.100001] mce: [Hardware Error]: RIP !INEXACT! 10:<ffffffff81000000> "
    "{native_halt+0x1}\n"
    "<0>[   40.100002] mce: [Hardware Error]: TSC 1f ADDR 12345000 MISC 86 \n"
    "<0>[   40.100003] mce: [Hardware Error]: PROCESSOR 0:606a6 TIME 1795228661 SOCKET 1 APIC 12 "
    "microcode d0003b9\n"
    "<0>[   40.100004] Kernel panic - not syncing: Fatal machine check\n";

TEST(Crash, OfTheKernelsLastWords) {
  const auto found = fatal_in_log(kPanic);
  ASSERT_EQ(found.size(), 1u) << "what was corrected before stopped nothing";
  EXPECT_EQ(found[0].cpu, 5u);
  EXPECT_EQ(found[0].bank, 3u);
  EXPECT_EQ(found[0].socket, 1u);
  EXPECT_EQ(found[0].status, 0xbe00000000000136u);
  EXPECT_EQ(found[0].address, 0x12345000u);
  EXPECT_EQ(found[0].time_s, 1795228661u);
  EXPECT_EQ(found[0].vendor, Vendor::intel);
}

std::string record_of(uint64_t status, uint64_t mcg_status) {
  std::string bytes(120, '\0');
  const uint64_t time = 1795228661;
  const uint32_t cpu = 5, socket = 1;
  memcpy(&bytes[0], &status, 8);
  memcpy(&bytes[24], &mcg_status, 8);
  memcpy(&bytes[48], &time, 8);
  bytes[65] = 3;
  memcpy(&bytes[68], &cpu, 4);
  memcpy(&bytes[72], &socket, 4);
  return bytes;
}

TEST(Crash, OfTheFirmwaresRecord) {
  const auto found = fatal_in_record(record_of(0xbe00000000000136, 5));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cpu, 5u);
  EXPECT_EQ(found[0].bank, 3u);
  EXPECT_EQ(crash_id(found[0]), crash_id(fatal_in_log(kPanic)[0])) << "told once";
  EXPECT_TRUE(fatal_in_record(record_of(0x9c00000000000136, 5)).empty()) << "corrected";
  EXPECT_TRUE(fatal_in_record(record_of(0xbe00000000000136, 0)).empty()) << "no exception";
  EXPECT_TRUE(fatal_in_record("short").empty());
}

// A load of lost data that the kernel could not survive (SDM 15.9.3.2): 0134h, signaled, action
// required, context intact. Without MCG_CAP in the log, the signaled bit shows recovery support.
TEST(Crash, LostMemoryIsNotTheCores) {
  const auto found = fatal_in_log(
      "mce: [Hardware Error]: CPU 5: Machine Check Exception: 7 Bank 1: bd80000000000134\n"
      "mce: [Hardware Error]: TSC 1f ADDR 12345040 MISC 86 \n"
      "mce: [Hardware Error]: PROCESSOR 0:606a6 TIME 1795228661 SOCKET 1 APIC 12\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(decode(found[0])->kind, ErrorKind::poison);
  EXPECT_EQ(frame_of(found[0], *decode(found[0])), 0x12345u);
}

TEST(Crash, TheRecordGoesBeforeTheLog) {
  sdk::testing::Loop loop;
  sdk::testing::TempTree tree;
  sdk::Host host(loop, tree.root(), "");
  std::string record = record_of(0xbe00000000000136, 5);
  record[81] = 0x0c;  // MCG_CAP
  tree.file("/sys/fs/pstore/dmesg-erst-1", kPanic);
  tree.file("/sys/fs/pstore/mce-erst-2", record);
  ASSERT_EQ(kept_crashes(host).size(), 1u);
  EXPECT_NE(kept_crashes(host)[0].mcg_cap, 0u);
}

TEST(Crash, WhereverItIsKept) {
  sdk::testing::Loop loop;
  sdk::testing::TempTree tree;
  sdk::Host host(loop, tree.root(), "");
  EXPECT_TRUE(kept_crashes(host).empty());
  tree.file("/sys/fs/pstore/dmesg-erst-1", kPanic);
  tree.file("/sys/fs/pstore/mce-erst-2", record_of(0xbe00000000000136, 5));
  tree.file("/sys/fs/pstore/console-ramoops-0", kPanic);
  tree.file("/var/lib/systemd/pstore/1795228661/001/dmesg-erst-1", kPanic);
  EXPECT_EQ(kept_crashes(host).size(), 1u);
}

TEST(Crash, CutAndNoiseAreTaken) {
  const std::string text = kPanic;
  for (size_t n = 0; n < text.size(); ++n) {
    (void)fatal_in_log(text.substr(0, n));
    std::string changed = text;
    changed[n] = static_cast<char>(n * 31);
    (void)fatal_in_log(changed);
  }
}

}  // namespace
}  // namespace fmd::cpu
