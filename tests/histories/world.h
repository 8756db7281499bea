// World: pools, disks, bays and lights as they really are, and what the kernel does with them (OpenZFS 2.2,
// by its sources; see the plugin's own model in plugins/zfs/pool_model.h). Nothing here is fmd's. It keeps
// beside the state who made it so, which is what the invariants are judged by. Pure; times are steady ns.
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
  bool asked_in_vain = false;  // fmd's order to light it came to nothing, and it was not told so
  bool off_unseen = false;     // switched off, and no plugin has told fmd yet
};

struct Leaf {
  int disk = -1;
  int pool = -1;
  bool in_pool = true;  // false: it has left the configuration
  int replaced_by = -1;
  bool spare = false;  // belongs to the spares
  // What the disk's label and the kernel record, see World::state().
  bool offline = false, faulted = false, degraded = false, removed = false, missing = false;
  bool forced = false;     // FAULTED from outside: fmd, zpool offline -f; else by the kernel or zed
  bool full = true;        // holds all data of its slot
  bool unspare = false;    // the kernel gives its spare back once it is full
  std::string retired_by;  // key of fmd's command that put it into its present state
  bool retired_by_person = false;  // by whose order that was
  bool offlined_too = false;  // `zpool offline` by hand of what fmd had out: only the history knows
};

struct Slot {
  int leaf = -1, spare = -1, newcomer = -1;  // the original; who stands in; who replaces it
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

// What the kernel tells, for the zfs plugin to pass on.
struct Notice {
  std::string event_class;
  int leaf = -1;
  std::string by;    // of vdev_online and vdev_clear: "administrator", "unknown"
  std::string scan;  // of errors: whose read met them
};

// Whose hand it is. A key: fmd's, by that command.
struct Hand {
  enum class Who { fmd, person, zed, kernel };
  Who who = Who::kernel;
  std::string key = {};
  bool ordered = false;  // fmd's, because a person said so
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
  std::array<bool, kSources> changed{};  // what a look of that plugin would show differently

  VdevState state(int leaf) const;
  std::string leaf_name(int leaf) const;
  int leaf_on(int disk) const;          // the vdev in a pool on that disk; -1
  int disk_in(int bay) const;           // -1 none
  const Slot* slot_of(int leaf) const;  // nullptr: not in use
  int original_of(int leaf) const;      // whom a spare stands in for; itself
  bool spare_in_use(int leaf) const { return slot_of(leaf) != nullptr; }
  int spares_available(int pool) const;
  // Why it must not be taken out of service, as the plugin computes it; "" if it may.
  std::string refusal(int leaf) const;
  std::string degrade_refusal(int leaf) const;
  bool data_lost(int pool) const;
  bool busy(int pool, Scan::Kind kind) const { return pools[idx(pool)].scan.kind == kind; }

  // zpool(8) and the kernel. They return why they refuse, or "".
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
  void tick(Ns now);  // scans that are over; a resilver begins where one is needed
  // The plugin died during the command. If ZED runs, nobody can tell which of the two did it.
  void forget_hand(int leaf, bool spare);
  void unanswered_light(int bay);
  void doubt_light(int bay);  // fmd was told that its order had failed, and it had not
  void forget_lights();       // fmd has lost its database: it is not known who lit the LEDs
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
