// News, the self-test plan, options, the list of disks.
#include "plugins/sdk/messages.h"
#include "plugins/sdk/tests/support.h"
#include "plugins/smart/disk_list.h"
#include "plugins/smart/news.h"
#include "plugins/smart/self_tests.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart::parts_test {
namespace {

using namespace std::chrono_literals;
using testing::report;
using Kind = SelfTest::Kind;
using Result = SelfTest::Result;

std::vector<std::string> classes(const std::vector<sdk::OutEvent>& events) {
  std::vector<std::string> names;
  for (const auto& event : events) {
    constexpr std::string_view kCommon = ".disk.smart.";
    names.push_back(event.event_class.substr(event.event_class.find(kCommon) + kCommon.size()));
  }
  return names;
}
using Names = std::vector<std::string>;

TEST(News, AConditionIsToldOnceAndWhenItEnds) {
  News news;
  EXPECT_EQ(classes(news.of_report("dev://a", report("sata-failing.json", 24), 1)),
            (Names{"failed", "self_test_failed"}));
  EXPECT_TRUE(news.of_report("dev://a", report("sata-failing.json", 24), 2).empty());
  EXPECT_TRUE(news.of_report("dev://a", report("standby.json", 3), 3).empty());
  EXPECT_TRUE(news.of_report("dev://a", report("open-failed.json", 2), 4).empty());
  EXPECT_EQ(classes(news.of_report("dev://a", report("sata.json"), 5)),
            (Names{"cleared", "cleared"}));
}

TEST(News, AFailedTestIsNoNewsAgainWhenAnotherOneRuns) {
  News news;
  EXPECT_EQ(classes(news.of_report("dev://n", report("nvme-errors.json"), 1)),
            (Names{"self_test_failed", "known"}));
  EXPECT_TRUE(news.of_report("dev://n", report("nvme-testing.json"), 2).empty());
}

TEST(News, EachWarningBitOfItsOwn) {
  News news;
  const auto events = news.of_report("dev://n", report("nvme-warning.json", 8), 1);
  EXPECT_EQ(classes(events), (Names{"critical_warning", "critical_warning"}))
      << "the summary of the bits is no news besides";
  EXPECT_EQ(events[0].payload["warning"], "reliability_degraded");
  EXPECT_EQ(events[1].payload["warning"], "spare_below_threshold");
}

TEST(News, ARestartRepeatsNothing) {
  News before, after;
  before.of_report("dev://a", report("sas-failing.json", 8), 1);
  before.of_report("dev://n", report("nvme-errors.json"), 1);
  after.restore(before.cursor());
  EXPECT_TRUE(after.of_report("dev://a", report("sas-failing.json", 8), 2).empty());
  EXPECT_TRUE(after.of_report("dev://n", report("nvme-errors.json"), 2).empty());
  EXPECT_EQ(after.cursor(), before.cursor());
}

TEST(News, CursorsDifferFromOneAnother) {
  News news;
  news.of_hang("dev://a", 60, 1);
  const std::string first = news.cursor();
  news.of_report("dev://a", report("sata.json"), 2);
  news.of_hang("dev://a", 60, 3);
  EXPECT_NE(news.cursor(), first);
}

TEST(News, DamagedCursorsAreEmptyOnes) {
  for (const char* cursor : {"", "x", "[]", R"({"n":-1,"told":[]})", R"({"told":{"a":7}})",
                             R"({"told":{"a":{"is":[1],"errors":"x"}}})"}) {
    News news;
    news.restore(cursor);
    EXPECT_EQ(classes(news.of_report("dev://a", report("sas-hot.json", 8), 1)),
              (Names{"exception"}));
  }
}

TEST(News, OnlyNewEntriesOfTheErrorLogAndNoneOfAPollers) {
  News news;
  EXPECT_EQ(classes(news.of_report("dev://n", report("nvme-errors.json"), 1)),
            (Names{"self_test_failed", "known"}))
      << "what stood there before is no news";
  Report later = report("nvme-errors.json");
  const auto add = [&](uint64_t count, int type, int code) {
    later.nvme_errors.insert(later.nvme_errors.begin(), NvmeError{count, type, code, 0, "", 42});
  };
  add(17, 0, 0x02);
  add(18, 1, 0x09);
  add(19, 2, 0x80);
  const auto events = news.of_report("dev://n", later, 2);
  ASSERT_EQ(classes(events), (Names{"nvme_error"}));
  EXPECT_EQ(events[0].payload["status_code_type"], 2);
  EXPECT_EQ(events[0].payload["status_code"], 0x80);
  EXPECT_EQ(events[0].payload["lba"], 42);
  EXPECT_TRUE(news.of_report("dev://n", later, 3).empty());
  later.nvme_errors.clear();
  EXPECT_TRUE(news.of_report("dev://n", later, 4).empty());
  later = report("nvme-errors.json");
  EXPECT_TRUE(news.of_report("dev://n", later, 5).empty()) << "an empty answer forgets nothing";
}

TEST(News, ALogFullOfNewsIsToldInPart) {
  News news;
  Report r;
  r.answer = Report::Answer::observed;
  r.has_error_log = true;
  EXPECT_EQ(classes(news.of_report("dev://n", r, 1)), (Names{"known"}));
  for (uint64_t count = 100; count > 0; --count)
    r.nvme_errors.push_back({count, 2, 0x81, 0, "", {}});
  const auto events = news.of_report("dev://n", r, 2);
  ASSERT_EQ(events.size(), 64u);
  EXPECT_EQ(events.front().payload["error_count"], 100) << "the newest";
  EXPECT_TRUE(news.of_report("dev://n", r, 3).empty()) << "the rest is not told later either";
}

TEST(News, AHungDiskIsToldOnceUntilItAnswers) {
  News news;
  EXPECT_EQ(classes(news.of_hang("dev://a", 60, 1)), (Names{"hung"}));
  EXPECT_TRUE(news.of_hang("dev://a", 60, 2).empty());
  EXPECT_EQ(classes(news.of_report("dev://a", report("standby.json", 3), 3)), (Names{"cleared"}))
      << "a sleeper answers";
  EXPECT_EQ(classes(news.of_hang("dev://a", 60, 4)), (Names{"hung"}));
}

Candidate disk(const std::string& fmri, int64_t hours, std::vector<SelfTest> tests,
               std::vector<std::string> groups = {}) {
  return {fmri, std::move(groups), false, true, hours, std::move(tests), {}};
}
SelfTest done(Kind kind, int64_t hours) {
  return {kind, Result::passed, hours, ""};
}
const TestPlan kWeekly{24h * 7, 24h * 60, 10};

TEST(SelfTests, DueByTheDisksOwnLog) {
  const auto fresh = disk("a", 1000, {done(Kind::short_test, 990), done(Kind::long_test, 500)});
  const auto weekly = disk("b", 1000, {done(Kind::short_test, 800), done(Kind::long_test, 500)});
  const auto both = disk("c", 5000, {done(Kind::short_test, 4000), done(Kind::long_test, 500)});
  const auto never = disk("d", 10, {});
  const auto longer = disk("e", 5000, {done(Kind::long_test, 4900)});
  EXPECT_EQ(due_tests({fresh, weekly, both, never, longer}, kWeekly),
            (std::vector<TestStart>{
                {"d", Kind::long_test}, {"c", Kind::long_test}, {"b", Kind::short_test}}))
      << "a long test is a short one too";
  EXPECT_TRUE(due_tests({never}, {}).empty()) << "off by default";
}

TEST(SelfTests, AtasHoursWrapAt16Bits) {
  const auto old = disk("a", 70000, {done(Kind::long_test, 70000 - 65536 - 10)});
  EXPECT_TRUE(due_tests({old}, kWeekly).empty());
  const auto due = disk("a", 70000, {done(Kind::long_test, 70000 - 65536 - 200)});
  EXPECT_EQ(due_tests({due}, kWeekly).size(), 1u);
}

TEST(SelfTests, OneOfAGroupAtATime) {
  auto running = disk("a", 10, {}, {"zfs_member:1"});
  running.running = true;
  const auto same = disk("b", 10, {}, {"zfs_member:1", "zfs_member:2"});
  const auto other = disk("c", 10, {}, {"zfs_member:2"});
  const auto another = disk("d", 10, {}, {"zfs_member:2"});
  EXPECT_EQ(due_tests({running, same, other, another}, kWeekly),
            (std::vector<TestStart>{{"c", Kind::long_test}}));
  TestPlan full = kWeekly;
  full.at_once = 1;
  EXPECT_TRUE(due_tests({running, other}, full).empty());
}

TEST(SelfTests, NotOfOneThatSleepsOrCannot) {
  auto asleep = disk("a", 10, {});
  asleep.able = false;
  auto unknown = disk("b", 10, {});
  unknown.hours.reset();
  EXPECT_TRUE(due_tests({asleep, unknown}, kWeekly).empty());
}

TEST(SelfTests, NotOfOneThatWasAskedForNotLongAgo) {
  auto longer = disk("a", 10, {}), both = disk("b", 10, {});
  longer.resting = {Kind::long_test};
  both.resting = {Kind::long_test, Kind::short_test};
  EXPECT_EQ(due_tests({longer, both}, kWeekly), (std::vector<TestStart>{{"a", Kind::short_test}}));
}

TEST(SelfTests, HowLongTheyRest) {
  EXPECT_EQ(rest_after(false, 168h), 24h) << "refused: another turn, at most a day later";
  EXPECT_EQ(rest_after(false, 12h), 12h);
  EXPECT_EQ(rest_after(true, 168h), 168h) << "done, and not again whatever the log shows";
}

class Files : public ::testing::Test {
 protected:
  sdk::testing::Loop loop_;
  sdk::testing::TempTree tree_;
  sdk::Host host_{loop_, tree_.root(), ""};
  Options options_;
  KnownDisks known_;

  std::map<std::string, Target> list() {
    auto disks = list_disks(host_, options_, known_);
    EXPECT_TRUE(disks);
    return disks ? *disks : std::map<std::string, Target>();
  }
  void disk(const std::string& name, const std::string& wwn) {
    tree_.file("/sys/block/" + name + "/device/wwid", "naa." + wwn + "\n");
    tree_.file("/sys/block/" + name + "/size", "1000\n");
  }
};

TEST_F(Files, PathsToOneDiskAreOne) {
  disk("sda", "5000c500a0000001");
  disk("sdb", "5000c500a0000001");
  disk("sdc", "5000c500a0000002");
  disk("vda", "5000c500a0000003");
  disk("loop0", "5000c500a0000004");
  const auto disks = list();
  ASSERT_EQ(disks.size(), 2u);
  EXPECT_EQ(disks.at("dev://wwn=5000c500a0000001").devices, (Names{"/dev/sda", "/dev/sdb"}));
}

TEST_F(Files, AKnownDiskIsReadAnewWhenItAppearsAnew) {
  disk("sda", "5000c500a0000001");
  tree_.file("/sys/block/sda/diskseq", "7\n");
  ASSERT_TRUE(list().contains("dev://wwn=5000c500a0000001"));
  disk("sda", "5000c500a0000002");
  EXPECT_TRUE(list().contains("dev://wwn=5000c500a0000001"));
  tree_.file("/sys/block/sda/diskseq", "8\n");
  EXPECT_TRUE(list().contains("dev://wwn=5000c500a0000002"));
}

TEST_F(Files, AnNvmeDriveIsAskedByItsControllerOnce) {
  const std::string drive = "/sys/devices/pci0000:00/0000:00:03.0/nvme/nvme4";
  for (const char* space : {"nvme0n1", "nvme0n2"}) {
    tree_.file(drive + "/" + space + "/wwid", std::string("eui.") + space[6] + "025385b1\n");
    tree_.link(drive + "/" + space + "/device", "../../nvme4");
    tree_.link(std::string("/sys/block/") + space, drive + "/" + space);
  }
  const auto disks = list();
  ASSERT_EQ(disks.size(), 1u);
  EXPECT_EQ(disks.begin()->first, "dev://wwn=1025385b1");
  EXPECT_EQ(disks.begin()->second.devices, (Names{"/dev/nvme4"}));
  EXPECT_TRUE(disks.begin()->second.nvme);
}

TEST_F(Files, NativeMultipathByTheSubsystemsControllers) {
  const std::string system = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
  tree_.file(system + "/nvme0n1/wwid", "eui.0025385b1\n");
  tree_.link(system + "/nvme0n1/device", "../../nvme-subsys0");
  tree_.folder(system + "/nvme2");
  tree_.folder(system + "/nvme3");
  tree_.link("/sys/block/nvme0n1", system + "/nvme0n1");
  tree_.file("/sys/block/nvme0c2n1/hidden", "1\n");
  const auto disks = list();
  ASSERT_EQ(disks.size(), 1u);
  EXPECT_EQ(disks.begin()->second.devices, (Names{"/dev/nvme2", "/dev/nvme3"}));
}

TEST_F(Files, TypesAndIgnoredOnesByAnyName) {
  disk("sda", "5000c500a0000001");
  disk("sdb", "5000c500a0000002");
  disk("sdc", "5000c500a0000003");
  options_.types = {{"/dev/sda", "sat"}, {"5000c500a0000002", "sat,12"}};
  options_.ignore = {"sdc"};
  const auto disks = list();
  ASSERT_EQ(disks.size(), 2u);
  EXPECT_EQ(disks.at("dev://wwn=5000c500a0000001").type, "sat");
  EXPECT_EQ(disks.at("dev://wwn=5000c500a0000002").type, "sat,12");
}

TEST_F(Files, GroupsByWhatTheDiskIsAMemberOf) {
  disk("sda", "5000c500a0000001");
  tree_.file("/sys/block/sda/sda1/dev", "8:1\n");
  tree_.file("/sys/block/sda/sda2/dev", "8:2\n");
  tree_.file("/run/udev/data/b8:1",
             "S:disk/by-id/x\nE:ID_FS_UUID=11864\nE:ID_FS_TYPE=zfs_member\n");
  tree_.file("/run/udev/data/b8:2", "E:ID_FS_TYPE=ext4\nE:ID_FS_UUID=7\n");
  EXPECT_TRUE(list().begin()->second.groups.empty()) << "not looked for without a plan";
  options_.selftest.short_every = 168h;
  EXPECT_EQ(list().begin()->second.groups, (Names{"zfs_member:11864"}));
}

TEST_F(Files, OptionsAreReadStrictly) {
  const auto load = [&](const std::string& text) {
    tree_.file("/smart.toml", text);
    return load_options(tree_.root() + "/smart.toml");
  };
  const auto good = load(
      "interval = \"10min\"\ntypes = [\"/dev/sdx sat,12\"]\npassthrough = [\"/dev/sda "
      "megaraid,3\"]\n"
      "standby_skips = 5\n[selftest]\nshort = \"7d\"\n");
  ASSERT_TRUE(good) << good.error().text();
  EXPECT_EQ(good->interval, 10min);
  EXPECT_EQ(good->types.at("/dev/sdx"), "sat,12");
  EXPECT_EQ(good->passthrough.at(0).type, "megaraid,3");
  EXPECT_EQ(good->selftest.short_every, 168h);
  EXPECT_EQ(good->selftest.long_every, 0h);
  for (const char* bad :
       {"intervall = \"1s\"", "types = [\"/dev/sdx\"]", "types = [\"/dev/sdx -t\"]",
        "passthrough = [\"sda megaraid,3\"]", "passthrough = [\"/dev/../etc/x sat\"]",
        "at_once = 0", "[selftest]\nshort = \"1h\""})
    EXPECT_FALSE(load(bad)) << bad;
  EXPECT_TRUE(load_options(SMART_TOML)) << "the example";
}

}  // namespace
}  // namespace fmd::smart::parts_test
