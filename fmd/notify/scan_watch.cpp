#include "fmd/notify/scan_watch.h"

#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {
namespace {

constexpr std::string_view kScan = "scan ";

bool is_pool(const Resource& resource) {
  return resource.type == "zfs-pool" || resource.type == "md-array";
}

// ZFS's "resilvered 3.2G in …", and md's "recover ended …", "resync ended …".
bool is_resilver(std::string_view ended) {
  return ended.find("resilver") != ended.npos || ended.starts_with("recover ") ||
         ended.starts_with("resync ");
}

bool is_scrub(std::string_view ended) {
  return ended.starts_with("scrub") || ended.starts_with("check ") || ended.starts_with("repair ");
}

// Whether the number before `words` is not 0: "… with 2 errors on …".
bool counts(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == text.npos || at == 0) return false;
  const size_t begin = text.find_last_not_of("0123456789", at - 1) + 1;
  return text.substr(begin, at - begin).find_first_not_of('0') != text.npos;
}

// "scrub repaired 12K in …"
bool repaired_some(std::string_view ended) {
  constexpr std::string_view kRepaired = "scrub repaired ";
  if (!ended.starts_with(kRepaired)) return false;
  const std::string_view amount = ended.substr(kRepaired.size());
  return amount.substr(0, amount.find_first_not_of("0123456789.")).find_first_not_of("0.") !=
         amount.npos;
}

bool left_errors(std::string_view ended) {
  return counts(ended, " errors") || counts(ended, " sectors did not match");
}

}  // namespace

bool scrub_found_errors(std::string_view ended) {
  return is_scrub(ended) && (left_errors(ended) || repaired_some(ended));
}

ScanWatch::Scan ScanWatch::now_of(const Resource& pool) {
  Scan scan;
  scan.ended = pool.get("last_scan_text");
  if (!pool.is("scan", "resilver")) return scan;
  const std::string started = pool.get("scan_started");
  scan.resilver = started.empty() ? "runs" : started;
  return scan;
}

void ScanWatch::begin(const Inventory& inventory) {
  for (const auto& [fmri, resource] : inventory.all())
    if (is_pool(resource) && scans_.try_emplace(fmri, now_of(resource)).second) dirty_.insert(fmri);
}

void ScanWatch::observe(const Sight& sight, const std::vector<InventoryChange>& changes,
                        std::vector<Happening>& news) {
  for (const InventoryChange& change : changes) {
    const Resource* pool = sight.inventory.find(change.fmri);
    if (!pool && scans_.erase(change.fmri) > 0) dirty_.insert(change.fmri);
    if (!pool || !is_pool(*pool) || !pool->present || pool->is("observed", "not-observed"))
      continue;
    const Scan now = now_of(*pool);
    const auto [at, fresh] = scans_.try_emplace(change.fmri, now);
    if (fresh) {
      dirty_.insert(change.fmri);
      continue;
    }
    const Scan was = at->second;
    const auto tell = [&](HappeningKind kind, const char* severity) {
      Happening happening;
      happening.kind = kind;
      happening.time_ns = sight.now.wall_ns;
      happening.severity = severity;
      happening.part = pool->fmri;
      happening.name = happening.pool = pool->get("name");
      happening.health = pool->get("health");
      if (kind != HappeningKind::resilver_started) happening.result = now.ended;
      news.push_back(std::move(happening));
    };
    // The end of one scan is reported before the start of the next.
    if (!now.ended.empty() && now.ended != was.ended) {
      at->second.ended = now.ended;
      const char* severity = left_errors(now.ended) ? "Major" : "Minor";
      if (is_resilver(now.ended)) tell(HappeningKind::resilver_finished, severity);
      if (scrub_found_errors(now.ended)) tell(HappeningKind::scrub_errors, severity);
    }
    at->second.resilver = now.resilver;
    if (!now.resilver.empty() && now.resilver != was.resilver)
      tell(HappeningKind::resilver_started, "Minor");
    if (at->second != was) dirty_.insert(change.fmri);
  }
}

std::vector<StateRow> ScanWatch::take_changes() {
  std::vector<StateRow> rows;
  for (const std::string& fmri : std::exchange(dirty_, {})) {
    const auto scan = scans_.find(fmri);
    rows.push_back({"sight", std::string(kScan) + fmri,
                    scan == scans_.end() ? std::string()
                                         : dump_json({{"ended", scan->second.ended},
                                                      {"resilver", scan->second.resilver}})});
  }
  return rows;
}

void ScanWatch::mark_all_changed() {
  for (const auto& [fmri, scan] : scans_) dirty_.insert(fmri);
}

bool ScanWatch::restore_row(const StateRow& row) {
  if (!row.key.starts_with(kScan)) return false;
  const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
  scans_[row.key.substr(kScan.size())] = {json_text(doc, "ended"), json_text(doc, "resilver")};
  return true;
}

}  // namespace fmd
