#include "fmd/notify/happenings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr std::array<const char*, 3> kStages{"pending", "held", "over"};

bool is_of_disks(HappeningKind kind) {
  return kind == HappeningKind::disk_inserted || kind == HappeningKind::disk_removed;
}

}  // namespace

void Happenings::observe(const Sight& sight, const InventoryUpdate& update,
                         const std::vector<InventoryChange>& changes) {
  for (Happening& happening : watch_.observe(sight, update, changes))
    enlist(std::move(happening), sight.now);
}

// The uuid of an unreported opposite event of this disk (removed or inserted), or "".
std::string Happenings::opposite_of(const Happening& happening) const {
  if (!is_of_disks(happening.kind)) return {};
  for (const auto& [order, uuid] : waiting_) {
    const Happening& other = entries_.at(uuid).happening;
    const bool same =
        other.part == happening.part || (!other.serial.empty() && other.serial == happening.serial);
    if (same && is_of_disks(other.kind) && other.kind != happening.kind) return uuid;
  }
  return {};
}

void Happenings::enlist(Happening happening, Moment now) {
  Entry entry;
  entry.happening = std::move(happening);
  Happening& h = entry.happening;
  if (const std::string uuid = opposite_of(h); !uuid.empty()) {
    const Entry before = entries_.at(uuid);
    erase(uuid);
    if (h.kind == HappeningKind::disk_inserted) {
      entry.left = before.happening.bay;
    } else {
      if (!before.left) return;  // inserted and removed again
      h.bay = *before.left;
    }
  }
  h.uuid = new_uuid_();
  entry.order = next_order_++;
  entry.seen_ns = now.steady_ns;
  entry.due_ns = may_pass(h.kind) ? add_times(now.steady_ns, kSettleNs) : now.steady_ns;
  waiting_.insert({entry.order, h.uuid});
  dirty_.insert(h.uuid);
  entries_.insert_or_assign(h.uuid, std::move(entry));
}

bool Happenings::flaps(const Happening& happening, int64_t now_ns) const {
  if (!may_pass(happening.kind)) return false;
  return std::count_if(entries_.begin(), entries_.end(), [&](const auto& known) {
           const Entry& entry = known.second;
           return entry.told_ns != 0 && entry.told_ns > add_times(now_ns, -kCountedNs) &&
                  entry.happening.kind == happening.kind && entry.happening.part == happening.part;
         }) >= kMostCounted;
}

// Nothing if it still waits or is not worth a message.
std::optional<Happenings::Due> Happenings::judge(Entry& entry, const Sight& sight,
                                                 const Held& held) {
  Happening& h = entry.happening;
  const bool waited = entry.stage == Stage::held;
  if (waited && held && held(h)) return {};
  if (h.kind == HappeningKind::disk_inserted)
    if (const Resource* disk = sight.inventory.find(h.part))
      describe_disk(h, *disk, sight.inventory);
  const bool back = entry.left && (h.bay.empty() || entry.left->empty() || h.bay == *entry.left);
  if (back || ((waited || may_pass(h.kind)) && !still_so(h, sight.inventory))) {
    if (waited) {
      finish(entry);
      return Due{h, Turn::over, false};
    }
    erase(std::string(h.uuid));
    return {};
  }
  if (h.kind == HappeningKind::disk_inserted && h.location.empty() && !waited &&
      sight.now.steady_ns < add_times(entry.seen_ns, kPlaceNs)) {
    entry.due_ns = add_times(sight.now.steady_ns, kSecondNs);
    return {};
  }
  if (!waited && held && held(h)) {
    entry.stage = Stage::held;
    dirty_.insert(h.uuid);
    return Due{h, Turn::waits, true};
  }
  const bool often = flaps(h, sight.now.steady_ns);
  if (!often) entry.told_ns = sight.now.steady_ns;
  finish(entry);
  return Due{h, often ? Turn::too_often : Turn::told, !waited};
}

std::vector<Happenings::Due> Happenings::due(const Sight& sight, const Held& held) {
  const bool all = std::exchange(let_go_, false);
  std::vector<std::string> uuids;
  for (const auto& [order, uuid] : waiting_) {
    const Entry& entry = entries_.at(uuid);
    const bool time = entry.stage == Stage::pending && entry.due_ns <= sight.now.steady_ns;
    if (time || (all && entry.stage == Stage::held)) uuids.push_back(uuid);
  }
  std::vector<Due> out;
  for (const std::string& uuid : uuids)
    if (auto due = judge(entries_.at(uuid), sight, held)) out.push_back(std::move(*due));
  return out;
}

void Happenings::finish(Entry& entry) {
  const std::string& uuid = entry.happening.uuid;
  waiting_.erase({entry.order, uuid});
  entry.stage = Stage::over;
  over_.insert({entry.order, uuid});
  dirty_.insert(uuid);
  // Keeps the current one: the list may be full of it.
  while (over_.size() > kKept) {
    const std::string oldest = over_.begin()->second;
    if (oldest == uuid) break;
    forgotten_.push_back(oldest);
    erase(oldest);
  }
}

void Happenings::erase(const std::string& uuid) {
  const auto at = entries_.find(uuid);
  if (at == entries_.end()) return;
  waiting_.erase({at->second.order, uuid});
  over_.erase({at->second.order, uuid});
  dirty_.insert(uuid);
  entries_.erase(at);
}

std::optional<int64_t> Happenings::next_deadline_ns() const {
  std::optional<int64_t> next;
  for (const auto& [order, uuid] : waiting_)
    if (const Entry& entry = entries_.at(uuid); entry.stage == Stage::pending)
      next = std::min(next.value_or(entry.due_ns), entry.due_ns);
  return next;
}

std::vector<std::string> Happenings::take_forgotten() {
  return std::exchange(forgotten_, {});
}

const Happening* Happenings::find(std::string_view uuid) const {
  const auto at = entries_.find(uuid);
  return at == entries_.end() ? nullptr : &at->second.happening;
}

nlohmann::json Happenings::list() const {
  std::vector<const Entry*> sorted;
  for (const auto& [uuid, entry] : entries_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry* a, const Entry* b) { return a->order < b->order; });
  nlohmann::json out = nlohmann::json::array();
  for (const Entry* entry : sorted) {
    nlohmann::json doc = to_json(entry->happening);
    doc["state"] = kStages.at(static_cast<size_t>(entry->stage));
    out.push_back(std::move(doc));
  }
  return out;
}

// --- rows ---

StateRow Happenings::row_of(const Entry& entry) {
  nlohmann::json doc = {{"happening", to_json(entry.happening)},
                        {"stage", kStages.at(static_cast<size_t>(entry.stage))},
                        {"order", entry.order},
                        {"seen", entry.seen_ns},
                        {"due", entry.due_ns},
                        {"told", entry.told_ns}};
  if (entry.left) doc["left"] = *entry.left;
  return {"happening", entry.happening.uuid, dump_json(doc)};
}

std::vector<StateRow> Happenings::take_changes() {
  std::vector<StateRow> rows = watch_.take_changes();
  for (const std::string& uuid : std::exchange(dirty_, {})) {
    const auto entry = entries_.find(uuid);
    rows.push_back(entry == entries_.end() ? StateRow{"happening", uuid, ""}
                                           : row_of(entry->second));
  }
  return rows;
}

void Happenings::mark_all_changed() {
  watch_.mark_all_changed();
  for (const auto& [uuid, entry] : entries_) dirty_.insert(uuid);
}

bool Happenings::take_row(const StateRow& row) {
  const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
  if (!doc.is_object() || !doc.contains("happening")) return false;
  auto happening = happening_from_json(doc["happening"]);
  const auto* stage = std::find(kStages.begin(), kStages.end(), json_text(doc, "stage"));
  if (!happening || happening->uuid != row.key || stage == kStages.end()) return false;
  Entry entry;
  entry.happening = std::move(*happening);
  entry.stage = static_cast<Stage>(stage - kStages.begin());
  entry.order = json_uint(doc, "order");
  entry.seen_ns = json_int(doc, "seen");
  entry.due_ns = json_int(doc, "due");
  entry.told_ns = json_int(doc, "told");
  if (doc.contains("left")) entry.left = json_text(doc, "left");
  next_order_ = std::max(next_order_, entry.order + 1);
  (entry.stage == Stage::over ? over_ : waiting_).insert({entry.order, row.key});
  entries_.insert_or_assign(row.key, std::move(entry));
  return true;
}

Result<void> Happenings::restore(const std::vector<StateRow>& rows, const Inventory& inventory) {
  Result<void> outcome;
  for (const StateRow& row : rows)
    if (row.kind == "happening" && !take_row(row))
      outcome = fail(fmt::format("stored event {} cannot be read", display(row.key)));
  watch_.restore(rows);
  watch_.begin(inventory);
  return outcome;
}

}  // namespace fmd
