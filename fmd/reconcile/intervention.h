// Intervention: one action that fmd has carried out, or is about to, and may have to undo.
//
//            command sent                   effect seen
//  (none) ───────────────▶ intended ───────────────────▶ in_force
//                            │  ▲                            │ no longer wanted
//             refused, or    │  │ tried again                ▼
//             done by others │  └────────────────────── undoing
//                            ▼                               │
//                          (gone) ◀──────────────────────────┘ its undoing was seen, or somebody else
//                                                               changed the part and owns it now
//
// If a refused command turns out to have taken effect, `intended` goes to `undoing` directly.
//
// It is written with the intent, in a transaction before the command is sent: after a crash fmd
// knows what it may have done. Only an observation clears it. A part and kind have one owner: the
// newest faulty case that wants the action, or a person. Only the owner undoes, and only what fmd
// itself did. If the part's plugin reports it, that is `retired_by` and `spare_key`
// (schemas/resources.md): the key of the command that caused this state.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "fmd/base/moment.h"

namespace fmd {

enum class InterventionKind { retire, spare, replace, fault_led, locate_led };
std::string_view intervention_name(InterventionKind kind);  // "fault-led"
std::optional<InterventionKind> parse_intervention_kind(std::string_view name);

// How far out of service a part is. Unordered: unknown.
enum class Service { unknown, in_service, degraded, out_of_service, removed };
Service parse_service(
    std::string_view word);  // the inventory's `service`; unknown for any other word
std::string_view service_name(Service service);
// 0 in service (or unknown), 1 degraded, 2 out: "at least as far out as".
int service_rank(Service service);

struct Owner {
  enum class Kind { acting_case, person };
  Kind kind = Kind::acting_case;
  std::string name;  // the case's uuid; "root", "uid 1000"
  bool is_case(std::string_view uuid) const { return kind == Kind::acting_case && name == uuid; }
  bool operator==(const Owner&) const = default;
};

struct Intervention {
  enum class State { intended, in_force, undoing };
  using Key = std::pair<InterventionKind, std::string>;

  InterventionKind kind = InterventionKind::retire;
  std::string part;   // FMRI
  std::string with;   // of a replacement: the new disk's FMRI
  std::string group;  // what the blast radius counts the part by, as at the intent; "" none
  Service level = Service::unknown;  // for a retirement: the requested level
  Owner owner;
  State state = State::intended;
  Moment since;           // of the intent
  std::string key;        // idempotency key of the command that does or did it
  std::string level_key;  // while the next level is being reached: the key of the one in force
  std::string undo_key;   // of the last command that undoes it; "" before the first
  int attempts = 0;       // commands sent for it, the undoing's apart
  int undo_attempts = 0;
  bool may_be_done = false;  // a command for it was answered "done", or not at all
  bool asked = false;  // its command has been sent and not been answered: it may take effect yet
  // Of a retirement or spare whose case was lost: the fault LED has been off, or fmd could not switch
  // it off. If it is on, it is someone else's.
  bool light_is_theirs = false;

  Key id() const { return {kind, part}; }
};
std::string_view intervention_state_name(Intervention::State state);  // "in-force"

nlohmann::json to_json(const Intervention& i);
std::optional<Intervention> intervention_from_json(const nlohmann::json& doc);

}  // namespace fmd
