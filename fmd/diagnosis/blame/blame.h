// Blame: which part is at fault, by one inference over all evidence. Every item (items.h) may have
// a cause of its own, or one in common with others: a hub (hubs.h), a bad batch, a person's hands,
// the failure of another disk of its group. The hub with the best odds explains its items; then
// the rest is examined without these, until no hub is more likely than its absence (greedy, as in
// Flock, CoNEXT 2023).
//
//   sign, over, person ──▶ items ──▶ settle ──▶ causes ──▶ explanations of a part
//   topology ──▶ hubs ───────────────▲
//
// The result depends only on the topology, the items and the time: not on names, on the order of
// equal moments, on how often settle() was called, or on a restart between. Only hubs whose items
// changed, or whose odds change with time, are evaluated again. kMostStarts bounds the runs of
// items that are tried for a hub.
//
// Wrong data of a disk whose path failed before is no evidence: the disk missed writes.
//
// When most parts of a cause have recovered, the cause is over: a part that keeps failing, or fails
// later, is at fault itself or has another cause.
//
// Unknown is not healthy: unused parts, those a person removed, those with single errors and those
// that another cause explains count neither for nor against a hub.
//
// Pure: no clock, no I/O. Single thread.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fmd/diagnosis/blame/hubs.h"
#include "fmd/diagnosis/blame/items.h"
#include "fmd/diagnosis/blame/odds.h"

namespace fmd::blame {

enum class Person : uint8_t {
  removed,   // takes the part out of use: no evidence in either direction
  returned,  // uses it again
  repaired,  // what was wrong with it is history
};

// A set of items and what may have caused all of them.
struct Hypothesis {
  Hubs::Id hub = Hubs::kNone;
  Way way = Way::path;
  std::vector<const Item*> items;  // one a disk, by onset
  Troubles troubles;               // the same
  size_t well = 0;                 // further disks of the hub that are known to be well
  double elapsed = 0;              // seconds, as counted
  double hub_log = kImpossible;    // log likelihoods
  Apart apart;
  double gain = kImpossible;  // log odds of the hub against `apart`
  double lead = 0;            // the same against the best other hub with some of the disks
};

struct Explanation {
  enum class Kind : uint8_t { hub, alone, batch, hands };
  Kind kind = Kind::alone;
  HubKind hub = HubKind::path;
  // Of hubs that no evidence tells apart, the lowest first; the machine: {""}.
  std::vector<std::string> names = {};
  std::vector<std::string> parts = {};  // that it explains
  size_t of = 0;                        // of so many; without those of which nothing is known
  int64_t within_ns = 0;                // from the first to the last onset
  double log_odds = 0;                  // against the best one; natural logarithm, at most 0
  double probability = 0;               // among these
  bool excluded = false;                // not possible at all
  std::string group = {};               // hands: it cannot lose that many
  size_t tolerance = 0;                 // how many it can lose
};

// All that is known about one item of a part; the most likely explanation first.
struct Account {
  std::string part;
  Way way = Way::path;
  bool hard = false;
  bool own = false;  // the part's own evidence: nothing else is considered
  int64_t onset_ns = 0;
  std::vector<Explanation> explanations;
};

class Blame {
 public:
  static constexpr size_t kMostStarts = 10;

  // True: it changes the odds. `part` may be unknown to the topology.
  bool sign(const std::string& part, Way way, const Sign& sign, int64_t now_ns);
  bool withdraw(const std::string& part, Way way);  // one sign; see Items
  bool over(const std::string& part, Way way, int64_t now_ns);
  bool person(const std::string& part, Person what);
  void topology(const Layout& layout);
  void rates(const HubRates& rates);
  // Sets the time until which all sources have reported; parts count as well only up to then.
  // nullopt: all sources report, so it is the time of each settle().
  void known_until(std::optional<int64_t> steady_ns);

  // The most likely set of causes in common, best first. Valid until the next change.
  const std::vector<Hypothesis>& settle(int64_t now_ns);
  // When the odds change next without a further sign; after settle().
  std::optional<int64_t> next_look() const;
  const std::vector<Hypothesis>& causes() const { return causes_; }  // of the last settle()
  const Hubs& hubs() const { return hubs_; }
  // As of the last settle(): ongoing items that only the part itself explains.
  std::vector<Items::Key> by_themselves() const;
  // Wrong data below the cause's hub that is no evidence, because the path to its disk failed before.
  std::vector<const Item*> stale_below(const Hypothesis& cause) const;
  // As of the last settle(). Empty: nothing is wrong with the part.
  std::vector<Account> explanations(const std::string& part) const;

  const Items& items() const { return items_; }
  Items& stored() { return items_; }  // for the rows
  void restored();                    // items were added to stored()

 private:
  using List = std::vector<const Item*>;
  struct Run {  // of items that one cause may explain, and the first one after it
    List items = {};
    size_t end = 0;
  };
  struct Look {  // the last evaluation of a hub with nothing explained by others
    Hypothesis best;
    int64_t until_ns = 0;  // its odds change then
    bool dirty = true;
  };
  struct Place {                     // of a hub in one way
    std::set<Items::Key> keys = {};  // items of its parts
    Look look = {};
  };
  // The items, and their disks, that causes found earlier in this settle() already explain.
  struct Explained {
    std::set<const Item*> items = {};
    std::set<Hubs::Id> disks = {};
  };
  struct Candidates {
    std::vector<const Item*> items = {};  // by onset
    size_t well = 0;                      // disks
    int64_t until_ns = INT64_MAX;         // the odds of some run of them change then
  };

  static size_t index(Way way) { return way == Way::path ? 0 : 1; }
  Place& place(Hubs::Id hub, Way way) { return places_[2 * hub + index(way)]; }
  const Place& place(Hubs::Id hub, Way way) const { return places_[2 * hub + index(way)]; }
  std::set<Hubs::Id> hubs_of(const std::string& part) const;
  void touch(const std::string& part, Way way);
  void rebuild();
  void make_room(int64_t now_ns);

  Hubs::Id disk_of(const Item& item) const;
  int64_t known_ns() const { return std::min(now_ns_, known_until_ns_.value_or(now_ns_)); }
  bool is_lost(Hubs::Id part) const;
  bool hangs_apart(Hubs::Id part) const;
  bool is_stale(const Item& item) const;
  bool may_cause(const Hubs::Hub& hub, const Item& item) const;
  Candidates candidates(Hubs::Id hub, Way way, const Explained& explained) const;
  Run run_from(const List& all, size_t start, HubKind kind) const;
  void drop_left_behind(List& items) const;
  Trouble trouble(const Item& item, int64_t first_ns) const;
  Hypothesis hypothesis(Hubs::Id hub, Way way, std::vector<const Item*> items, size_t well) const;
  Hypothesis best_run(Hubs::Id hub, Way way, const Candidates& from) const;
  Hypothesis evaluate(Hubs::Id hub, Way way, const Explained& explained) const;
  const Hypothesis& look(Hubs::Id hub, Way way);
  bool is_better(const Hypothesis& a, const Hypothesis& b) const;
  double lead_of(const Hypothesis& best, const std::vector<Hypothesis>& all) const;
  void settle_way(Way way);
  Explained explained_beside(const Item& item) const;
  List beside(const Item& item, const Explained& explained) const;
  Hypothesis handled(const Item& item, const List& others) const;
  Account account(const Item& item) const;
  std::vector<Explanation> hubs_for(const Item& item, const Explained& explained,
                                    const Hypothesis* cause) const;  // nullptr: none has it
  std::optional<Explanation> batch_for(const Item& item, const List& others) const;
  Explanation hands_for(const Hypothesis& h) const;

  Items items_;
  Hubs hubs_;
  HubRates rates_;
  std::set<std::string> removed_;  // by a person
  std::vector<Place> places_;      // two a hub
  std::optional<int64_t> known_until_ns_;
  int64_t now_ns_ = 0;
  std::vector<Hypothesis> causes_;
};

}  // namespace fmd::blame
