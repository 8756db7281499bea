// Advice: fmd's advice about a case and about the machine's present state, as values
// (schemas/documents.schema.json: "say", "now"). Front ends print it and add nothing. Strings are
// raw.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace fmd::ui {

struct Advice {
  std::string state;                   // "spare_holds_all"
  std::string needs;                   // "you", "fmd", "nobody"
  std::string headline, do_now;        // a clause; an imperative sentence
  std::vector<std::string> steps;      // how, in order
  std::string safe_to_pull, why_safe;  // "yes", "no", "not_a_part"; a clause
  std::string redundancy;              // "" if the suspect belongs to no pool
  std::string light;                   // "Its fault LED is on.", or ""
  std::vector<std::string> done, next, disagree;

  // "needs you", "working", "done": shown instead of FMA's states.
  std::string needs_words() const;
  bool operator==(const Advice&) const = default;
};

struct PoolNow {
  std::string fmri, name, state, redundancy, scan;
  bool well = true;
  std::vector<std::string> expected;  // sentences
};
struct HeldSuspicion {
  std::string resource, name, text;
  int64_t decided_by_ns = 0;
};
struct MachineNow {
  std::vector<PoolNow> pools;
  std::vector<HeldSuspicion> held;
  std::string maintenance, maintenance_end;  // a sentence and a command; "" if none
  std::vector<std::string> unanswering;      // a sentence for each pool
  std::vector<std::string> pull_order;       // sentences: which disk of a pool to pull first
  std::vector<std::vector<std::string>> pull_disks;  // of each sentence: FMRIs, the first one first
  std::vector<std::string> old_disks;  // sentences: replaced disks that are still there
};

using AdviceByCase = std::map<std::string, Advice, std::less<>>;  // by the case's UUID

// Nothing if fmd is too old to give advice.
std::optional<Advice> advice_in(const nlohmann::json& case_document);
// "pool tank is DEGRADED, pool b is SUSPENDED": the unhealthy pools; "" none. Cleaned.
std::string pools_words(const MachineNow& now);
// "SLOT 06 is suspected", "2 parts are suspected"; "" none. Cleaned.
std::string held_words(const MachineNow& now);
// From GetStatus' document.
MachineNow machine_now_in(const nlohmann::json& document);

}  // namespace fmd::ui
