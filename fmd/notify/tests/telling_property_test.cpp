// Random histories of cases: in the end what people were told is true, there are not too many
// messages, and a restart after every step changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "fmd/base/tests/share.h"
#include "fmd/notify/tests/telling_rig.h"

namespace fmd::telling_property_test {
namespace {

constexpr uint32_t kHistories = share_of(600);

struct Sent {
  Tidings tidings;
  int64_t at_ns = 0;
  Case as_sent;
  bool expected = false;
  bool operator==(const Sent& o) const {
    return tidings.news.event == o.tidings.news.event && tidings.news.uuid == o.tidings.news.uuid &&
           tidings.news.time_ns == o.tidings.news.time_ns &&
           tidings.whats_new == o.tidings.whats_new && tidings.not_done == o.tidings.not_done &&
           at_ns == o.at_ns;
  }
};

bool is(const Sent& sent, std::string_view event) {
  return sent.tidings.news.event == event;
}

// What a sentence says about a promise: parsed as people read it, independently of its composition.
enum class Claim { none, done, coming, broken };

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool speaks_of(const std::string& sentence, ActionKind kind) {
  const bool led = has(sentence, "fault LED"), spare = has(sentence, "hot spare"),
             disk = has(sentence, "new disk");
  switch (kind) {
    case ActionKind::fault_led:
      return led;
    case ActionKind::spare:
      return spare;
    case ActionKind::replace:
      return disk;
    case ActionKind::retire:
      return !led && !spare && !disk && has(sentence, "marked degraded");
    case ActionKind::out_of_service:
      return !led && !spare && !disk && has(sentence, "out of service");
  }
  return false;
}

// Not done, without a reason of its own: what a dry run is about.
bool is_idle(const Case& c, ActionKind kind) {
  const Suspect& s = c.suspects.front();
  const Action* a = c.find_action(kind, kind == ActionKind::fault_led ? s.bay : s.asru);
  if (!a) return true;
  const bool waits = a->state == ActionState::waiting || a->state == ActionState::refused;
  if (waits) return a->obstacle == Obstacle::busy || a->obstacle == Obstacle::none;
  return a->state == ActionState::planned || a->state == ActionState::running ||
         a->state == ActionState::dry_run || a->state == ActionState::returned;
}

std::string keyword(const Action& action) {
  switch (action.obstacle) {
    case Obstacle::no_spare:
      return "vailable";
    case Obstacle::no_plugin:
      return "no plugin";
    case Obstacle::person:
      return "administrator's order";
    case Obstacle::contested:
      return "again and again";
    case Obstacle::blast_radius:
      return "too many";
    default:
      return "";
  }
}

class History {
 public:
  History(uint32_t seed, bool restarts) : random_(seed) {
    rig_.restarts = restarts;
    const int steps = pick(5, 45);
    for (int i = 0; i < steps; ++i) step();
    // All running actions end, and then nothing more happens.
    for (auto& uuid : uuids_)
      for (Action action : std::vector<Action>(rig_.at(uuid).actions))
        if (action.state == ActionState::running || action.state == ActionState::returning)
          change_action(rig_.at(uuid), action.kind, ActionState::done, Obstacle::none);
    rig_.expected = false;
    pass(700);
  }

  std::vector<Sent> sent;

  void check() {
    std::map<std::string, std::vector<Sent>> by_case;
    for (const Sent& s : sent) by_case[s.tidings.news.uuid].push_back(s);
    for (const std::string& uuid : uuids_) {
      const Case& c = rig_.at(uuid);
      check_order(by_case[uuid], c);
      if (c.faulty()) check_truth(by_case[uuid], c);
    }
    EXPECT_FALSE(rig_.telling().next_deadline_ns()) << "something waits that never comes";
  }

 private:
  int pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  void keep(const std::vector<Tidings>& all) {
    for (const Tidings& tidings : all)
      sent.push_back({tidings, rig_.now_ns, rig_.at(tidings.news.uuid), rig_.expected});
  }
  void pass(int seconds) {
    const int64_t end = rig_.now_ns + seconds * kSecondNs;
    keep(rig_.due());
    for (auto next = rig_.telling().next_deadline_ns(); next && *next <= end;
         next = rig_.telling().next_deadline_ns()) {
      rig_.now_ns = std::max(rig_.now_ns, *next);
      keep(rig_.due());
      ASSERT_LT(sent.size(), 10000u);
    }
    rig_.now_ns = end;
    keep(rig_.due());
  }

  void solve() {
    Case c = solved_case("u" + std::to_string(uuids_.size()));
    c.solved_steady_ns = rig_.now_ns;
    c.retire.first = "degraded";
    c.retire.then = "out-of-service";
    c.retire.spare = chance(80);
    c.led = chance(80);
    if (chance(40)) c.suspects[0].serial = "";
    if (chance(40)) c.suspects[0].location = c.suspects[0].bay = "";
    if (chance(20)) random_action(c);
    uuids_.push_back(c.uuid);
    rig_.news("diagnosed", rig_.add(std::move(c)));
  }

  void random_action(Case& c) {
    static constexpr ActionState kStates[] = {
        ActionState::planned,  ActionState::waiting, ActionState::running,    ActionState::done,
        ActionState::refused,  ActionState::failed,  ActionState::failed,     ActionState::lost,
        ActionState::returned, ActionState::dry_run, ActionState::resilvering};
    static constexpr Obstacle kObstacles[] = {
        Obstacle::none,      Obstacle::busy,         Obstacle::no_spare, Obstacle::no_plugin,
        Obstacle::last_copy, Obstacle::blast_radius, Obstacle::person,   Obstacle::contested,
        Obstacle::error,     Obstacle::not_accepted, Obstacle::undecided};
    const auto kind = static_cast<ActionKind>(pick(0, 4));
    const ActionState state = kStates[pick(0, 10)];
    const bool held_up = state == ActionState::waiting || state == ActionState::refused;
    const Obstacle obstacle = state == ActionState::failed ? Obstacle::error
                              : held_up                    ? kObstacles[pick(0, 10)]
                                                           : Obstacle::none;
    change_action(c, kind, state, obstacle);
  }

  void change_action(Case& c, ActionKind kind, ActionState state, Obstacle obstacle) {
    const Suspect& s = c.suspects.front();
    const std::string part = kind == ActionKind::fault_led ? s.bay : s.asru;
    if (part.empty()) return;
    c.set_action({kind, part, state, obstacle, "", 0, pick(1, 4)});
    if (std::count(uuids_.begin(), uuids_.end(), c.uuid)) rig_.looked(c);
  }

  void move(Case& c) {
    Suspect& s = c.suspects[static_cast<size_t>(pick(0, static_cast<int>(c.suspects.size()) - 1))];
    if (chance(30)) s.serial = "S" + std::to_string(pick(1, 2));
    if (chance(80)) {
      s.location = chance(10) ? "" : std::to_string(pick(1, 3));
      s.bay = s.location.empty() ? "" : "hc://chassis=1/bay=" + s.location;
    }
    rig_.looked(c);
  }

  void diagnose_more(Case& c) {
    if (chance(50) && c.suspects.size() < 3) {
      Suspect s = vdev_suspect();
      s.resource = s.asru = "zfs://pool=11/vdev=" + std::to_string(30 + c.suspects.size());
      s.fru = s.serial = "S" + std::to_string(30 + c.suspects.size());
      c.suspects.push_back(s);
    } else if (chance(50)) {
      c.severity = chance(50) ? "Critical" : "Major";
    } else {
      const std::string value = std::to_string(10 + c.observations.size());
      c.observations.push_back({5, 5, "growth", "", "smart.pending", value, "", "8"});
    }
    rig_.looked(c);
    rig_.news("updated", c);
  }

  void end(Case& c) {
    if (chance(20) && c.suspects.size() > 1) {
      c.suspects.back().status = SuspectStatus::repaired;
      rig_.looked(c);
      if (c.faulty()) return rig_.news("updated", c);
    }
    if (chance(30)) {
      c.merged_into = "u99";
    } else if (chance(40)) {
      rig_.resolve(c, "repaired");
      if (chance(60)) pass(pick(0, 400));
    }
    if (chance(70) || !c.merged_into.empty()) rig_.resolve(c);
  }

  void step() {
    std::vector<Case*> alive;
    for (const std::string& uuid : uuids_)
      if (rig_.at(uuid).faulty()) alive.push_back(&rig_.at(uuid));
    const int what = pick(1, 100);
    if (alive.empty() || (what <= 5 && uuids_.size() < 4)) return solve();
    Case& c = *alive[static_cast<size_t>(pick(0, static_cast<int>(alive.size()) - 1))];
    if (what <= 40) return random_action(c);
    if (what <= 50) return move(c);
    if (what <= 55) return diagnose_more(c);
    if (what <= 58) return end(c);
    if (what <= 62) {
      rig_.expected = !rig_.expected;
      return keep(rig_.due());
    }
    if (what <= 65) rig_.wall_jump_ns = pick(-400, 400) * 86400LL * kSecondNs;
    pass(chance(60) ? pick(0, 8) : chance(70) ? pick(0, 90) : pick(0, 400));
  }

  static void check_order(const std::vector<Sent>& told, const Case& c) {
    ASSERT_TRUE(!told.empty() || !c.merged_into.empty()) << "a case of which nobody heard";
    const Sent* last_update = nullptr;
    for (size_t i = 0; i < told.size(); ++i) {
      const Sent& s = told[i];
      EXPECT_EQ(is(s, "diagnosed") && i > 0, false) << "the first message comes first, and once";
      if (i == 0) {
        EXPECT_FALSE(is(s, "updated"));
        EXPECT_LE(s.at_ns, s.as_sent.solved_steady_ns + 60 * kSecondNs);
        const Suspect& suspect = s.as_sent.suspects.front();
        const bool known = !suspect.serial.empty() && !suspect.location.empty();
        if (is(s, "diagnosed") && s.expected && !known) {
          EXPECT_EQ(s.at_ns, s.as_sent.solved_steady_ns + 60 * kSecondNs);
        }
      }
      if (i > 0) {
        EXPECT_FALSE(is(told[i - 1], "resolved")) << "nothing comes after the end";
      }
      if (!is(s, "updated")) continue;
      EXPECT_FALSE(s.tidings.whats_new.empty());
      const std::set<std::string> once(s.tidings.whats_new.begin(), s.tidings.whats_new.end());
      EXPECT_EQ(once.size(), s.tidings.whats_new.size());
      if (last_update) {
        const auto& actions = s.as_sent.actions;
        const bool refused = std::any_of(actions.begin(), actions.end(), [](const Action& a) {
          return a.obstacle == Obstacle::not_accepted;
        });
        const auto& said = s.tidings.whats_new;
        const bool relief = std::any_of(said.begin(), said.end(), [](const std::string& sentence) {
          return sentence.starts_with("You can pull");
        });
        if (!relief) {
          EXPECT_GE(s.at_ns - last_update->at_ns, (refused ? 30 : 300) * kSecondNs);
        }
      }
      last_update = &s;
    }
    if (!c.open() && !told.empty()) {
      EXPECT_TRUE(is(told.back(), "resolved"));
    }
  }

  // The last message's content is true, and so is the last statement about each promise.
  static void check_truth(const std::vector<Sent>& told, const Case& c) {
    const Case& shown = told.back().as_sent;
    EXPECT_EQ(shown.severity, c.severity);
    for (size_t i = 0; i < c.suspects.size(); ++i) {
      if (i >= shown.suspects.size()) {  // suspected and cleared between two messages
        EXPECT_NE(c.suspects[i].status, SuspectStatus::faulty);
        continue;
      }
      EXPECT_EQ(shown.suspects[i].status, c.suspects[i].status);
      if (c.suspects[i].status != SuspectStatus::faulty) continue;
      EXPECT_EQ(shown.suspects[i].location, c.suspects[i].location);
      EXPECT_EQ(shown.suspects[i].serial, c.suspects[i].serial);
    }
    if (c.suspects.size() > 1) return;  // it is hard to tell whose promise a sentence means
    for (const ActionKind kind : {ActionKind::retire, ActionKind::out_of_service, ActionKind::spare,
                                  ActionKind::replace, ActionKind::fault_led})
      check_promise(told, c, kind);
  }

  static void check_promise(const std::vector<Sent>& told, const Case& c, ActionKind kind) {
    const Suspect& s = c.suspects.front();
    if ((kind == ActionKind::spare && !c.retire.spare) ||
        (kind == ActionKind::fault_led && (!c.led || s.bay.empty())))
      return;
    std::string last;
    for (const Sent& message : told)
      for (const auto* sentences : {&message.tidings.whats_new, &message.tidings.not_done})
        for (const std::string& sentence : *sentences)
          if (has(sentence, "Dry run is on") ? is_idle(message.as_sent, kind)
                                             : speaks_of(sentence, kind))
            last = sentence;
    const Claim claim = last.empty()              ? Claim::none
                        : last.ends_with(" now.") ? Claim::done
                        : last.ends_with(" all.") ? Claim::coming
                                                  : Claim::broken;
    const Action* action = c.find_action(kind, kind == ActionKind::fault_led ? s.bay : s.asru);
    if (!action) return;
    const auto describe = [&] {
      return std::string(action_name(kind)) + " is " +
             std::string(action_state_name(action->state)) + " " +
             std::string(obstacle_name(action->obstacle)) + "; told: " + last;
    };
    switch (action->state) {
      case ActionState::done:
      case ActionState::resilvering:
        EXPECT_TRUE(claim != Claim::broken || has(last, "Dry run is on")) << describe();
        break;
      case ActionState::refused:
      case ActionState::failed:
      case ActionState::lost:
      case ActionState::dry_run:
        if (action->obstacle == Obstacle::busy) break;
        EXPECT_EQ(claim, Claim::broken) << describe();
        EXPECT_TRUE(has(last, keyword(*action))) << describe();
        break;
      case ActionState::waiting:
        if (action->obstacle == Obstacle::none || action->obstacle == Obstacle::busy) break;
        EXPECT_EQ(claim, Claim::broken) << describe();
        EXPECT_TRUE(has(last, keyword(*action))) << describe();
        break;
      default:
        break;
    }
  }

  std::mt19937 random_;
  TellingRig rig_;
  std::vector<std::string> uuids_;
};

TEST(TellingProperty, WhatPeopleWereToldIsSoInTheEndAndARestartChangesNothing) {
  for (uint32_t seed = 1; seed <= kHistories; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    History history(seed, false);
    history.check();
    const History restarted(seed, true);
    EXPECT_EQ(history.sent, restarted.sent);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace fmd::telling_property_test
