// Flights: the pending commands, at most one per part, and when each may be retried. In memory
// only: after a restart, an unanswered command is sent again with the same key. Steady times. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fmd/reconcile/command.h"

namespace fmd {

class Flights {
 public:
  // The effect of a completed command must show in the inventory within this time; otherwise it is
  // wanted again.
  static constexpr int64_t kConfirmNs = 5LL * 1000000000;
  static constexpr int64_t kRareNs = 6LL * 3600 * 1000000000;
  static constexpr int kFailuresOfAnHour = 20;

  struct Facts {        // what a try depends on, in any words
    std::string order;  // the form of the request
    std::string world;  // how the part was seen
    bool operator==(const Facts&) const = default;
  };
  struct Slot {  // independent attempts
    InterventionKind kind;
    bool undo;
    std::string part;
    auto operator<=>(const Slot&) const = default;
  };

  bool under_way(std::string_view part) const { return flying_.find(part) != flying_.end(); }
  void begin(const std::string& part, const std::string& key) { flying_[part] = key; }
  // False: it was not that command which was under way (an answer that came late).
  bool end(const std::string& part, const std::string& key);

  // When the facts have changed since, it is due at once.
  bool due(const Slot& slot, const Facts& facts, int64_t now_ns) const;
  // It was done: looked at again when its effect should have shown. Should it never, the wait doubles.
  void confirm(const Slot& slot, const Facts& facts, int64_t now_ns);
  // It was not: the wait doubles with each time in a row, up to most_ns for the first hour of failures;
  // after that, and when it was refused, up to kRareNs, for only a change can help.
  void back_off(const Slot& slot, const Facts& facts, bool refused, int64_t now_ns,
                int64_t first_ns, int64_t most_ns);
  void until_changed(const Slot& slot, const Facts& facts);
  // How the part is seen now: what waits for a change has it, though all should be as before again later.
  void seen(const std::string& part, std::string_view world);
  bool waits_for_change(std::string_view part) const { return for_change_.contains(part); }
  bool waits(const Slot& slot, int64_t now_ns) const;
  void reset(const Slot& slot);
  void forget(std::string_view part);  // nothing about it matters any longer

  void look_at(const std::string& part, int64_t at_ns);  // look at that part again then
  std::optional<int64_t> next_ns() const;
  std::set<std::string> take_due(int64_t now_ns);  // parts to be looked at

 private:
  struct Wait {
    int64_t not_before_ns = 0;
    int in_a_row = 0;
    Facts facts;
  };
  void wait(const Slot& slot, const Facts& facts, int64_t now_ns, int64_t first_ns,
            int64_t most_ns);

  std::map<std::string, std::string, std::less<>> flying_;  // part → key
  std::map<Slot, Wait> waits_;
  std::map<std::string, std::set<Slot>, std::less<>> for_change_;  // of waits_, by part
  std::set<std::pair<int64_t, std::string>> looks_;
};

}  // namespace fmd
