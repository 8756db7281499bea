// Message ids of faults: one each, the same everywhere and for ever.
#include "fmd/model/message_id.h"

#include <gtest/gtest.h>

#include <set>

#include "fmd/model/diagcode.h"

namespace fmd {
namespace {

TEST(MessageId, IsTheFaultsOwnAndNeverAnother) {
  std::set<std::string> seen;
  for (const char* dictionary : {"ZFS", "DISK", "FMDL"})
    for (uint64_t number = 0; number < 300; ++number)
      seen.insert(fault_message_id(diagcode(dictionary, number)));
  EXPECT_EQ(seen.size(), 900u);
  for (const std::string& id : seen) {
    ASSERT_EQ(id.size(), 32u);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), id.npos);
    EXPECT_EQ(id[12], '8') << id;
  }
  // What is in somebody's journal must be found again by a later fmd.
  EXPECT_EQ(fault_message_id("ZFS-8000-GH"), "af98d32b770f82478b45c23a3be2b240");
}

}  // namespace
}  // namespace fmd
