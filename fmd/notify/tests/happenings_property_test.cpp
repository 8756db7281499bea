// Random histories of a shelf, its pool and their plugins: a list kept from the reported happenings
// matches the machine in the end, and a restart after every step changes nothing.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "fmd/base/tests/share.h"
#include "fmd/notify/tests/happening_rig.h"

namespace fmd {
namespace {

constexpr uint32_t kHistories = share_of(300);
constexpr int kBays = 5;

// Plays one history. restarts: restarts fmd after each step.
class Play {
 public:
  Play(uint32_t seed, bool restarts) : random_(seed), restarts_(restarts) {
    for (int n = 0; n < kBays; ++n) in_[n] = n;
    plugin_tells_all();
    rig.say("zfs", {HappeningRig::pool(ended_)}, true);
    rig.pass(400);
    for (const auto& [bay, disk] : in_) believed_.insert(disk);
    for (int step = 0; step < 40; ++step) {
      act();
      if (restarts_) rig.restart();
      note(rig.pass(chance(3) == 0 ? 5 : 120));
      if (restarts_) rig.restart();
    }
    if (!watching_) plugin_tells_all();
    note(rig.pass(8000));
  }

  void check() const {
    std::set<int> there;
    for (const auto& [bay, disk] : in_) there.insert(disk);
    EXPECT_EQ(believed_, there);
    EXPECT_EQ(resilvers_told_, resilvers_);
    EXPECT_EQ(rig.told.size(), uuids_.size()) << "each has an identity of its own";
  }
  const std::vector<std::string>& told() const { return all_; }

 private:
  int chance(int of) { return static_cast<int>(random_() % static_cast<uint32_t>(of)); }

  void plugin_tells_all() {
    std::vector<int> disks;
    std::vector<Resource> bays;
    for (int bay = 0; bay < kBays; ++bay) {
      const auto at = in_.find(bay);
      if (at != in_.end()) disks.push_back(at->second);
      bays.push_back(HappeningRig::bay(bay, at == in_.end() ? -1 : at->second));
    }
    rig.snapshot(disks);
    rig.say("enclosure", std::move(bays), true);
    watching_ = true;
  }
  void act() {
    const int bay = chance(kBays);
    switch (chance(6)) {
      case 0:
      case 1:
        move(bay);
        break;
      case 2:
        watching_ = false;  // the plugins die
        break;
      case 3:
        plugin_tells_all();
        break;
      case 4:
        rig.say("zfs", {HappeningRig::pool("")}, true);  // restarted, knows no scan
        break;
      case 5:
        ended_ = "resilvered " + std::to_string(++resilvers_) + "G on Sun";
        rig.say("zfs", {HappeningRig::pool(ended_, chance(2) == 0 ? "none" : "scrub")});
        break;
    }
  }
  // Removes the disk in the bay, or inserts an earlier or a new one.
  void move(int bay) {
    if (const auto at = in_.find(bay); at != in_.end()) {
      if (watching_) rig.gone("disk", HappeningRig::disk_fmri(at->second));
      if (watching_) rig.say("enclosure", {HappeningRig::bay(bay)});
      out_.push_back(at->second);
      in_.erase(at);
      return;
    }
    int disk = next_disk_++;
    if (!out_.empty() && chance(2) == 0) {
      disk = out_.back();
      out_.pop_back();
    }
    in_[bay] = disk;
    if (watching_) rig.say("disk", {HappeningRig::disk(disk)});
    if (watching_) rig.say("enclosure", {HappeningRig::bay(bay, disk)});
  }
  void note(const std::vector<std::string>& texts) {
    all_.insert(all_.end(), texts.begin(), texts.end());
    for (; noted_ < rig.told.size(); ++noted_) {
      const Happening& h = rig.told[noted_];
      EXPECT_TRUE(uuids_.insert(h.uuid).second);
      if (h.kind == HappeningKind::resilver_finished) ++resilvers_told_;
      if (h.serial.empty()) continue;
      const int disk = std::stoi(h.serial.substr(1));
      // A moved disk is reported only for its new bay.
      if (h.kind == HappeningKind::disk_inserted) believed_.insert(disk);
      if (h.kind != HappeningKind::disk_removed) continue;
      EXPECT_EQ(believed_.erase(disk), 1u) << "removed twice, or never there: " << disk;
    }
  }

  HappeningRig rig;
  std::mt19937 random_;
  bool restarts_, watching_ = true;
  std::map<int, int> in_;   // bay → disk
  std::vector<int> out_;    // out of the machine
  std::set<int> believed_;  // present according to the reported happenings
  std::set<std::string> uuids_;
  std::vector<std::string> all_;
  std::string ended_ = "resilvered 0G on Sun";
  size_t noted_ = 0;
  int next_disk_ = 100, resilvers_ = 0, resilvers_told_ = 0;
};

TEST(HappeningHistories, WhoeverListensKnowsTheMachine) {
  for (uint32_t seed = 0; seed < kHistories; ++seed) {
    SCOPED_TRACE(seed);
    Play play(seed, false);
    play.check();
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(HappeningHistories, ARestartAfterEveryStepChangesNothing) {
  for (uint32_t seed = 0; seed < kHistories; ++seed) {
    SCOPED_TRACE(seed);
    Play one(seed, false), other(seed, true);
    other.check();
    EXPECT_EQ(one.told(), other.told());
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace fmd
