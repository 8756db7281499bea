// A pool that ZFS suspends because it cannot renew its multihost record: no disk is accused, and no
// text advises 'zpool clear', after which two hosts could write.
#include <fmt/format.h>

#include <set>

#include "tests/reports/pool_play.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;
using zfs::test::status_text;

// A raidz2 of six with a spare; the disks in `out` are FAULTED.
std::string pool_of_six(const std::string& pool, const std::string& group,
                        const std::set<int>& out) {
  std::string rows = fmt::format("  raidz2-0 {}\n", group);
  for (int n = 1; n <= 6; ++n)
    rows +=
        fmt::format("    @DISK{}@ {}\n", n, out.contains(n) ? "FAULTED too many errors" : "ONLINE");
  return status_text(rows + "spares\n  @DISK7@ AVAIL\n", "none requested", pool);
}

constexpr const char* kTwelveErrors = "12x ereport.fs.zfs.io vdev=@DISK3@ zio_err=0x5";

bool advises(const PoolPlay& play, std::string_view fault, const std::string& part) {
  return mentions(play.machine.words(fault), part);
}

// As 0.8.0 (with another message's address), 2.1, 2.3 and, where only the address is known, any print it.
constexpr const char* kMultihost[] = {
    "status: The pool is suspended because multihost writes failed or were delayed;\n"
    "\tanother system could import the pool undetected.\n"
    "   see: http://zfsonlinux.org/msg/ZFS-8000-K4\n",
    "status: The pool is suspended because multihost writes failed or were delayed;\n"
    "\tanother system could import the pool undetected.\n"
    "action: Make sure the pool's devices are connected, then reboot your system and\n"
    "\timport the pool.\n"
    "   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-MM\n",
    "   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-MM\n"};

std::string with_lines(std::string status, std::string_view lines) {
  return status.insert(status.find("  scan: "), lines);
}

TEST(ZfsMultihost, AMultihostSuspensionBlamesNoDisk) {
  for (const char* lines : kMultihost)
    for (const char* failmode : {"wait", "continue"})
      for (const bool json : {false, true})
        for (const bool event_first : {true, false}) {
          PoolPlay play(7, 2);
          play.failmode = failmode;
          play.by_json = json;
          play.look(pool_of_six("ONLINE", "ONLINE", {}));
          play.machine.pass(3600);
          if (event_first) play.event("ereport.fs.zfs.io_failure");
          play.machine.pass(1);
          play.look(with_lines(pool_of_six("SUSPENDED", "ONLINE", {}), lines));
          if (!event_first) play.event("ereport.fs.zfs.io_failure");
          play.machine.pass(3600);
          EXPECT_EQ(play.machine.told(), Told{"Critical fault.fs.zfs.pool.multihost tank"});
          if (play.machine.told().size() != 1) return;
          EXPECT_TRUE(advises(play, "fault.fs.zfs.pool.multihost", "another host"));
          EXPECT_FALSE(advises(play, "fault.fs.zfs.pool.multihost", "disks are back"));
          EXPECT_TRUE(play.ran.empty()) << play.ran.front();
          play.look(pool_of_six("ONLINE", "ONLINE", {}));
          play.machine.pass(60);
          EXPECT_EQ(play.machine.told(), Told{});
        }
}

// A slow disk is the usual reason. It is not replaced while the pool is suspended.
TEST(ZfsMultihost, ADiskThatFailsBesideAMultihostSuspension) {
  PoolPlay play(7, 2);
  play.look(pool_of_six("ONLINE", "ONLINE", {}));
  play.event(kTwelveErrors);
  play.event("ereport.fs.zfs.io_failure");
  play.look(with_lines(pool_of_six("SUSPENDED", "DEGRADED", {3}), kMultihost[1]));
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), Told{"Critical fault.fs.zfs.pool.multihost tank"});
  EXPECT_TRUE(play.machine.asked.empty());
  EXPECT_TRUE(play.ran.empty());
  EXPECT_TRUE(play.machine.lit.empty());
}

TEST(ZfsMultihost, AnOlderCaseDoesNotAdviseToClearAMultihostSuspension) {
  constexpr const char* kIo = "fault.fs.zfs.vdev.io";
  PoolPlay play(7, 2);
  play.look(pool_of_six("ONLINE", "ONLINE", {}));
  play.event(kTwelveErrors);
  play.machine.pass(120);
  play.look(pool_of_six("DEGRADED", "DEGRADED", {3}));
  play.machine.pass(24 * 3600);
  play.look(with_lines(pool_of_six("SUSPENDED", "DEGRADED", {3}), kMultihost[0]));
  play.machine.pass(3600);
  ASSERT_EQ(play.machine.told().size(), 2u);
  EXPECT_TRUE(advises(play, kIo, "Do not run 'zpool clear tank'"));
  EXPECT_FALSE(advises(play, kIo, "When the disks are back"));
}

// While a pool resilvers, zpool(8) prints neither that it is suspended nor why.
TEST(ZfsMultihost, AReasonThatAResilverHides) {
  for (const char* failmode : {"wait", "continue"}) {
    const std::string fault = std::string("fault.fs.zfs.io_failure_") + failmode;
    const auto resilvering = [](const char* scan) {
      return status_text(
          "  raidz2-0 DEGRADED\n    @DISK1@ ONLINE\n    replacing-1 DEGRADED\n"
          "      @DISK2@/old UNAVAIL\n      @DISK2@ ONLINE (resilvering)\n"
          "    @DISK3@ ONLINE\n    @DISK4@ ONLINE\n",
          scan, "DEGRADED");
    };
    PoolPlay play(7, 2);
    play.failmode = failmode;
    play.look(resilvering("resilver in progress since Sat Nov 28 02:57:05 2026"));
    play.machine.pass(3600);
    play.event("ereport.fs.zfs.io_failure");
    play.look(resilvering("resilver in progress since Sat Nov 28 02:57:05 2026"));
    play.machine.pass(3600);
    ASSERT_FALSE(play.machine.told().empty());
    EXPECT_EQ(play.machine.told().front(), "Critical " + fault + " tank");
    EXPECT_TRUE(advises(play, fault, "journalctl -k -g MMP")) << play.machine.words(fault);
    EXPECT_TRUE(play.ran.empty()) << play.ran.front();
  }
}

}  // namespace
}  // namespace fmd::reports
