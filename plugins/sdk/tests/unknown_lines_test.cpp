// Kernel trace lines that a plugin cannot parse are counted and shown.
#include "plugins/sdk/unknown_lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "plugins/sdk/tests/support.h"

namespace fmd::sdk {
namespace {

constexpr const char* kFolder = "/sys/kernel/tracing/instances/fmd-x/events/ras/";
const std::vector<TraceEvent>& events() {
  static const std::vector<TraceEvent> kEvents{
      {"ras/aer_event", {}, {" Bus Error: severity="}},
      {"ras/mc_event", {}, {" (mc:%d", "address:"}},
  };
  return kEvents;
}

class UnknownLinesTest : public ::testing::Test {
 protected:
  void format(const std::string& event, const std::string& printed) {
    tree_.file(kFolder + event + "/format",
               "name: x\nfield:u8 (mc:%d;\n\nprint fmt: \"" + printed + "\", REC->a\n");
  }
  testing::Loop loop_;
  testing::TempTree tree_;
  Host host_{loop_, tree_.root(), ""};
  UnknownLines unknown_;
};

TEST_F(UnknownLinesTest, FormatsThatHaveAllPartsAreKnown) {
  format("aer_event", "%s CXL Bus Error: severity=%s, %s, new=%d");
  format("mc_event", "%d %s error on %s (mc:%d location:%d address:0x%08lx more)");
  unknown_.compare(host_, "fmd-x", events());
  EXPECT_EQ(unknown_.text(), "");
}

TEST_F(UnknownLinesTest, AFormatThatLacksAPartIsNamedOnceItIsThere) {
  unknown_.compare(host_, "fmd-x", events());
  EXPECT_EQ(unknown_.text(), "") << "neither event exists yet";
  format("mc_event", "%d %s error on %s [controller %d] address:0x%08lx");
  unknown_.compare(host_, "fmd-x", events());
  EXPECT_EQ(unknown_.text(),
            "this kernel prints trace events in an unknown format, so errors may be missed: "
            "ras/mc_event");
}

TEST_F(UnknownLinesTest, AnEventThatTheKernelNoLongerHas) {
  unknown_.compare(host_, "fmd-x", events());
  EXPECT_EQ(unknown_.missing(), "") << "the whole group is a module's";
  format("mc_event", "%d %s error on %s (mc:%d location:%d address:0x%08lx more)");
  unknown_.compare(host_, "fmd-x", events());
  EXPECT_EQ(unknown_.missing(), "this kernel has no trace event ras/aer_event");
  EXPECT_EQ(unknown_.text(), "");
  format("aer_event", "%s PCIe Bus Error: severity=%s, %s");
  unknown_.compare(host_, "fmd-x", events());
  EXPECT_EQ(unknown_.missing(), "") << "its module was loaded";
}

TEST_F(UnknownLinesTest, LinesAreCountedAndTheLastIsShown) {
  EXPECT_TRUE(unknown_.add("aer_event", "first"));
  EXPECT_FALSE(unknown_.add("aer_event", std::string(500, 'x')));
  EXPECT_TRUE(unknown_.add("mc_event", "last"));
  EXPECT_EQ(unknown_.count(), 3u);
  EXPECT_EQ(unknown_.text(), "3 lines of the kernel's trace could not be read, the last: last");
}

TEST(KernelLines, ALineWithoutEndIsDropped) {
  testing::Loop loop;
  testing::TempTree tree;
  const Host host(loop, tree.root(), "");
  tree.folder("/dev");
  const std::string fifo = tree.root() + "/dev/kmsg";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::string last;
  size_t longest = 0, lines = 0;
  const auto reader = KernelLines::open(loop, host, "/dev/kmsg", [&](std::string_view line) {
    last = line.substr(0, 20);
    longest = std::max(longest, line.size());
    ++lines;
  });
  ASSERT_TRUE(reader);
  const int out = open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(out, 0);
  const std::string piece(16384, 'x');
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(write(out, piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
    loop.drain();
  }
  ASSERT_EQ(write(out, "\nlast\n", 6), 6);
  EXPECT_TRUE(loop.until([&] { return last == "last"; }));
  EXPECT_LE(lines, 2u);
  EXPECT_LE(longest, 32u << 10);
  close(out);
}

}  // namespace
}  // namespace fmd::sdk
