// Machine: a host for replaying reports from the field: disks in bays behind one or more
// controllers, the real engine with the shipped rules, the reconciler, and the advice that people
// get. Time is injected. A plugin's model publishes into it (take) and answers its commands
// (answer).
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/advice/say.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/model/event_schema.h"
#include "fmd/reconcile/reconciler.h"
#include "plugins/sdk/messages.h"

namespace fmd::reports {

inline constexpr int64_t kSecond = 1'000'000'000;

inline bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class Machine {
 public:
  // Disk n (from 1) sits in SLOT 0n, behind controller n modulo `controllers`.
  explicit Machine(int disks, int controllers = 1);

  static std::string disk(int n);  // FMRI
  static std::string wwn(int n);   // "5000c500a0000003"

  // resources: as in an inventory message, by FMRI. The plugin's earlier resources that are not
  // listed are gone.
  void take(const std::string& plugin, const std::map<std::string, nlohmann::json>& resources);
  void take(const std::string& plugin, const std::vector<sdk::OutEvent>& events);
  // Twelve I/O errors of each disk, within the same seconds.
  void fail_io(const std::vector<int>& disks);
  // These disks have no device, though their bays are occupied.
  void set_away(std::set<int> disks);
  void pull(int disk);                                     // its bay reports that it is empty
  void set_content(int disk, const std::string& content);  // "used"; "" (default): no property
  // Lets time pass: deadlines expire in order, and commands are answered at once.
  void pass(int64_t seconds);
  int64_t now_ns() const { return now_.wall_ns; }

  // A plugin's answer to a command. If empty, every command fails.
  std::function<sdk::CommandReply(const sdk::CommandRequest&)> answer;
  std::vector<std::string> asked;  // "spare_in zfs://…": each command except those of LEDs
  std::set<std::string> lit;       // bays whose fault LED is on

  // The announced verdicts, such as "Critical fault.fs.zfs.io_failure_wait pool2", sorted; a disk
  // in a bay is named by the bay's label.
  std::vector<std::string> told() const;
  // The first announced case of that class; fails the test if there is none.
  const Case& of(std::string_view fault) const;
  bool explains_any(std::string_view fault) const;  // that case explains others
  Say say(std::string_view fault) const;
  // The full advice: headline, what to do, steps.
  std::string words(std::string_view fault) const;
  std::vector<std::string> all_words(std::string_view fault) const;  // of each case of that class

 private:
  void act();
  sdk::CommandReply carry_out(const Command& c);
  void hear();
  bool is_told(const Case& c) const;
  std::string words_of(const Case& c) const;

  void publish_disks();

  int disks_, controllers_;
  std::set<int> away_, pulled_;
  std::map<int, std::string> contents_;
  bool lights_changed_ = false;  // since the bays were last published
  EventSchema schema_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Reconciler> reconciler_;
  BayHistory bays_;
  Moment now_;
  int cases_ = 0;
  uint64_t seq_ = 0;
};

}  // namespace fmd::reports
