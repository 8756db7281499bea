// Watch: the invariants. It sees the world as it really is, what fmd knows, and all that goes between them.
// watch.cpp holds what must be so at each instant, watch_loss.cpp also after the loss of fmd's database, verdict.cpp
// what must be so once the world has been left alone for long enough.
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
  }

  const std::optional<Violation>& found() const { return found_; }
  void violated(std::string invariant, std::string text);

  // The stage tells what happens.
  void touched(int leaf, Ns now);  // somebody else than fmd does something about it
  void person_wants_back(const std::string& part, int leaf) {
    ++restores_ordered_[part];
    taken_.erase(leaf);  // a person has looked at it
  }
  void person_wants_out(const std::string& part) { retires_ordered_.insert(part); }
  void sent(const Command& command, bool ordered, Ns now);
  void acting(const Command& command);  // a plugin is about to do it
  void acted(const Command& command, bool ordered, Ns now);
  void never(const Command& command);  // it will not be done any more
  void answered(const Command& command, const CommandResult& result);
  void world_changed();  // or may have
  void grouped();        // fmd has committed a group
  void told(const Tidings& tidings, const Case& c);
  void acquitted(int disk) { acquitting_.insert(disk); }  // in the group under way
  void killed() { acquitting_.clear(); }
  void smart_changed(int disk) {
    acquitted_.erase(disk);
    smart_.insert(disk);
  }
  void noticed(int leaf) { noticed_.insert(leaf); }  // by the kernel
  void database_lost();
  // The time of an event then does not show whether it is older than the loss.
  void clock_set_back() { is_clock_set_back_ = true; }
  // From now on no command may be sent.
  void silence() { silent_ = true; }
  void noise() { silent_ = false; }
  void verdict();

 private:
  struct Said {  // by the last message about a case
    std::string event, location, serial;
    std::map<std::pair<ActionKind, std::string>, bool> promised;
    int diagnosed = 0, resolved = 0;
  };
  void check_blast_radius(int leaf, Ns now);
  void check_sent_retire(const Command& command, bool ordered, int leaf, Ns now);
  void check_owner(const Command& command);
  void check_hearsay(const Command& command);
  void check_oscillation(int leaf, Ns now);
  void check_healthy(const Command& command, int leaf);
  void check_evidence();
  void note_states();
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
  std::vector<bool> ever_blank_;  // by disk: blank at the start; afterwards none becomes blank
  std::set<int> smart_;           // disks whose SMART status has changed
  bool is_database_lost_ = false, is_clock_set_back_ = false;
  std::set<int>
      noticed_;  // leaves about which the kernel reported something since the start or the loss of the database

  std::map<int, std::map<std::string, Ns>> outstanding_;  // leaf → keys of retirements under way
  std::map<int, Ns> taken_;  // leaf → when fmd by itself took it out; not in service since
  std::map<int, std::deque<Ns>> changes_, touches_;
  std::map<std::string, int> restores_ordered_;
  std::map<std::string, std::set<std::string>> restores_sent_;  // part → keys
  std::set<std::string> retires_ordered_;
  std::map<std::pair<CommandName, std::string>, std::string>
      denied_;  // by the last answer, and why
  std::map<std::pair<CommandName, std::string>, Ns> last_asked_;
  VdevState state_before_ = VdevState::online;
  bool lost_before_ = false;
  LitBy lit_before_ = LitBy::nobody;
  std::map<std::string, Said, std::less<>> said_;
  std::set<int> acquitting_,
      acquitted_;  // disks whose failed SMART status a person has called harmless
};

// Whether what an action says is that it is or will be done, as a message tells it.
bool promises(const Action& a);

}  // namespace fmd::histories
