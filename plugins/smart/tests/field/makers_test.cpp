// Documents in the layout of several makers and versions of smartctl, with the attributes that these disks have, through the plugin and
// the shipped rules to the cases.
#include <fmt/format.h>

#include "plugins/smart/tests/field/smart_field.h"

namespace fmd::smart::testing {
namespace {

struct Attribute {
  int id;
  const char* name;
  int value;
  int threshold;
  uint64_t raw;
  int flags = 50;  // "-O--CK"
  const char* failed = "";
};
using Table = std::vector<Attribute>;

json version(int minor) {
  return {{"version", {7, minor}}, {"svn_revision", "5000"}, {"exit_status", 0}};
}

json ata(const std::string& model, int minor, const Table& table, int rpm = 7200,
         bool is_known = true) {
  json doc{{"json_format_version", {1, 0}},
           {"smartctl", version(minor)},
           {"device", {{"name", "/dev/sda"}, {"type", "sat"}, {"protocol", "ATA"}}},
           {"model_name", model},
           {"serial_number", "S1"},
           {"wwn", {{"naa", 5}, {"oui", 3152}, {"id", 42949672961}}},
           {"user_capacity", {{"blocks", 15628053168}, {"bytes", 8001563222016}}},
           {"logical_block_size", 512},
           {"physical_block_size", rpm > 0 ? 4096 : 512},
           {"rotation_rate", rpm},
           {"in_smartctl_database", is_known},
           {"smart_status", {{"passed", true}}},
           {"power_on_time", {{"hours", 21034}}},
           {"temperature", {{"current", 34}}}};
  if (minor >= 2) doc["smart_support"] = {{"available", true}, {"enabled", true}};
  json rows = json::array();
  for (const Attribute& one : table)
    rows.push_back({{"id", one.id},
                    {"name", one.name},
                    {"value", one.value},
                    {"worst", one.value},
                    {"thresh", one.threshold},
                    {"when_failed", one.failed},
                    {"flags",
                     {{"value", one.flags},
                      {"prefailure", (one.flags & 1) != 0},
                      {"error_rate", (one.flags & 8) != 0},
                      {"event_count", (one.flags & 16) != 0}}},
                    {"raw", {{"value", one.raw}, {"string", std::to_string(one.raw)}}}});
  doc["ata_smart_attributes"] = {{"revision", 10}, {"table", rows}};
  return doc;
}

json page_7(json doc, int percent, bool is_normalized = true) {
  doc["ata_device_statistics"]["pages"] =
      json::array({{{"number", 7},
                    {"name", "Solid State Device Statistics"},
                    {"table", json::array({{{"offset", 8},
                                            {"name", "Percentage Used Endurance Indicator"},
                                            {"size", 1},
                                            {"value", percent},
                                            {"flags",
                                             {{"value", 192 | (is_normalized ? 32 : 0)},
                                              {"valid", true},
                                              {"normalized", is_normalized}}}}})}}});
  return doc;
}

json sas(const std::string& product, int minor, int read, int grown = 0, int rpm = 7200) {
  json counters;
  for (const char* what : {"read", "write", "verify"})
    counters[what] = {{"errors_corrected_by_eccfast", 0},
                      {"errors_corrected_by_eccdelayed", 17},
                      {"total_errors_corrected", 17},
                      {"gigabytes_processed", "81234.117"},
                      {"total_uncorrected_errors", std::string(what) == "read" ? read : 0}};
  json doc{{"json_format_version", {1, 0}},
           {"smartctl", version(minor)},
           {"device", {{"name", "/dev/sda"}, {"type", "scsi"}, {"protocol", "SCSI"}}},
           {"serial_number", "S1"},
           {"logical_unit_id", "0x5000c500a0000001"},
           {"rotation_rate", rpm},
           {"logical_block_size", 512},
           {"physical_block_size", 4096},
           {"smart_status", {{"passed", true}}},
           {"temperature", {{"current", 33}, {"drive_trip", 65}}},
           {"scsi_grown_defect_list", grown},
           {"scsi_error_counter_log", counters}};
  doc[minor >= 3 ? "scsi_product" : "model_name"] = product;
  if (minor >= 2) doc["smart_support"] = {{"available", true}, {"enabled", true}};
  return doc;
}

json nvme(int minor, const json& log) {
  json all{{"critical_warning", 0}, {"temperature", 39},      {"available_spare", 100},
           {"percentage_used", 3},  {"power_on_hours", 9120}, {"available_spare_threshold", 10},
           {"media_errors", 0},     {"unsafe_shutdowns", 12}, {"num_err_log_entries", 40}};
  if (log.is_object()) all.update(log);
  json doc{{"json_format_version", {1, 0}},
           {"smartctl", version(minor)},
           {"device", {{"name", "/dev/nvme0"}, {"type", "nvme"}, {"protocol", "NVMe"}}},
           {"model_name", "SAMSUNG MZQL23T8HCLS-00A07"},
           {"serial_number", "S1"},
           {"smart_status", {{"passed", true}, {"nvme", {{"value", 0}}}}},
           {"temperature", {{"current", 39}}},
           {"nvme_smart_health_information_log", all}};
  if (minor >= 5) doc["endurance_used"] = {{"current_percent", all["percentage_used"]}};
  return doc;
}

class SmartMakers : public SmartField {
 protected:
  Cases once(const json& doc) { return verdicts({doc.dump()}); }
  Cases twice(const json& first, const json& second) {
    return verdicts({first.dump(), second.dump()});
  }
};

TEST_F(SmartMakers, HardDisksThatAreWell) {
  for (const json& doc :
       {ata("ST12000NM0008-2H3101", 0,
            {{1, "Raw_Read_Error_Rate", 83, 44, 213415216, 15},
             {5, "Reallocated_Sector_Ct", 100, 10, 0, 51},
             {7, "Seek_Error_Rate", 91, 45, 1262431877, 15},
             {188, "Command_Timeout", 100, 0, 4295032833},
             {187, "Reported_Uncorrect", 100, 0, 0},
             {195, "Hardware_ECC_Recovered", 83, 0, 213415216, 26},
             {197, "Current_Pending_Sector", 100, 0, 0, 18},
             {200, "Pressure_Limit", 100, 1, 0, 35}}),
        ata("WDC WD60EFRX-68L0BN1", 2,
            {{1, "Raw_Read_Error_Rate", 200, 51, 3, 47},
             {5, "Reallocated_Sector_Ct", 200, 140, 0, 51},
             {198, "Offline_Uncorrectable", 100, 0, 0, 48},
             {200, "Multi_Zone_Error_Rate", 200, 0, 71, 8}}),
        ata("TOSHIBA MG08ACA16TE", 3,
            {{5, "Reallocated_Sector_Ct", 100, 10, 0, 51},
             {23, "Helium_Condition_Lower", 100, 75, 0, 35},
             {24, "Helium_Condition_Upper", 100, 75, 0, 35},
             {220, "Disk_Shift", 100, 0, 17825793}}),
        page_7(ata("TOSHIBA MG03ACA400", 4, {{5, "Reallocated_Sector_Ct", 100, 50, 0, 51}}), 106),
        sas("HUH721212AL5204", 1, 0), sas("ST10000NM0206", 4, 0, 3)})
    EXPECT_EQ(once(doc), kNone) << doc["smartctl"] << doc.value("model_name", "");
}

TEST_F(SmartMakers, EnduranceOfADriveWithoutARotationRate) {
  json ssd = page_7(
      ata("SAMSUNG MZ7KM960HMJP-00005", 4, {{177, "Wear_Leveling_Count", 3, 0, 9700}}, 0), 94);
  EXPECT_EQ(once(ssd), kWornSoon);
  ssd.erase("rotation_rate");
  EXPECT_EQ(once(ssd), kWornSoon) << "smartctl's database knows the attribute of this SSD";
  for (const int percent : {93, 106, 255}) {
    json doc =
        page_7(ata("TOSHIBA MG03ACA400", 4, {{7, "Seek_Error_Rate", 100, 50, 0, 11}}), percent);
    doc["trim"] = {{"supported", true}};
    doc.erase("rotation_rate");
    EXPECT_EQ(once(doc), kNone) << percent;
    doc["endurance_used"] = {{"current_percent", percent}};
    EXPECT_EQ(once(doc), kNone) << "smartctl 7.5: " << percent;
    doc["rotation_rate"] = 0;
    EXPECT_NE(once(doc), kNone) << "an SSD: " << percent;
  }
  for (const int minor : {2, 5}) {
    json doc = sas("MG04SCA40EN", minor, 0);
    doc["scsi_percentage_used_endurance_indicator"] = 106;
    doc["endurance_used"] = {{"current_percent", 106}};
    doc.erase("rotation_rate");
    EXPECT_EQ(once(doc), kNone) << minor;
    doc["rotation_rate"] = 0;
    EXPECT_NE(once(doc), kNone) << "an SSD: " << minor;
  }
}

TEST_F(SmartMakers, HardDisksWithDamage) {
  EXPECT_EQ(once(ata("ST8000DM004-2CX188", 0,
                     {{187, "Reported_Uncorrect", 97, 0, 3},
                      {197, "Current_Pending_Sector", 100, 0, 8, 18}})),
            kDefects);
  EXPECT_EQ(once(ata("ST4000NM0035-1V4107", 1, {{5, "Reallocated_Sector_Ct", 97, 10, 2784, 51}})),
            kDefects);
  EXPECT_EQ(once(ata("Hitachi HDS722020ALA330", 2,
                     {{5, "Reallocated_Sector_Ct", 100, 5, 131, 51},
                      {196, "Reallocated_Event_Count", 100, 0, 140}})),
            kDefects);
  EXPECT_EQ(once(ata("TOSHIBA DT01ACA300", 3, {{198, "Offline_Uncorrectable", 100, 0, 16, 8}})),
            kDefects);
  const auto wd = [](uint64_t pending) {
    return ata("WDC WUH721414ALE6L4", 4, {{197, "Current_Pending_Sector", 100, 0, pending, 34}});
  };
  EXPECT_EQ(twice(wd(0), wd(1)), kDefects);
  EXPECT_EQ(twice(wd(0), wd(5)), kGrowing);
  const auto seagate = [](uint64_t reported) {
    return ata("ST16000NM001G-2KK103", 5, {{187, "Reported_Uncorrect", 100, 0, reported}});
  };
  EXPECT_EQ(twice(seagate(0), seagate(1)), kDefects);
  EXPECT_EQ(twice(seagate(0), seagate(2)), kGrowing);
  EXPECT_EQ(once(ata("MB4000GCWDC", 2, {{184, "End-to-End_Error", 98, 99, 2, 50, "now"}})),
            kFailing);
  EXPECT_EQ(once(ata("ST2000DL003-9VT166", 0, {{184, "End-to-End_Error", 100, 99, 1}})), kFailing);
  EXPECT_EQ(once(ata("TOSHIBA MG07ACA14TE", 3, {{23, "Helium_Condition_Lower", 90, 75, 0, 35}})),
            kHelium);
  EXPECT_EQ(once(ata("WDC WD80EFZX-68UW8N0", 4, {{22, "Helium_Level", 58, 25, 58, 35}})),
            kHeliumLow);
}

TEST_F(SmartMakers, SasDisks) {
  EXPECT_EQ(once(sas("HUS726060AL5210", 0, 1)), kDefects);
  EXPECT_EQ(once(sas("ST6000NM0034", 3, 4)), kDefects);
  EXPECT_EQ(twice(sas("MG04SCA60EE", 4, 0), sas("MG04SCA60EE", 4, 1)), kDefects);
  EXPECT_EQ(twice(sas("MG04SCA60EE", 5, 0), sas("MG04SCA60EE", 5, 3)), kGrowing);
  json predicts = sas("ST1200MM0088", 1, 0);
  predicts["smart_status"] = {
      {"passed", false},
      {"scsi", {{"asc", 0x5d}, {"ascq", 0x32}, {"ie_string", "FAILURE PREDICTION"}}}};
  EXPECT_EQ(once(predicts), kFailing);
  json ssd = sas("HUSMM1680ASS204", 3, 0, 0, 0);
  ssd["scsi_percentage_used_endurance_indicator"] = 92;
  EXPECT_EQ(once(ssd), kWornSoon);
  json disk = sas("ST8000NM0075", 2, 0);
  disk["scsi_percentage_used_endurance_indicator"] = 131;
  EXPECT_EQ(once(disk), kNone) << "a hard disk has no endurance";
  for (const char* before : {"Pending defect count:", "Read defect list (v12): REQUEST ERROR\n"})
    EXPECT_EQ(verdicts({before + sas("HUH728080AL5200", 1, 0).dump()}), kNone) << before;
  EXPECT_EQ(core_.property(kDisk, "smart.state"), "observed");
}

TEST_F(SmartMakers, SataSsds) {
  EXPECT_EQ(once(ata("Samsung SSD 870 EVO 4TB", 2,
                     {{5, "Reallocated_Sector_Ct", 99, 10, 31, 51},
                      {177, "Wear_Leveling_Count", 99, 0, 21, 19},
                      {187, "Uncorrectable_Error_Cnt", 99, 0, 410}},
                     0)),
            kDefects);
  EXPECT_EQ(once(ata("INTEL SSDSC2BB480G4", 1,
                     {{175, "Power_Loss_Cap_Test", 1, 10, 12, 51, "now"},
                      {233, "Media_Wearout_Indicator", 96, 0, 0}},
                     0)),
            Cases{"Major fault.io.disk.cache-backup-failed"});
  EXPECT_EQ(once(ata("Micron_5200_MTFDDAK960TDC", 3,
                     {{202, "Percent_Lifetime_Remain", 7, 1, 93, 48},
                      {187, "Reported_Uncorrect", 100, 0, 0}},
                     0)),
            kWornSoon);
  EXPECT_EQ(once(page_7(ata("SAMSUNG MZ7KM960HMJP-00005", 4, {}, 0), 94)), kWornSoon);
  EXPECT_EQ(once(page_7(ata("KINGSTON SEDC500M960G", 5, {}, 0), 255, false)), kNone);
  json guessed =
      ata("SPCC Solid State Disk", 5, {{177, "Wear_Leveling_Count", 0, 50, 118}}, 0, false);
  guessed["endurance_used"] = {{"current_percent", 100}};
  EXPECT_EQ(once(guessed), kNone);
  const auto sandforce = [](uint64_t raw) {
    return ata(
        "Corsair Force GT", 4,
        {{187, "Reported_Uncorrect", 120, 0, raw, 15}, {231, "SSD_Life_Left", 88, 10, 1, 19}}, 0);
  };
  EXPECT_EQ(twice(sandforce(120934411), sandforce(131884290)), kNone);
  json hot = ata("KINGSTON SVP200S3120G", 3, {{194, "Temperature_Celsius", 128, 0, 128}}, 0);
  hot["temperature"] = {{"current", 128}, {"op_limit_max", 33}};
  EXPECT_EQ(once(hot), kNone);
  EXPECT_EQ(once(ata("C400-MTFDDAK256MAM", 2,
                     {{190, "Airflow_Temperature_Cel", 34, 70, 66, 34, "now"}}, 0)),
            kNone)
      << "34 degrees, by its own sensor";
}

TEST_F(SmartMakers, NvmeDrives) {
  for (const int minor : {0, 3, 4, 5}) {
    SCOPED_TRACE(minor);
    EXPECT_EQ(once(nvme(minor, {})), kNone);
    EXPECT_EQ(once(nvme(minor, {{"percentage_used", 93}})), kWornSoon);
    EXPECT_EQ(once(nvme(minor, {{"available_spare", 12}})), kSpareNear);
    EXPECT_EQ(once(nvme(minor, {{"media_errors", 2}})), kDefects);
    EXPECT_EQ(once(nvme(minor, {{"media_errors", 4294967296}})), kNone);
    EXPECT_EQ(once(nvme(minor, {{"media_errors", 8589934592}})), kNone);
    EXPECT_EQ(twice(nvme(minor, {}), nvme(minor, {{"num_err_log_entries", 90000}})), kNone);
    EXPECT_EQ(once(nvme(minor, {{"available_spare", 4}})), Cases{"Major fault.io.disk.spare-low"});
  }
}

// Each maker has its own attribute for the life that is left, and for the spare blocks.
TEST_F(SmartMakers, LifeAndSpareBlocksOfSataSsds) {
  struct Row {
    const char* model;
    Attribute attribute;
    Cases expected;
  };
  const Cases worn{"Major fault.io.disk.ssd-worn-out"};
  for (const Row& one : std::initializer_list<Row>{
           {"TS256GSSD370S", {169, "Remaining_Lifetime_Perc", 100, 0, 4, 0}, kWornSoon},
           {"TS256GSSD370S", {169, "Remaining_Lifetime_Perc", 100, 0, 97, 0}, kNone},
           {"TS256GSSD370S", {169, "Remaining_Lifetime_Perc", 7, 0, 7, 0}, kWornSoon},
           {"TS256GSSD370S", {169, "Bad_Block_Count", 3, 0, 3, 0}, kNone},
           {"StorFly VSFBM6CC100G", {169, "Lifetime_Remaining%", 9, 0, 9, 50}, kWornSoon},
           {"SDLF1DAR-480G-1JA2", {177, "Lifetime_Remaining%", 2, 0, 2, 50}, kWornSoon},
           {"SDLF1DAR-480G-1JA2", {173, "Percent_Life_Used", 61, 0, 61, 50}, kNone},
           {"HFS480G3H2X069N", {245, "Percent_Life_Remaining", 0, 0, 0, 50}, worn},
           {"SSDSC2BB480G7", {248, "PCT_Life_Remaining", 6, 0, 6, 50}, kWornSoon},
           {"MTFDDAK256MAM", {173, "Wear_Leveling_Count", 8, 0, 2810, 51}, kWornSoon},
           {"MTFDDAK256MAM", {173, "Wear_Leveling_Count", 0, 0, 0, 51}, kNone},
           {"APPLE SSD SM0512F", {173, "Wear_Leveling_Count", 186, 100, 584144191767, 50}, kNone},
           {"MTFDDAK480TDC", {173, "Ave_Block-Erase_Count", 3, 0, 2910, 50}, kNone},
           {"SanDisk SSD PLUS 480GB", {230, "Media_Wearout_Indicator", 4, 0, 51, 50}, kNone},
           {"INTEL SSDSC2BB480G7", {232, "Available_Reservd_Space", 13, 10, 0, 51}, kSpareNear},
           {"INTEL SSDSC2BB480G7", {232, "Available_Reservd_Space", 16, 10, 0, 51}, kNone},
           {"INTEL SSDSC2BB480G7", {170, "Available_Reservd_Space", 11, 10, 0, 51}, kSpareNear},
           {"INTEL SSDSC2BB480G7", {170, "Available_Reservd_Space", 9, 10, 0, 51, "now"}, kFailing},
           {"SAMSUNG MZ7KM960HMJP", {179, "Used_Rsvd_Blk_Cnt_Tot", 14, 10, 900, 19}, kSpareNear},
           {"SAMSUNG MZ7KM960HMJP", {180, "Unused_Rsvd_Blk_Cnt_Tot", 100, 10, 7000, 19}, kNone},
           {"SanDisk SSD PLUS 480GB", {232, "Available_Reservd_Space", 0, 0, 0, 50}, kNone}}) {
    SCOPED_TRACE(std::string(one.model) + " " + std::to_string(one.attribute.id));
    EXPECT_EQ(once(ata(one.model, 3, {one.attribute}, 0)), one.expected);
    if (*one.attribute.failed) continue;
    EXPECT_EQ(once(ata(one.model, 3, {one.attribute}, 0, false)), kNone) << "a guessed name";
  }
}

// NVMe drives report 255 for everything from 255 % up. A threshold of 99 % of the spare blocks says
// nothing.
TEST_F(SmartMakers, LimitsOfNvmeDrives) {
  EXPECT_EQ(once(nvme(4, {{"percentage_used", 255}})), Cases{"Major fault.io.disk.ssd-worn-out"});
  for (const int spare : {100, 99, 98, 60})
    EXPECT_EQ(once(nvme(4, {{"available_spare", spare}, {"available_spare_threshold", 99}})), kNone)
        << spare;
  for (const int spare : {10, 11, 15})
    EXPECT_EQ(once(nvme(4, {{"available_spare", spare}})), kSpareNear) << spare;
  EXPECT_EQ(once(nvme(4, {{"available_spare", 16}})), kNone);
  EXPECT_EQ(once(nvme(4, {{"critical_warning", 1}, {"available_spare", 7}})),
            Cases{"Major fault.io.disk.spare-low"});
  EXPECT_EQ(once(nvme(4, {{"critical_warning", 4}})), kFailing);
  EXPECT_EQ(once(nvme(4, {{"critical_warning", 4}, {"percentage_used", 104}})),
            Cases{"Major fault.io.disk.ssd-worn-out"});
  EXPECT_EQ(once(nvme(4, {{"critical_warning", 8}})), Cases{"Critical fault.io.disk.read-only"});
  EXPECT_EQ(once(nvme(4, {{"critical_warning", 2}, {"temperature", 40}})), kNone);
}

// Crucial's MX500 reports an internal count as pending sectors; it flips between 0 and 1.
TEST_F(SmartMakers, ACountThatIsNoPendingSector) {
  const auto mx500 = [](const char* name, uint64_t pending) {
    return ata("CT1000MX500SSD1", 3,
               {{5, "Reallocate_NAND_Blk_Cnt", 100, 10, 0, 50},
                {197, name, 100, 0, pending, 50},
                {202, "Percent_Lifetime_Remain", 97, 1, 3, 48}},
               0);
  };
  for (const char* name : {"Current_Pending_ECC_Cnt", "Bogus_Current_Pend_Sect"}) {
    EXPECT_EQ(twice(mx500(name, 0), mx500(name, 1)), kNone) << name;
    EXPECT_EQ(once(mx500(name, 1)), kNone) << name;
  }
  EXPECT_EQ(twice(mx500("Current_Pending_Sector", 0), mx500("Current_Pending_Sector", 1)),
            kDefects);
}

// Several counters in one raw value, as makers pack them.
TEST_F(SmartMakers, PackedRawValues) {
  const auto words = [](uint64_t high, uint64_t middle, uint64_t low) {
    return high << 32 | middle << 16 | low;
  };
  for (const json& doc :
       {ata("FUJITSU MJA2500BH G2", 3,
            {{5, "Reallocated_Sector_Ct", 100, 24, words(2000, 0, 0), 51}}),
        ata("TOSHIBA MK5076GSX", 2,
            {{5, "Reallocated_Sector_Ct", 100, 50, 0, 51},
             {194, "Temperature_Celsius", 100, 0, words(49, 14, 33), 34},
             {196, "Reallocated_Event_Count", 100, 0, words(500, 0, 0), 50}}),
        ata("HGST HUS726T6TALE6L4", 4,
            {{9, "Power_On_Hours", 96, 0, 30121, 18},
             {194, "Temperature_Celsius", 181, 0, words(58, 21, 33), 2}}),
        ata("ST4000DM004-2CV104", 3,
            {{9, "Power_On_Hours", 71, 0, words(0x6a3f, 0, 25531), 50},
             {188, "Command_Timeout", 100, 99, words(2, 2, 5)},
             {240, "Head_Flying_Hours", 100, 253, words(0x6f, 0xa9c5, 0x1b3a), 0}}),
        ata("WDC WD10EZEX-08WN4A0", 1,
            {{3, "Spin_Up_Time", 174, 21, words(1, 0, 2275), 39},
             {199, "UDMA_CRC_Error_Count", 200, 0, 0}})})
    EXPECT_EQ(once(doc), kNone) << doc.value("model_name", "");
  EXPECT_EQ(once(ata("FUJITSU MJA2500BH G2", 3,
                     {{5, "Reallocated_Sector_Ct", 91, 24, words(2000, 0, 212), 51}})),
            kDefects);
}

// Healthy disks of other makers, with their own formats of raw values.
TEST_F(SmartMakers, OthersThatAreWell) {
  json farm = ata("ST18000NM000J-2TV103", 5, {{187, "Reported_Uncorrect", 100, 0, 0}});
  farm["seagate_farm_log"] = {
      {"page_3_error_statistics",
       {{"number_of_unrecoverable_read_errors", 0}, {"number_of_reallocated_sectors", 0}}}};
  json past =
      ata("WDC WD40EFRX-68N32N0", 3, {{190, "Airflow_Temperature_Cel", 62, 45, 38, 34, "past"}});
  for (const json& doc :
       {farm, past,
        ata("WDC WDS100T1R0A-68A4W0", 3,
            {{165, "Block_Erase_Count", 100, 0, 4295098402},
             {169, "Bad_Block_Count", 100, 0, 412},
             {230, "Media_Wearout_Indicator", 2, 2, 73014575225},
             {232, "Available_Reservd_Space", 100, 4, 100, 51}},
            0),
        ata("SAMSUNG MZ7LH1T9HMLT-00005", 2,
            {{177, "Wear_Leveling_Count", 98, 5, 41, 19},
             {179, "Used_Rsvd_Blk_Cnt_Tot", 100, 10, 0, 19},
             {235, "POR_Recovery_Count", 99, 0, 71, 18},
             {241, "Total_LBAs_Written", 99, 0, 18446744073}},
            0),
        ata("INTEL SSDSC2KB960G8", 4,
            {{174, "Unsafe_Shutdown_Count", 100, 0, 57},
             {183, "SATA_Downshift_Count", 100, 0, 1},
             {184, "End-to-End_Error_Count", 100, 90, 0, 51},
             {226, "Workld_Media_Wear_Indic", 100, 0, 65535},
             {233, "Media_Wearout_Indicator", 99, 0, 0}},
            0),
        nvme(4, {{"unsafe_shutdowns", 4294967295}, {"num_err_log_entries", 18014398509481984}}),
        nvme(5, {{"nsid", -1}, {"temperature_sensors", {41, 62, 38}}, {"warning_temp_time", 12}}),
        nvme(3, {{"host_reads", 18446744073709551615ull}, {"power_on_hours", 0}})})
    EXPECT_EQ(once(doc), kNone) << doc.value("model_name", "");
}

// Volumes that a RAID controller or hypervisor presents instead of disks.
TEST_F(SmartMakers, Volumes) {
  for (const char* model : {"DELL PERC H730P Mini", "HP LOGICAL VOLUME", "LSI MR9361-8i",
                            "Adaptec LogicalDrv 0", "Areca ARC-1883-VOL#00", "IBM ServeRAID M5110e",
                            "VMware Virtual disk", "Msft Virtual Disk", "QEMU QEMU HARDDISK"})
    for (const int minor : {0, 1, 3}) {
      json doc{{"json_format_version", {1, 0}},
               {"smartctl", version(minor)},
               {"device", {{"name", "/dev/sda"}, {"type", "scsi"}, {"protocol", "SCSI"}}},
               {"model_name", model},
               {"logical_unit_id", "0x5000c500a0000001"},
               {"rotation_rate", 0},
               {"temperature", {{"current", 0}, {"drive_trip", 0}}}};
      if (minor > 1) doc["smart_support"] = {{"available", false}};
      EXPECT_EQ(once(doc), kNone) << model;
      EXPECT_EQ(core_.property(kDisk, "smart.state"), "not-observed") << model << minor;
    }
  EXPECT_EQ(verdicts({"smartctl 6.6 2017-11-05 r4594 [x86_64-linux-4.19.0] (local build)\n"
                      "=======> INVALID OPTION: -j\n\nUse smartctl -h to get a usage summary\n"}),
            kNone);
  EXPECT_EQ(core_.property(kDisk, "smart.state"), "not-observed");
}

}  // namespace
}  // namespace fmd::smart::testing
