#include <gtest/gtest.h>

#include <algorithm>

#include "fmd/rules/tests/rules_rig.h"

namespace fmd {
namespace {

struct Loaded {
  std::shared_ptr<const RuleSet> rules;
  std::vector<EffectiveTable> tables;
  std::string errors;

  const EffectiveValue* value(const std::string& table, const std::string& key) const {
    for (const EffectiveTable& t : tables)
      for (const EffectiveValue& v : t.values)
        if (t.name == table && v.key == key) return &v;
    return nullptr;
  }
};

// The vendor's rules, and these files of the administrator's after them.
Loaded with(const std::vector<std::string>& locals) {
  std::vector<SourceFile> files{{"vendor.toml", test::kRules}};
  for (const std::string& text : locals)
    files.push_back({"local" + std::to_string(files.size()) + ".toml", text});
  Loaded loaded;
  auto [rules, errors] = RuleSet::load(files, test::schema_of(test::kSchema), &loaded.tables);
  loaded.rules = rules;
  loaded.errors = test::all_text(errors);
  return loaded;
}

TEST(RuleOverrides, ChangeOneValueAndLeaveTheOthers) {
  const Loaded loaded = with({"[[override]]\nrule = \"errors\"\ncount = 5\n"});
  ASSERT_TRUE(loaded.rules) << loaded.errors;
  const Rule* rule = loaded.rules->find("errors");
  EXPECT_EQ(rule->count, 5u);
  EXPECT_EQ(rule->within_ns, 60'000'000'000);
  EXPECT_EQ(loaded.rules->find("others")->count, 2u);
  const EffectiveValue* count = loaded.value("errors", "count");
  EXPECT_EQ(count->value, "5");
  EXPECT_EQ(count->instead_of, "3");
  EXPECT_EQ(count->file, "local1.toml");
  EXPECT_EQ(count->line, 3);
  EXPECT_EQ(loaded.value("errors", "within")->instead_of, "");
  EXPECT_EQ(loaded.value("errors", "within")->value, "\"1min\"");
  EXPECT_EQ(loaded.value("errors", "where_not.kind")->value, "[\"old\"]");
}

TEST(RuleOverrides, StandInAnyFileAndTheLastCounts) {
  const std::string five = "[[override]]\nrule = \"errors\"\ncount = 5\nhold = \"1h\"\n";
  const std::string six = "[[override]]\nrule = \"errors\"\ncount = 6\n";
  std::vector<SourceFile> files{{"a.toml", five}, {"b.toml", test::kRules}, {"c.toml", six}};
  auto [rules, errors] = RuleSet::load(files, test::schema_of(test::kSchema));
  ASSERT_TRUE(rules) << test::all_text(errors);
  EXPECT_EQ(rules->find("errors")->count, 6u);
  EXPECT_EQ(rules->find("errors")->hold_ns, 3'600'000'000'000);
  const Loaded loaded = with({five, six});
  EXPECT_EQ(loaded.value("errors", "count")->instead_of, "3");
  EXPECT_EQ(loaded.value("errors", "hold")->instead_of, "nothing");
}

TEST(RuleOverrides, SwitchARuleOff) {
  const Loaded loaded = with({"[[override]]\nrule = \"noise\"\nenabled = false\n"});
  ASSERT_TRUE(loaded.rules) << loaded.errors;
  EXPECT_EQ(loaded.rules->find("noise"), nullptr);
  EXPECT_NE(loaded.rules->fault("upset.t.noise"), nullptr);
  const auto off = std::find_if(loaded.tables.begin(), loaded.tables.end(),
                                [](const EffectiveTable& t) { return t.name == "noise"; });
  EXPECT_FALSE(off->enabled);
  const Loaded again = with({"[[override]]\nrule = \"noise\"\nenabled = false\n",
                             "[[override]]\nrule = \"noise\"\nenabled = true\n"});
  EXPECT_NE(again.rules->find("noise"), nullptr);
}

TEST(RuleOverrides, ChangeHowAFaultIsAnswered) {
  const Loaded loaded =
      with({"[[override]]\nfault = \"fault.t.errors\"\nseverity = \"Critical\"\nled = false\n"});
  ASSERT_TRUE(loaded.rules) << loaded.errors;
  EXPECT_EQ(loaded.rules->fault("fault.t.errors")->severity, "Critical");
  EXPECT_FALSE(loaded.rules->fault("fault.t.errors")->led);
}

TEST(RuleOverrides, MistakesAreToldWithTheOverridesPlace) {
  const auto errors = [](const std::string& text) { return with({text}).errors; };
  EXPECT_NE(errors("[[override]]\nrule = \"errors\"\n\ncuont = 5\n")
                .find("local1.toml:4: rule \"errors\": unknown key \"cuont\""),
            std::string::npos)
      << errors("[[override]]\nrule = \"errors\"\n\ncuont = 5\n");
  EXPECT_NE(errors("[[override]]\nrule = \"errors\"\ncount = \"five\"\n").find("local1.toml:3: "),
            std::string::npos);
  EXPECT_NE(errors("[[override]]\nrule = \"erors\"\ncount = 5\n")
                .find("local1.toml:1: override: there is no rule \"erors\"; is \"errors\" meant?"),
            std::string::npos)
      << errors("[[override]]\nrule = \"erors\"\ncount = 5\n");
  EXPECT_NE(
      errors("[[override]]\nfault = \"fault.t.nothing\"\nled = true\n").find("there is no fault"),
      std::string::npos);
  EXPECT_NE(errors("[[override]]\ncount = 5\n").find("one of them"), std::string::npos);
  EXPECT_NE(
      errors("[[override]]\nrule = \"errors\"\nfault = \"fault.t.errors\"\n").find("one of them"),
      std::string::npos);
  EXPECT_NE(errors("[[override]]\nrule = \"errors\"\n").find("changes nothing"), std::string::npos);
  EXPECT_NE(errors("[[override]]\nrule = \"errors\"\nname = \"x\"\n").find("cannot be changed"),
            std::string::npos);
  EXPECT_NE(
      errors("[[override]]\nfault = \"fault.t.errors\"\nenabled = false\n").find("rules only"),
      std::string::npos);
  EXPECT_NE(errors("[override]\nrule = \"errors\"\n").find("override"), std::string::npos);
}

}  // namespace
}  // namespace fmd
