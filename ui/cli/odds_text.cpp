#include "ui/cli/odds_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fmd/base/counted.h"
#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

double json_real(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number() ? at->get<double>() : 0;
}

// Odds above this are called sure.
constexpr double kSure = 0.95;

std::string rough_duration(int64_t ns) {
  const int64_t unit = ns < 2 * 60 * kSecondNs     ? kSecondNs
                       : ns < 2 * 3600 * kSecondNs ? 60 * kSecondNs
                       : ns < 2 * kDayNs           ? 3600 * kSecondNs
                                                   : kDayNs;
  return ns < kSecondNs ? "a second" : format_duration(ns / unit * unit);
}

std::string hub_name(const json& one, const Inventory& inventory) {
  if (fmd::json_text(one, "kind") == "machine") return "the machine itself";
  const auto names = one.find("names");
  if (names == one.end() || !names->is_array() || names->empty() || !names->front().is_string())
    return "a shared part";
  std::string out = part_words(inventory, names->front().get<std::string>());
  if (names->size() > 1)
    out += fmt::format(" (or {}, with the same disks)",
                       names->size() > 2 ? counted(names->size() - 1, "part") + " above it"
                       : (*names)[1].is_string()
                           ? part_words(inventory, (*names)[1].get<std::string>())
                           : "another part");
  return out;
}

std::string within_words(const json& one) {
  return json_uint(one, "count") < 2 ? "" : " within " + rough_duration(json_int(one, "within"));
}

std::string explains_words(const json& one) {
  const uint64_t count = json_uint(one, "count"), of = json_uint(one, "of");
  if (count == of) return fmt::format("explains all {}{}", counted(of, "disk"), within_words(one));
  return fmt::format("explains {} of {}{}", count, counted(of, "disk"), within_words(one));
}

std::string person_words(const json& one) {
  const uint64_t count = json_uint(one, "count");
  return count > 1
             ? fmt::format("a person who removed {}{}", counted(count, "disk"), within_words(one))
             : "a person who removed it";
}

std::string name_words(const json& one, const Inventory& inventory) {
  const std::string kind = fmd::json_text(one, "kind");
  const uint64_t count = json_uint(one, "count");
  if (kind == "alone") return count > 1 ? "each disk by itself" : "the disk itself";
  if (kind == "batch")
    return fmt::format("a bad batch: {} of {} of one model{}", count,
                       counted(json_uint(one, "of"), "disk"), within_words(one));
  if (kind == "person") return person_words(one);
  return hub_name(one, inventory) + " " + explains_words(one);
}

std::string group_words(const json& one, const Inventory& inventory) {
  const std::string group = fmd::json_text(one, "group");
  if (group.empty()) return {};
  const Resource* r = inventory.find(group);
  const std::string name = r && !r->get("name").empty() ? clean(r->get("name")) : clean(group);
  return fmt::format(", {} cannot lose that many", name);
}

std::string odds_words(const json& one, const Inventory& inventory, bool is_best) {
  if (json_bool(one, "excluded"))
    return "impossible" + (fmd::json_text(one, "group").empty()
                               ? std::string(", not all of them left")
                               : group_words(one, inventory));
  const double probability = json_real(one, "probability");
  if (is_best)
    return fmt::format("{} ({:.{}f} %)", probability >= kSure ? "most likely" : "undecided",
                       std::min(100 * probability, 99.9), probability > 0.99 ? 1 : 0);
  return chance_words(json_real(one, "log10_odds")) + group_words(one, inventory);
}

std::string account_text(const json& account, const Inventory& inventory) {
  const bool data = fmd::json_text(account, "way") == "data";
  const std::string what = !json_bool(account, "hard") ? (data ? "wrong data" : "single errors")
                           : data                      ? "returns wrong data"
                                                       : "fails";
  std::string out = wrapped(
      "  ",
      fmt::format("{}: {}, since {}{}", part_words(inventory, fmd::json_text(account, "part")),
                  what, rough_duration(json_int(account, "age")),
                  json_bool(account, "own") ? "; only the disk can cause it" : ""),
      6);
  const auto explanations = account.find("explanations");
  if (explanations == account.end() || !explanations->is_array()) return out;
  bool is_best = true;
  for (const json& one : *explanations) {
    if (!one.is_object()) continue;
    out += wrapped(
        "    ",
        fmt::format("{}: {}", name_words(one, inventory), odds_words(one, inventory, is_best)), 8);
    is_best = false;
  }
  return out;
}

}  // namespace

std::string chance_words(double log10_odds) {
  const double power = std::max(0.0, -log10_odds);
  constexpr double kNumbers = 4;  // from there on only the power is of interest
  if (power >= kNumbers) return fmt::format("one chance in 10^{:.0f}", power);
  const double ratio = std::pow(10, power);
  return ratio < 1.5 ? "as likely" : fmt::format("one chance in {:.0f}", ratio);
}

std::string odds_text(const json& accounts, const Inventory& inventory) {
  if (!accounts.is_array() || accounts.empty()) return {};
  std::string out = "What may have caused it:\n";
  for (const json& one : accounts)
    if (one.is_object()) out += account_text(one, inventory);
  return out;
}

}  // namespace fmd::cli
