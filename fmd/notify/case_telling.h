// CaseTelling: for one case, the messages that were sent, and those that are due and when: one row
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
  static constexpr int64_t kFirstWaitNs = 60 * kSecondNs;  // for bay and serial, at most
  static constexpr int64_t kFirstActsNs = 2 * kSecondNs;   // for what fmd does at once, at most
  static constexpr int64_t kSettleNs = 5 * kSecondNs;      // a change seldom comes alone
  static constexpr int64_t kBetweenUpdatesNs = 300 * kSecondNs;
  // A person stands at the machine with a disk that fmd does not take.
  static constexpr int64_t kBetweenRefusedDisksNs = 30 * kSecondNs;
  static constexpr int64_t kPatienceNs = 60 * kSecondNs;  // for what may pass by itself
  static constexpr int kPatienceAttempts = 3;
  // What fmd gives back by itself is mostly back within this: "repaired" then goes out as "resolved".
  static constexpr int64_t kGiveBackNs = 30 * kSecondNs;

  // Of a case that nothing is known of: its parts count as told, its promises as made.
  static CaseTelling of_told(const Case& c);
  // Of one whose verdict has just come.
  static CaseTelling of_verdict(const Case& c, int64_t news_wall_ns, int64_t now_ns);

  void look(const Case& c, int64_t now_ns);
  void diagnosis_has_news() { grown_ = true; }
  // The message that the part can be pulled was not sent, since fmd could not prove it then.
  void relief_not_sent(const Case& c, int64_t now_ns);
  void ends(CaseEvent how, const Case& c, int64_t news_wall_ns, int64_t now_ns);
  bool ending_waits(const Case& c, int64_t now_ns) const;
  void goes_on() { ending_.reset(); }  // it is faulty again before that was told

  bool waits_for_first() const { return first_; }
  std::optional<CaseEvent> ending() const { return ending_; }
  int64_t news_wall_ns() const { return news_wall_ns_; }
  // Until then it waits for the answer to what fmd does at once.
  int64_t first_acts_by_ns() const { return first_by_ns_ - kFirstWaitNs + kFirstActsNs; }
  void at(int64_t now_ns) { acts_waited_ = acts_waited_ || now_ns >= first_acts_by_ns(); }
  bool first_is_overdue(int64_t now_ns) const { return now_ns >= first_by_ns_; }
  bool update_is_due(int64_t now_ns) const;
  const std::vector<std::string>& whats_new() const { return whats_new_; }
  // What of the announced is not so: sentences for the message that goes out now.
  std::vector<std::string> not_done(const Case& c) const;
  // The message went out.
  void told(const Case& c, CaseEvent event, int64_t now_ns);
  std::optional<int64_t> deadline_ns() const;  // when there is something to do by itself

  std::string to_json_text() const;
  static Result<CaseTelling> from_json(const nlohmann::json& doc);
  bool operator==(const CaseTelling&) const = default;

 private:
  struct Watch {  // how a promise is seen to stand
    Standing standing = Standing::none;
    std::string detail;
    int attempts = 0;
    int64_t since_ns = 0;
    bool ripe = false;  // it has lasted long enough to be news
    bool operator==(const Watch&) const = default;
  };

  int64_t between_updates_ns() const;
  bool needs_patience(const PromiseKey& key, const Watch& watch) const;
  void watch(const std::vector<Promise>& promises, int64_t now_ns);
  // The case's promises as the watches see them, without those that nobody needs to hear of yet.
  std::vector<Promise> as_watched(const Case& c) const;
  std::vector<Promise> ripe_promises(const Case& c) const;

  Told told_;
  std::map<PromiseKey, Watch> watches_;
  bool first_ = false;        // the first message waits
  bool acts_waited_ = false;  // not for what fmd does at once any more
  int64_t first_by_ns_ = 0;
  int64_t news_wall_ns_ = 0;
  std::optional<CaseEvent> ending_;  // repaired or resolved
  int64_t ending_by_ns_ = 0;
  bool grown_ = false;  // the engine had news that was not told yet
  std::optional<int64_t> differs_since_ns_, updated_ns_;
  std::vector<std::string> whats_new_;  // what an update would say
};

}  // namespace fmd
