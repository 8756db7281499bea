#include "plugins/smart/ata_meaning.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>

#include "fmd/base/json.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/protocols.h"

namespace fmd::smart {
namespace {

using nlohmann::json;
using Failing = Report::Failing;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

struct Meaning {
  int64_t id;            // 0: any
  const char* name_has;  // part of smartctl's name, lower case
  Failing what;
};
// The first match wins; for other attributes the flag decides. Names are from smartmontools' drive
// database, in which several attributes have more than one name.
constexpr Meaning kMeanings[] = {
    {0, "temperature", Failing::temperature},
    {190, "", Failing::temperature},
    {194, "", Failing::temperature},
    {0, "power_loss_cap", Failing::cache_backup},
    {0, "power_loss_prot", Failing::cache_backup},
    {0, "supercap", Failing::cache_backup},
    {0, "super-cap", Failing::cache_backup},
    {0, "capacitor", Failing::cache_backup},
    {0, "cap_test", Failing::cache_backup},
    {0, "helium", Failing::pre_failure},
    {184, "end-to-end", Failing::pre_failure},
    {184, "end_to_end", Failing::pre_failure},
    {184, "ioedc", Failing::pre_failure},
    {0, "reallocated", Failing::pre_failure},
    {0, "spin_retry", Failing::pre_failure},
    {187, "uncorrect", Failing::pre_failure},
    {197, "pending", Failing::pre_failure},
    {198, "uncorrect", Failing::pre_failure},
};

Failing meaning_of(const json& row, int64_t id, const std::string& name) {
  const auto* known =
      std::find_if(std::begin(kMeanings), std::end(kMeanings), [&](const Meaning& meaning) {
        return (meaning.id == 0 || meaning.id == id) &&
               name.find(meaning.name_has) != std::string::npos;
      });
  if (known != std::end(kMeanings)) return known->what;
  return truth(row, {"flags", "prefailure"}) == true ? Failing::pre_failure : Failing::usage;
}

// A normalized value that is a percentage. Some drives count from 200 or 253.
std::optional<double> percentage(const json& row) {
  const auto value = number(row, {"value"});
  return value && *value >= 0 && *value <= 100 ? value : std::nullopt;
}

// Attributes whose normalized value is the remaining life, as documented by the maker. Dedicated
// ones come before Wear_Leveling_Count. Names are those of the drive database, or its default for
// SSDs: other makers use Intel's 233 for something else. SanDisk's and WD's 230 counts up or down,
// depending on the firmware.
struct LifeLeft {
  int64_t id;  // 0: any
  const char* name_has;
  const char* model_has;
};
constexpr LifeLeft kLifeLeft[] = {
    {231, "life_left", ""},         {202, "lifetime", ""},
    {202, "rated_life", ""},        {233, "media_wearout", "intel"},
    {233, "media_wearout", "ssds"}, {233, "media_wearout", "solidigm"},
    {0, "lifetime_left", ""},       {0, "life_left", ""},
    {0, "life_remain", ""},      // Percent_Life_Remaining, DriveLife_Remaining% (245, 177, 248)
    {0, "lifetime_remain", ""},  // Percent_Lifetime_Remain (201, 231), Lifetime_Remaining% (169)
    {0, "drivelife_remain", ""},    {0, "rated_life_remain", ""},
    {0, "remaining_life", ""},  // Remaining_Lifetime_Perc (169, 209, 233), Remaining_Life (248)
    {177, "wear_leveling", ""},     {173, "wear_leveling", ""}};

// All fields are zero: the drive lists the attribute but does not fill it in.
bool is_empty(const json& row) {
  return number(row, {"value"}) == 0.0 && number(row, {"worst"}).value_or(0) == 0 &&
         natural(row, {"raw", "value"}).value_or(0) == 0;
}

// At the end of life, Kingston's and Phison's 231 is also 0 in all three fields, but has flags.
bool is_unused(const json& row, int64_t id) {
  return is_empty(row) && (id == 177 || id == 173 || whole(row, {"flags", "value"}) == 0);
}

// Silicon Motion's controllers keep the normalized value of each attribute at 100; the raw value of
// 169 is the percentage.
std::optional<double> life_left_of(const json& row, int64_t id) {
  const auto left = percentage(row);
  const auto raw = natural(row, {"raw", "value"});
  return id == 169 && left == 100.0 && raw && *raw <= 100 ? std::optional<double>(*raw) : left;
}

// smartctl also derives the endurance used from such a row.
bool has_unused_life(const json& doc) {
  const json& rows = array(doc, {"ata_smart_attributes", "table"});
  return std::any_of(rows.begin(), rows.end(), [](const json& row) {
    const std::string name = lower(text(row, {"name"}));
    return (name.find("wear_leveling") != name.npos || name.find("life_left") != name.npos) &&
           is_empty(row);
  });
}

std::optional<double> life_left(const json& doc, const std::string& model) {
  const json& rows = array(doc, {"ata_smart_attributes", "table"});
  for (const LifeLeft& source : kLifeLeft)
    for (const auto& row : rows)
      if (const auto id = whole(row, {"id"});
          id && (source.id == 0 || *id == source.id) &&
          lower(text(row, {"name"})).find(source.name_has) != std::string::npos &&
          model.find(source.model_has) != std::string::npos && !is_unused(row, *id))
        if (const auto left = life_left_of(row, *id)) return left;
  return std::nullopt;
}

// ACS-4, Device Statistics log: bit 5 of a statistic's flags means that it is normalized.
bool is_normalized(const json& row) {
  constexpr int64_t kNormalized = 0x20;
  return truth(row, {"flags", "normalized"})
      .value_or((whole(row, {"flags", "value"}).value_or(0) & kNormalized) != 0);
}

// 255 is the maximum of the byte. If normalized, the drive is far beyond its rating. Otherwise the
// field is not filled in: of 163 such SSDs, 142 were nearly new.
bool is_filled_in(const json& row) {
  constexpr double kMost = 255;
  return number(row, {"value"}) != kMost || is_normalized(row);
}

// ACS-4 A.5, page 7: solid state. has_page: set if the page exists, even without a value.
std::optional<double> endurance_page(const json& doc, bool& has_page) {
  for (const auto& page : array(doc, {"ata_device_statistics", "pages"}))
    for (const auto& row : array(page, {"table"})) {
      if (text(row, {"name"}) != "Percentage Used Endurance Indicator") continue;
      has_page = true;
      if (truth(row, {"flags", "valid"}) != false && is_filled_in(row))
        return number(row, {"value"});
    }
  return std::nullopt;
}

// A value above its threshold contradicts "now".
bool fails_now(const json& row) {
  const auto value = number(row, {"value"}), threshold = number(row, {"thresh"});
  return text(row, {"when_failed"}) == "now" && !(value && threshold && *value > *threshold);
}

}  // namespace

void read_failing(const json& row, int64_t id, Report& report) {
  if (!report.failing_now) report.failing_now = Failing::none;
  if (!fails_now(row)) return;
  const std::string name = text(row, {"name"});
  report.failing += (report.failing.empty() ? "" : ", ") + std::to_string(id) + " " + name;
  report.failing_now = std::max(*report.failing_now, meaning_of(row, id, lower(name)));
}

// HGST's and WD's 22, Toshiba's 23 and 24 (upper and lower condition): 100 when new.
std::optional<double> helium_level(const json& row, int64_t id) {
  if (id < 22 || id > 24 || lower(text(row, {"name"})).find("helium") == std::string::npos)
    return std::nullopt;
  return percentage(row);
}

void take_least(Report& report, const char* name, double value) {
  const auto known = report.readings.find(name);
  if (known == report.readings.end() || known->second.value > value)
    report.readings[name] = {value, "percent"};
}

void read_wear(const json& doc, Report& report) {
  constexpr const char* kWear = "wear_percent";
  // smartctl 7.5 and newer derives this from any attribute called Wear_Leveling or SSD_Life_Left,
  // also if that name is only smartctl's default.
  const auto derived = number(doc, {"endurance_used", "current_percent"});
  report.readings.erase(kWear);
  if (report.rotational == true) return;  // Toshiba's hard disks have a page 7, but no endurance
  bool has_page = false;
  const auto used = endurance_page(doc, has_page);
  // Some hard disks have this page. Only a rotation rate of 0 proves an SSD: the rate is older than the
  // page, so each SSD with the page has it. TRIM proves nothing, since SMR hard disks support it.
  if (used && report.rotational == false) return set(report, kWear, "percent", used);
  if (truth(doc, {"in_smartctl_database"}) != true) return;
  if (const auto left = life_left(doc, lower(report.model)))
    set(report, kWear, "percent", 100 - *left);
  else if (!has_page && !has_unused_life(doc))
    set(report, kWear, "percent", derived);
}

void read_spare(const json& doc, Report& report) {
  if (report.rotational == true || truth(doc, {"in_smartctl_database"}) != true) return;
  constexpr std::string_view kNames[] = {"available_reserv", "avail_resrvd",    "reserve_bl",
                                         "reserved_bl",      "unused_rsvd",     "used_rsvd",
                                         "unused_reserve",   "spare_blk_cnt_l", "spares_remaining"};
  std::optional<std::pair<double, double>> least;  // value, threshold
  for (const auto& row : array(doc, {"ata_smart_attributes", "table"})) {
    const std::string name = lower(text(row, {"name"}));
    const auto value = percentage(row), threshold = number(row, {"thresh"});
    if (!value || !threshold || *threshold <= 0 || *threshold > kMostSpareThreshold ||
        truth(row, {"flags", "prefailure"}) != true ||
        std::none_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view one) { return name.find(one) != name.npos; }))
      continue;
    if (!least || *value - *threshold < least->first - least->second) least = {*value, *threshold};
  }
  if (!least) return;
  set(report, "smart.available_spare", "percent", least->first);
  set(report, "smart.available_spare_threshold", "percent", least->second);
}

}  // namespace fmd::smart
