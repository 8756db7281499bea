// Types of parts and properties that nobody has are errors, with the nearest name.
#include <gtest/gtest.h>

#include "fmd/rules/rules.h"
#include "fmd/rules/tests/rules_rig.h"

namespace fmd::vocabulary_test {
namespace {

constexpr const char* kWords = R"(
[resource."*"]
properties = ["name", "label"]
[resource.disk]
properties = ["state", "smart.pending", "smart.attr.*", "temperature", "limit"]
[resource.bay]
properties = ["occupied"]
)";

// What is wrong with a rule about a property; type, property, and what else it says.
std::string wrong(const std::string& type, const std::string& property,
                  const std::string& more = "", const std::string& fault = "",
                  const std::string& description = "d", const char* words = kWords) {
  const std::string rule =
      "[[rule]]\nname = \"a\"\nkind = \"state\"\nvalues = [1]\ntype = \"" + type +
      "\"\nproperty = \"" + property + "\"\n" + more +
      "fault = \"fault.x\"\n[[fault]]\nclass = \"fault.x\"\ndictionary = \"X\"\n"
      "number = 1\nseverity = \"Minor\"\ntitle = \"t\"\ndescription = \"" +
      description + "\"\nresponse = \"r\"\nimpact = \"i\"\naction = \"a\"\n" + fault;
  auto [schema, schema_errors] = EventSchema::load({{"events.toml", words}});
  EXPECT_EQ(test::all_text(schema_errors), "");
  return test::all_text(RuleSet::load({{"r.toml", rule}}, schema).second);
}

TEST(Vocabulary, WhatIsDeclaredMayBeNamed) {
  for (const char* property : {"state", "smart.pending", "smart.attr.197", "name"})
    EXPECT_EQ(wrong("disk", property), "") << property;
  EXPECT_EQ(wrong("disk", "state", "where = { label = \"x\" }\nwhere_bay = { occupied = true }\n",
                  "[fault.repair]\nwhen = { state = [2] }\n", "{property.limit}"),
            "");
}

TEST(Vocabulary, AnUnknownType) {
  EXPECT_EQ(wrong("dsk", "anything"),
            "r.toml:5: rule \"a\": there is no type of part \"dsk\"; is \"disk\" meant?\n");
  EXPECT_EQ(wrong("elephant", "trunk"),
            "r.toml:5: rule \"a\": there is no type of part \"elephant\"; a new one is declared in "
            "events.d, see fmd-rules(5)\n");
  EXPECT_NE(wrong("*", "name"), "");
}

TEST(Vocabulary, AnUnknownPropertyWhereverOneIsNamed) {
  EXPECT_EQ(wrong("disk", "smart.pendng"),
            "r.toml:6: rule \"a\": no disk has a property \"smart.pendng\"; is \"smart.pending\" "
            "meant?\n");
  EXPECT_NE(wrong("disk", "occupied"), "") << "a bay's";
  EXPECT_NE(wrong("disk", "smart.attr."), "");
  EXPECT_NE(wrong("disk", "state", "where = { stat = \"x\" }\n"), "");
  EXPECT_NE(wrong("disk", "state", "where_not = { stat = \"x\" }\n"), "");
  EXPECT_NE(wrong("disk", "state", "where_bay = { state = \"x\" }\n"), "") << "a disk's";
  EXPECT_NE(wrong("disk", "state", "", "[fault.repair]\nwhen = { stte = [2] }\n"), "");
  EXPECT_EQ(wrong("disk", "state", "", "", "{property.lmit}"),
            "r.toml:14: fault \"fault.x\": no type of part has a property \"lmit\"; is \"limit\" "
            "meant?\n");
}

TEST(Vocabulary, WithoutAnyDeclarationEverythingMayBeNamed) {
  EXPECT_EQ(wrong("dsk", "stte", "", "", "d", ""), "");
}

TEST(Vocabulary, FilesAddToEachOther) {
  auto [schema, errors] = EventSchema::load({{"a.toml", kWords},
                                             {"b.toml",
                                              "[resource.disk]\nproperties = [\"vibration\"]\n"
                                              "[resource.ups]\nproperties = [\"battery\"]\n"}});
  EXPECT_EQ(test::all_text(errors), "");
  EXPECT_TRUE(schema.vocabulary().check_property("disk", "vibration"));
  EXPECT_TRUE(schema.vocabulary().check_property("disk", "state"));
  EXPECT_TRUE(schema.vocabulary().check_type("ups"));
}

TEST(Vocabulary, SlipsInItsOwnFile) {
  auto [schema, errors] = EventSchema::load(
      {{"a.toml", "[resource.disk]\nproperty = [\"x\"]\n[resource.bay]\n[resource]\nfan = 1\n"}});
  EXPECT_EQ(test::all_text(errors),
            "a.toml:1: resource \"disk\": \"properties\" is missing\n"
            "a.toml:2: resource \"disk\": unknown key \"property\"; it is one of properties\n"
            "a.toml:3: resource \"bay\": \"properties\" is missing\n"
            "a.toml:5: resource \"fan\" must be a table\n");
}

}  // namespace
}  // namespace fmd::vocabulary_test
