// Lights: the wanted state of a bay's LEDs. The fault LED is on while a faulty suspect is in the bay, or was
// the last disk in it, unless that disk may hold the only copy of its data; the locate LED while a
// person requests it. Pure; requests are rows "locate" (bay).
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/reconcile/interventions.h"
#include "fmd/reconcile/part_plan.h"

namespace fmd {

// The cases that wish the fault LED of that bay on, newest first.
std::vector<const Case*> wishing_light(const Engine& engine, const std::string& bay);

// The cases that will wish it if no other disk fails by Case::acts_at_ns, and what they say.
std::vector<const Case*> coming_light(const Engine& engine, const std::string& bay);
Step coming_step(const std::string& bay);

// The cases that will wish it once the data on the disk has another copy, and what they say.
std::vector<const Case*> held_back_light(const Engine& engine, const std::string& bay);
Step held_back_step(const Engine& engine, const Case& c, const std::string& bay);

// A bay, or a machine whose BMC drives a locate light.
bool has_lights(const Resource& part);

// One step for the bay's fault LED; none if it is not wanted on and fmd has not lit it.
std::optional<Step> plan_fault_light(const Engine& engine, const Interventions& interventions,
                                     const std::string& bay);

// People's requests for the locate LEDs.
class LocateWishes {
 public:
  void wish(const std::string& bay, bool on, std::string_view who);  // off also ends who holds it
  void hold(const std::string& bay, std::string_view holder);
  std::vector<std::string> release(std::string_view holder);  // the bays that it held
  std::set<std::string> holders() const;
  std::vector<std::string> bays() const;  // with a request, or not dark yet
  bool on(const std::string& bay) const;
  bool concern(const std::string& bay) const;
  std::string who(const std::string& bay) const;
  // The purpose of a lasting wish, which ends with it.
  struct Errand {
    std::string disk;      // FMRI of the disk in the bay; "" it was empty
    std::string uuid;      // of the case about a part there; "" none
    int64_t since_ns = 0;  // wall; 0: not looked at yet
  };
  const Errand* errand(const std::string& bay) const;  // nullptr: no lasting wish
  void begin(const std::string& bay, Errand errand);
  void end_errand(const std::string& bay);  // who holds the light keeps it
  // When the first lasting request reaches that age; wall.
  std::optional<int64_t> next_end_ns(int64_t lasts_ns) const;
  void done_with(const std::string& bay);  // no request, and dark

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);

 private:
  struct Wish {
    bool kept = false;  // holds until it is withdrawn
    std::string who;
    Errand errand = {};
    std::set<std::string, std::less<>> holders;
    bool on() const { return kept || !holders.empty(); }
  };
  std::map<std::string, Wish, std::less<>> wishes_;
  std::set<std::string> dirty_;
};

// One step for the bay's locate LED, or none.
std::optional<Step> plan_locate_light(const Engine& engine, const Interventions& interventions,
                                      const LocateWishes& wishes, const std::string& bay);

}  // namespace fmd
