// Memory: the state that fmd-zfs keeps across restarts because zpool(8) does not report it: place
// and disk of each vdev (to distinguish "replaced" from "detached"), when spares and new disks came
// in (to know whether they hold the data yet), own commands with their goals and replies. A small
// JSON file in the state folder; without one, in memory only. Single thread.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::zfs {

// A zpool command of ours as the pool's history shows it.
struct OwnCommand {
  std::string text;                // "zpool offline tank 123"
  int64_t from_ns = 0, to_ns = 0;  // to 0: its end was not seen
  bool operator==(const OwnCommand&) const = default;
};

// A state that fmd caused and that still holds: the command's key, and the state.
struct Effect {
  std::string key, value;
  int64_t begun_ns = 0, seen_ns = 0;  // start of the command; when the state was first seen
  bool operator==(const Effect&) const = default;
};

// A command of fmd that changes a vdev's state or the spare in use for it (the spare's guid as
// text, "" none). It may take effect long after it was answered.
struct Intent {
  enum class End {
    running,
    succeeded,  // its zpool command succeeded
    unknown,    // timed out, or the plugin was restarted meanwhile
    alone,      // unknown, but the history names nobody else
  };
  std::string key;
  std::string wanted;  // "": any new value
  std::string before;
  int64_t begun_ns = 0;
  End end = End::running;
  bool operator==(const Intent&) const = default;
};

// States of vdevs (by guid) that fmd caused, in one respect.
struct Deeds {
  std::map<uint64_t, Intent> intents;
  std::map<uint64_t, Effect> effects;
  bool operator==(const Deeds&) const = default;
};

struct Memory {
  struct Place {  // where a vdev was last seen
    uint64_t pool = 0;
    std::string slot;  // "PARENT-GUID/INDEX" of its slot; "" for spares and cache
    int order = 0;     // within the slot: the newer member of a pair has the higher one
    bool leaf = false;
    bool operator==(const Place&) const = default;
  };
  struct Gone {
    std::string reason, replaced_by;  // FMRI
    bool operator==(const Gone&) const = default;
  };
  struct OwnChange {  // a command of ours; its echoes are not an administrator's
    uint64_t pool = 0, vdev = 0;
    int64_t from_ns = 0, to_ns = 0;  // to 0: still running
    bool operator==(const OwnChange&) const = default;
  };

  struct PoolPast {
    std::string name;
    std::string boot;                               // boot in which it was last seen; "": exported
    int64_t first_seen_ns = 0, scrub_ended_ns = 0;  // end of the last complete scrub; 0: unknown
    uint64_t scrub_repaired = 0;                    // bytes, by that scrub
    bool operator==(const PoolPast&) const = default;
  };

  struct Counted {  // an ONLINE leaf with errors counted
    uint64_t pool = 0;
    int64_t seen_ns = 0;
    bool operator==(const Counted&) const = default;
  };

  std::map<uint64_t, PoolPast> pools;       // pool guid
  std::map<uint64_t, Counted> counted;      // vdev guid
  std::map<uint64_t, Place> places;         // vdev guid
  std::map<uint64_t, std::string> disks;    // vdev guid → FMRI of the disk it was last seen on
  std::set<uint64_t> mapped;                // vdev guids that were last seen on a mapping
  std::map<uint64_t, int64_t> attached_ns;  // vdev guid: when it came in; 0 unknown
  std::set<uint64_t> resilvered;            // vdev guids known to have all data since
  std::map<uint64_t, int64_t> resilver_ended_ns;  // pool guid → its last resilver_finish
  std::map<std::string, Gone> gone;               // FMRI; reported again at each connection
  std::vector<OwnChange> own_changes;             // the latest ones
  struct Answer {                                 // reply to a command of fmd, by its key
    std::string key, status, reason, detail;      // status "": begun; detail is JSON
    bool operator==(const Answer&) const = default;
  };
  Deeds retired, spared;                 // states; spares
  std::vector<OwnCommand> own_commands;  // the latest ones
  std::vector<Answer> answers;           // the latest ones

  std::string to_json() const;
  static Result<Memory> from_json(const std::string& text);

  bool operator==(const Memory&) const = default;
};

// file: "" none. A missing file gives an empty memory; a damaged one is an error (start empty).
Result<Memory> load_memory(const std::string& file);
Result<void> save_memory(const std::string& file, const Memory& memory);  // all or nothing

}  // namespace fmd::zfs
