// A disk's bay is known before a slow enclosure has reported the rest.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugins/enclosure/tests/enclosure_rig.h"

namespace fmd::enclosure::testing {
namespace {

// Each slot attribute is a SCSI command to the enclosure; the disk in a slot is known sooner.
TEST_F(EnclosureTest, ADiskIsInItsBayBeforeAllSlotsAreRead) {
  make_box();
  start();
  refresh("1");
  plug(5, "sdf", "5000c500a0000005");
  nudge();
  ASSERT_TRUE(becomes(bay(5), "status", "OK"));
  const json first = first_with_disk(bay(5));
  EXPECT_EQ(first["edges"][0]["to"], "dev://wwn=5000c500a0000005");
  EXPECT_EQ(first["properties"]["status"], "not installed");
  EXPECT_EQ(first["properties"]["occupied"], true);
  pull(5, "sdf");
  nudge();
  ASSERT_TRUE(loop_.until([&] { return core_.resources[bay(5)]["edges"].empty(); }));
  EXPECT_EQ(core_.property(bay(5), "occupied"), true)
      << "the enclosure has said so, and not yet anew";
  EXPECT_TRUE(becomes(bay(5), "occupied", false));
}

// A scan that began before the event has read old links, and ends after the event.
TEST_F(EnclosureTest, AGlanceThatMeetsAScanAddsToWhatTheScanHasSeen) {
  make_box();
  const std::string gate = tree_.root() + "/gate";
  Options options = quiet();
  options.scan = [gate](const sdk::Host& host, const std::string& name, const Enclosure* known) {
    Enclosure seen = scan_enclosure(host, name, known);
    const int fd = open(gate.c_str(), O_RDONLY);
    char nothing = 0;  // arrives when the writer closes it
    if (fd >= 0 && read(fd, &nothing, 1) == 0) close(fd);
    return seen;
  };
  start(options);
  refresh("1");
  tree_.file(slot_folder(6) + "/status", "critical\n");
  ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
  const auto met = core_.command("refresh", "2", kChassis);
  int writer = -1;
  ASSERT_TRUE(
      loop_.until([&] { return (writer = open(gate.c_str(), O_WRONLY | O_NONBLOCK)) >= 0; }));
  ASSERT_EQ(unlink(gate.c_str()), 0);
  plug(5, "sdf", "5000c500a0000005");
  nudge();
  sdk::Timer after_the_glance(loop_);
  bool queued = false;
  after_the_glance.start(300ms, [&] { queued = true; });
  ASSERT_TRUE(loop_.until([&] { return queued; }));
  close(writer);
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(met); }));
  refresh("3");
  EXPECT_EQ(told_of(bay(6), "occupied"), (json{false, true}))
      << "what the scan has seen is not taken back by the glance";
  EXPECT_EQ(first_with_disk(bay(5))["properties"]["status"], "not installed")
      << "it is known before the next scan";
}

}  // namespace
}  // namespace fmd::enclosure::testing
