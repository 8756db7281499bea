// CaseTelling: the messages about one case that were sent, and those that are due and when: one row
// "telling". Pure. Times are steady ns unless stated otherwise.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/duration.h"
#include "fmd/base/result.h"
#include "fmd/notify/case_event.h"
#include "fmd/notify/told.h"

namespace fmd {

class CaseTelling {
 public:
  static constexpr int64_t kFirstWaitNs = 60 * kSecondNs;  // maximum wait for bay and serial
  static constexpr int64_t kFirstActsNs = 2 * kSecondNs;   // maximum wait for immediate actions
  static constexpr int64_t kSettleNs = 5 * kSecondNs;      // gathers changes
  static constexpr int64_t kBetweenUpdatesNs = 300 * kSecondNs;
  // Shorter, because the person who inserted the refused disk is still at the machine.
  static constexpr int64_t kBetweenRefusedDisksNs = 30 * kSecondNs;
  static constexpr int64_t kPatienceNs = 60 * kSecondNs;  // for trouble that may pass
  static constexpr int kPatienceAttempts = 3;
  // fmd mostly undoes its actions within this time: then "resolved" is sent instead of "repaired".
  static constexpr int64_t kGiveBackNs = 30 * kSecondNs;

  // For a case without a row: its parts count as reported, its promises as announced.
  static CaseTelling of_told(const Case& c);
  // For a case with a new verdict.
  static CaseTelling of_verdict(const Case& c, int64_t news_wall_ns, int64_t now_ns);

  void look(const Case& c, int64_t now_ns);
  void diagnosis_has_news() { grown_ = true; }
  // The message that the part can be pulled was not sent, because that could not be proved then. It
  // is tried again after the pause between updates.
  void relief_not_sent(const Case& c, int64_t now_ns);
  void ends(CaseEvent how, const Case& c, int64_t news_wall_ns, int64_t now_ns);
  bool ending_waits(const Case& c, int64_t now_ns) const;
  void goes_on() { ending_.reset(); }  // faulty again before its end was reported

  bool waits_for_first() const { return first_; }
  std::optional<CaseEvent> ending() const { return ending_; }
  int64_t news_wall_ns() const { return news_wall_ns_; }
  // Until then it waits for the outcome of immediate actions.
  int64_t first_acts_by_ns() const { return first_by_ns_ - kFirstWaitNs + kFirstActsNs; }
  void at(int64_t now_ns) { acts_waited_ = acts_waited_ || now_ns >= first_acts_by_ns(); }
  bool first_is_overdue(int64_t now_ns) const { return now_ns >= first_by_ns_; }
  bool update_is_due(int64_t now_ns) const;
  const std::vector<std::string>& whats_new() const { return whats_new_; }
  // Announced actions that are not true: sentences for the message that is sent now.
  std::vector<std::string> not_done(const Case& c) const;
  // The message was sent.
  void told(const Case& c, CaseEvent event, int64_t now_ns);
  std::optional<int64_t> deadline_ns() const;  // next time when something is due

  std::string to_json_text() const;
  static Result<CaseTelling> from_json(const nlohmann::json& doc);
  bool operator==(const CaseTelling&) const = default;

 private:
  struct Watch {  // the observed state of a promise
    Standing standing = Standing::none;
    std::string detail;
    int attempts = 0;
    int64_t since_ns = 0;
    bool ripe = false;  // it has lasted long enough for a message
    bool operator==(const Watch&) const = default;
  };

  // 0 for the message that the part can be pulled, because people wait for it.
  int64_t between_updates_ns() const;
  bool needs_patience(const PromiseKey& key, const Watch& watch) const;
  void watch(const std::vector<Promise>& promises, int64_t now_ns);
  // The case's promises as observed, without changes that are too recent to report.
  std::vector<Promise> as_watched(const Case& c) const;
  std::vector<Promise> ripe_promises(const Case& c) const;

  Told told_;
  std::map<PromiseKey, Watch> watches_;
  bool first_ = false;        // the first message waits
  bool acts_waited_ = false;  // no longer for immediate actions
  int64_t first_by_ns_ = 0;
  int64_t news_wall_ns_ = 0;
  std::optional<CaseEvent> ending_;  // repaired or resolved
  int64_t ending_by_ns_ = 0;
  bool grown_ = false;  // the engine has unreported news
  // The last messages may order a replacement that is not needed: the part itself may not be at fault,
  // or this case explains others, and no message has said so.
  bool correction_is_new_ = false;
  bool relief_is_new_ = false;  // the part can be pulled, and no message has said so
  bool relief_failed_ = false;  // ...because it could not be proved
  std::optional<int64_t> differs_since_ns_, updated_ns_;
  std::vector<std::string> whats_new_;  // sentences of an update
};

}  // namespace fmd
