// Memory: what fmd-zfs must know from one run to the next and what no zpool(8) output tells: which
// vdev sat where and on which disk (to tell "replaced" from "detached"), when spares and new disks
// came in (to tell whether they hold the data yet), what our own commands did, are still to do, and
// answered. A small JSON file in the state folder; without a folder it lasts as long as the process. Single thread.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::zfs {

// A zpool command of ours as the pool's history will name it.
struct OwnCommand {
  std::string text;                // "zpool offline tank 123"
  int64_t from_ns = 0, to_ns = 0;  // to 0: its end was not seen
  bool operator==(const OwnCommand&) const = default;
};

// What fmd has made so, as long as it stays so: by which command, and what it is.
struct Effect {
  std::string key, value;
  int64_t begun_ns = 0, seen_ns = 0;  // of the command; when it was first seen
  bool operator==(const Effect&) const = default;
};

// A command of the core's that is to change something about a vdev: its state, or the spare that
// stands in for it (the spare's guid as text, "" none). It may still do so long after it was
// answered.
struct Intent {
  enum class End {
    running,
    succeeded,  // its zpool did
    unknown,    // ran out of time, or the plugin was restarted meanwhile
    alone,      // unknown, but the history names nobody else
  };
  std::string key;
  std::string wanted;  // "" anything new
  std::string before;
  int64_t begun_ns = 0;
  End end = End::running;
  bool operator==(const Intent&) const = default;
};

// What vdevs (by guid) owe to fmd's commands, in one respect.
struct Deeds {
  std::map<uint64_t, Intent> intents;
  std::map<uint64_t, Effect> effects;
  bool operator==(const Deeds&) const = default;
};

struct Memory {
  struct Place {  // of a vdev when last seen
    uint64_t pool = 0;
    std::string slot;  // "PARENT-GUID/INDEX" of the slot it is in; "" for spares and cache
    int order = 0;     // in the slot: of two in a pair the newer has the higher
    bool leaf = false;
    bool operator==(const Place&) const = default;
  };
  struct Gone {
    std::string reason, replaced_by;  // FMRI
    bool operator==(const Gone&) const = default;
  };
  struct OwnChange {  // a command of ours; its echoes are not an administrator's doing
    uint64_t pool = 0, vdev = 0;
    int64_t from_ns = 0, to_ns = 0;  // to 0: still running
    bool operator==(const OwnChange&) const = default;
  };

  struct PoolPast {
    std::string name;
    std::string boot;  // the boot in which it was seen last; "": it was exported
    int64_t first_seen_ns = 0, scrub_ended_ns = 0;  // its last whole scrub; 0: none known
    uint64_t scrub_repaired = 0;                    // bytes, by that one
    bool operator==(const PoolPast&) const = default;
  };

  struct Counted {  // a leaf that was ONLINE with errors counted
    uint64_t pool = 0;
    int64_t seen_ns = 0;
    bool operator==(const Counted&) const = default;
  };

  std::map<uint64_t, PoolPast> pools;       // pool guid
  std::map<uint64_t, Counted> counted;      // vdev guid
  std::map<uint64_t, Place> places;         // vdev guid
  std::map<uint64_t, std::string> disks;    // vdev guid → FMRI of the disk it was last seen on
  std::map<uint64_t, int64_t> attached_ns;  // vdev guid: came in at; 0 unknown
  std::set<uint64_t> resilvered;            // vdev guids known to hold all data since
  std::map<uint64_t, int64_t> resilver_ended_ns;  // pool guid → its last resilver_finish
  std::map<std::string, Gone> gone;               // FMRI, told again at each connection
  std::vector<OwnChange> own_changes;             // the last ones
  struct Answer {                                 // to a command of the core, by its key
    std::string key, status, reason, detail;      // status "": begun; detail is JSON
    bool operator==(const Answer&) const = default;
  };
  Deeds retired, spared;                 // states; spares
  std::vector<OwnCommand> own_commands;  // the last ones
  std::vector<Answer> answers;           // the last ones

  std::string to_json() const;
  static Result<Memory> from_json(const std::string& text);

  bool operator==(const Memory&) const = default;
};

// file: "" no memory. A missing file is an empty one; a damaged one an error (start with an empty
// one then).
Result<Memory> load_memory(const std::string& file);
Result<void> save_memory(const std::string& file, const Memory& memory);  // whole or not at all

}  // namespace fmd::zfs
