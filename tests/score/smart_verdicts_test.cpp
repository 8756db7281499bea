// From smartctl's output to the verdict of the shipped rules: values that are no counts, guesses,
// units, fields that do not apply, contradictions, and failures that must be reported. The
// documents were written for these tests after public reports about drives of the named kinds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/diagnosis/replay.h"
#include "plugins/smart/disk_record.h"
#include "plugins/smart/report.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::score {
namespace {

using nlohmann::json;
using Cases = std::vector<std::string>;

constexpr int64_t kHour = 3'600'000'000'000, kDay = 24 * kHour, kStart = 1'700'000'000'000'000'000;

// A row of smartctl's attributes. flags (ATA8-ACS): bit 0 prefailure, 3 error rate, 4 event count.
json row(int id, const std::string& name, int value, int flags, uint64_t raw, int threshold = 0) {
  return {{"id", id},
          {"name", name},
          {"value", value},
          {"worst", value},
          {"thresh", threshold},
          {"when_failed", threshold > 0 && value <= threshold ? "now" : ""},
          {"flags",
           {{"value", flags},
            {"prefailure", (flags & 1) != 0},
            {"error_rate", (flags & 8) != 0},
            {"event_count", (flags & 16) != 0}}},
          {"raw", {{"value", raw}, {"string", std::to_string(raw)}}}};
}

json ata(const std::string& model, int rpm, std::vector<json> rows, bool in_database = true) {
  return {{"smartctl", {{"version", {7, 4}}, {"exit_status", 0}}},
          {"device", {{"name", "/dev/sda"}, {"type", "sat"}, {"protocol", "ATA"}}},
          {"model_name", model},
          {"in_smartctl_database", in_database},
          {"rotation_rate", rpm},
          {"logical_block_size", 512},
          {"physical_block_size", 4096},
          {"smart_support", {{"available", true}, {"enabled", true}}},
          {"smart_status", {{"passed", true}}},
          {"ata_smart_attributes", {{"table", std::move(rows)}}}};
}

json with(json doc, const std::string& pointer, json value) {
  doc[json::json_pointer(pointer)] = std::move(value);
  return doc;
}

json page_7(int value, int flags = 0xc0) {
  return {{"pages",
           {{{"number", 7},
             {"table",
              {{{"name", "Percentage Used Endurance Indicator"},
                {"value", value},
                {"flags", {{"value", flags}, {"valid", true}}}}}}}}}};
}

json nvme(const json& log) {
  json doc{{"smartctl", {{"version", {7, 4}}, {"exit_status", 0}}},
           {"device", {{"name", "/dev/nvme0"}, {"type", "nvme"}, {"protocol", "NVMe"}}},
           {"model_name", "EXAMPLE NVME"},
           {"smart_status", {{"passed", true}}},
           {"nvme_smart_health_information_log",
            {{"critical_warning", 0},
             {"temperature", 33},
             {"available_spare", 100},
             {"available_spare_threshold", 10},
             {"percentage_used", 1},
             {"media_errors", 0}}}};
  doc["nvme_smart_health_information_log"].update(log);
  return doc;
}

json sas(const json& more) {
  json doc{{"smartctl", {{"version", {7, 4}}, {"exit_status", 0}}},
           {"device", {{"name", "/dev/sda"}, {"type", "scsi"}, {"protocol", "SCSI"}}},
           {"scsi_model_name", "EXAMPLE SAS"},
           {"rotation_rate", 7200},
           {"logical_block_size", 512},
           {"physical_block_size", 4096},
           {"smart_support", {{"available", true}, {"enabled", true}}},
           {"smart_status", {{"passed", true}}},
           {"temperature", {{"current", 31}, {"drive_trip", 60}}}};
  if (more.is_object()) doc.update(more);
  return doc;
}

json uncorrected(const char* what, int count) {
  return {{"scsi_error_counter_log", {{what, {{"total_uncorrected_errors", count}}}}}};
}

// One reading a day, then ten quiet days. Returns "Severity class" of each case in opening order.
Cases verdicts(const std::vector<json>& looks) {
  Replay replay(shipped_rules(), shipped_schema(), "looks", 0);
  int64_t at = kStart;
  smart::SectorUnit unit = smart::SectorUnit::unknown;
  for (const json& doc : looks) {
    const smart::Report report = smart::parse_report(doc.dump(), 0, unit);
    unit = report.sector_unit;
    EXPECT_EQ(report.answer, smart::Report::Answer::observed) << report.reason;
    smart::DiskRecord record;
    record.observed(report);
    json resource = record.resource("dev://wwn=1", false);
    resource["present"] = true;
    const json line{
        {"at", at},
        {"plugin", "smart"},
        {"method", "inventory"},
        {"params",
         {{"complete", false}, {"resources", json::array({resource})}, {"gone", json::array()}}}};
    EXPECT_TRUE(replay.line(line.dump()));
    for (const int64_t wait : {2 * kHour, 3 * kHour, kDay - 1})
      EXPECT_TRUE(replay.line(json{{"at", at + wait}, {"method", "time"}}.dump()));
    at += kDay;
  }
  EXPECT_TRUE(replay.line(json{{"at", at + 10 * kDay}, {"method", "time"}}.dump()));
  Cases found;
  for (const Case& c : replay.finish().cases)
    if (c.state != CaseState::unsolved)
      found.push_back(nlohmann::json(to_json(c)).at("severity").get<std::string>() + " " +
                      to_json(c).at("class").get<std::string>().substr(14));
  return found;
}

const Cases kNone, kDefects{"Minor defects"}, kGrowing{"Major media-defects"},
    kFailing{"Major predictive-failure"}, kWornSoon{"Minor ssd-wearout"},
    kWornOut{"Major ssd-worn-out"};

TEST(SmartVerdicts, ARateIsNoCount) {
  const auto looks = [](const std::string& model, int flags, uint64_t from, uint64_t to) {
    return std::vector<json>{
        ata(model, 0, {row(187, "Uncorrectable_Error_Cnt", 117, flags, from, 50)}),
        ata(model, 0, {row(187, "Uncorrectable_Error_Cnt", 117, flags, to, 50)})};
  };
  EXPECT_EQ(verdicts(looks("INTEL SSDSC2CW240A3", 0x0f, 88'213'004, 91'002'377)), kNone);
  EXPECT_EQ(verdicts(looks("KINGSTON SH103S3240G", 0x0b, 12, 15)), kNone)
      << "also where it is small";
  EXPECT_EQ(verdicts(looks("INTEL SSDSC2BB480G4", 0x32, 4, 6)), kGrowing) << "an event count";
  EXPECT_EQ(verdicts(looks("INTEL SSDSC2BB480G4", 0x3a, 4, 6)), kGrowing) << "both flags";
  // Attributes 198 and 199 of WD and HGST are flagged as rates but are counters.
  EXPECT_EQ(
      verdicts({ata("WDC WD2003FYYS", 7200, {row(198, "Offline_Uncorrectable", 200, 0x08, 1)})}),
      kDefects);
}

TEST(SmartVerdicts, AGuessIsNotTheDrivesWord) {
  const json guess{{"current_percent", 100}};
  const auto ssd = [&](const std::string& model, int left, uint64_t raw, bool known) {
    return with(ata(model, 0, {row(177, "Wear_Leveling_Count", left, 0x32, raw)}, known),
                "/endurance_used", guess);
  };
  EXPECT_EQ(verdicts({ssd("XF128 GENERIC", 0, 0, false)}), kNone);
  EXPECT_EQ(verdicts({ssd("XF128 GENERIC", 0, 700, false)}), kNone);
  EXPECT_EQ(verdicts({ssd("ADATA SP580", 0, 0, true)}), kNone) << "an attribute that is not used";
  EXPECT_EQ(verdicts({ssd("Samsung SSD 860 PRO 1TB", 0, 5800, true)}), kWornOut);
  // An SSD unknown to smartctl, with the names of hard disks.
  EXPECT_EQ(verdicts({ata("XF128 GENERIC", 0,
                          {row(197, "Current_Pending_Sector", 100, 0x12, 40),
                           row(184, "End-to-End_Error", 100, 0x32, 9),
                           row(5, "Reallocated_Sector_Ct", 100, 0x33, 65535)},
                          false)}),
            kNone);
  const auto reported = [](bool known, uint64_t raw) {
    return ata("XF128 GENERIC", 0, {row(187, "Reported_Uncorrect", 100, 0x32, raw)}, known);
  };
  EXPECT_EQ(verdicts({reported(false, 1000), reported(false, 1002)}), kNone);
  EXPECT_EQ(verdicts({reported(true, 1000), reported(true, 1002)}), kGrowing);
}

TEST(SmartVerdicts, WearOfSsdsWithoutPage7IsTheSameByEachSmartctl) {
  struct Ssd {
    const char *model, *name;
    int id, left;
    Cases expected;
  };
  for (const Ssd& ssd : std::initializer_list<Ssd>{
           {"SAMSUNG MZ7LM480HCHP", "Wear_Leveling_Count", 177, 4, kWornSoon},
           {"SAMSUNG MZ7LM480HCHP", "Wear_Leveling_Count", 177, 11, kNone},
           {"KINGSTON SA400S37480G", "SSD_Life_Left", 231, 6, kWornSoon},
           {"INTEL SSDSC2BB800G4", "Media_Wearout_Indicator", 233, 1, kWornSoon},
           {"WDC WDS500G2B0A", "Media_Wearout_Indicator", 230, 1, kNone},
           {"TOSHIBA THNSN5", "Media_Wearout_Indicator", 233, 1, kNone},
           {"Crucial_CT525MX300", "Percent_Lifetime_Remain", 202, 3, kWornSoon},
           {"Micron_M510", "Percent_Lifetime_Used", 202, 0, kWornOut},
           {"SAMSUNG MZ7LM480HCHP", "Wear_Leveling_Count", 177, 253, kNone}}) {
    const json doc = ata(ssd.model, 0, {row(ssd.id, ssd.name, ssd.left, 0x13, 3100)});
    EXPECT_EQ(verdicts({doc}), ssd.expected) << ssd.model << ' ' << ssd.left;
    if (ssd.left <= 100 && !ssd.expected.empty()) {
      const json later = with(doc, "/endurance_used/current_percent", 100 - ssd.left);
      EXPECT_EQ(verdicts({later}), ssd.expected) << ssd.model << ", smartctl 7.5";
    }
    EXPECT_EQ(verdicts({with(doc, "/in_smartctl_database", false)}), kNone) << ssd.model;
  }
  const json with_page =
      with(ata("INTEL SSDSC2BB800G4", 0, {row(233, "Media_Wearout_Indicator", 1, 0x32, 0)}),
           "/ata_device_statistics", page_7(12));
  EXPECT_EQ(verdicts({with_page}), kNone) << "page 7 goes before";
}

TEST(SmartVerdicts, AFieldThatDoesNotApply) {
  for (const int used : {93, 100, 255})
    EXPECT_EQ(verdicts({with(ata("TOSHIBA MG03ACA300", 7200, {}), "/ata_device_statistics",
                             page_7(used, 0xe0))}),
              kNone);
  EXPECT_EQ(verdicts({with(ata("EXAMPLE SSD", 0, {}, false), "/ata_device_statistics",
                           page_7(104, 0xe0))}),
            kWornOut);
  EXPECT_EQ(verdicts({with(sas({}), "/scsi_percentage_used_endurance_indicator", 120)}), kNone);
  EXPECT_EQ(verdicts({with(with(sas({}), "/scsi_percentage_used_endurance_indicator", 120),
                           "/rotation_rate", 0)}),
            kWornOut);
}

TEST(SmartVerdicts, ContradictionsAndImpossibleValues) {
  const auto hot = [](int rpm, int degrees) {
    return with(
        ata("MTFDDAK256MAM-1K1", rpm, {row(190, "Airflow_Temperature_Cel", 30, 0x23, 30, 69)}),
        "/temperature/current", degrees);
  };
  EXPECT_EQ(verdicts({hot(0, 24)}), kNone);
  EXPECT_EQ(verdicts({hot(0, 45)}), kNone);
  EXPECT_EQ(verdicts({hot(7200, 58)}), Cases{"Major over-temperature"});
  EXPECT_EQ(verdicts({hot(0, 66)}), Cases{"Major over-temperature"});
  EXPECT_EQ(verdicts({with(with(ata("EXAMPLE", 0, {}), "/temperature/current", 128),
                           "/temperature/op_limit_max", 70)}),
            kNone);
  for (const double count : {4294967296.0, 4294967295.0, 8589934592.0, 3.4e38})
    EXPECT_EQ(verdicts({nvme({{"media_errors", 0}}), nvme({{"media_errors", count}})}), kNone);
  EXPECT_EQ(verdicts({nvme({{"media_errors", 3}})}), kDefects);
  for (const uint64_t raw : {0xffffffffull, 0xffffffffffffull, 0x1'0000'0000ull})
    EXPECT_EQ(
        verdicts({ata("EXAMPLE", 7200, {row(197, "Current_Pending_Sector", 100, 0x32, raw)})}),
        kNone)
        << raw;
  EXPECT_EQ(verdicts({sas(uncorrected("read", -1))}), kNone);
  const json above = row(10, "Spin_Retry_Count", 98, 0x13, 0, 97);
  EXPECT_EQ(verdicts({with(ata("EXAMPLE", 7200, {above}),
                           "/ata_smart_attributes/table/0/when_failed", "now")}),
            kNone);
}

TEST(SmartVerdicts, AWarningThatItsOwnValuesRefute) {
  const Cases hot{"Major over-temperature"};
  const auto warm = [](int now, const json& limits) {
    json doc = nvme({{"critical_warning", 2}, {"temperature", now}});
    doc["temperature"] = {{"current", now}};
    doc["temperature"].update(limits);
    return verdicts({doc});
  };
  const json limits{{"op_limit_max", 84}, {"critical_limit_max", 88}};
  EXPECT_EQ(warm(30, limits), kNone);
  EXPECT_EQ(warm(73, limits), kNone);
  EXPECT_EQ(warm(79, limits), hot);
  EXPECT_EQ(warm(4, limits), hot) << "the bit is also of too low a temperature";
  EXPECT_EQ(warm(41, json::object()), kNone);
  EXPECT_EQ(warm(66, json::object()), hot);
  json sensor = nvme({{"critical_warning", 2}, {"temperature_sensors", {31, 90}}});
  EXPECT_EQ(verdicts({sensor}), hot) << "one of its sensors";
  const auto exception = [](int ascq, int now) {
    return verdicts(
        {sas({{"smart_status", {{"passed", false}, {"scsi", {{"asc", 11}, {"ascq", ascq}}}}},
              {"temperature", {{"current", now}, {"drive_trip", 60}}}})});
  };
  for (const int ascq : {0x01, 0x0a, 0x0b}) {
    EXPECT_EQ(exception(ascq, 25), kNone) << ascq;
    EXPECT_EQ(exception(ascq, 55), hot) << ascq;
  }
  EXPECT_EQ(exception(0x02, 25), Cases{"Minor warning"}) << "not about temperature";
  const auto spare = [](int left, int threshold) {
    return verdicts({nvme({{"critical_warning", 1},
                           {"available_spare", left},
                           {"available_spare_threshold", threshold}})});
  };
  EXPECT_EQ(spare(100, 10), kNone);
  EXPECT_EQ(spare(11, 10), Cases{"Minor spare-near"});
  EXPECT_EQ(spare(9, 10), Cases{"Major spare-low"});
  EXPECT_EQ(spare(10, 10), Cases{"Major spare-low"});
  const json ones{
      {"critical_warning", 255}, {"available_spare", 255}, {"available_spare_threshold", 255},
      {"percentage_used", 255},  {"temperature", 65262},   {"media_errors", 3.4e38}};
  EXPECT_EQ(verdicts({nvme(ones)}), kNone);
  EXPECT_EQ(verdicts({nvme({{"critical_warning", 255}})}), kNone);
  EXPECT_EQ(verdicts({nvme({{"critical_warning", 8}})}), Cases{"Critical read-only"});
}

TEST(SmartVerdicts, AFlagIsNotTheMeaning) {
  EXPECT_EQ(
      verdicts({ata("ST3000DM001-1ER166", 7200, {row(184, "End-to-End_Error", 95, 0x32, 5, 99)})}),
      kFailing);
  EXPECT_EQ(
      verdicts({ata("ST3000DM001-1ER166", 7200, {row(184, "End-to-End_Error", 99, 0x32, 1)})}),
      kFailing)
      << "also before the threshold";
  EXPECT_EQ(
      verdicts({ata("INTEL SSDSC2BB480G4", 0, {row(175, "Power_Loss_Cap_Test", 9, 0x33, 0, 10)})}),
      Cases{"Major cache-backup-failed"});
  EXPECT_EQ(verdicts({ata("EXAMPLE", 7200, {row(193, "Load_Cycle_Count", 1, 0x32, 9, 5)})}),
            Cases{"Minor attribute-limit"});
}

TEST(SmartVerdicts, SectorsArePhysical) {
  struct Disk {
    const char* model;
    uint64_t raw;
    Cases expected;
  };
  for (const int id : {5, 197, 198})
    for (const Disk& disk : std::initializer_list<Disk>{{"ST4000NM0035-1V4107", 8, kDefects},
                                                        {"ST4000NM0035-1V4107", 16, kGrowing},
                                                        {"ST4000NM0035-1V4107", 3, kGrowing},
                                                        {"TOSHIBA MG07ACA14TE", 8, kDefects},
                                                        {"HGST HUS726060ALE610", 8, kDefects},
                                                        {"WDC WD6002FRYZ-01WD5B1", 1, kDefects},
                                                        {"WDC WD6002FRYZ-01WD5B1", 3, kGrowing},
                                                        {"WDC WD6002FRYZ-01WD5B1", 8, kGrowing}}) {
      const char* name = id == 5     ? "Reallocated_Sector_Ct"
                         : id == 197 ? "Current_Pending_Sector"
                                     : "Offline_Uncorrectable";
      const auto looks = [&](const char* size, int bytes) {
        return std::vector<json>{
            with(ata(disk.model, 7200, {row(id, name, 100, 0x12, 0)}), size, bytes),
            with(ata(disk.model, 7200, {row(id, name, 100, 0x12, disk.raw)}), size, bytes)};
      };
      EXPECT_EQ(verdicts(looks("/physical_block_size", 4096)), disk.expected)
          << disk.model << ' ' << id << ' ' << disk.raw;
      if (disk.raw == 8) {
        EXPECT_EQ(verdicts(looks("/physical_block_size", 512)), kGrowing) << "no emulation";
      }
    }
  // Attribute 5 at the first reading: 100 of Seagate's 512-byte units are 13 sectors of 4096 bytes;
  // for other makers the limit is 100.
  const auto first = [](const char* model, uint64_t raw) {
    return verdicts({ata(model, 7200, {row(5, "Reallocated_Sector_Ct", 100, 0x33, raw)})});
  };
  EXPECT_EQ(first("ST12000NM0007-2A1101", 104), kDefects);
  EXPECT_EQ(first("ST12000NM0007-2A1101", 96), kNone);
  EXPECT_EQ(first("WDC WD6002FRYZ-01WD5B1", 100), kDefects);
  EXPECT_EQ(first("WDC WD6002FRYZ-01WD5B1", 99), kNone);
}

TEST(SmartVerdicts, TheUnitOfADiskStaysTheSame) {
  constexpr const char *kSeagate = "ST8000DM002-1YW112", *kWd = "WDC WD40EFRX-68N32N0";
  struct Growth {
    uint64_t from, to;
    Cases seagate, wd;
  };
  for (const int id : {5, 197})
    for (const Growth& growth : std::initializer_list<Growth>{{8, 9, kDefects, kDefects},
                                                              {16, 17, kDefects, kDefects},
                                                              {88, 89, kDefects, kDefects},
                                                              {800, 801, kDefects, kDefects},
                                                              {800, 816, kGrowing, kGrowing},
                                                              {7, 8, kDefects, kDefects},
                                                              {13, 16, kGrowing, kGrowing}}) {
      const char* name = id == 5 ? "Reallocated_Sector_Ct" : "Current_Pending_Sector";
      const auto looks = [&](const char* model) {
        return std::vector<json>{ata(model, 7200, {row(id, name, 100, 0x32, growth.from)}),
                                 ata(model, 7200, {row(id, name, 100, 0x32, growth.to)})};
      };
      EXPECT_EQ(verdicts(looks(kSeagate)), growth.seagate) << growth.from << ' ' << id;
      EXPECT_EQ(verdicts(looks(kWd)), growth.wd) << growth.from << ' ' << id;
    }
  const auto pending = [](int blocks) {
    return sas({{"scsi_pending_defects", {{"count", blocks}}}});
  };
  EXPECT_EQ(verdicts({pending(8), pending(9)}), kDefects);
}

TEST(SmartVerdicts, OneUnreadablePlaceIsMinorByWhicheverCounter) {
  const auto count = [](int id, const char* name, uint64_t raw) {
    return ata("WDC WD6002FRYZ-01WD5B1", 7200, {row(id, name, 100, 0x32, raw)});
  };
  EXPECT_EQ(verdicts({count(187, "Reported_Uncorrect", 0), count(187, "Reported_Uncorrect", 1)}),
            kDefects);
  EXPECT_EQ(verdicts({count(187, "Reported_Uncorrect", 0), count(187, "Reported_Uncorrect", 1),
                      count(187, "Reported_Uncorrect", 2)}),
            kGrowing);
  EXPECT_EQ(verdicts({count(187, "Reported_Uncorrect", 1)}), kDefects) << "at the first look";
  EXPECT_EQ(verdicts({ata("EXAMPLE SSD", 0, {row(187, "Reported_Uncorrect", 100, 0x32, 9)})}),
            kNone);
  EXPECT_EQ(verdicts({ata("EXAMPLE SSD", 0, {row(187, "Reported_Uncorrect", 100, 0x32, 10)})}),
            kDefects);
  EXPECT_EQ(verdicts({nvme({{"media_errors", 0}}), nvme({{"media_errors", 1}})}), kDefects);
  for (const char* what : {"read", "write", "verify"}) {
    EXPECT_EQ(verdicts({sas(uncorrected(what, 0)), sas(uncorrected(what, 1))}), kDefects) << what;
    EXPECT_EQ(verdicts({sas(uncorrected(what, 0)), sas(uncorrected(what, 2))}), kGrowing) << what;
  }
  EXPECT_EQ(verdicts({sas(uncorrected("read", 1))}), kDefects);
  EXPECT_EQ(verdicts({sas(uncorrected("verify", 1))}), kDefects);
  // The list of pending defects counts eight 512-byte blocks for one location.
  const auto pending = [](int blocks) {
    return sas({{"scsi_pending_defects", {{"count", blocks}}}});
  };
  EXPECT_EQ(verdicts({pending(0), pending(8)}), kDefects);
  EXPECT_EQ(verdicts({pending(0), pending(16)}), kGrowing);
}

TEST(SmartVerdicts, WhatMustNotBeSilent) {
  const auto helium = [](int id, const char* name, int level) {
    return verdicts({ata("EXAMPLE HELIUM", 7200, {row(id, name, level, 0x23, 0, 25)})});
  };
  EXPECT_EQ(helium(22, "Helium_Level", 99), Cases{"Minor helium"});
  EXPECT_EQ(helium(22, "Helium_Level", 76), Cases{"Minor helium"});
  EXPECT_EQ(helium(22, "Helium_Level", 75), Cases{"Major helium-low"});
  EXPECT_EQ(helium(22, "Helium_Level", 100), kNone);
  EXPECT_EQ(helium(23, "Helium_Condition_Lower", 90), Cases{"Minor helium"});
  EXPECT_EQ(helium(22, "Something_Else", 50), kNone);
  EXPECT_EQ(verdicts({nvme({{"available_spare", 12}})}), Cases{"Minor spare-near"});
  EXPECT_EQ(verdicts({nvme({{"available_spare", 16}})}), kNone);
  EXPECT_EQ(verdicts({nvme({{"available_spare", 7}})}), Cases{"Major spare-low"});
  EXPECT_EQ(verdicts({nvme({{"available_spare", 100}, {"available_spare_threshold", 99}})}), kNone);
  EXPECT_EQ(verdicts({nvme({{"available_spare", 3}, {"available_spare_threshold", 0}})}), kNone);
}

}  // namespace
}  // namespace fmd::score
