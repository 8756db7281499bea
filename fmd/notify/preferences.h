// Preferences: who gets which message, as in fmd.toml, and the decision. There are two forms, only
// one of which is used: [notify.NAME], what each channel gets; or [[notify]], rules of which the
// first match decides who gets it. Pure.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/notify/digest.h"

namespace fmd {

struct NotifierConfig {  // fmd.toml [notify.NAME]
  std::set<std::string, std::less<>> events = {"diagnosed", "updated", "repaired", "resolved"};
  std::string severity = "Minor";  // minimum: "Minor", "Major", "Critical"
  // For defaults: uses the channel only if its plugin is known. Otherwise messages would wait a
  // week for a notifier that is not installed.
  bool needs_plugin = false;
};

// Input of the rules: sets about the case's suspects or a happening's part.
struct AlertFacts {
  using Words = std::set<std::string, std::less<>>;
  std::string event, severity;
  Words classes;  // of faults
  Words parts;    // FMRIs, serials
  Words bays;     // labels, FMRIs
  Words pools;    // names of pools and arrays
  Words chassis;  // ids, labels
};
AlertFacts facts_of(const Case& c, std::string_view event, const Inventory& inventory);

// Adds what is known about a part, or about a bay and its chassis.
void add_part(AlertFacts& facts, const std::string& part, const Inventory& inventory);
void add_bay(AlertFacts& facts, const std::string& bay, const Inventory& inventory);

// FMRIs of the part and of the pools, arrays and vdevs that contain it.
std::set<std::string, std::less<>> groups_above(const Inventory& inventory, std::string_view fmri);

struct Hours {  // of the local day, in minutes; from > to spans midnight
  int from = 0, to = 24 * 60;
  bool operator==(const Hours&) const = default;
};

struct AlertMatch {  // all given conditions must hold; lists are globs, one of which must match
  // {}: all events of cases. Happenings (happening.h) match only if named.
  std::set<std::string, std::less<>> events;
  std::string severity = "Minor";  // minimum
  std::vector<std::string> classes, parts, bays, pools, chassis;
  std::optional<Hours> hours;
  std::array<bool, 7> days{true, true, true, true, true, true, true};  // from Sunday

  bool matches(const AlertFacts& facts) const;  // regardless of the time
  bool matches_time(int64_t wall_ns) const;     // in local time
  bool always() const;                          // at any time
};

// "default": the recipients in the channel's own configuration.
inline constexpr std::string_view kDefaultRecipients = "default";
using Recipients = std::set<std::string, std::less<>>;

struct NotifyRule {  // fmd.toml [[notify]]
  std::string name;
  AlertMatch when;
  std::vector<std::string> channels;  // {}: no recipients
  Recipients recipients{std::string(kDefaultRecipients)};
  bool goes_on = false;  // `continue`: later rules may add recipients
};

struct Escalation {  // fmd.toml [[escalate]]: repeats messages about unacknowledged cases
  std::string name;
  AlertMatch when;
  int64_t after_ns = 0;
  int64_t every_ns = 0;  // 0: once
  std::vector<std::string> channels;
  Recipients recipients{std::string(kDefaultRecipients)};
};

struct Preferences {
  std::map<std::string, NotifierConfig, std::less<>> channels;  // unused if there are rules
  std::vector<NotifyRule> rules;
  std::vector<Escalation> escalations;
  DigestLimits digest;
  std::string explain_url;  // page about a message id, which replaces {code}; "": none
  int64_t expire_ns =
      7LL * 86400 * 1000000000;  // messages are given up after this time without delivery

  AlertFacts::Words all_channels() const;
  // Without default channels whose plugin is unknown.
  Preferences with_known(const std::function<bool(std::string_view plugin)>& is_known) const;
};

// A sentence for each channel that gets new cases but not their updates: "mail omits 'updated': …".
std::vector<std::string> preference_warnings(const Preferences& preferences);

struct Target {
  std::string channel;
  Recipients recipients;
  std::string why;  // the deciding rule
};
struct Unsent {
  std::string channel;  // "": all
  std::string why;
};
struct Decision {
  std::vector<Target> targets;  // one per channel
  std::vector<Unsent> unsent;
};

// told: (channel, recipient) of this case's earlier messages. These recipients also get its further
// messages, even at hours when they would not get a new case.
Decision decide(const Preferences& preferences, const AlertFacts& facts, int64_t wall_ns,
                const std::set<std::pair<std::string, std::string>>& told);

}  // namespace fmd
