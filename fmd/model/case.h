// Case: one problem, from the first evidence to the verified repair (illumos FMA life cycle).
//
//   UNSOLVED ──solve──▶ SOLVED ──all retire actions done, or a repair──▶ CLOSE_WAIT ──▶ CLOSED
//       │ discard          │                                                            │
//       ▼                  └──────────── no suspect faulty any more ───────────▶ REPAIRED ◀┘
//    (gone)                                            nothing owed, and no suspect │
//                                                      out of service and present   ▼
//                                                                               RESOLVED
//
// UNSOLVED: waits (a hold). SOLVED: suspects convicted, message sent. CLOSED: isolated, the fault
// is still there. REPAIRED: repaired, replaced or acquitted, but the part is not back in service
// yet. RESOLVED: the end.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/event.h"
#include "fmd/model/evidence.h"
#include "fmd/model/unfit.h"

namespace fmd {

enum class CaseState { unsolved, solved, close_wait, closed, repaired, resolved };
std::string_view state_name(CaseState state);  // "SOLVED"
Result<CaseState> parse_state(std::string_view name);

enum class SuspectStatus {
  faulty,
  repaired,
  replaced,
  acquitted,
  merged,  // another case suspects it now (Case::merged_into)
};
std::string_view status_name(SuspectStatus status);  // "faulty"
Result<SuspectStatus> parse_status(std::string_view name);

// Events on a suspect's resource that repair it: an administrator's own doing.
struct RepairOn {
  std::vector<std::string> classes;  // a trailing ".*" matches all subclasses
  MemberValues where;                // the event has each of these members, one of its values
  bool is_met_by(const Event& event) const;
  bool operator==(const RepairOn&) const = default;
};

struct Suspect {
  std::string fault_class;  // "fault.fs.zfs.vdev.checksum"
  int certainty = 100;      // percent
  std::string resource;     // FMRI of the broken part (the ereports' resource)
  std::string asru;         // FMRI of what to disable, "" none
  std::string fru;          // resource FMRI of what to replace ("dev://wwn=…"), "" unknown
  std::string fru_path;     // hc path at diagnosis, for people
  std::string bay;          // FMRI of the bay that held it last, "" unknown
  std::string location;     // bay label at diagnosis
  std::string serial, model, part_number, device_path;  // of the FRU at diagnosis, raw
  SuspectStatus status = SuspectStatus::faulty;
  // Why a shared part may be the cause instead ("3 of 8 disks behind …"): fmd then neither retires
  // the part nor uses a spare for it by itself, and its fault LED stays dark; "": decided.
  std::string undecided;
  RepairOn repair_on;  // copied from the fault class
  // Further values for its texts: name, pool, count, within, value, baseline, limit, event.MEMBER.
  // Raw, as at diagnosis.
  std::map<std::string, std::string, std::less<>> facts;
};

// The value that convicted, for a rule about a property: such a case has it instead of events.
struct Observation {
  int64_t time_ns = 0;   // when it convicted
  int64_t since_ns = 0;  // since when it was seen to be so (the rule's hold), at most time_ns
  std::string rule, resource, property;
  std::string value, limit, baseline;  // as the rule's texts have them, raw; "": there is none
  std::string text() const;            // "smart.pending is 20, grown from 8 (rule smart-pending)"
};

// Suspect::undecided of a new case, until the odds of its disk are computed: within seconds.
inline constexpr std::string_view kYetToCompare =
    "fmd has yet to compare it with other disks that report errors";

// A fact of a suspect (Suspect::facts) whose FRU was already absent when it was suspected.
inline constexpr const char* kWasGone = "was_gone";
// The class of a fault of a disk that was pulled in place of the one to be replaced.
constexpr bool is_wrong_disk(std::string_view fault_class) {
  return fault_class.ends_with(".wrong_disk");
}

// A fact of a suspect whose vdev was detached or whose pool was destroyed: its disk was not replaced.
inline constexpr const char* kLeftPool = "left_pool";

// A fact of a suspect: the pool that has replaced or detached its disk, and therefore has what was on
// it elsewhere.
inline constexpr const char* kLetGo = "let_go";

// The timeline's words of kind "repaired" if a person says so begin with this.
inline constexpr std::string_view kRepairedBy = "repaired by ";

// The timeline's words when another case explains this one.
std::string explained_words(std::string_view uuid);

struct TimelineEntry {
  int64_t time_ns = 0;
  // "diagnosed", "retire", "spare", "fault-led", "notify", "repaired", "merged", "note", ...
  std::string kind;
  std::string text;  // one sentence for a person
};

// An action of a case; at most one of each kind per part. It shows the progress of the case's
// wishes. Changes that are in force are recorded as interventions (fmd/reconcile/intervention.h).
enum class ActionKind {
  retire,          // the ASRU, to the policy's first level
  out_of_service,  // the ASRU, once its spare holds all data
  spare,           // brought in for the ASRU
  replace,         // the ASRU, by the new disk in its bay
  fault_led,       // of the bay
};
enum class ActionState {
  planned,      // to come after another action
  waiting,      // cannot be done now, is tried by itself: see the obstacle
  running,      // commanded
  done,         // observed, by whomever
  refused,      // is not done unless a person says so
  failed,       // tried and tried again
  resilvering,  // the new disk is being filled
  lost,         // was in, has left
  returning,    // being given back
  returned,     // given back, or never needed
  dry_run,      // would be done
};
enum class Obstacle {  // why it waits, was refused or failed
  none,
  busy,          // a scrub or resilver runs
  no_spare,      // none is available
  no_plugin,     // none that takes the command is connected
  not_accepted,  // the new disk is not blank, too small, in use
  last_copy,     // the part's plugin says that data would go with it
  blast_radius,  // too many parts of the group are out already
  undecided,     // a shared part may be the cause (Suspect::undecided)
  person,        // a person's word keeps it in service
  contested,     // someone else repeatedly puts it back into service
  not_ours,      // someone else has changed the part, and must restore it
  disputed,      // two plugins contradict each other about which disk it is
  error,         // the plugin's reason is the detail
};
std::string_view action_name(ActionKind kind);          // "out-of-service"
std::string_view action_state_name(ActionState state);  // "running"
std::string_view obstacle_name(Obstacle obstacle);      // "no-spare", "" none
std::optional<ActionKind> parse_action_kind(std::string_view name);
std::optional<ActionState> parse_action_state(std::string_view name);
std::optional<Obstacle> parse_obstacle(std::string_view name);

struct Action {
  ActionKind kind = ActionKind::retire;
  std::string part;  // FMRI acted on
  ActionState state = ActionState::planned;
  Obstacle obstacle = Obstacle::none;
  std::string detail = {};  // reason or result, for people
  int64_t time_ns = 0;      // wall, of the last change
  int attempts = 0;
  uint64_t evidence = 0;  // evidence_count of the case then
  // Obstacle not_accepted: why the new disk in the part's bay is not used, also as a predicate: "is
  // too small (1 TB; 2 TB are needed)". One that only sits elsewhere: none, "is in SLOT 08".
  Unfit unfit = Unfit::none;
  std::string unfit_why = {};
  bool operator==(const Action&) const = default;
};

// How a case's ASRU is to be treated: copied from the fault class into the case, so that a later rule
// change does not alter what an open case does.
struct RetirePolicy {
  // "", "degraded" or "out-of-service": what at once. "": nothing but the replacement.
  std::string first;
  bool spare = false;             // bring a spare in
  std::string wait_while;         // hold while the ASRU's property "busy" has this value ("scrub")
  std::string wait_unless;        // ...unless this rule convicted it as well
  std::string then;               // "" or "out-of-service": once the spare holds all data
  bool replace_same_bay = false;  // a blank disk put in the same bay is taken as the replacement
  int64_t then_after_ns = 0;      // ...`then` at least this long after `first`...
  int64_t then_grace_ns = 0;      // ...unless an error came later than this after it
  bool returns = false;  // only its absence is found: back in service when its disk is back
  bool operator==(const RetirePolicy&) const = default;
};

// An earlier case that accused a part for what this case explains.
struct Superseded {
  std::string uuid;
  std::string part;  // its name for people
  bool operator==(const Superseded&) const = default;
};

// A graver fault to which this case may lead.
struct Consequence {
  std::string severity;
  std::string text;  // "An enclosure is too hot (FMDL-8002-WR)"
};

struct Case {
  std::string uuid;
  std::string code;      // msg-id, "ZFS-8000-GH"; "" while unsolved
  std::string severity;  // "Minor", "Major", "Critical"
  CaseState state = CaseState::unsolved;
  int64_t opened_ns = 0, solved_ns = 0, updated_ns = 0, resolved_ns = 0;  // wall
  int64_t solved_steady_ns = 0;    // of two cases about one part the later has the say
  std::vector<std::string> rules;  // which convicted, first one first
  std::vector<Suspect> suspects;
  EvidenceList evidence;
  uint64_t evidence_count = 0;
  // For evidence, not stored: seq of the newest event (0: to be found), and whether the case book
  // has already noted the case.
  uint64_t newest_evidence = 0;
  bool goes_on = false, uncounted = false;
  std::vector<Observation> observations;  // the first 16 and the last 16
  std::vector<TimelineEntry> timeline;
  std::vector<Action> actions;  // at most one of a kind and part
  // Give-backs of what fmd did for it that are not done yet: it is not RESOLVED before there are none.
  uint32_t owed = 0;
  // RESOLVED because it was about the same part as this case (uuid), which goes on; "" else.
  std::string merged_into;
  // UNSOLVED: uuid of the case whose part explains this finding; otherwise "".
  std::string explained_by;
  // Its part was acquitted because this case (uuid) explains what it was accused of; "" else.
  std::string superseded_by;
  static constexpr size_t kMostSuperseded = 100;  // further ones say so themselves
  std::vector<Superseded> supersedes;
  std::optional<Consequence> consequence;  // of those that it explains the gravest
  RetirePolicy retire;
  bool led = false;          // light the fault LED of the suspects' bays
  int64_t acts_at_ns = 0;    // wall: fmd acts then, unless other disks fail before; 0: at once
  bool information = false;  // requires no action: shown, but not sent
  // From fault_class: whether the suspect's disk is to be replaced first, and how soon ("within days";
  // "" not stated).
  bool replaces = false;
  std::string urgency;
  std::string fault_class;  // whose code and texts are used: the gravest one suspected
  std::string title, description, response, impact, action;  // filled in texts
  // Fault classes that a good value of a property ends and that have seen another value since: the
  // next good one repairs.
  std::set<std::string, std::less<>> armed;
  // Kept while UNSOLVED for the suspect to come (Suspect::facts).
  std::map<std::string, std::string, std::less<>> facts;
  int64_t repair_after_ns = 0;   // repaired by itself when no evidence came for that long; 0: never
  int64_t last_evidence_ns = 0;  // steady: when the newest evidence was received
  bool acknowledged = false;
  std::string acknowledged_by;
  uint64_t acknowledged_count = 0;  // evidence_count then: the pinned baseline

  bool open() const { return state != CaseState::resolved; }
  bool faulty() const;  // some suspect is faulty
  // Why fmd does not act on the first faulty suspect whose part may not be the cause; "" decided.
  const std::string& undecided() const;
  bool is_being_compared() const { return undecided() == kYetToCompare; }
  std::set<std::string> parts() const;  // FMRIs that suspects and actions name
  const Action* find_action(ActionKind kind, std::string_view part) const;
  void set_action(Action next);  // in place of the one of that kind and part
  void drop_action(ActionKind kind, std::string_view part);
  // Bounded: the first 64 and the last 64 stay. An event already among them (seq) is not counted
  // again.
  bool add_evidence(const Evidence& e);
  void add_observation(Observation o);  // bounded
  // Bounded (the first 50 and the last 250 stay); the same sentence twice running is said once.
  void add_timeline(int64_t time_ns, std::string_view kind, std::string_view text);
};

constexpr int severity_rank(std::string_view severity) {
  return severity == "Critical" ? 3 : severity == "Major" ? 2 : severity == "Minor" ? 1 : 0;
}

// The severity as people read it: a case or fault that requires no action is "Info". Documents, metrics and SNMP have the
// severity itself.
constexpr std::string_view severity_word(std::string_view severity, bool information) {
  return information ? std::string_view("Info") : severity;
}
inline std::string_view severity_word(const Case& c) {
  return severity_word(c.severity, c.information);
}

enum class CaseDetail {
  whole,
  without_evidence,  // its list is empty: it is most of a case in a storm
  summary,           // what a line of a table is made of: no lists but the suspects, no long texts
};

nlohmann::json to_json(const Case& c, CaseDetail detail = CaseDetail::whole);
// The same as text. The large members are written without a JSON library, for many cases at once.
std::string to_json_text(const Case& c, CaseDetail detail = CaseDetail::whole);
Result<Case> case_from_json(const nlohmann::json& doc);

}  // namespace fmd
