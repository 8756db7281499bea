// What the daemon remembers: who sat where, and what was measured.
#include "fmd/daemon/tests/control_rig.h"

namespace fmd::test {
namespace {

TEST_F(ControlTest, BayHistoryIsFoundByWhatAPartIsCalledAndSurvivesARestart) {
  send_bay();
  request(
      fds_.front(), "inventory",
      {{"resources", {{{"fmri", kBay}, {"type", "bay"}, {"properties", {{"label", "SLOT 03"}}}}}}});
  stop();
  start();
  const auto ask_for = [this](const json& filter) {
    const auto text = control().list_bay_history(filter.dump());
    EXPECT_TRUE(text) << text.error().text();
    return text ? json::parse(*text) : json();
  };
  for (const char* part : {"SLOT 03", "S1", kBay, kDisk}) {
    const json stays = ask_for({{"part", part}});
    ASSERT_EQ(stays.size(), 1u) << part;
    EXPECT_EQ(stays[0]["serial"], "S1");
    EXPECT_EQ(stays[0]["from_exact"], false) << "it was there when fmd first looked";
    EXPECT_EQ(stays[0]["to_exact"], true);
    EXPECT_GE(stays[0]["to"], stays[0]["from"]);
  }
  EXPECT_EQ(ask_for(json::object()).size(), 1u);
  EXPECT_EQ(ask_for({{"to", 1}}).size(), 0u);
  EXPECT_EQ(ask_for({{"from", INT64_MAX}}).size(), 0u);
  EXPECT_FALSE(control().list_bay_history(R"({"part":"SLOT 99"})"));
}

TEST_F(ControlTest, ReadingsAreKeptAndAskedForByPart) {
  send_bay();
  const std::string vdev = "zfs://pool=1/vdev=2";
  request(fds_.front(), "inventory",
          {{"resources",
            {{{"fmri", vdev},
              {"type", "zfs-vdev"},
              {"edges", {{{"relation", "redundancy"}, {"to", kDisk}}}}}}}});
  const int64_t now = system_clock().wall_ns(), hour = 3600LL * 1000000000;
  const auto tell = [&](double value, int64_t time_ns) {
    const json line = {{"jsonrpc", "2.0"},
                       {"method", "readings"},
                       {"params",
                        {{"readings",
                          {{{"resource", kDisk},
                            {"name", "temperature_celsius"},
                            {"unit", "celsius"},
                            {"value", value},
                            {"time", time_ns}}}}}}};
    const std::string text = line.dump() + "\n";
    EXPECT_EQ(::send(fds_.front(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  };
  tell(30, now - 30 * hour);
  tell(40, now - 20 * hour);
  tell(40, now - 10 * hour);    // the same: not kept
  tell(34, now + 1000 * hour);  // by a clock that is wrong: now
  send_event("ereport.test.broken", kDisk);
  stop();
  start();
  const auto ask_for = [this](const json& query) {
    const auto text = readings(query.dump());
    EXPECT_TRUE(text) << text.error().text();
    return text ? json::parse(*text) : json();
  };
  const json all = ask_for({{"part", "SLOT 03"}, {"points", 10}});
  EXPECT_EQ(all["resource"], kDisk);
  EXPECT_EQ(all["serial"], "S1");
  ASSERT_EQ(all["series"].size(), 1u);
  const json& series = all["series"][0];
  EXPECT_EQ(series["unit"], "celsius");
  ASSERT_EQ(series["points"].size(), 3u);
  EXPECT_EQ(series["last"], 34);
  EXPECT_EQ(series["max"], 40);
  EXPECT_NEAR(series["mean"].get<double>(), (10 * 30 + 20 * 40) / 30.0, 0.01);
  const json later = ask_for({{"part", "S1"}, {"names", {"temp*"}}, {"from", now - 15 * hour}});
  EXPECT_EQ(later["series"][0]["first"], 40) << "in force when the time begins";
  EXPECT_FALSE(later["series"][0].contains("points"));
  EXPECT_EQ(ask_for({{"part", "S1"}, {"names", {"hours"}}})["series"].size(), 0u);
  EXPECT_EQ(ask_for({{"part", vdev}})["resource"], vdev) << "its own, not its disk's";
  for (const char* wrong : {"{}", R"({"part":"nothing"})", R"({"part":"S1","names":"x"})",
                            R"({"part":"S1","points":-1})"})
    EXPECT_FALSE(readings(wrong)) << wrong;
}

}  // namespace
}  // namespace fmd::test
