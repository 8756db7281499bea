// Preferences: who gets which message, as in fmd.toml, and the decision. There are two forms, one
// at a time: [notify.NAME], what each channel gets; or [[notify]], rules of which the first match
// decides who gets it. Pure.
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
  std::string severity = "Minor";  // the least that is told: "Minor", "Major", "Critical"
  // Of the defaults: a channel only while its plugin is known, since messages for a notifier that
  // is not installed would wait for a week.
  bool needs_plugin = false;
};

// What rules look at. Sets of what the case's suspects are, or a happening's part.
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

// What is known of a part, and of a bay with its chassis.
void add_part(AlertFacts& facts, const std::string& part, const Inventory& inventory);
void add_bay(AlertFacts& facts, const std::string& bay, const Inventory& inventory);

// Pools, arrays and vdevs that the part is, or is a part of: FMRIs, itself included.
std::set<std::string, std::less<>> groups_above(const Inventory& inventory, std::string_view fmri);

struct Hours {  // of the local day, in minutes; from > to goes over midnight
  int from = 0, to = 24 * 60;
  bool operator==(const Hours&) const = default;
};

struct AlertMatch {  // all that is given must hold; lists are globs, one of which must match
  // {}: all of cases. Happenings (happening.h) are told only where they are named.
  std::set<std::string, std::less<>> events;
  std::string severity = "Minor";  // the least
  std::vector<std::string> classes, parts, bays, pools, chassis;
  std::optional<Hours> hours;
  std::array<bool, 7> days{true, true, true, true, true, true, true};  // from Sunday

  bool matches(const AlertFacts& facts) const;  // whatever the time is
  bool matches_time(int64_t wall_ns) const;     // in local time
  bool always() const;                          // at any time
};

// "default": those that the channel's own configuration names.
inline constexpr std::string_view kDefaultRecipients = "default";
using Recipients = std::set<std::string, std::less<>>;

struct NotifyRule {  // fmd.toml [[notify]]
  std::string name;
  AlertMatch when;
  std::vector<std::string> channels;  // {}: nobody is told
  Recipients recipients{std::string(kDefaultRecipients)};
  bool goes_on = false;  // `continue`: the rules after it may add to it
};

struct Escalation {  // fmd.toml [[escalate]]: again, when nobody has acknowledged the case
  std::string name;
  AlertMatch when;
  int64_t after_ns = 0;
  int64_t every_ns = 0;  // 0: once
  std::vector<std::string> channels;
  Recipients recipients{std::string(kDefaultRecipients)};
};

struct Preferences {
  std::map<std::string, NotifierConfig, std::less<>> channels;  // unless there are rules
  std::vector<NotifyRule> rules;
  std::vector<Escalation> escalations;
  DigestLimits digest;
  std::string
      explain_url;  // of what is known about a message's id, for which {code} stands; "" none
  int64_t expire_ns =
      7LL * 86400 * 1000000000;  // what could not be delivered for so long is given up

  AlertFacts::Words all_channels() const;
  // Without the default channels whose plugin is not known.
  Preferences with_known(const std::function<bool(std::string_view plugin)>& is_known) const;
};

struct Target {
  std::string channel;
  Recipients recipients;
  std::string why;  // the rule that says so
};
struct Unsent {
  std::string channel;  // "" all
  std::string why;
};
struct Decision {
  std::vector<Target> targets;  // one a channel
  std::vector<Unsent> unsent;
};

// told: (channel, recipient) of this case's messages so far. Whoever was told of a case hears how it goes
// on, also at hours in which they would not be told of a new one.
Decision decide(const Preferences& preferences, const AlertFacts& facts, int64_t wall_ns,
                const std::set<std::pair<std::string, std::string>>& told);

}  // namespace fmd
