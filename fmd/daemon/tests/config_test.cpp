#include "fmd/daemon/config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "fmd/base/uuid.h"

namespace fmd {
namespace {

std::string read_text(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr int64_t kDay = 86400LL * 1000000000;

std::vector<std::string> errors_of(std::string_view text) {
  std::vector<std::string> out;
  for (const Error& error : parse_config(text, "fmd.toml").second) out.push_back(error.text());
  return out;
}

TEST(Config, AnEmptyFileIsTheDefaults) {
  const auto [config, errors] = parse_config("", "fmd.toml");
  ASSERT_TRUE(errors.empty());
  EXPECT_EQ(config.socket, "/run/fmd/plugins.sock");
  EXPECT_EQ(config.bus, "system");
  EXPECT_EQ(config.action.max_retired, 2u);
  EXPECT_FALSE(config.action.dry_run);
  EXPECT_EQ(config.notify.channels.at("mail").events,
            (std::set<std::string, std::less<>>{"diagnosed", "updated", "resolved"}));
  EXPECT_EQ(config.notify.channels.at("snmp").events,
            (std::set<std::string, std::less<>>{"diagnosed", "repaired", "resilver-finished",
                                                "resolved", "updated"}));
}

// SNMP is a channel once its plugin is known; what an administrator has written is always one.
TEST(Config, ADefaultChannelNeedsItsPlugin) {
  using Names = std::set<std::string, std::less<>>;
  const auto channels = [](const std::string& text, bool known) {
    return parse_config(text, "fmd.toml")
        .first.notify.with_known([known](std::string_view) { return known; })
        .all_channels();
  };
  EXPECT_EQ(channels("", false), Names{"mail"});
  EXPECT_EQ(channels("", true), (Names{"mail", "snmp"}));
  EXPECT_EQ(channels("[notify.snmp]\n", false), (Names{"mail", "snmp"}));
  EXPECT_EQ(channels("[[notify]]\nchannels = [\"snmp\"]\n", false), Names{"snmp"});
}

TEST(Config, EveryKeyIsTaken) {
  const auto [config, errors] = parse_config(R"(
[daemon]
socket = "/s"
state_dir = "/d"
rules = ["/r1", "/r2"]
events = ["/e"]
bus = "none"
plugin_group = "g"
[action]
dry_run = true
max_retired = 5
max_retired_within = "2h"
auto_replace = false
[notify.mail]
events = ["resolved"]
severity = "Major"
[notify.pager-1]
[retention]
journal_days = 3
journal_size = "2MiB"
resolved_days = 7
readings_days = 4
readings_size = "3MiB"
bay_history_days = 5
[store]
compression = "zstd-9"
)",
                                             "fmd.toml");
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  EXPECT_EQ(config.socket, "/s");
  EXPECT_EQ(config.state_dir, "/d");
  EXPECT_EQ(config.rules, (std::vector<std::string>{"/r1", "/r2"}));
  EXPECT_EQ(config.events, std::vector<std::string>{"/e"});
  EXPECT_EQ(config.bus, "none");
  EXPECT_EQ(config.plugin_group, "g");
  EXPECT_TRUE(config.action.dry_run);
  EXPECT_EQ(config.action.max_retired, 5u);
  EXPECT_EQ(config.action.max_retired_within_ns, 7200LL * 1000000000);
  EXPECT_FALSE(config.action.auto_replace);
  EXPECT_EQ(config.notify.channels.at("mail").events.size(), 1u);
  EXPECT_EQ(config.notify.channels.at("mail").severity, "Major");
  EXPECT_EQ(config.notify.channels.at("pager-1").events.size(), 4u);
  EXPECT_EQ(config.retention.journal_age_ns, 3 * kDay);
  EXPECT_EQ(config.retention.journal_bytes, 2u << 20);
  EXPECT_EQ(config.retention.readings_age_ns, 4 * kDay);
  EXPECT_EQ(config.retention.readings_bytes, 3u << 20);
  EXPECT_EQ(config.retention.bay_history_age_ns, 5 * kDay);
  EXPECT_EQ(config.retention.resolved_age_ns, 7 * kDay);
  EXPECT_EQ(config.compression.sealed, 9);
}

TEST(Config, AWrongCompressionIsToldWhatMayBeWritten) {
  const auto errors = errors_of("[store]\ncompression = \"gzip-9\"\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(
      errors[0],
      "fmd.toml:2: [store]: \"gzip-9\" is no compression: \"auto\", \"off\", \"zstd-fast\", or "
      "\"zstd-1\" to \"zstd-19\"");
  EXPECT_EQ(errors_of("[store]\ncompression = 9\n").size(), 1u);
}

TEST(Config, EverySlipIsNamedWithItsLineAndWhatMayBeMeant) {
  const auto errors = errors_of(R"([deamon]
socket = "x"
[action]
dry_rum = true
max_retired = -1
max_retired_within = "soon"
[notify.mail]
events = ["diagnosd"]
severity = "Majr"
[notify.MAIL]
[retention]
journal_size = "lots"
journal_days = "3"
)");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"fmd.toml:1: ", "\"daemon\""},    {"fmd.toml:4: ", "\"dry_run\""},
      {"fmd.toml:5: ", "max_retired"},   {"fmd.toml:6: ", "soon"},
      {"fmd.toml:8: ", "\"diagnosed\""}, {"fmd.toml:9: ", "\"Major\""},
      {"fmd.toml:10: ", "MAIL"},         {"fmd.toml:12: ", "journal_size"},
      {"fmd.toml:13: ", "journal_days"},
  };
  ASSERT_EQ(errors.size(), expected.size()) << ::testing::PrintToString(errors);
  for (size_t i = 0; i < errors.size(); ++i) {
    EXPECT_TRUE(errors[i].starts_with(expected[i].first)) << errors[i];
    EXPECT_NE(errors[i].find(expected[i].second), std::string::npos) << errors[i];
  }
}

TEST(Config, APluginsNameIsGivenToAUser) {
  const auto [config, errors] = parse_config(R"([plugin.backup]
user = "backup"
observes = ["ereport.backup.*"]
describes = ["backup://"]
)",
                                             "fmd.toml");
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  const PluginGrant& grant = config.plugins.at("backup");
  EXPECT_EQ(grant.user, "backup");
  EXPECT_EQ(grant.observes, std::vector<std::string>{"ereport.backup.*"});
  EXPECT_TRUE(grant.handles.empty());
  EXPECT_EQ(errors_of("[plugin.X]\nuser = \"x\"\n").size(), 1u);
  EXPECT_EQ(errors_of("[plugin.mail]\nobserves = [\"*\"]\n").size(), 1u);
}

TEST(Config, RulesSayWhoIsTold) {
  const auto [config, errors] = parse_config(R"([[notify]]
name = "night"
severity = "Critical"
class = "fault.fs.zfs.*"
pool = ["tank", "backup"]
time = "22:00-06:00"
days = ["Sat", "Sun"]
channels = ["mail"]
recipients = ["default", "oncall@example.org"]
continue = true
[[notify]]
channels = []
[[escalate]]
severity = "Major"
after = "4h"
channels = ["mail"]
)",
                                             "fmd.toml");
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  ASSERT_EQ(config.notify.rules.size(), 2u);
  const NotifyRule& night = config.notify.rules[0];
  EXPECT_EQ(night.when.hours, (Hours{22 * 60, 6 * 60}));
  EXPECT_EQ(night.when.classes, std::vector<std::string>{"fault.fs.zfs.*"});
  EXPECT_TRUE(night.when.days[0] && night.when.days[6] && !night.when.days[1]);
  EXPECT_EQ(night.recipients.size(), 2u);
  EXPECT_TRUE(night.goes_on);
  EXPECT_EQ(config.notify.rules[1].name, "2");
  ASSERT_EQ(config.notify.escalations.size(), 1u);
  EXPECT_EQ(config.notify.escalations[0].after_ns, 4 * 3600 * 1000000000LL);
  EXPECT_EQ(config.notify.escalations[0].every_ns, 0);
}

TEST(Config, WhatNobodyIsToldByDoesNotRemindEither) {
  EXPECT_EQ(default_config().notify.escalations.size(), 1u);
  const auto escalations = [](const char* text) {
    return parse_config(text, "fmd.toml").first.notify.escalations.size();
  };
  EXPECT_EQ(escalations("escalate = []\n"), 0u);
  EXPECT_EQ(escalations("[[notify]]\nchannels = [\"snmp\"]\n"), 0u);
  EXPECT_EQ(escalations("[[notify]]\nchannels = [\"mail\"]\n"), 1u);
}

TEST(Config, SectionsBesideRulesAreExplained) {
  const std::string rule = "[[notify]]\nchannels = [\"mail\"]\n";
  const std::string section = "[notify.webhook]\nseverity = \"Critical\"\n";
  const auto behind = errors_of(rule + section);
  ASSERT_EQ(behind.size(), 1u) << ::testing::PrintToString(behind);
  EXPECT_EQ(behind[0],
            "fmd.toml:3: [[notify]] 1: [notify.webhook] and [[notify]] exclude each other: name "
            "the channel in "
            "\"channels\" of a [[notify]] rule");
  const auto before = errors_of(section + rule);
  ASSERT_EQ(before.size(), 1u) << ::testing::PrintToString(before);
  EXPECT_NE(before[0].find("cannot stand beside [[notify]]"), std::string::npos) << before[0];
  EXPECT_EQ(errors_of("[notify.mail]\nx =\n")[0].find("[[notify]]"), std::string::npos);
}

TEST(Config, SlipsInRulesAreNamed) {
  const auto errors = errors_of(R"([[notify]]
time = "22-06"
days = ["Mo"]
channels = ["MAIL"]
recipients = ["a b"]
[[notify]]
poool = "tank"
[[escalate]]
channels = ["mail"]
after = "1s"
events = ["updated"]
)");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"fmd.toml:2: ", "22:00-06:00"}, {"fmd.toml:3: ", "Mo"},       {"fmd.toml:4: ", "MAIL"},
      {"fmd.toml:5: ", "a b"},         {"fmd.toml:6: ", "channels"}, {"fmd.toml:7: ", "\"pool\""},
      {"fmd.toml:10: ", "minute"},     {"fmd.toml:11: ", "events"},
  };
  ASSERT_EQ(errors.size(), expected.size()) << ::testing::PrintToString(errors);
  for (size_t i = 0; i < errors.size(); ++i) {
    EXPECT_TRUE(errors[i].starts_with(expected[i].first)) << errors[i];
    EXPECT_NE(errors[i].find(expected[i].second), std::string::npos) << errors[i];
  }
}

TEST(Config, BrokenSyntaxIsNamedWithItsLine) {
  const auto errors = errors_of("[daemon]\nsocket = \"unclosed\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_TRUE(errors[0].starts_with("fmd.toml:2: ")) << errors[0];
}

TEST(Config, TheShippedFileIsInOrderAndShowsTheDefaults) {
  const auto [config, errors] = load_config(SHIPPED_CONFIG, true);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  // The commented lines show the defaults, so uncommenting all of them changes nothing.
  std::string text = read_text(SHIPPED_CONFIG);
  text = std::regex_replace(text, std::regex("(^|\n)#([a-z_]+ = )"), "$1$2");
  const auto [shown, shown_errors] = parse_config(text, "fmd.toml");
  for (const Error& error : shown_errors) ADD_FAILURE() << error.text();
  const Config expected = default_config();
  EXPECT_EQ(shown.socket, expected.socket);
  EXPECT_EQ(shown.state_dir, expected.state_dir);
  EXPECT_EQ(shown.bus, expected.bus);
  EXPECT_EQ(shown.plugin_group, expected.plugin_group);
  EXPECT_EQ(shown.rules.size(), expected.rules.size());
  EXPECT_EQ(shown.events.size(), expected.events.size());
  EXPECT_EQ(shown.notify.expire_ns, expected.notify.expire_ns);
  EXPECT_EQ(shown.action.dry_run, expected.action.dry_run);
  EXPECT_EQ(shown.action.max_retired, expected.action.max_retired);
  EXPECT_EQ(shown.action.max_retired_within_ns, expected.action.max_retired_within_ns);
  EXPECT_EQ(shown.action.locate_off_after_ns, expected.action.locate_off_after_ns);
  EXPECT_EQ(shown.action.auto_replace, expected.action.auto_replace);
  EXPECT_EQ(shown.retention.journal_age_ns, expected.retention.journal_age_ns);
  EXPECT_EQ(shown.retention.journal_bytes, expected.retention.journal_bytes);
  EXPECT_EQ(shown.retention.resolved_age_ns, expected.retention.resolved_age_ns);
  EXPECT_EQ(shown.compression, expected.compression);
  for (const char* notifier : {"mail", "snmp"}) {
    EXPECT_EQ(shown.notify.channels.at(notifier).events,
              expected.notify.channels.at(notifier).events);
    EXPECT_EQ(shown.notify.channels.at(notifier).severity,
              expected.notify.channels.at(notifier).severity);
  }
  EXPECT_EQ(shown.plugins.size(), expected.plugins.size());
  for (const auto& [name, grant] : expected.plugins) {
    const PluginGrant& said = shown.plugins.at(name);
    EXPECT_EQ(said.user, grant.user) << name;
    EXPECT_EQ(said.group, grant.group) << name;
    EXPECT_EQ(said.notifier, grant.notifier) << name;
    EXPECT_EQ(said.observes, grant.observes) << name;
    EXPECT_EQ(said.handles, grant.handles) << name;
    EXPECT_EQ(said.describes, grant.describes) << name;
    EXPECT_FALSE(said.reads_serials || grant.reads_serials) << name;
  }
}

TEST(Config, WhoSpeaksWithTheNetworkHasAUserAndIsNoOtherPlugin) {
  const Config config = default_config();
  for (const char* name : {"redfish", "ipmi", "mail", "webhook", "alertmanager", "snmp"}) {
    const PluginGrant& grant = config.plugins.at(name);
    EXPECT_EQ(grant.user, std::string("fmd-") + name);
    for (const std::string& given : grant.handles)
      EXPECT_TRUE(given == std::string(name) + "://" || given == "hc://system=" ||
                  given == "hc://chassis=*/bay=redfish-")
          << name << ": " << given;
  }
}

TEST(Config, WhoRunsAsRootIsToldApartByItsGroup) {
  const Config config = default_config();
  std::vector<std::string> observed;
  for (const char* name : {"cpu", "disk", "enclosure", "smart", "volumes", "zfs"}) {
    const PluginGrant& grant = config.plugins.at(name);
    EXPECT_EQ(grant.group, std::string("fmd-") + name);
    EXPECT_EQ(grant.user, "") << name;
    for (const std::string& given : grant.observes) {
      EXPECT_FALSE(class_within(given, observed)) << name << ": " << given << " is another's";
      for (const std::string& other : observed)
        EXPECT_FALSE(class_within(other, {given})) << name << ": " << given << " holds " << other;
    }
    observed.insert(observed.end(), grant.observes.begin(), grant.observes.end());
  }
  const auto [said, none] = parse_config("[plugin.ups]\ngroup = \"ups\"\n", "f");
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(said.plugins.at("ups").group, "ups");
}

TEST(Config, HowLongMessagesAreTried) {
  const auto [good, none] = parse_config("[outbox]\nexpire = \"3d\"\n", "f");
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(good.notify.expire_ns, 3LL * 86400 * 1000000000);
  const auto errors = parse_config("[outbox]\nexpire = \"5min\"\nexpires = 1\n", "f").second;
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].text(), "f:2: [outbox]: \"expire\" must be an hour or more");
}

TEST(Config, WhereAMessageIsExplained) {
  for (const char* table : {"[notify]\n", "[outbox]\n"}) {
    const auto [config, errors] =
        parse_config(std::string(table) + "explain_url = \"https://w.example/{code}.html\"\n", "f");
    EXPECT_TRUE(errors.empty());
    EXPECT_EQ(config.notify.explain_url, "https://w.example/{code}.html");
  }
  for (const char* bad : {"ftp://w.example/", "https://w.example/a b", "w.example", ""}) {
    const auto errors =
        parse_config(std::string("[notify]\nexplain_url = \"") + bad + "\"\n", "f").second;
    ASSERT_EQ(errors.size(), 1u) << bad;
    EXPECT_NE(errors[0].text().find("must be an address"), std::string::npos);
  }
}

TEST(Config, AMissingFileIsTheDefaultsUnlessItWasAskedFor) {
  EXPECT_TRUE(load_config("/nonexistent/fmd.toml", false).second.empty());
  const auto errors = load_config("/nonexistent/fmd.toml", true).second;
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].file, "/nonexistent/fmd.toml");
}

TEST(Uuid, IsRandomVersionFour) {
  std::set<std::string> seen;
  const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  for (int i = 0; i < 1000; ++i) {
    const std::string id = new_uuid();
    EXPECT_TRUE(std::regex_match(id, form)) << id;
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace fmd
