// Changes cases, and keeps a Telling's rows as in the store.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fmd/base/duration.h"
#include "fmd/notify/telling.h"

namespace fmd {

inline constexpr int64_t kVerdict = 1000 * kSecondNs;  // steady
inline constexpr int64_t kWallAhead = 1790000000 * kSecondNs;

inline Suspect vdev_suspect() {
  Suspect s;
  s.fault_class = "fault.example.checksum";
  s.resource = s.asru = "zfs://pool=11/vdev=22";
  s.facts = {{"name", "sdf"}, {"pool", "tank"}};
  s.fru = "dev://wwn=5000c500a0000006";
  s.bay = "hc://chassis=1/bay=6";
  s.location = "SLOT 06";
  s.serial = "DISK06";
  return s;
}

inline Case solved_case(const std::string& uuid = "u1") {
  Case c;
  c.uuid = uuid;
  c.code = "ZFS-8000-GH";
  c.severity = "Major";
  c.title = "Disk returns wrong data";
  c.state = CaseState::solved;
  c.fault_class = "fault.example.checksum";
  c.solved_steady_ns = kVerdict;
  c.suspects = {vdev_suspect()};
  c.retire.first = "out-of-service";
  c.retire.spare = c.retire.replace_same_bay = c.led = true;
  return c;
}

class TellingRig {
 public:
  Case& add(Case c) { return cases_[c.uuid] = std::move(c); }
  Case& at(const std::string& uuid) { return cases_.at(uuid); }
  Moment now() const { return {kWallAhead + wall_jump_ns + now_ns, now_ns}; }

  void news(const std::string& event, const Case& c) {
    telling_->take({event, c.uuid, now().wall_ns}, c, now());
    commit();
  }
  void looked(const Case& c) {
    telling_->looked(c, now());
    commit();
  }
  void relief_not_sent(const Case& c) {
    telling_->relief_not_sent(c, now());
    commit();
  }
  void act(Case& c, ActionKind kind, ActionState state, Obstacle obstacle = Obstacle::none,
           const std::string& detail = "", int attempts = 1) {
    const Suspect& s = c.suspects.front();
    const std::string part = kind == ActionKind::fault_led ? s.bay : s.asru;
    c.set_action({kind, part, state, obstacle, detail, now().wall_ns, attempts});
    looked(c);
  }
  void resolve(Case& c, const std::string& event = "resolved") {
    for (Suspect& s : c.suspects) s.status = SuspectStatus::repaired;
    c.state = event == "resolved" ? CaseState::resolved : CaseState::repaired;
    looked(c);
    news(event, c);
  }

  std::vector<Tidings> due() {
    const auto find = [this](std::string_view uuid) -> const Case* {
      const auto found = cases_.find(std::string(uuid));
      return found == cases_.end() ? nullptr : &found->second;
    };
    std::vector<Tidings> out = telling_->due(
        find, [this](const Suspect&) { return expected; }, now(), held);
    commit();
    if (restarts) restart();
    return out;
  }
  std::optional<int64_t> next_deadline_ns() const { return telling_->next_deadline_ns(); }
  // All messages sent until then, each at its deadline.
  std::vector<Tidings> until(int64_t steady_ns) {
    std::vector<Tidings> all;
    const auto take = [&] {
      for (Tidings& tidings : due()) all.push_back(std::move(tidings));
    };
    take();
    for (int guard = 0; guard < 10000; ++guard) {
      const auto next = telling_->next_deadline_ns();
      if (!next || *next > steady_ns) break;
      now_ns = std::max(now_ns, *next);
      take();
    }
    now_ns = steady_ns;
    take();
    return all;
  }
  std::vector<Tidings> pass(int64_t seconds) { return until(now_ns + seconds * kSecondNs); }

  void restart() {
    std::vector<StateRow> rows;
    for (const auto& [key, doc] : rows_) rows.push_back({"telling", key, doc});
    telling_ = std::make_unique<Telling>();
    EXPECT_TRUE(telling_->restore(rows));
  }
  size_t rows() const { return rows_.size(); }
  Telling& telling() { return *telling_; }

  int64_t now_ns = kVerdict;
  int64_t wall_jump_ns = 0;
  bool expected = false;
  Telling::Held held;
  bool restarts = false;  // after each step

 private:
  void commit() {
    for (const StateRow& row : telling_->take_changes()) {
      EXPECT_EQ(row.kind, "telling");
      if (row.doc.empty())
        rows_.erase(row.key);
      else
        rows_[row.key] = row.doc;
    }
  }

  std::map<std::string, Case> cases_;
  std::map<std::string, std::string> rows_;
  std::unique_ptr<Telling> telling_ = std::make_unique<Telling>();
};

using Sentences = std::vector<std::string>;

inline constexpr const char* kDisk = "disk in bay SLOT 06 (serial DISK06)";

// A case that has been reported.
inline Case& told_case(TellingRig& rig, Case c = solved_case()) {
  Case& added = rig.add(std::move(c));
  rig.news("diagnosed", added);
  EXPECT_EQ(rig.due().size(), 1u);
  return added;
}

inline Sentences only_update(const std::vector<Tidings>& all) {
  EXPECT_EQ(all.size(), 1u);
  if (all.size() != 1) return {};
  EXPECT_EQ(all[0].news.event, "updated");
  EXPECT_EQ(all[0].news.uuid, "u1");
  return all[0].whats_new;
}

}  // namespace fmd
