#include "plugins/zfs/pool_watch.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>

#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "plugins/sdk/plugin.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/other_zpool.h"
#include "plugins/zfs/pool_history.h"
#include "plugins/zfs/pool_past.h"
#include "plugins/zfs/zed.h"

namespace fmd::zfs {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kCoalesce{200};  // more events usually follow
constexpr milliseconds kAfterScanNews{20};
constexpr milliseconds kNoHurry{2000};      // only counters changed, or at most names
constexpr milliseconds kAbsentPoll{60000};  // no zpool, no module
constexpr milliseconds kJustNow{1000};
constexpr size_t kMaxDisks = 5000;
constexpr std::string_view kSelf = "fmd://plugin=zfs";

int64_t ns(milliseconds ms) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(ms).count();
}

json gone_entry(const std::string& fmri, const Memory::Gone& gone) {
  json entry = {{"fmri", fmri}, {"reason", gone.reason}};
  if (!gone.replaced_by.empty()) entry["replaced_by"] = gone.replaced_by;
  return entry;
}

}  // namespace

PoolWatch::PoolWatch(sd_event* loop, sdk::Host& host, Options options, Memory memory, Sinks sinks)
    : host_(host),
      options_(std::move(options)),
      memory_(std::move(memory)),
      saved_(memory_),
      sinks_(std::move(sinks)),
      disks_(host),
      observer_(loop, host, options_.zpool_deadline, [this] { soon(kCoalesce, false); }),
      exports_(host, options_.zpool_deadline,
               [this](uint64_t pool) {
                 note_exported(memory_, pool);
                 soon(kCoalesce, false);
               }),
      watcher_(sdk::Watcher::Clock::of(loop), {options_.poll, kCoalesce},
               {[this](bool) { look(); }}) {}

PoolWatch::~PoolWatch() = default;

const Pool* PoolWatch::find_pool(uint64_t guid) const {
  for (const Pool& pool : pools_)
    if (pool.guid == guid) return &pool;
  return nullptr;
}

void PoolWatch::save() {
  if (memory_ == saved_) return;
  saved_ = memory_;
  if (auto good = save_memory(options_.state_file, memory_); !good)
    sdk::log(LOG_WARNING, good.error().text());
}

std::string PoolWatch::acting_refusal() const {
  if (options_.act == Options::Act::never)
    return "fmd-zfs changes nothing here: act = \"never\" in zfs.toml";
  if (options_.act == Options::Act::unless_zed && zed_)
    return "zed is running, and act = \"unless-zed\" in zfs.toml leaves the acting to it";
  return "";
}

void PoolWatch::connected() {
  complete_owed_ = true;
  if (!looked_) return;
  json resources = json::array(), gone = json::array();
  for (const auto& [fmri, resource] : sent_) resources.push_back(resource);
  for (const auto& [fmri, entry] : memory_.gone) gone.push_back(gone_entry(fmri, entry));
  // Send the reasons first: whatever a complete inventory omits counts only as "removed".
  if (!gone.empty()) sinks_.inventory(json::array(), std::move(gone), false);
  // The core keeps its knowledge of a pool that does not respond, so the inventory is not complete.
  sinks_.inventory(std::move(resources), json::array(), unknown_.empty());
  complete_owed_ = !unknown_.empty();
}

void PoolWatch::refresh(bool thorough, Done done) {
  thorough_wanted_ |= thorough;
  watcher_.refresh([this, done = std::move(done)](const std::string&) {
    if (done) done(last_);
  });
}

bool PoolWatch::just_looked() const {
  const int64_t now_ns = wall_clock_ns();
  return last_.kind == Look::Kind::ok && looked_ns_ <= now_ns && now_ns - looked_ns_ < ns(kJustNow);
}

void PoolWatch::soon(milliseconds in, bool thorough) {
  thorough_wanted_ |= thorough;
  watcher_.hint(in);
}

void PoolWatch::look() {
  const int64_t now_ns = wall_clock_ns();
  bool thorough = std::exchange(thorough_wanted_, false);
  if (std::chrono::steady_clock::now() >= due_)
    thorough |= !busy() || now_ns - thorough_ns_ >= ns(options_.poll) || thorough_ns_ > now_ns;
  if (thorough) thorough_ns_ = now_ns;
  observer_.look(thorough, [this](Look look) {
    last_ = std::move(look);
    took();
  });
}

bool PoolWatch::busy() const {
  return std::any_of(pools_.begin(), pools_.end(), [](const Pool& pool) {
    return pool.work().state == Scan::State::running ||
           std::any_of(pool.vdevs.begin(), pool.vdevs.end(), [](const Vdev& vdev) {
             return vdev.type == "replacing" || (vdev.leaf() && vdev.usable() && !vdev.full);
           });
  });
}

void PoolWatch::took() {
  const bool absent = last_.kind == Look::Kind::no_tool || last_.kind == Look::Kind::not_loaded;
  // A look that was running when the event arrived may have read the state from before it.
  looked_ns_ = last_.taken_ns > news_ns_ ? wall_clock_ns() : 0;
  zed_ = zed_runs(host_);
  if (last_.kind == Look::Kind::ok || absent) publish();
  tell_status();
  const milliseconds pause = absent ? kAbsentPoll : busy() ? options_.poll_busy : options_.poll;
  due_ = std::chrono::steady_clock::now() + pause;
  watcher_.over(last_.reason, pause);
}

std::string PoolWatch::not_observed(uint64_t guid) const {
  const Pool* pool = find_pool(guid);
  const auto past = memory_.pools.find(guid);
  const auto found = pool                          ? unseen_.find(pool->name)
                     : past != memory_.pools.end() ? unseen_.find(past->second.name)
                                                   : unseen_.end();
  return found == unseen_.end() ? "" : found->second;
}

// For pools not seen by this look, the last known state.
std::vector<Pool> PoolWatch::with_unseen() {
  auto pools = last_.pools;
  unseen_ = last_.unseen;
  import_ = unseen_.empty() ? "" : running_import(host_);
  unknown_.clear();
  for (const auto& [name, reason] : unseen_) {
    const auto known = std::find_if(pools_.begin(), pools_.end(),
                                    [&](const Pool& pool) { return pool.name == name; });
    if (known != pools_.end()) {
      pools.push_back(*known);
      continue;
    }
    for (const auto& [guid, past] : memory_.pools)
      if (past.name == name) unknown_.insert(guid);
  }
  return pools;
}

void PoolWatch::publish() {
  auto pools = with_unseen();
  mark_resilvered(pools, memory_, previous_ns_);
  note_changes(pools, memory_, destroyed_, unknown_);
  const auto boot = host_.read("/proc/sys/kernel/random/boot_id");
  const std::string this_boot = boot ? *boot : "unknown";
  note_pools(pools, memory_, this_boot, last_.taken_ns, unknown_);
  const auto late = note_deeds(pools, memory_, last_.taken_ns, zed_);
  const int64_t before_ns = previous_ns_;
  const auto cleared = note_counters(last_.pools, memory_, last_.taken_ns);
  previous_ns_ = last_.taken_ns;
  pools_ = std::move(pools);
  pair_errors_.note(pools_);
  find_records(before_ns);
  note_devices();
  std::map<std::string, json> now;
  for (const Pool& pool : pools_) {
    if (!pool.scan.active() && pool.scan.state != Scan::State::none)
      last_scan_[pool.guid] = pool.scan.text;
    InventoryContext context;
    context.disk = [this](const Vdev& vdev) { return disk_of(vdev); };
    context.is_mapped = [this](const Vdev& vdev) { return is_mapped(vdev); };
    context.device_there = [this](const Vdev& vdev) { return disks_.present(vdev); };
    context.in_place = [this](const Vdev& vdev) { return disks_.in_place(vdev); };
    context.bears_label = [this](const Vdev& vdev) { return disks_.bears_label(vdev); };
    context.properties = &observer_.properties();
    context.last_scan = last_scan_[pool.guid];
    context.memory = &memory_;
    context.pair_errors = &pair_errors_;
    context.now_ns = last_.taken_ns;
    context.observed = !unseen_.contains(pool.name);
    context.import_runs = !import_.empty();
    context.automatic_spare = !options_.no_spare.contains(pool.name);
    context.retire_only_with_spare = options_.retire_only_with_spare;
    context.record = [this](uint64_t vdev) -> std::string {
      const auto made = made_.find(vdev);
      if (made == made_.end() || !made->second.asked) return "";
      return made->second.record.empty() ? "nobody" : made->second.record;
    };
    now.merge(pool_resources(pool, context));
  }
  for (const uint64_t guid : missing_pools(pools_, memory_, this_boot))
    if (!unknown_.contains(guid)) {
      now[pool_fmri(guid)] = missing_pool(guid, memory_.pools.at(guid).name);
      exports_.look(guid, leaves_of(memory_, guid));
    }
  json self = plugin_resource();
  now[std::string(kSelf)] = std::move(self);
  forget_disks();
  save();
  send_changes(std::move(now));
  if (!late.empty() && sinks_.late) sinks_.late(late);
  if (!cleared.empty() && sinks_.cleared) sinks_.cleared(cleared);
}

// For a vdev not in use, keep the last device: its name may belong to another disk now.
void PoolWatch::note_devices() {
  std::map<uint64_t, std::string> devices;
  for (const Pool& pool : pools_)
    for (const Vdev& vdev : pool.vdevs) {
      if (!vdev.leaf() || vdev.type != "disk") continue;
      std::string name = vdev.usable() ? disks_.block_device(vdev) : "";
      if (name.empty()) name = device_of(vdev.guid);
      if (!name.empty()) devices[vdev.guid] = std::move(name);
    }
  devices_ = std::move(devices);
}

const std::string& PoolWatch::device_of(uint64_t vdev) const {
  static const std::string kUnknown;
  const auto found = devices_.find(vdev);
  return found == devices_.end() ? kUnknown : found->second;
}

bool PoolWatch::misses_a_disk() const {
  return std::any_of(pools_.begin(), pools_.end(), [](const Pool& pool) {
    return std::any_of(pool.vdevs.begin(), pool.vdevs.end(), [](const Vdev& vdev) {
      return vdev.leaf() && (vdev.state == "REMOVED" || vdev.state == "UNAVAIL");
    });
  });
}

void PoolWatch::devices_changed() {
  if (looked_) soon(kCoalesce, false);
}

// A command's record follows seconds after its effect, so several looks search for it.
void PoolWatch::find_records(int64_t before_ns) {
  constexpr int64_t kStillComing = 60 * kSecondNs;
  std::map<uint64_t, Made> made;
  for (const Pool& pool : pools_)
    for (const Vdev& vdev : pool.vdevs) {
      const auto by = state_by(memory_.retired, vdev);
      if (!vdev.leaf() || by.empty() || by == "fmd") continue;
      Made& its = made[vdev.guid];
      const auto known = made_.find(vdev.guid);
      if (known != made_.end() && known->second.state == state_value(vdev)) its = known->second;
      if (its.state.empty()) its = {state_value(vdev), "", before_ns, previous_ns_, false};
      const bool enough = its.asked && previous_ns_ - its.first_seen_ns > kStillComing;
      if (its.record.empty() && !enough && sinks_.record && unseen_.empty())
        sinks_.record(pool.guid, vdev.guid, its.since_ns);
    }
  made_ = std::move(made);
}

void PoolWatch::recorded(uint64_t vdev, const std::string& record) {
  const auto made = made_.find(vdev);
  if (made == made_.end() || (made->second.asked && made->second.record == record)) return;
  made->second.asked = true;
  made->second.record = record;
  soon(kCoalesce, false);
}

// Drops vdevs that are long gone: events name many over the years.
void PoolWatch::forget_disks() {
  std::erase_if(memory_.mapped, [this](uint64_t guid) { return !memory_.places.contains(guid); });
  if (memory_.disks.size() <= kMaxDisks) return;
  std::erase_if(memory_.disks,
                [this](const auto& entry) { return !memory_.places.contains(entry.first); });
}

json PoolWatch::plugin_resource() const {
  const char* act = options_.act == Options::Act::always       ? "always"
                    : options_.act == Options::Act::unless_zed ? "unless-zed"
                                                               : "never";
  // Those that are known have a case of their own (rule zfs-pool-hung).
  const bool all_known = std::all_of(unseen_.begin(), unseen_.end(), [this](const auto& unseen) {
    return std::any_of(pools_.begin(), pools_.end(),
                       [&](const Pool& pool) { return pool.name == unseen.first; });
  });
  const char* unseen = unseen_.empty() ? "none" : all_known ? "known" : "unknown";
  return {{"fmri", kSelf},
          {"type", "plugin"},
          {"properties",
           {{"zed", zed_ ? "running" : "not running"}, {"act", act}, {"unseen_pools", unseen}}},
          {"edges", json::array()}};
}

void PoolWatch::release() {
  if (auto now = std::exchange(held_back_, std::nullopt)) send_changes(std::move(*now));
}

void PoolWatch::send_changes(std::map<std::string, json> now) {
  held_back_.reset();
  if (looked_ && sinks_.held && sinks_.held()) {
    held_back_ = std::move(now);
    return;
  }
  json changed = json::array(), gone = json::array();
  for (const auto& [fmri, resource] : now) {
    const auto old = sent_.find(fmri);
    if (old == sent_.end() || old->second != resource) changed.push_back(resource);
  }
  for (const auto& [fmri, old] : sent_) {
    if (now.contains(fmri)) continue;
    const auto why = memory_.gone.find(fmri);
    gone.push_back(
        gone_entry(fmri, why == memory_.gone.end() ? Memory::Gone{"removed", ""} : why->second));
  }
  sent_ = std::move(now);
  looked_ = true;
  if (complete_owed_) return connected();
  if (!changed.empty() || !gone.empty())
    sinks_.inventory(std::move(changed), std::move(gone), false);
}

void PoolWatch::seen(const ZpoolEvent& event, bool fresh) {
  const std::string_view name = event.event_class;
  const uint64_t pool = event.number("pool_guid").value_or(0),
                 vdev = event.number("vdev_guid").value_or(0);
  if (vdev && !memory_.disks.contains(vdev))
    if (auto disk = disk_by_name(event.text("vdev_devid")); !disk.empty())
      memory_.disks[vdev] = disk;
  if (name == "sysevent.fs.zfs.vdev_attach" && vdev) note_attached(memory_, vdev, event.time_ns);
  if (name == "sysevent.fs.zfs.resilver_finish") note_resilver_ended(memory_, pool, event.time_ns);
  if (name == "sysevent.fs.zfs.pool_destroy") destroyed_.insert(pool);
  if (name == "sysevent.fs.zfs.pool_destroy" || name == "sysevent.fs.zfs.pool_export")
    note_exported(memory_, pool);
  if (name == "sysevent.fs.zfs.pool_import" || name == "sysevent.fs.zfs.pool_create")
    destroyed_.erase(pool);
  if (!fresh) return;
  if (name == "sysevent.fs.zfs.history_event") {
    // A vdev property has changed; these include the thresholds that rules use.
    if (event.text("history_internal_name") == "vdev set") soon(kCoalesce, true);
    return;
  }
  note_state_event(memory_, event);
  // Rules wait for beginning and end, so look at once; the configuration does not change.
  const bool scan =
      name.starts_with("sysevent.fs.zfs.scrub_") || name.starts_with("sysevent.fs.zfs.resilver_");
  // A state change alters neither names nor layout. A config_sync follows every change, so reading
  // the configuration now would only delay the reaction to the state.
  const bool quick = scan || name.starts_with("ereport.") || name == "resource.fs.zfs.statechange";
  const bool no_hurry = name.starts_with("ereport.") || name == "sysevent.fs.zfs.config_sync";
  if (!no_hurry) {
    looked_ns_ = 0;
    news_ns_ = wall_clock_ns();
  }
  soon(scan ? kAfterScanNews : no_hurry ? kNoHurry : kCoalesce, !quick);
}

void PoolWatch::event_trouble(const std::string& why) {
  event_trouble_ = why;
  if (looked_) tell_status();
}

void PoolWatch::tell_status() {
  using Kind = Look::Kind;
  if (last_.kind == Kind::no_tool || last_.kind == Kind::not_loaded)
    return sinks_.status("not-observed", last_.reason);
  if (last_.kind != Kind::ok) return sinks_.status("degraded", last_.reason);
  if (!unseen_.empty()) {
    std::string words;
    for (const auto& [name, reason] : unseen_)
      words += fmt::format("{}pool '{}' is not observed: {}", words.empty() ? "" : "; ",
                           display(name), reason);
    if (!import_.empty())
      words += fmt::format(
          "; 'zpool import' runs (process {}): other zpool commands wait until it has loaded its "
          "pool",
          import_);
    return sinks_.status("degraded", words);
  }
  if (!event_trouble_.empty()) return sinks_.status("degraded", "no events: " + event_trouble_);
  if (!zed_) return sinks_.status("ok", "");
  sinks_.status("ok",
                "zed is running: it also acts on vdevs (its agents degrade, fault and use spares); "
                "see fmd-zfs(8)");
}

}  // namespace fmd::zfs
