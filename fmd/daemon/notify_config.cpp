#include "fmd/daemon/notify_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fmd/base/text.h"
#include "fmd/notify/happening.h"

namespace fmd {
namespace {

constexpr int64_t kShortestEscalationNs = 60LL * 1000000000;
constexpr int64_t kShortestExpiryNs = 3600LL * 1000000000;
const std::vector<std::string> kEvents = [] {
  std::vector<std::string> out = {"diagnosed", "updated", "repaired", "resolved"};
  out.insert(out.end(), kHappenings.begin(), kHappenings.end());
  return out;
}();
const std::vector<std::string> kSeverities = {"Minor", "Major", "Critical"};
const std::vector<std::string> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

bool is_channel(std::string_view name) {
  return !name.empty() && name.size() <= 32 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == name.npos;
}

// Which address is a good one the channel knows; none has blanks or what could end a line.
bool is_recipient(std::string_view text) {
  return !text.empty() && text.size() <= 254 && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

std::optional<int> parse_minute(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return {};
  int hour = 0, minute = 0;
  const auto h = std::from_chars(text.data(), text.data() + 2, hour);
  const auto m = std::from_chars(text.data() + 3, text.data() + 5, minute);
  if (h.ptr != text.data() + 2 || m.ptr != text.data() + 5) return {};
  if (hour < 0 || hour > 24 || minute < 0 || minute > 59 || hour * 60 + minute > 24 * 60) return {};
  return hour * 60 + minute;
}

std::optional<Hours> parse_hours(std::string_view text) {  // "22:00-06:00"
  const size_t dash = text.find('-');
  if (dash == text.npos) return {};
  const auto from = parse_minute(text.substr(0, dash)), to = parse_minute(text.substr(dash + 1));
  if (!from || !to || *from == *to) return {};
  return Hours{*from, *to};
}

class NotifyReader {
 public:
  NotifyReader(const std::string& file, Preferences& out, std::vector<Error>& errors)
      : file_(file), out_(out), errors_(errors) {}

  void channels(const TomlNode& node) {
    TomlReader in(node, "[notify]", file_, errors_);
    explain_url(in);
    for (const auto& [name, member] : node.members) {
      if (name == "explain_url") continue;
      const TomlNode* table = in.table(name);
      if (!table) continue;
      if (is_channel(name))
        channel(*table, name);
      else
        in.error(member.line,
                 fmt::format("\"{}\" cannot be a notifier's name: use a-z, 0-9 and - only",
                             display(name)));
    }
    in.finish();
  }

  void rules(const TomlNode& array) {
    for (const TomlNode& item : array.items) {
      NotifyRule rule;
      rule.name = std::to_string(out_.rules.size() + 1);
      TomlReader in(item, fmt::format("[[notify]] {}", rule.name), file_, errors_);
      if (const auto name = in.text("name")) rule.name = display(*name, 60);
      match(in, rule.when, true);
      target(in, rule.channels, rule.recipients);
      rule.goes_on = in.boolean("continue").value_or(false);
      refuse_sections(item, in);
      in.finish();
      out_.rules.push_back(std::move(rule));
    }
  }

  void escalations(const TomlNode& array) {
    out_.escalations.clear();
    for (const TomlNode& item : array.items) {
      Escalation escalation;
      escalation.name = std::to_string(out_.escalations.size() + 1);
      TomlReader in(item, fmt::format("[[escalate]] {}", escalation.name), file_, errors_);
      if (const auto name = in.text("name")) escalation.name = display(*name, 60);
      match(in, escalation.when, false);
      target(in, escalation.channels, escalation.recipients);
      if (!in.has("after")) in.error(item.line, "needs \"after\", such as \"4h\"");
      time(in, "after", escalation.after_ns);
      time(in, "every", escalation.every_ns);
      in.finish();
      out_.escalations.push_back(std::move(escalation));
    }
  }

  void digest(const TomlNode& node) {
    TomlReader in(node, "[digest]", file_, errors_);
    if (in.has("channels")) {
      const auto channels = in.texts("channels");
      out_.digest.channels = {channels.begin(), channels.end()};
    }
    if (const auto after = in.integer("after", 1, 1000))
      out_.digest.after = static_cast<size_t>(*after);
    if (const auto critical = in.integer("critical", 0, 1000))
      out_.digest.critical = static_cast<size_t>(*critical);
    for (const auto& [key, into] : {std::pair{"within", &out_.digest.within_ns},
                                    {"quiet", &out_.digest.quiet_ns},
                                    {"gather", &out_.digest.gather_ns},
                                    {"every", &out_.digest.every_ns}})
      if (const auto ns = in.duration(key)) *into = *ns;
    in.finish();
  }

  void outbox(const TomlNode& node) {
    TomlReader in(node, "[outbox]", file_, errors_);
    explain_url(in);  // for who has [[notify]] rules, beside which there can be no [notify]
    if (const auto ns = in.duration("expire")) {
      if (*ns < kShortestExpiryNs)
        in.error(in.line_of("expire"), "\"expire\" must be an hour or more");
      out_.expire_ns = *ns;
    }
    in.finish();
  }

 private:
  // To TOML a section after an array of tables belongs to the last of these.
  static void refuse_sections(const TomlNode& item, TomlReader& in) {
    for (const auto& [name, member] : item.members)
      if (member.kind == TomlNode::Kind::table && in.any(name))
        in.error(member.line, fmt::format("[notify.{}] and [[notify]] exclude each other: name "
                                          "the channel in \"channels\" of a [[notify]] rule",
                                          display(name, 32)));
  }
  void explain_url(TomlReader& in) {
    auto url = in.text("explain_url");
    if (!url) return;
    const bool web = url->starts_with("https://") || url->starts_with("http://");
    if (!web || !is_recipient(*url))
      in.error(
          in.line_of("explain_url"),
          "\"explain_url\" must be an address such as \"https://wiki.example.org/fmd/{code}\"");
    else
      out_.explain_url = std::move(*url);
  }
  void channel(const TomlNode& node, const std::string& name) {
    TomlReader in(node, fmt::format("[notify.{}]", name), file_, errors_);
    NotifierConfig& config = out_.channels[name];
    config.needs_plugin = false;
    if (in.has("events")) {
      config.events.clear();
      events(in, config.events);
    }
    if (auto word = in.word("severity", kSeverities)) config.severity = std::move(*word);
    in.finish();
  }

  static void events(TomlReader& in, std::set<std::string, std::less<>>& into) {
    for (const std::string& event : in.texts("events")) {
      if (std::find(kEvents.begin(), kEvents.end(), event) == kEvents.end())
        in.error(in.line_of("events"),
                 fmt::format("unknown event \"{}\"{}", display(event), suggest(event, kEvents)));
      into.insert(event);
    }
  }

  static void match(TomlReader& in, AlertMatch& when, bool with_events) {
    if (with_events) events(in, when.events);
    if (auto word = in.word("severity", kSeverities)) when.severity = std::move(*word);
    when.classes = in.texts("class");
    when.parts = in.texts("part");
    when.bays = in.texts("bay");
    when.pools = in.texts("pool");
    when.chassis = in.texts("chassis");
    if (const auto text = in.text("time")) {
      when.hours = parse_hours(*text);
      if (!when.hours)
        in.error(in.line_of("time"), "\"time\" must be hours of the day, such as \"22:00-06:00\"");
    }
    if (!in.has("days")) return;
    when.days.fill(false);
    for (const std::string& day : in.texts("days")) {
      const auto at = std::find(kDays.begin(), kDays.end(), day);
      if (at == kDays.end())
        in.error(in.line_of("days"),
                 fmt::format("unknown day \"{}\"{}", display(day), suggest(day, kDays)));
      else
        when.days[static_cast<size_t>(at - kDays.begin())] = true;
    }
  }

  static void target(TomlReader& in, std::vector<std::string>& channels, Recipients& recipients) {
    if (!in.has("channels"))
      in.error(in.line_of("channels"), "needs \"channels\", such as [\"mail\"]; [] tells nobody");
    for (std::string& name : in.texts("channels")) {
      if (!is_channel(name))
        in.error(in.line_of("channels"), fmt::format("\"{}\" cannot be a channel's name: use a-z, "
                                                     "0-9 and - only",
                                                     display(name)));
      channels.push_back(std::move(name));
    }
    if (!in.has("recipients")) return;
    recipients.clear();
    for (std::string& to : in.texts("recipients")) {
      if (!is_recipient(to))
        in.error(in.line_of("recipients"),
                 fmt::format("\"{}\" cannot be a recipient: a bare address, without blanks",
                             display(to)));
      recipients.insert(std::move(to));
    }
    if (recipients.empty()) in.error(in.line_of("recipients"), "\"recipients\" names nobody");
  }

  static void time(TomlReader& in, const char* key, int64_t& into) {
    const auto ns = in.duration(key);
    if (!ns) return;
    if (*ns < kShortestEscalationNs)
      in.error(in.line_of(key), fmt::format("\"{}\" must be a minute or more", key));
    into = *ns;
  }

  const std::string& file_;
  Preferences& out_;
  std::vector<Error>& errors_;
};

}  // namespace

Preferences default_preferences() {
  Preferences out;
  out.channels["mail"].events = {"diagnosed", "updated", "resolved"};
  out.channels["snmp"].events = {"diagnosed", "updated", "repaired", "resolved",
                                 std::string(happening_name(HappeningKind::resilver_finished))};
  out.channels["snmp"].needs_plugin = true;
  out.digest.channels = {"mail"};
  // A Critical case means that data is lost or about to be: a day is as long as it may be overlooked.
  Escalation daily;
  daily.name = "daily";
  daily.when.severity = "Critical";
  daily.after_ns = daily.every_ns = 24LL * 3600 * 1000000000;
  daily.channels = {"mail"};
  out.escalations.push_back(std::move(daily));
  return out;
}

void read_notify(TomlReader& top, const TomlNode& root, const std::string& file, Preferences& out,
                 std::vector<Error>& errors) {
  NotifyReader reader(file, out, errors);
  const TomlNode* notify = root.find("notify");
  if (notify && notify->kind == TomlNode::Kind::array) {
    if (const TomlNode* rules = top.array_of_tables("notify")) reader.rules(*rules);
  } else if (const TomlNode* channels = top.table("notify")) {
    reader.channels(*channels);
  }
  if (const TomlNode* escalations = top.array_of_tables("escalate"))
    reader.escalations(*escalations);
  if (const TomlNode* digest = top.table("digest")) reader.digest(*digest);
  if (const TomlNode* outbox = top.table("outbox")) reader.outbox(*outbox);
  // A channel without other messages sends no reminders.
  if (!root.find("escalate") && out.all_channels().count("mail") == 0) out.escalations.clear();
}

}  // namespace fmd
