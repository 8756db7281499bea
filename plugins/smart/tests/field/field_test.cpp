// smartctl's documents of real disks, through the plugin and the shipped rules to the cases.
#include <filesystem>
#include <map>

#include "plugins/smart/tests/field/smart_field.h"

namespace fmd::smart::testing {
namespace {

// Each recorded document has exactly these cases, so that a rule which accuses one more disk fails this test.
TEST_F(SmartField, AllRecordings) {
  const Cases hot{"Major fault.io.disk.over-temperature"};
  const std::map<std::string, Cases> with_cases{{"nvme-7.5.json", kTest},
                                                {"nvme-errors.json", kTest},
                                                {"nvme-testing.json", kTest},
                                                {"nvme-warning.json", kFailing},
                                                {"sas-environment.json", kTest},
                                                {"sas-failing-7.3.json", kFailing},
                                                {"sas-failing.json", kFailing},
                                                {"sas-hot.json", hot},
                                                {"sas-pending-less-7.3.json", kFailing},
                                                {"sas-pending.json", kFailing},
                                                {"sata-failing.json", kFailing}};
  size_t played = 0, healthy = 0;
  for (const auto& file : std::filesystem::directory_iterator(FIXTURES "/../fixtures")) {
    const std::string name = file.path().filename();
    if (file.path().extension() != ".json") continue;
    SCOPED_TRACE(name);
    const auto expected = with_cases.find(name);
    const Cases found = of("../fixtures/" + name);
    EXPECT_EQ(found, expected == with_cases.end() ? kNone : expected->second);
    ++played;
    healthy += found.empty() ? 1 : 0;
  }
  EXPECT_EQ(played, healthy + with_cases.size());
  EXPECT_GE(played, 20u);
}

TEST_F(SmartField, ARateIsNoCount) {
  constexpr const char* kFirst = "intel520-187-rate-1.json";
  EXPECT_EQ(verdicts({fixture(kFirst), fixture("intel520-187-rate-2.json")}), kNone);
  EXPECT_EQ(verdicts({with_raw(kFirst, 187, 7), with_raw(kFirst, 187, 12)}), kNone);
}

TEST_F(SmartField, AGuessIsNotTheDrivesWord) {
  constexpr const char* kGuess = "guessed-wear-7.5.json";
  EXPECT_EQ(of(kGuess), kNone);
  EXPECT_EQ(verdicts({edited(kGuess, {{"/endurance_used/current_percent", 97}}).dump()}), kNone);
}

TEST_F(SmartField, DataDamagedInsideTheDrive) {
  EXPECT_EQ(of("184-end-to-end.json"), kFailing);
  EXPECT_EQ(verdicts({with_raw("184-end-to-end.json", 184, 1)}), kFailing);
}

TEST_F(SmartField, AContradiction) {
  EXPECT_EQ(of("190-failing-at-18-degrees.json"), kNone);
  EXPECT_EQ(
      verdicts({edited("190-failing-at-18-degrees.json", {{"/temperature/current", 31}}).dump()}),
      kNone);
}

// It is logged once as an event and is not evidence.
TEST_F(SmartField, AWarningThatItsOwnValuesRefute) {
  const char* log = "/nvme_smart_health_information_log";
  json doc = edited("nvme-spare-11-of-10.json", {});
  doc[json::json_pointer(log)].update({{"critical_warning", 1}, {"available_spare", 100}});
  core_.events.clear();
  EXPECT_EQ(verdicts({doc.dump(), doc.dump()}), kNone);
  EXPECT_EQ(std::count_if(core_.events.begin(), core_.events.end(),
                          [](const json& event) {
                            return event["class"] == "ereport.disk.smart.contradiction";
                          }),
            1);
  EXPECT_EQ(core_.property(kDisk, "smart.contradictions"),
            "a warning about spare blocks, of which it has enough");
}

TEST_F(SmartField, SectorsArePhysical) {
  constexpr const char *kSeagate = "one-4k-sector-is-8-1.json", *kWd = "seven-4k-sectors-wd-1.json";
  EXPECT_EQ(verdicts({fixture(kSeagate), fixture("one-4k-sector-is-8-2.json")}), kDefects);
  EXPECT_EQ(verdicts({fixture(kWd), fixture("seven-4k-sectors-wd-2.json")}), kGrowing);
  EXPECT_EQ(verdicts({fixture(kSeagate), with_raw(kSeagate, 197, 24)}), kGrowing) << "three places";
  EXPECT_EQ(verdicts({fixture(kWd), with_raw(kWd, 197, 1)}), kDefects) << "one place";
}

TEST_F(SmartField, WhatMustNotBeSilent) {
  EXPECT_EQ(of("worn-850evo-no-devstat-7.4.json"), kWornSoon);
  EXPECT_EQ(verdicts({with_value("worn-850evo-no-devstat-7.4.json", 177, 8)}), kWornSoon);
  EXPECT_EQ(verdicts({with_value("worn-850evo-no-devstat-7.4.json", 177, 40)}), kNone);
  EXPECT_EQ(of("helium-76.json"), kHeliumLow);
  for (const int left : {99, 98, 91, 76})
    EXPECT_EQ(verdicts({with_value("helium-76.json", 22, left)}), kHelium) << left;
  for (const int left : {75, 26})
    EXPECT_EQ(verdicts({with_value("helium-76.json", 22, left)}), kHeliumLow) << left;
  EXPECT_EQ(verdicts({with_value("helium-76.json", 22, 99), with_value("helium-76.json", 22, 70)}),
            kHeliumLow);
  EXPECT_EQ(verdicts({with_value("helium-76.json", 22, 100)}), kNone);
  EXPECT_EQ(of("nvme-spare-11-of-10.json"), kSpareNear);
  const char* spare = "/nvme_smart_health_information_log/available_spare";
  EXPECT_EQ(verdicts({edited("nvme-spare-11-of-10.json", {{spare, 40}}).dump()}), kNone);
}

TEST_F(SmartField, ImpossibleValues) {
  const char* errors = "/nvme_smart_health_information_log/media_errors";
  const char* spare = "/nvme_smart_health_information_log/available_spare";
  const json well = edited("nvme-spare-11-of-10.json", {{spare, 100}});
  json two_to_32 = well, lost_one = well;
  two_to_32[json::json_pointer(errors)] = 4294967296;
  lost_one[json::json_pointer(errors)] = 1;
  EXPECT_EQ(verdicts({two_to_32.dump()}), kNone);
  EXPECT_EQ(verdicts({well.dump(), two_to_32.dump()}), kNone);
  EXPECT_EQ(verdicts({lost_one.dump()}), kDefects);
  EXPECT_EQ(
      verdicts(
          {edited(
               "worn-850evo-no-devstat-7.4.json",
               {{row(json::parse(fixture("worn-850evo-no-devstat-7.4.json")), 177) + "/value", 90},
                {"/temperature/current", 128},
                {"/temperature/op_limit_max", 33}})
               .dump()}),
      kNone)
      << "128 is no temperature";
}

// The makers' attributes for remaining life, and other attributes with such a number or name.
TEST_F(SmartField, LifeLeftOfOtherMakers) {
  struct Row {
    const char* model;
    int id;
    const char* name;
    int value;
    uint64_t raw;
    int flags;
    Cases expected;
  };
  for (const Row& one : std::initializer_list<Row>{
           {"KINGSTON SA400S37240G", 231, "SSD_Life_Left", 3, 3, 0, kWornSoon},
           {"KINGSTON SA400S37240G", 231, "SSD_Life_Left", 71, 71, 0, kNone},
           {"CT500MX500SSD1", 202, "Percent_Lifetime_Remain", 4, 96, 48, kWornSoon},
           {"Crucial_CT480M500SSD1", 202, "Perc_Rated_Life_Used", 2, 98, 48, kWornSoon},
           {"INTEL SSDSC2KB480G8", 233, "Media_Wearout_Indicator", 5, 0, 50, kWornSoon},
           {"SAMSUNG MZ7LH480HAHQ-00005", 177, "Wear_Leveling_Count", 2, 3900, 19, kWornSoon},
           {"SanDisk SD8SB8U1T001122", 233, "NAND_GB_Written_TLC", 3, 5210, 50, kNone},
           {"WDC WDS500G2B0A-00SM50", 230, "Media_Wearout_Indicator", 1, 17, 50, kNone},
           {"ADATA SU800", 231, "SSD_Life_Left", 0, 0, 0, kNone}}) {
    json doc = edited("worn-850evo-no-devstat-7.4.json", {{"/model_name", one.model}});
    json& table = doc["ata_smart_attributes"]["table"];
    const json flags{{"value", one.flags}, {"prefailure", (one.flags & 1) != 0}};
    table.erase(1);
    table.push_back({{"id", one.id},
                     {"name", one.name},
                     {"value", one.value},
                     {"worst", one.value},
                     {"thresh", 0},
                     {"when_failed", ""},
                     {"flags", flags},
                     {"raw", {{"value", one.raw}, {"string", std::to_string(one.raw)}}}});
    EXPECT_EQ(verdicts({doc.dump()}), one.expected) << one.model << " " << one.value;
    doc["in_smartctl_database"] = false;
    EXPECT_EQ(verdicts({doc.dump()}), kNone) << "a name that smartctl guesses: " << one.model;
  }
}

TEST_F(SmartField, SectorsOfOtherMakers) {
  constexpr const char* kFirst = "one-4k-sector-is-8-1.json";
  const auto of_model = [&](const char* model, uint64_t raw) {
    json doc = json::parse(with_raw(kFirst, 197, raw));
    doc["model_name"] = model;
    return doc.dump();
  };
  for (const char* model : {"TOSHIBA MG08ACA16TE", "MG07ACA14TA", "HGST HUH721212ALE604",
                            "ST16000NM001G-2KK103", "TOSHIBA HDWG480"}) {
    EXPECT_EQ(verdicts({of_model(model, 0), of_model(model, 8)}), kDefects) << model;
    EXPECT_EQ(verdicts({of_model(model, 0), of_model(model, 24)}), kGrowing) << model;
  }
  for (const char* model : {"WDC WD40EFRX-68N32N0", "SAMSUNG HD204UI"})
    EXPECT_EQ(verdicts({of_model(model, 0), of_model(model, 7)}), kGrowing) << model;
  json native = json::parse(with_raw(kFirst, 197, 1));
  native["logical_block_size"] = 4096;
  EXPECT_EQ(verdicts({with_raw(kFirst, 197, 0), native.dump()}), kDefects) << "4Kn";
}

// The values by which firmware, smartctl and bridges express "unknown".
TEST_F(SmartField, NumbersThatAreNone) {
  const char* spare = "/nvme_smart_health_information_log/available_spare";
  const json well = edited("nvme-spare-11-of-10.json", {{spare, 100}});
  for (const json& none : {json(4294967295), json(4294967296), json(281474976710655),
                           json(18446744073709551615u), json(3.4e38), json("12"), json(-1)}) {
    json doc = well;
    doc[json::json_pointer("/nvme_smart_health_information_log/media_errors")] = none;
    EXPECT_EQ(verdicts({well.dump(), doc.dump()}), kNone) << none;
  }
  for (const int none : {255, 101, -1}) {
    json doc = well;
    doc[json::json_pointer(spare)] = none;
    EXPECT_EQ(verdicts({well.dump(), doc.dump()}), kNone) << none;
  }
  for (const uint64_t none : {uint64_t{0xffffffff}, uint64_t{0xffffffffffff}})
    EXPECT_EQ(verdicts({with_raw("184-end-to-end.json", 197, 0),
                        with_raw("184-end-to-end.json", 197, none)}),
              kFailing)
        << "184 alone: " << none;
}

// If the drive flags 5 or 184 as a rate, it is not a count, as with 187.
TEST_F(SmartField, OtherRatesAreNoCounts) {
  json first = edited("intel520-187-rate-1.json", {}), second = first;
  for (json* doc : {&first, &second})
    for (json& one : (*doc)["ata_smart_attributes"]["table"])
      if (one["id"] == 187) {
        one["id"] = 5;
        one["name"] = "Retired_Block_Count";
        one["raw"]["value"] = doc == &first ? 4 : 40;
      }
  EXPECT_EQ(verdicts({first.dump(), second.dump()}), kNone);
}

// smartctl 7.1 prints a label of the pending defects list before its JSON.
TEST_F(SmartField, TextBeforeTheJson) {
  const std::string printed = fixture("sas-text-before-json.txt");
  EXPECT_EQ(verdicts({printed}), kNone);
  EXPECT_EQ(core_.property(kDisk, "smart.state"), "observed");
  EXPECT_EQ(verdicts({"one line\nand another {\n" + printed.substr(printed.find('{'))}), kNone);
  EXPECT_EQ(core_.property(kDisk, "smart.state"), "observed");
}

TEST_F(SmartField, AVolumeWithoutSmart) {
  EXPECT_EQ(of("raid-volume.txt"), kNone);
  EXPECT_EQ(core_.property(kDisk, "smart.state"), "not-observed");
  const std::string reason = core_.property(kDisk, "smart.reason");
  EXPECT_NE(reason.find("passthrough"), reason.npos) << reason;
  for (const char* model : {"AVAGO SMC3108", "HPE MR416i-o Gen11", "Adaptec data1", "Infortrend DS",
                            "EXAMPLE OF ANY NAME"}) {
    json volume = edited("raid-volume.txt", {{"/model_name", model}});
    EXPECT_EQ(verdicts({volume.dump()}), kNone);
    EXPECT_EQ(core_.property(kDisk, "smart.state"), "not-observed") << model;
    volume["smart_status"] = {{"passed", true}};
    volume["smart_support"] = {{"available", true}, {"enabled", true}};
    volume["scsi_grown_defect_list"] = 0;
    EXPECT_EQ(verdicts({volume.dump()}), kNone);
    EXPECT_EQ(core_.property(kDisk, "smart.state"), "not-observed") << model;
    volume["scsi_error_counter_log"] = {{"read", {{"total_uncorrected_errors", 0}}}};
    EXPECT_EQ(verdicts({volume.dump()}), kNone);
    EXPECT_EQ(core_.property(kDisk, "smart.state"), "observed") << "a disk: " << model;
  }
}

// A disk with a count that is not a multiple counts physical sectors, also when a later count is a
// multiple, and after a restart.
TEST_F(SmartField, TheUnitOfADiskStaysTheSame) {
  constexpr const char* kSeagate = "one-4k-sector-is-8-1.json";
  const auto at = [&](uint64_t raw) { return with_raw(kSeagate, 197, raw); };
  EXPECT_EQ(verdicts({at(8), at(9)}), kDefects);
  EXPECT_EQ(verdicts({at(800), at(801)}), kDefects);
  EXPECT_EQ(verdicts({at(13), at(16)}), kGrowing);
  plugin_.reset();
  ASSERT_TRUE(loop_.until([&] { return !core_.connected(); }));
  start();
  command("refresh", "smart://wwn=5000c500a0000001");
  loop_.drain();
  EXPECT_EQ(core_.property(kDisk, "smart.pending"), 16) << core_.cursor;
}

// A self-test log, newest first: (hours, passed).
std::string tested(int hours_now, const std::vector<std::pair<int, bool>>& tests) {
  json table = json::array();
  for (const auto& [hours, passed] : tests)
    table.push_back({{"type", {{"value", 2}, {"string", "Extended offline"}}},
                     {"status",
                      {{"value", passed ? 0 : 119},
                       {"string", passed ? "Completed without error" : "Completed: read failure"}}},
                     {"lifetime_hours", hours}});
  return edited("one-4k-sector-is-8-1.json", {{"/power_on_time/hours", hours_now},
                                              {"/ata_smart_self_test_log/standard/table", table}})
      .dump();
}

TEST_F(SmartField, AnOldFailedSelfTestIsNoEvidence) {
  EXPECT_EQ(verdicts({tested(30000, {{29900, false}})}), kTest);
  EXPECT_EQ(verdicts({tested(30000, {{29950, true}, {29900, false}})}), kNone) << "outdated";
  EXPECT_EQ(verdicts({tested(30000, {{12000, false}})}), kNone) << "long ago";
  EXPECT_EQ(verdicts({tested(30000, {{12000, false}, {11000, true}})}), kNone);
  EXPECT_EQ(verdicts({tested(66000, {{65500, false}})}), kTest);
  EXPECT_EQ(verdicts({tested(66000, {{400, false}})}), kTest) << "its hours have come round";
  EXPECT_EQ(verdicts({tested(66000, {{50000, false}})}), kNone);
  EXPECT_EQ(verdicts({tested(30000, {}), tested(30024, {{30010, false}})}), kTest);
}

}  // namespace
}  // namespace fmd::smart::testing
