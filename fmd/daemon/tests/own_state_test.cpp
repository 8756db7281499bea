#include "fmd/daemon/own_state.h"

#include <gtest/gtest.h>

namespace fmd::own_state_test {
namespace {

TEST(OwnState, AtAFirstStartAllThatASourceRemembersIsEvidence) {
  OwnState own;
  own.begins_ns = 5000;
  EXPECT_EQ(own.counts_from_ns("zfs"), 0);
}

TEST(OwnState, AfterALossOlderEventsOfASourceWithoutCursorAreHistoryAlsoAfterARestart) {
  OwnState before;
  before.begins_ns = before.evidence_from_ns = 5000;
  before.cursors["smart"] = {"kept", "boot", 0};
  before.cursors["disk"] = {"new", "boot", 5000};
  OwnState own;
  ASSERT_TRUE(own.restore(before.all_rows()));
  EXPECT_EQ(own.begins_ns, 5000);
  EXPECT_EQ(own.counts_from_ns("zfs"), 5000);
  EXPECT_EQ(own.counts_from_ns("smart"), 0) << "its cursor was salvaged";
  EXPECT_EQ(own.counts_from_ns("disk"), 5000);
}

}  // namespace
}  // namespace fmd::own_state_test
