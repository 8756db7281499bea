// Kernel trace lines that a plugin cannot parse are counted and shown.
#include "plugins/sdk/unknown_lines.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fmd::sdk
