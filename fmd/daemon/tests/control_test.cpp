// What the bus asks of the daemon, and what it is told.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fmd/control/queries.h"
#include "fmd/daemon/tests/control_rig.h"

namespace fmd::test {
namespace {

TEST_F(ControlTest, CasesAreFoundByUuidBayAndSerial) {
  send_bay();
  send_event("ereport.test.broken", kDisk);
  send_event("ereport.test.broken", "dev://serial=M:S2");
  ASSERT_EQ(cases().size(), 2u);
  EXPECT_EQ(cases()[0]["suspects"][0]["location"], "SLOT 03");
  EXPECT_EQ(cases()[0]["suspects"][0]["bay_led"], "off");
  for (const char* filter :
       {R"({"fru":"S1"})", R"({"fru":"SLOT 03"})", R"({"fru":"dev://serial=M:S1"})",
        R"({"resource":"dev://serial=M:S1"})"})
    EXPECT_EQ(cases(filter).size(), 1u) << filter;
  const std::string uuid = cases()[1]["uuid"];
  EXPECT_EQ(cases(json{{"uuid", uuid}}.dump())[0]["suspects"][0]["resource"], "dev://serial=M:S2");
  EXPECT_EQ(cases(R"({"fru":"nothing"})").size(), 0u);
}

TEST_F(ControlTest, AWrongFilterIsAnErrorThatSaysWhatIsMeant) {
  for (const auto& [filter, meant] :
       std::map<std::string, std::string>{{R"({"uid":"x"})", "\"uuid\""},
                                          {R"({"all":"yes"})", "true or false"},
                                          {"[]", "JSON object"},
                                          {"{", "JSON object"}}) {
    const auto answer = control().list_cases(filter);
    ASSERT_FALSE(answer) << filter;
    EXPECT_NE(answer.error().message.find(meant), std::string::npos) << answer.error().message;
  }
  EXPECT_FALSE(events(R"({"limit":0})"));
  EXPECT_FALSE(events(R"({"limit":10001})"));
  EXPECT_FALSE(events(R"({"uuid":"none"})"));
  EXPECT_FALSE(events(R"({"resource":"sda"})"));
}

TEST_F(ControlTest, ACasesEvidenceIsLeftOutWhereNobodyAsksForIt) {
  send_event("ereport.test.broken", kDisk);
  EXPECT_EQ(cases()[0]["evidence"].size(), 1u);
  const json brief = cases(R"({"no_evidence":true})")[0];
  EXPECT_EQ(brief["evidence"], json::array());
  EXPECT_EQ(brief["evidence_count"], 1);
}

TEST_F(ControlTest, EventsComeInPages) {
  for (int i = 0; i < 5; ++i) send_event("ereport.test.broken", kDisk);
  const auto page = [&](uint64_t after) {
    const auto text = events(json{{"after", after}, {"limit", 2}}.dump());
    EXPECT_TRUE(text) << text.error().text();
    return json::parse(*text);
  };
  const json first = page(0);
  ASSERT_EQ(first["events"].size(), 2u);
  EXPECT_EQ(first["events"][0]["seq"], 1);
  EXPECT_EQ(first["next"], 2);
  EXPECT_EQ(first["more"], true);
  const json last = page(4);
  EXPECT_EQ(last["events"].size(), 1u);
  EXPECT_EQ(last["more"], false);
  const auto evidence = events(json{{"uuid", cases()[0]["uuid"]}}.dump());
  ASSERT_TRUE(evidence);
  EXPECT_EQ(json::parse(*evidence)["events"].size(), 5u);
  EXPECT_EQ(json::parse(*events(json{{"resource", kDisk}}.dump()))["events"].size(), 5u);
  EXPECT_EQ(json::parse(*events(R"({"resource":"dev://serial=none"})"))["events"].size(), 0u);
}

TEST_F(ControlTest, ListsComeInPagesWhereTheyAreLong) {
  send_bay();
  for (int part = 0; part < 450; part += 15) {  // the socket takes no more before the daemon reads
    json resources = json::array();
    for (int i = part; i < part + 15; ++i)
      resources.push_back({{"fmri", fmt::format("test://part={}", i)},
                           {"type", "x"},
                           {"properties", {{"text", std::string(3000, 'x')}}}});
    request(fds_.front(), "inventory", {{"resources", resources}});
  }
  const auto whole = control().list_resources(R"({"type":"x"})");
  ASSERT_FALSE(whole);
  EXPECT_NE(whole.error().message.find("by ListPage"), std::string::npos);
  EXPECT_TRUE(control().list_resources(R"({"fmri":"test://part=7"})"));
  std::vector<std::string> found;
  json filter = {{"type", "x"}};
  for (bool more = true; more;) {
    const auto text = control().list_page("resources", filter.dump());
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_LE(text->size(), (1u << 20) + 1000);
    const json page = json::parse(*text);
    for (const json& item : page["items"]) found.push_back(item["fmri"]);
    more = page["more"];
    filter["after"] = page["next"];
  }
  EXPECT_EQ(found.size(), 450u);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  for (const char* list : {"cases", "bay-history", "serd", "outbox", "explanations"}) {
    const auto text = control().list_page(list, "");
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_EQ(json::parse(*text)["more"], false) << list;
  }
  const auto around = control().list_resources(R"({"around":["test://part=7","test://none"]})");
  ASSERT_TRUE(around) << around.error().text();
  ASSERT_EQ(json::parse(*around).size(), 1u);
  EXPECT_EQ(json::parse(*around)[0]["fmri"], "test://part=7");
  filter = {{"around", json::array()}};
  for (int i = 0; i < 450; ++i) filter["around"].push_back(fmt::format("test://part={}", i));
  size_t of_pages = 0;
  for (bool more = true; more;) {
    const auto text = control().list_page("resources", filter.dump());
    ASSERT_TRUE(text) << text.error().text();
    const json page = json::parse(*text);
    of_pages += page["items"].size();
    more = page["more"];
    filter["after"] = page["next"];
  }
  EXPECT_EQ(of_pages, 450u);
  EXPECT_FALSE(control().list_resources(R"({"around":"test://part=7"})"));
  filter = {{"around", std::vector<std::string>(1001, "test://part=7")}};
  EXPECT_FALSE(control().list_resources(filter.dump()));
  EXPECT_FALSE(control().list_page("everything", "{}"));
  EXPECT_FALSE(control().list_page("serd", R"({"type":"x"})"));
}

TEST_F(ControlTest, ACaseIsFoundByTheBeginningOfItsId) {
  for (int disk = 0; disk < 20; ++disk)
    send_event("ereport.test.broken", fmt::format("dev://serial=M:T{}", disk));
  const json all = cases();
  ASSERT_EQ(all.size(), 20u);
  for (const json& one : all) {
    const std::string uuid = one["uuid"];
    const json found = cases(json{{"uuid_prefix", uuid.substr(0, 8)}}.dump());
    ASSERT_EQ(found.size(), 1u) << uuid;
    EXPECT_EQ(found[0]["uuid"], uuid);
  }
  EXPECT_TRUE(cases(R"({"uuid_prefix":"zzzz"})").empty());
  EXPECT_FALSE(control().list_cases(R"({"uuid_prefix":"12"})")) << "it could be most of them";
}

// Looking at 10,000 cases took longer than one answer may.
TEST(CaseQuery, APageOfOnePartsCasesEndsSoonIfWithNothingYet) {
  Engine engine(std::make_shared<RuleSet>(), [] { return std::string(); });
  std::vector<StateRow> rows;
  for (int i = 0; i < 3500; ++i) {
    Case c;
    c.uuid = fmt::format("{:08x}-0000-4000-8000-000000000000", i * 2654435761u);
    c.state = CaseState::solved;
    c.opened_ns = i + 1;
    c.suspects.emplace_back();
    c.suspects[0].serial = i == 3000 ? "WANTED" : fmt::format("S{}", i);
    rows.push_back({"case", c.uuid, to_json_text(c)});
  }
  ASSERT_TRUE(engine.restore(rows));
  const PartIndex index(engine.inventory());
  const Maintenance maintenance;
  json filter = {{"fru", "WANTED"}};
  size_t found = 0, pages = 0;
  for (bool more = true; more; ++pages) {
    const auto text = query_cases(engine, {index, maintenance}, filter.dump(), Paging::page);
    ASSERT_TRUE(text) << text.error().text();
    const json page = json::parse(*text);
    found += page["items"].size();
    more = page["more"];
    filter["after"] = page["next"];
  }
  EXPECT_EQ(found, 1u);
  EXPECT_EQ(pages, 4u);
  filter.erase("after");
  EXPECT_EQ(
      json::parse(*query_cases(engine, {index, maintenance}, filter.dump(), Paging::whole)).size(),
      1u);
}

TEST_F(ControlTest, ThePartsOfOpenCasesAreFoundWithoutTheirNames) {
  const auto found = [&] {
    std::set<std::string> fmris;
    for (const json& r : json::parse(*control().list_resources(R"({"around_cases":true})")))
      fmris.insert(r["fmri"]);
    return fmris;
  };
  send_bay();
  EXPECT_TRUE(found().empty()) << "no case, and not the whole inventory";
  send_event("ereport.test.broken", kDisk);
  const json suspect = cases()[0]["suspects"][0];
  EXPECT_TRUE(found().contains(kDisk));
  EXPECT_TRUE(found().contains(suspect["bay"]));
  const json by_name = {{"around", {suspect["resource"], suspect["bay"]}}};
  EXPECT_EQ(json::parse(*control().list_resources(by_name.dump())).size(), found().size());
  EXPECT_LT(found().size(), json::parse(*control().list_resources("{}")).size());
  EXPECT_FALSE(control().list_resources(R"({"around_cases":true,"around":["test://part=7"]})"));
  EXPECT_FALSE(control().list_resources(R"({"around_cases":"yes"})"));
  // Who has asked for the cases asks for what is around them when this one has ended.
  send_event("sysevent.test.fine", kDisk);
  ASSERT_TRUE(cases().empty());
  EXPECT_TRUE(found().contains(kDisk));
  const Case& ended = control().engine().cases().begin()->second;
  const auto later = [&](int64_t minutes) {
    return *query_resources(control().engine(), ended.resolved_ns + minutes * 60'000'000'000,
                            R"({"around_cases":true})", Paging::whole);
  };
  EXPECT_NE(later(4), "[]");
  EXPECT_EQ(later(6), "[]");
}

TEST_F(ControlTest, AnAdministratorsWordIsOnDiskWhenItIsAnswered) {
  send_event("ereport.test.broken", kDisk);
  const std::string uuid = cases()[0]["uuid"];
  EXPECT_FALSE(control().judge("fixed", uuid, "", false, "root"));
  EXPECT_FALSE(control().judge("repaired", "no-such-case", "", false, "root"));
  EXPECT_FALSE(control().acknowledge("no-such-case", "", "root"));
  ASSERT_TRUE(control().acknowledge(uuid, "known", "uid 1000"));
  const auto judged = control().judge("repaired", uuid, "", false, "root");
  ASSERT_TRUE(judged) << judged.error().text();
  EXPECT_EQ(*judged, std::vector<std::string>{uuid});
  stop();
  start();
  EXPECT_EQ(cases().size(), 0u);
  ASSERT_EQ(cases(R"({"all":true})").size(), 1u);
  EXPECT_EQ(cases(R"({"all":true})")[0]["acknowledged_by"], "uid 1000");
}

// The bad disk would go back into service.
TEST_F(ControlTest, WhatIsStillThereIsNotReplaced) {
  send_bay();
  send_event("ereport.test.broken", kDisk);
  const std::string uuid = cases()[0]["uuid"];
  for (const auto& [of, part] : {std::pair<std::string, std::string>{uuid, ""}, {"", "SLOT 03"}}) {
    const auto judged = control().judge("replaced", of, part, false, "root");
    ASSERT_FALSE(judged);
    EXPECT_EQ(judged.error().message,
              "the disk with serial S1 is still in SLOT 03: nothing has been replaced. Pull it "
              "first; 'fmadm repaired' if it was repaired in place; with --force it goes back into "
              "service as it is");
  }
  EXPECT_EQ(cases()[0]["state"], "SOLVED");
  ASSERT_TRUE(control().judge("replaced", uuid, "", true, "root"));
  EXPECT_EQ(cases().size(), 0u);
}

TEST_F(ControlTest, WhatIsNotThereAnyMoreIsReplaced) {
  send_bay();
  send_event("ereport.test.broken", kDisk);
  request(fds_.front(), "inventory",
          {{"resources", json::array()}, {"gone", {{{"fmri", kDisk}, {"reason", "removed"}}}}});
  ASSERT_TRUE(control().judge("replaced", "", "S1", false, "root"));
  EXPECT_EQ(cases().size(), 0u);
}

TEST_F(ControlTest, ObserversAreToldAfterTheCommit) {
  send_bay();
  send_event("ereport.test.broken", kDisk);
  EXPECT_EQ(observer_.last_seq, 1u);
  ASSERT_FALSE(observer_.cases.empty());
  EXPECT_EQ(observer_.cases.back().second, "diagnosed");
  EXPECT_NE(std::find(observer_.resources.begin(), observer_.resources.end(),
                      std::pair<std::string, std::string>(kBay, "added")),
            observer_.resources.end());
}

TEST_F(ControlTest, DryRunSurvivesARestart) {
  EXPECT_FALSE(control().dry_run());
  ASSERT_TRUE(control().set_dry_run(true, "root"));
  EXPECT_EQ(observer_.dry_runs, std::vector<bool>{true});
  stop();
  start();
  EXPECT_TRUE(control().dry_run());
  EXPECT_EQ(json::parse(*control().get_config())["dry_run"], true);
  ASSERT_TRUE(control().set_dry_run(false, "root"));
  stop();
  start();
  EXPECT_FALSE(control().dry_run());
}

TEST_F(ControlTest, LocateFindsTheBayByLabelOrWhatIsInIt) {
  send_bay();
  for (const char* part : {"SLOT 03", kBay, "S1", kDisk}) {
    const auto bay = control().locate(part, true, "root");
    ASSERT_TRUE(bay) << part << ": " << bay.error().text();
    EXPECT_EQ(*bay, kBay);
  }
  EXPECT_FALSE(control().locate("SLOT 99", true, "root"));
}

TEST_F(ControlTest, APoolOrAnInteriorVdevIsNotOneDisk) {
  send_bay();
  const auto vdev = [](const char* fmri, const char* name, json below) {
    json edges = json::array();
    for (const json& to : below) edges.push_back({{"relation", "redundancy"}, {"to", to}});
    return json{
        {"fmri", fmri}, {"type", "zfs-vdev"}, {"properties", {{"name", name}}}, {"edges", edges}};
  };
  json pool = vdev("zfs://pool=1", "tank", {"zfs://pool=1/vdev=9"});
  pool["type"] = "zfs-pool";
  request(
      fds_.front(), "inventory",
      {{"resources",
        {pool,
         vdev("zfs://pool=1/vdev=9", "mirror-0", {"zfs://pool=1/vdev=1", "zfs://pool=1/vdev=2"}),
         vdev("zfs://pool=1/vdev=1", "sda", {kDisk}),
         vdev("zfs://pool=1/vdev=2", "sdb", {"dev://serial=M:S2"}),
         {{"fmri", "dev://serial=M:S2"}, {"type", "disk"}, {"properties", {{"serial", "S2"}}}}}}});
  const std::string disks = "name one of its disks: SLOT 03 (serial S1), serial S2";
  for (const auto& [name, what] : {std::pair<const char*, const char*>{"zfs://pool=1", "a pool"},
                                   {"zfs://pool=1/vdev=9", "a vdev of several"}}) {
    const std::string said =
        "\"" + std::string(name) + "\" is " + what + ", not one disk; " + disks;
    const auto lit = control().locate(name, true, "root");
    ASSERT_FALSE(lit);
    EXPECT_EQ(lit.error().message, said);
    EXPECT_FALSE(control().hold_locate(name, "bus:1.7", "root"));
    control().self_test(name, "short", false, "root", [&](const Result<DiskAnswer>& answer) {
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().message, said);
    });
  }
  EXPECT_EQ(control().locate("zfs://pool=1/vdev=1", true, "root").value_or(""), kBay);
}

TEST_F(ControlTest, WhoHoldsALightIsRememberedUntilItIsReleased) {
  send_bay();
  EXPECT_FALSE(control().hold_locate("SLOT 99", "bus:1.7", "root"));
  EXPECT_EQ(control().hold_locate("SLOT 03", "bus:1.7", "root").value_or(""), kBay);
  stop();
  start();
  EXPECT_EQ(control().locate_holders(), std::set<std::string>{"bus:1.7"});
  ASSERT_TRUE(control().release_locate("bus:1.8"));
  EXPECT_EQ(control().locate_holders(), std::set<std::string>{"bus:1.7"});
  ASSERT_TRUE(control().release_locate("bus:1.7"));
  stop();
  start();
  EXPECT_TRUE(control().locate_holders().empty());
}

TEST_F(ControlTest, ReloadListsEveryErrorAndKeepsWhatItHad) {
  write("rules/broken.toml", "[[rule]]\nname = \"x\"\nkindd = \"immediate\"\n");
  write("fmd.toml", "[action]\nmax_retird = 1\n");
  const auto errors = control().reload("root");
  ASSERT_GE(errors.size(), 2u);
  EXPECT_NE(errors[0].find("fmd.toml:2: "), std::string::npos) << errors[0];
  EXPECT_EQ(json::parse(*control().get_config())["errors"].size(), errors.size());
  send_event("ereport.test.broken", kDisk);
  EXPECT_EQ(cases().size(), 1u) << "the old rules are in force";
  fs::remove(dir_ / "rules/broken.toml");
  write("fmd.toml", "[action]\ndry_run = true\n");
  EXPECT_TRUE(control().reload("root").empty());
  EXPECT_TRUE(control().dry_run());
  EXPECT_EQ(observer_.dry_runs, std::vector<bool>{true});
  EXPECT_EQ(json::parse(*control().get_config())["errors"], json::array());
}

// Else a restart after the file is changed, or a copy of it elsewhere, surprises.
TEST_F(ControlTest, ADryRunThatOnlyTheFileOrdersIsSaid) {
  write("fmd.toml", "[action]\ndry_run = true\n");
  EXPECT_TRUE(control().reload("root").empty());
  json config = json::parse(*control().get_config());
  EXPECT_EQ(config["dry_run_in_file"], true);
  EXPECT_EQ(config["warnings"], json::array()) << "it is in force";
  ASSERT_TRUE(control().set_dry_run(false, "root"));
  config = json::parse(*control().get_config());
  EXPECT_EQ(config["dry_run"], false);
  EXPECT_EQ(config["warnings"],
            json::array({"dry run is off by 'fmadm dry-run off', but fmd.toml still has dry_run = "
                         "true"}));
}

TEST_F(ControlTest, ConfigurationTellsPluginsRulesStoreAndWarnings) {
  const int fd = plugin("zfs");
  const std::string status =
      R"({"jsonrpc":"2.0","method":"status","params":{"state":"not-observed","reason":"no zpool(8) on this host"}})"
      "\n";
  ASSERT_EQ(::send(fd, status.data(), status.size(), 0), static_cast<ssize_t>(status.size()));
  send_event("ereport.test.broken", kDisk);
  json config;
  run_until([&] {
    config = json::parse(*control().get_config());
    return config["store"]["events"] == 1;
  });
  EXPECT_EQ(config["rules"].size(), 2u);
  EXPECT_EQ(config["plugins"][0]["state"], "not-observed");
  EXPECT_EQ(config["warnings"], json::array()) << "it is said once, with the plugin";
  EXPECT_EQ(config["store"]["failing"], false);
  const json plugins = json::parse(*control().list_plugins());
  EXPECT_EQ(plugins[0]["events_received"], 1);
  EXPECT_EQ(plugins[0]["pid"], getpid());
  const json resources = json::parse(*control().list_resources(R"({"type":"plugin"})"));
  ASSERT_EQ(resources.size(), 1u);
  EXPECT_EQ(resources[0]["properties"]["state"], "not-observed");
  const std::string works =
      R"({"jsonrpc":"2.0","method":"status","params":{"state":"ok","reason":"zed is running"}})"
      "\n";
  ASSERT_EQ(::send(fd, works.data(), works.size(), 0), static_cast<ssize_t>(works.size()));
  run_until([&] {
    config = json::parse(*control().get_config());
    return config["plugins"][0]["state"] == "ok";
  });
  EXPECT_EQ(config["warnings"], json::array({"zfs: zed is running"}));
}

TEST_F(ControlTest, APluginThatWasTakenAwayIsForgottenWhenItsCaseIsAcquitted) {
  plugin("old");
  plugin("test");
  std::swap(fds_[0], fds_[1]);
  ::close(fds_[1]);
  fds_.pop_back();
  send_event("ereport.fmd.plugin.dead", "fmd://plugin=old");
  ASSERT_EQ(cases().size(), 1u);
  ASSERT_TRUE(
      control().judge("acquitted", cases()[0]["uuid"].get<std::string>(), "", false, "root"));
  EXPECT_EQ(json::parse(*control().list_resources(R"({"type":"plugin"})")).size(), 1u);
  EXPECT_EQ(json::parse(*control().list_plugins()).size(), 1u);
}

}  // namespace
}  // namespace fmd::test
