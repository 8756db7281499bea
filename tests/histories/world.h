// World: the true state of pools, disks, bays and LEDs, and the kernel's behaviour (after the
// sources of OpenZFS 2.2; the plugin has its own model in plugins/zfs/pool_model.h). Knows nothing
// of fmd. Records who caused each state, which the invariants need. Pure; times are steady ns.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shape.h"

namespace fmd::histories {

enum class VdevState { online, degraded, faulted, offline, removed, unavail, avail, inuse };
const char* state_word(VdevState state);

struct Disk {
  std::string serial;
  int bay = -1;  // -1: not in the machine
  bool blank = false, small = false;
  bool smart_failed = false;
  int reallocated = 0;
};

enum class LitBy { nobody, fmd, other, unclear };

struct Bay {
  bool known = true;
  LedShape led = LedShape::works;
  bool fault = false, locate = false;
  LitBy fault_by = LitBy::nobody;
  bool asked_in_vain = false;  // the outcome of an order by fmd to light it is unknown to fmd
  bool off_unseen = false;     // switched off, not yet reported by a plugin
};

struct Leaf {
  int disk = -1;
  int pool = -1;
  bool in_pool = true;  // false: no longer in the configuration
  int replaced_by = -1;
  bool spare = false;  // belongs to the spares
  // As recorded by the disk's label and the kernel, see World::state().
  bool offline = false, faulted = false, degraded = false, removed = false, missing = false;
  bool forced = false;     // FAULTED by fmd or zpool offline -f; otherwise by the kernel or ZED
  bool full = true;        // holds all data of its slot
  bool unspare = false;    // the kernel detaches its spare once it is full
  std::string retired_by;  // key of fmd's command that caused its present state
  bool retired_by_person = false;  // on an administrator's order
  bool offlined_too = false;       // `zpool offline` by a person while fmd had it out
};

struct Slot {
  int leaf = -1, spare = -1, newcomer = -1;  // the original, the spare in use, the replacement
  std::string spare_key;                     // key of fmd's command that brought the spare in
};

struct Top {
  TopShape shape;
  std::vector<Slot> slots;
};

struct Scan {
  enum class Kind { none, scrub, resilver };
  Kind kind = Kind::none;
  Ns ends = 0;
};

struct Pool {
  std::string name;
  int resilver_s = 60;
  std::vector<Top> tops;
  std::vector<int> spares;  // leafs
  Scan scan;
  bool suspended = false;
};

// A kernel event for the zfs plugin.
struct Notice {
  std::string event_class;
  int leaf = -1;
  std::string by;    // for vdev_online and vdev_clear: "administrator", "unknown"
  std::string scan;  // for errors: the scan that found them
};

// Who causes a change. A key: fmd, by that command.
struct Hand {
  enum class Who { fmd, person, zed, kernel };
  Who who = Who::kernel;
  std::string key = {};
  bool ordered = false;  // by fmd, on an administrator's order
};

class World {
 public:
  explicit World(const Shape& shape);

  std::vector<Disk> disks;
  std::vector<Bay> bays;
  std::vector<Leaf> leafs;
  std::vector<Pool> pools;
  bool kernel_unspares = true;
  std::vector<Notice> notices;           // taken by the stage
  std::array<bool, kSources> changed{};  // by plugin: its next look would differ

  VdevState state(int leaf) const;
  std::string leaf_name(int leaf) const;
  int leaf_on(int disk) const;          // the vdev in a pool on that disk, or -1
  int disk_in(int bay) const;           // -1 if empty
  const Slot* slot_of(int leaf) const;  // nullptr if not in use
  int original_of(int leaf) const;      // the leaf that a spare replaces, or the leaf itself
  bool spare_in_use(int leaf) const { return slot_of(leaf) != nullptr; }
  int spares_available(int pool) const;
  // Why it must not be retired, as the plugin computes it; "" if it may be.
  std::string refusal(int leaf) const;
  std::string degrade_refusal(int leaf) const;
  // It works, and its group cannot lose another member.
  bool is_last_copy(int leaf) const;
  bool data_lost(int pool) const;
  bool busy(int pool, Scan::Kind kind) const { return pools[idx(pool)].scan.kind == kind; }

  // zpool(8) and the kernel. They return the reason for a refusal, or "".
  std::string offline(int leaf, const Hand& hand);
  std::string online(int leaf, const Hand& hand, bool unspare);
  std::string clear(int leaf, const Hand& hand);
  std::string degrade(int leaf, const Hand& hand);
  std::string fault(int leaf, const Hand& hand);
  std::string spare_in(int leaf, const Hand& hand, Ns now);
  std::string detach_spare(int leaf, const Hand& hand);
  std::string replace(int leaf, int disk, bool force, Ns now);
  void scrub(int pool, Ns until);
  void errors(int leaf, const std::string& event_class, const std::string& scan);
  void clear_pool(int pool, const Hand& hand);

  void pull(int disk);
  bool put(int disk, int bay);
  void reboot();
  std::optional<Ns> next_scan_end() const;
  void tick(Ns now);  // ends finished scans and begins needed resilvers
  // The plugin died during the command. If ZED runs, it is unclear which of the two acted.
  void forget_hand(int leaf, bool spare);
  void unanswered_light(int bay);
  void doubt_light(int bay);  // fmd was told that its order failed, but it had not
  void forget_lights();       // fmd lost its database and no longer knows who lit the LEDs
  void set_led(int bay, bool locate, bool on, const Hand& hand);

 private:
  static size_t idx(int i) { return static_cast<size_t>(i); }
  Slot* my_slot(int leaf);
  bool good(int leaf) const;
  bool slot_good(const Slot& slot, int without) const;
  bool readable_state(int leaf) const;
  bool readable(int leaf) const;
  bool slot_readable(const Slot& slot, int without) const;
  bool lost(const Top& top, int without) const;
  const Top* top_of(int leaf) const;
  void change(int leaf, const Hand& hand, const std::function<void(Leaf&)>& how);
  void reopen(Leaf& leaf);
  void resilver(int pool, Ns now, bool whole);
  void finish_resilver(Pool& pool);
  void release_spare(Slot& slot);
  void look_at_pools();
  void touch(Source source) { changed[static_cast<size_t>(source)] = true; }
};

}  // namespace fmd::histories
