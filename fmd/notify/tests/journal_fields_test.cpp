// Journal fields: for searches, and for the catalog's entry.
#include "fmd/notify/journal_fields.h"

#include <gtest/gtest.h>

#include <map>

#include "fmd/model/message_id.h"

namespace fmd {
namespace {

TEST(JournalFields, SayWhatWhichPartAndTheCatalogsWords) {
  Case c;
  c.uuid = "u1";
  c.code = "ZFS-8000-GH";
  c.severity = "Major";
  c.description = "It is bad.\nVery.";
  Suspect s;
  s.fault_class = "fault.x";
  s.fru = "dev://wwn=1";
  s.fru_path = "hc://chassis=1/bay=4/disk=S4";
  s.location = "SLOT 04";
  c.suspects = {s};
  Say say;
  say.headline = "SLOT 04: disk returns wrong data";
  say.do_now = "Replace it.";
  say.steps = {"Now.", "Then wait."};
  say.safe_to_pull = {PullSafety::Answer::yes, "nothing is on it"};
  say.done = {"Its LED is on."};
  const auto list = journal_fields(c, say, "diagnosed");
  const std::map<std::string, std::string> fields(list.begin(), list.end());
  EXPECT_EQ(fields.at("MESSAGE_ID"), fault_message_id("ZFS-8000-GH"));
  EXPECT_EQ(fields.at("FMD_UUID"), "u1");
  EXPECT_EQ(fields.at("FMD_CODE"), "ZFS-8000-GH");
  EXPECT_EQ(fields.at("FMD_CLASS"), "fault.x");
  EXPECT_EQ(fields.at("FMD_FRU"), "hc://chassis=1/bay=4/disk=S4");
  EXPECT_EQ(fields.at("FMD_BAY"), "SLOT 04");
  EXPECT_EQ(fields.at("FMD_DESCRIPTION"), "It is bad. Very.");
  EXPECT_EQ(fields.at("FMD_ACTION"), "Replace it. Now. Then wait.");
  EXPECT_EQ(fields.at("FMD_RESPONSE"), "Its LED is on.");
  EXPECT_EQ(fields.at("FMD_SAFE_TO_PULL"), "yes: nothing is on it");
  EXPECT_EQ(fields.at("FMD_HEADLINE"), "SLOT 04: disk returns wrong data");
  EXPECT_EQ(fields.count("FMD_SERIAL"), 0u) << "what is not known is left out";
  EXPECT_EQ(fields.count("DOCUMENTATION"), 0u) << "no address is configured";
  const auto linked = journal_fields(c, say, "diagnosed", "https://w.example/");
  const std::map<std::string, std::string> with_link(linked.begin(), linked.end());
  EXPECT_EQ(with_link.at("DOCUMENTATION"), "https://w.example/ZFS-8000-GH");
  const auto later = journal_fields(c, say, "resolved");
  EXPECT_EQ(later.front().second, case_message_id("resolved"));
  EXPECT_NE(case_message_id("resolved"), case_message_id("updated"));
}

TEST(JournalFields, OfACaseWithoutSuspects) {
  EXPECT_FALSE(journal_fields(Case(), Say(), "updated").empty());
}

}  // namespace
}  // namespace fmd
