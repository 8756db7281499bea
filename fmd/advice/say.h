// Say: what to tell a person about a case, computed from the case and the current inventory. All
// front ends and notifiers print these sentences: command lines, mail, SNMP, journal, webhook,
// desktop.
//
//   diagnosed ──▶ waiting_scrub ──▶ spare_resilvering ──▶ spare_holds_all ─┐
//       │                                                                 ▼
//       └──────────────────────────▶ out_of_service ──▶ disk_pulled ──▶ resilvering ──▶ repaired
//                                                        unfit_disk ──┘
//
// dry_run and maintenance replace any of these states while they last. informed: nothing needs to
// be done. Pure; schemas/documents.schema.json describes the document. Tests: tests/words, whose
// goldens have each sentence.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/advice/part_index.h"
#include "fmd/advice/pull_safety.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd {

enum class SayState {
  diagnosed,
  waiting_scrub,
  spare_resilvering,
  spare_holds_all,
  out_of_service,
  disk_pulled,
  unfit_disk,
  resilvering,
  repaired,
  dry_run,
  maintenance,
  informed,
};
std::string_view say_state_name(SayState state);  // "waiting_scrub"

enum class Needs { you, fmd, nobody };
std::string_view needs_name(Needs needs);

// The state of the machine apart from its inventory.
struct SayWorld {
  const Inventory& inventory;
  const PartIndex& index;  // of that inventory
  bool dry_run = false;
  bool auto_replace = true;  // [action] in fmd.toml: a blank disk in the same bay is taken
  // The maintenance window that the case is in; "" none.
  std::string window = {};
  int64_t window_until_ns = 0;  // wall
  // For an UNSOLVED case: the suspected part, and the latest time of the verdict.
  std::string held_part = {}, held_until = {};
  // The open cases: orders about one disk depend on those about others. May be empty.
  std::span<const Case* const> open = {};
};

struct Say {
  SayState state = SayState::diagnosed;
  Needs needs = Needs::you;
  std::string headline, do_now;
  std::vector<std::string> steps;
  PullSafety safe_to_pull;
  std::string redundancy;  // "" the suspect belongs to no pool
  std::string light;       // "Its fault LED is on."; "" it is not, or several parts are suspected
  std::vector<std::string> done, next, disagree;
};

Say say_of(const Case& c, const SayWorld& world);
nlohmann::json to_json(const Say& say);

}  // namespace fmd
