// Watch: the invariants. It sees the true world, fmd's knowledge and all messages in between.
// watch.cpp: checks at each instant; watch_loss.cpp: also after the loss of fmd's database;
// verdict.cpp: checks once the world has been left alone for long enough.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon.h"
#include "world.h"

namespace fmd::histories {

struct Violation {
  std::string invariant;  // "oscillates"
  std::string text;
};

class Watch {
 public:
  using Names = std::set<std::string>;
  // but: invariants that are not checked.
  Watch(const World& world, Daemon& daemon, const Shape& shape, const Names& but)
      : world_(world), daemon_(daemon), shape_(shape), but_(but) {
    for (const Disk& disk : world.disks) ever_blank_.push_back(disk.blank);
    note_places();
  }

  const std::optional<Violation>& found() const { return found_; }
  void violated(std::string invariant, std::string text);

  // Called by the stage.
  void touched(int leaf, Ns now);  // an actor other than fmd changes it
  void person_wants_back(const std::string& part, int leaf) {
    ++restores_ordered_[part];
    taken_.erase(leaf);  // an administrator has looked at it
  }
  void person_wants_out(const std::string& part) { retires_ordered_.insert(part); }
  void sent(const Command& command, bool ordered, Ns now);
  void routed(const Command& command, std::string_view plugin);  // by the hub
  void acting(const Command& command);  // a plugin is about to carry it out
  void acted(const Command& command, bool ordered, Ns now);
  void never(const Command& command);  // it will never be carried out
  void answered(const Command& command, const CommandResult& result);
  void world_changed();  // or may have
  void grouped();        // fmd has committed a group
  void told(const Tidings& tidings, const Case& c);
  void acquitted(int disk) { acquitting_.insert(disk); }  // in the current group
  void killed() { acquitting_.clear(); }
  void smart_changed(int disk) {
    acquitted_.erase(disk);
    smart_.insert(disk);
  }
  void noticed(int leaf) { noticed_.insert(leaf); }  // by the kernel
  void database_lost();
  // Event times then no longer show whether an event is older than the loss.
  void clock_set_back() { is_clock_set_back_ = true; }
  // From now on no command may be sent.
  void silence() { silent_ = true; }
  void noise() { silent_ = false; }
  void verdict();

 private:
  struct Said {  // in the last message about a case
    std::string event, location, serial;
    std::map<std::pair<ActionKind, std::string>, bool> promised;
    int diagnosed = 0, resolved = 0;
  };
  void check_blast_radius(int leaf, Ns now);
  void check_sent_retire(const Command& command, bool ordered, int leaf, Ns now);
  void check_owner(const Command& command);
  void check_hearsay(const Command& command);
  void check_light(const Command& command);
  void check_oscillation(int leaf, Ns now);
  void check_healthy(const Command& command, int leaf);
  void check_evidence();
  void note_states();
  void note_places();
  bool has_reason(const Case* c, std::string_view uuid) const;

  void verdict_of_case(const Case& c);
  void verdict_of_wishes(const Case& c);
  void verdict_of_action(const Case& c, const Action& a);
  void verdict_of_promises(const Case& c);
  void verdict_of_retirements();
  void verdict_of_spares();
  void verdict_of_lights();
  void verdict_of_table();
  void verdict_of_adopted_light(int bay);
  bool stands(const Intervention& i) const;
  const Case* wishing(std::string_view asru) const;  // a faulty case that acts on it

  const World& world_;
  Daemon& daemon_;
  const Shape& shape_;
  const Names& but_;
  std::optional<Violation> found_;
  bool silent_ = false;
  std::vector<bool> ever_blank_;           // by disk: blank at the start; none becomes blank later
  std::set<int> smart_;                    // disks whose SMART status has changed
  std::set<std::pair<int, int>> been_in_;  // disk and bay, at any time
  bool is_database_lost_ = false, is_clock_set_back_ = false;
  // Leaves about which the kernel reported something since the start or the database loss.
  std::set<int> noticed_;

  std::map<int, std::map<std::string, Ns>> outstanding_;  // leaf → keys of pending retirements
  std::map<int, Ns> taken_;  // leaf → when fmd took it out on its own; not in service since
  // Of taken_, since the database loss: not in fmd's table again yet.
  std::set<int> unadopted_;
  std::map<int, std::deque<Ns>> changes_, touches_;
  std::map<std::string, int> restores_ordered_;
  std::map<std::string, std::set<std::string>> restores_sent_;  // part → keys
  std::set<std::string> retires_ordered_;
  std::map<std::pair<CommandName, std::string>, std::string> denied_;  // last answer and its reason
  std::map<std::pair<CommandName, std::string>, Ns> last_asked_;
  VdevState state_before_ = VdevState::online;
  bool lost_before_ = false;
  LitBy lit_before_ = LitBy::nobody;
  std::map<std::string, Said, std::less<>> said_;
  std::set<int> acquitting_,
      acquitted_;  // disks whose failed SMART status an administrator has acquitted
};

// Whether the message presents the action as done or going to be done.
bool promises(const Action& a);

}  // namespace fmd::histories
