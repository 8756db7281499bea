#include "plugins/snmp/notification.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "fmd/model/happening_kind.h"
#include "plugins/sdk/notice.h"
#include "plugins/snmp/cells.h"
#include "plugins/snmp/subagent.h"

namespace fmd::snmp {
namespace {

TEST(AdminString, IsShortAndCutBetweenCharacters) {
  EXPECT_EQ(admin_string("short"), "short");
  for (size_t ascii = 0; ascii < 4; ++ascii) {
    std::string text(ascii, 'x');
    for (int i = 0; i < 200; ++i) text += "€";
    const std::string cut = admin_string(text);
    EXPECT_LE(cut.size(), 255u);
    EXPECT_GT(cut.size(), 251u);
    EXPECT_EQ((cut.size() - ascii) % 3, 0u);
  }
}

TEST(AdminString, ControlCharactersAreEscaped) {
  EXPECT_EQ(admin_string("a\x1b[31m\xff"), "a\\x1b[31m\\xff");
}

TEST(NotificationOf, AnEmptyCaseGivesEmptyTexts) {
  const auto notice = sdk::Notice::from_args({{"key", "k"}, {"event", "repaired"}});
  const auto notification = notification_of(*notice);
  ASSERT_TRUE(notification.has_value());
  EXPECT_EQ(notification->trap, (Oid{1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 363, 0, 3}));
  ASSERT_EQ(notification->objects.size(), 11u);
  EXPECT_EQ(notification->objects[0].second, "");
  EXPECT_EQ(notification->objects[8].second, "repaired");
  EXPECT_EQ(notification->objects[10].second, "k");
}

TEST(NotificationOf, OddCasesAreNoCrash) {
  for (const auto* text :
       {R"({"suspects":7})", R"({"suspects":[]})", R"({"suspects":[null]})", R"({"uuid":{}})"}) {
    const auto notice = sdk::Notice::from_args(
        {{"key", "k"}, {"event", "diagnosed"}, {"case", nlohmann::json::parse(text)}});
    EXPECT_TRUE(notification_of(*notice).has_value()) << text;
  }
}

TEST(NotificationOf, EachHappeningHasItsNotification) {
  std::set<Oid> traps;
  for (const std::string_view event : kHappenings) {
    const auto notice =
        sdk::Notice::from_args({{"key", "k"},
                                {"event", event},
                                {"subject", "line"},
                                {"happening", {{"pool", "tank"}, {"serial", "S4"}}}});
    const auto notification = notification_of(*notice);
    ASSERT_TRUE(notification.has_value()) << event;
    EXPECT_TRUE(traps.insert(notification->trap).second) << event;
    const bool resilver = event == "resilver-finished";
    EXPECT_EQ(notification->trap.back() == 7, resilver) << "as managers know it";
    ASSERT_EQ(notification->objects.size(), resilver ? 7u : 11u) << event;
    EXPECT_EQ(notification->objects[0].second, "tank");
    EXPECT_EQ(notification->objects[3].second, "line");
    if (resilver) continue;
    EXPECT_EQ(notification->objects[9].second, "S4");
  }
  EXPECT_EQ(traps.size(), 8u);
  const auto odd =
      sdk::Notice::from_args({{"key", "k"}, {"event", "odd"}, {"happening", {{"a", 1}}}});
  EXPECT_FALSE(notification_of(*odd).has_value());
}

TEST(NotificationOf, UnknownEventsAreRefused) {
  const auto notice = sdk::Notice::from_args({{"key", "k"}, {"event", "\x1b"}});
  EXPECT_EQ(notification_of(*notice).error().message,
            "FMD-MIB has no notification for the event \"\\x1b\"");
}

TEST(MissingMaster, AClosedSocketIsToldFromOneThatIsNotThere) {
  EXPECT_NE(Subagent::missing_master("/a/m", EACCES).find("agentXPerms"), std::string::npos);
  EXPECT_EQ(Subagent::missing_master("/a/m", ENOENT),
            "no AgentX master at /a/m: snmpd needs `master agentx` in snmpd.conf");
}

}  // namespace
}  // namespace fmd::snmp
