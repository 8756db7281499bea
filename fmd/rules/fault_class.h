// FaultClass: the content of a [[fault]] table: code, texts and response policy of a fault,
// whichever rule has found it. Owned by the RuleSet; a case copies what it must keep when rules
// change.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/event.h"
#include "fmd/model/inventory.h"

namespace fmd {

// What to replace: the first resource of this scheme below the ASRU along this relation, or above
// it. Without a relation a dev:// resource is itself what is replaced.
struct FruSearch {
  std::optional<Relation> follow;
  std::string scheme;
  bool upwards = false;
};

// Another suspect of the same finding: the other end of a link.
struct AlsoSuspected {
  std::optional<Relation>
      follow;  // the nearest above the resource along this relation; absent: no such suspect
  std::string scheme;  // of that
  int certainty = 0;   // percent
};

// Events and conditions that end the fault automatically. A person's command and the replacement of
// the part end every fault.
struct RepairPolicy {
  RepairOn on;
  // `when`: the resource's property has one of these values; "": no such property. Concerns what
  // events found, and what a state rule about this very property found.
  std::string property;
  std::vector<Value> values;
  bool when_clear = false;  // the condition that found it is gone, for all other conditions
  int64_t after_ns = 0;     // no evidence came for that long; 0: never
};

struct FaultClass {
  std::string name;  // "fault.fs.zfs.vdev.checksum"
  std::string file;
  int line = 0;
  std::string code;  // computed by diagcode from dictionary + number, or for self-made codes alike
  std::string severity;  // "Minor", "Major", "Critical"
  // May hold {label} {serial} {model} {pool} {name} {count} {device} ...: placeholders::known(),
  // {event.MEMBER}, {property.NAME}.
  std::string title, description, response, impact, action;
  bool information = false;  // requires no action and sends no message
  bool led = false;          // light the fault LED of the FRU's bay while the case is open
  bool replaces = false;     // the first thing to do is to replace the disk
  std::string urgency;       // of the replacement, "within days"; "": not stated
  FruSearch fru;
  AlsoSuspected also;
  RetirePolicy retire;
  RepairPolicy repair;
};

}  // namespace fmd
