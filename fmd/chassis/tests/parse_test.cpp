// Reading descriptions: valid ones, every kind of error, and that the manual lists all keys.
#include "fmd/chassis/parse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "fmd/base/json.h"
#include "fmd/chassis/pattern.h"
#include "fmd/chassis/properties.h"
#include "fmd/chassis/render.h"

namespace fmd::chassis {
namespace {

const std::string kShelf =
    "[chassis]\nlabel = \"Box\"\napplies_to = \"shelf\"\nsource = \"a test\"\n"
    "[[match]]\nses_vendor = \"ACME\"\n[[view]]\nname = \"front\"\nwidth_mm = 440\nheight_mm = "
    "88\n";

Description good(const std::string& text) {
  auto [description, errors] = parse({"x/box.toml", text});
  for (const Error& e : errors) ADD_FAILURE() << e.text();
  return description.value_or(Description{});
}
std::string errors_of(const std::string& text) {
  auto [description, errors] = parse({"box.toml", text});
  EXPECT_FALSE(description && !errors.empty());
  std::string all;
  for (const Error& e : errors) all += e.text() + "\n";
  return all;
}
void expect_error(const std::string& more, const std::string& wanted) {
  const std::string all = errors_of(kShelf + more);
  EXPECT_NE(all.find(wanted), all.npos) << all;
}

TEST(Parse, AGridIsBaysInOrderWithGeometry) {
  const auto d =
      good(kShelf +
           "[[grid]]\nfirst = 0\ncount = 6\ncolumns = 3\nlabel = \"HDD {n+1:02}\"\n"
           "view = \"front\"\nx_mm = 10\ny_mm = 4\nw_mm = 100\nh_mm = 30\n"
           "pitch_x_mm = 110\npitch_y_mm = 40\nstart = \"bottom-left\"\n"
           "form_factor = \"3.5\"\n"
           "[[fault_domain]]\nname = \"left\"\nkind = \"backplane\"\nbays = [\"0\", \"3-4\"]\n");
  ASSERT_EQ(d.bays.size(), 6u);
  EXPECT_EQ(d.name, "box");
  EXPECT_EQ(d.bays[0].id, "0");
  EXPECT_EQ(d.bays[0].label, "HDD 01");
  EXPECT_EQ(*d.bays[0].box.x, 10);
  EXPECT_EQ(*d.bays[0].box.y, 44) << "the first row is the lower one";
  EXPECT_EQ(*d.bays[5].box.x, 230);
  EXPECT_EQ(*d.bays[5].box.y, 4);
  ASSERT_EQ(d.bays[4].resolve.size(), 1u) << "a shelf's bays are its slots";
  EXPECT_EQ(d.bays[4].resolve[0].kind, "ses_slot");
  EXPECT_EQ(d.bays[4].resolve[0].value, "4");
  EXPECT_EQ(d.bays[4].fault_domain, "left");
  EXPECT_EQ(d.bays[5].fault_domain, "");
}

TEST(Parse, HowItWasVerified) {
  const std::string bay = "[[bay]]\nn = 1\nlabel = \"1\"\n";
  EXPECT_EQ(good(kShelf + bay).verified, "drawing only") << "a model that nobody has mapped";
  const std::string mapped =
      "[chassis]\nlabel = \"x\"\napplies_to = \"shelf\"\nsource = \"a test\"\n"
      "[[match]]\nses_id = \"5000\"\n";
  EXPECT_EQ(good(mapped + bay).verified, "by a person") << "as chassis map has written it before";
  std::string told = kShelf;
  told.replace(told.find("source"), 0, "verified = \"by SES descriptors\"\n");
  const Description d = good(told + bay);
  EXPECT_EQ(d.verified, "by SES descriptors");
  nlohmann::json properties;
  describe(d.bays.at(0), properties);
  EXPECT_EQ(properties["verified"], "by SES descriptors");
  EXPECT_EQ(good(render(d)).verified, "by SES descriptors");
  told.replace(told.find("by SES descriptors"), 18, "by a persn");
  EXPECT_NE(errors_of(told + bay).find("is \"by a person\" meant?"), std::string::npos);
}

TEST(Parse, ColumnsFirst) {
  const auto d = good(kShelf +
                      "[[grid]]\ncount = 4\ncolumns = 2\norder = \"columns\"\nlabel = \"{n}\"\n"
                      "view = \"front\"\nx_mm = 0\ny_mm = 0\nw_mm = 50\nh_mm = 20\n");
  EXPECT_EQ(*d.bays[1].box.x, 0);
  EXPECT_EQ(*d.bays[1].box.y, 20);
  EXPECT_EQ(*d.bays[2].box.x, 50);
}

TEST(Parse, AGapBetweenBlocksOfColumns) {
  const auto d = good(kShelf +
                      "[[grid]]\ncount = 10\ncolumns = 5\nlabel = \"{n}\"\nview = \"front\"\n"
                      "x_mm = 2\ny_mm = 0\nw_mm = 50\nh_mm = 20\ngap_after = 2\ngap_mm = 30\n");
  std::vector<double> x;
  for (size_t i = 5; i < 10; ++i) x.push_back(*d.bays[i].box.x);
  EXPECT_EQ(x, (std::vector<double>{2, 52, 132, 182, 262}));
  expect_error("[[grid]]\ncount = 2\nlabel = \"{n}\"\ngap_mm = 3\n",
               "\"gap_after\" and \"gap_mm\" go together");
}

TEST(Parse, EveryErrorIsToldWithItsLine) {
  const std::string all = errors_of(
      "[chassis]\nlabel = \"x\"\napplies_to = \"shlf\"\nsorce = \"y\"\n[[mach]]\na = 1\n"
      "[[grid]]\ncuont = 3\nlabel = \"{m}\"\n");
  EXPECT_NE(
      all.find("box.toml:3: [chassis]: \"applies_to\" cannot be \"shlf\"; is \"shelf\" meant?"),
      all.npos)
      << all;
  EXPECT_NE(all.find("box.toml:4: [chassis]: unknown key \"sorce\"; is \"source\" meant?"),
            all.npos);
  EXPECT_NE(all.find("\"source\" must say where the facts of this file come from"), all.npos);
  EXPECT_NE(all.find("unknown table \"mach\"; is \"match\" meant?"), all.npos) << all;
  EXPECT_NE(all.find("box.toml:8: [[grid]]: unknown key \"cuont\"; is \"count\" meant?"), all.npos);
  EXPECT_NE(all.find("no [[match]]"), all.npos);
}

TEST(Parse, WhatIsRefused) {
  const std::string bay = "[[bay]]\nn = 1\nlabel = \"1\"\n";
  expect_error(bay + "view = \"frnt\"\n", "no [[view]] is called \"frnt\"; is \"front\" meant?");
  expect_error(bay + "view = \"front\"\nx_mm = 1\n", "\"w_mm\" and \"h_mm\" together");
  expect_error(bay + "view = \"front\"\nx_mm = 400\ny_mm = 1\nw_mm = 50\nh_mm = 9\n",
               "is not inside the front view of 440 by 88 mm");
  expect_error(bay + "resolve = [{ ata_port = \"1\" }]\n", "are found by ses_slot or ses_name");
  expect_error(bay + "resolve = [{ ses_slot = \"1\", member = \"m\" }]\n",
               "no [[member]] is called \"m\"");
  expect_error(bay + "resolve = [{ ses_slto = \"1\" }]\n",
               "unknown key \"ses_slto\"; is \"ses_slot\" meant?");
  expect_error(bay + "resolve = 3\n", "must be an array of tables");
  expect_error(bay + "view = \"front\"\nx_mm = 1\ny_mm = 80\nw_mm = 50\nh_mm = 9\n",
               "is not inside the front view");
  expect_error(bay + "resolve = [{ ses_slot = \"1\", ses_name = \"x\" }]\n", "each takes one of");
  expect_error(bay + "resolve = [{ member = \"m\" }]\n", "each takes one of");
  expect_error(bay + bay, "a second bay \"1\"");
  expect_error(bay + "[[bay]]\nn = 2\nlabel = \"1\"\n",
               "bays \"1\" and \"2\" have the same label \"1\"");
  expect_error(bay + "fault = { methods = [\"sess\"] }\n",
               "no LED is driven by \"sess\"; is \"ses\" meant?");
  expect_error(bay + "fault = { methods = [\"ledctl\"], reads_back = true }\n",
               "cannot be read back");
  expect_error(bay + "fault = { methods = [\"ipmi\"], ipmi_on = \"0x30 0x25\" }\n",
               "\"methods\" with \"ipmi\" and \"ipmi_off\" go together");
  expect_error(bay + "fault = { methods = [\"ses\"], ipmi_on = \"0x30 0x25\" }\n",
               "\"methods\" with \"ipmi\" and \"ipmi_on\" go together");
  expect_error(
      bay + "fault = { methods = [\"ipmi\"], ipmi_on = \"reboot\", ipmi_off = \"0x30 0x25\" }\n",
      "\"ipmi_on\" must be the bytes of a request");
  expect_error(bay + "ipmi = \"Drive Slot 1\"\n",
               "a shelf's bays have no sensors of the machine's BMC");
  expect_error(bay + "label2 = 1\n", "unknown key \"label2\"; is \"label\" meant?");
  expect_error("[[bay]]\nn = 1\nlabel = \"{n\"\n", "a brace that is not closed");
  expect_error("[[bay]]\nn = 1\nlabel = \"{x}\"\n", "\"{x}\" cannot be filled in; known here: {n}");
  expect_error("[[grid]]\ncount = 2001\nlabel = \"{n}\"\n", "a whole number from 1 to 2000");
  expect_error(bay + "[[fault_domain]]\nname = \"a\"\nkind = \"psu\"\nbays = [\"7-9\"]\n",
               "\"7-9\" is no bay of this chassis");
  expect_error(
      bay + "[[fault_domain]]\nname = \"a\"\nkind = \"psu\"\nbays = [\"1\"]\nfru = \"P\"\n",
      "no [[fru]] has the label \"P\"");
  expect_error("[[discover]]\nby = \"ata-port\"\n", "\"by\" cannot be \"ata-port\"");
  const std::string domain = "[[fault_domain]]\nname = \"a\"\nkind = \"psu\"\nbays = [\"1\"]\n";
  expect_error(bay + domain + domain, "a second fault domain \"a\"");
  expect_error("[[view]]\nname = \"front\"\nwidth_mm = 1\nheight_mm = 1\n",
               "a second view \"front\"");
  expect_error("[[view]]\nname = \"rear\"\nwidth_mm = 0\nheight_mm = 1\n", "numbers above 0");
  expect_error("[[view]]\nname = \"rear\"\nwidth_mm = 1\n", "numbers above 0");
  expect_error(bay + "[[match]]\n", "[[match]]: names nothing to know it by");
  expect_error(bay + "[[member]]\nname = \"m\"\nses_id = \"1\"\n", "only a host has members");
  expect_error("[[discover]]\nby = \"ses\"\nlabel = \"{x}\"\n", "known here: {at}, {n}, {name}");
  expect_error(
      "[[grid]]\ncount = 1500\nlabel = \"a{n}\"\n[[grid]]\ncount = 600\nid = \"b{n}\"\nlabel = "
      "\"b{n}\"\n",
      "more than 2000 bays");
  expect_error("", "the file describes nothing");
  expect_error("[[match]]\ndmi_vendor = \"A\"\n", "a shelf has no \"dmi_vendor\"");
  EXPECT_NE(errors_of("[chassis\n").find("box.toml:1: not valid TOML"), std::string::npos);
  EXPECT_NE(errors_of("").find("the table [chassis] is missing"), std::string::npos);
}

TEST(Parse, WhatOnlyAHostHas) {
  const std::string head = "[chassis]\nlabel = \"x\"\napplies_to = \"host\"\nsource = \"a test\"\n";
  const std::string match = "[[match]]\ndmi_vendor = \"A\"\n";
  const auto wrong = [&](const std::string& text, const std::string& wanted) {
    EXPECT_NE(errors_of(text).find(wanted), std::string::npos) << errors_of(text);
  };
  wrong(head + match + "[[bay]]\nn = 1\nlabel = \"1\"\n",
        "\"resolve\" is missing: how is the disk in this bay found?");
  wrong(head + match +
            "[[member]]\nname = \"m\"\nses_id = \"1\"\n[[bay]]\nn = 1\nlabel = \"1\"\n"
            "resolve = [{ sas_phy = \"a/1\", member = \"m\" }]\n",
        "\"member\" goes with ses_slot or ses_name only");
  const std::string member = "[[member]]\nname = \"m\"\nses_id = \"1\"\n";
  wrong(
      head + match + member +
          "[[bay]]\nn = 1\nlabel = \"1\"\nresolve = [{ by_path = \"x\" }, { ses_slot = \"1\" }]\n",
      "ses_slot and ses_name go before the other ways");
  wrong(head + match + member + member, "[[member]]: a second \"m\"");
  wrong(head + "[[match]]\nses_vendor = \"A\"\n", "a host is not known by \"ses_vendor\"");
  wrong(head + "generic = true\n" + match +
            "[[bay]]\nn = 1\nlabel = \"1\"\nresolve = [{ by_path = \"x\" }]\n",
        "a generic description has [[discover]]");
  wrong(
      "[chassis]\nlabel = \"x\"\napplies_to = \"host\"\nsource = \"a test\"\n"
      "quirks = [\"occupied-by-lnik\"]\n" +
          match,
      "there is no quirk \"occupied-by-lnik\"; is \"occupied-by-link\" meant?");
}

TEST(Parse, AGridFromTheRightAndWithGeometryInItsOwnViewOnly) {
  const auto d =
      good(kShelf + "[[view]]\nname = \"rear\"\nwidth_mm = 20\nheight_mm = 20\n" +
           "[[grid]]\ncount = 4\ncolumns = 2\nstart = \"bottom-right\"\nlabel = \"{n}\"\n"
           "view = \"front\"\nx_mm = 5\ny_mm = 0\nw_mm = 100\nh_mm = 30\n");
  EXPECT_EQ(*d.bays[0].box.x, 105);
  EXPECT_EQ(*d.bays[1].box.x, 5);
  EXPECT_EQ(*d.bays[2].box.x, 105);
  EXPECT_EQ(*d.bays[2].box.y, 0);
}

TEST(Parse, ABayInSeveralFaultDomains) {
  const std::string domains =
      "[[fault_domain]]\nname = \"left\"\nkind = \"backplane\"\nbays = [\"1\"]\n"
      "[[fault_domain]]\nname = \"expander\"\nkind = \"expander\"\nbays = [\"1-2\"]\n";
  const auto d = good(kShelf + "[[grid]]\ncount = 2\nlabel = \"{n}\"\n" + domains);
  EXPECT_EQ(d.bays[0].fault_domain, "left,expander");
  EXPECT_EQ(d.bays[1].fault_domain, "expander");
}

TEST(Parse, ErrorsComeInTheOrderOfTheFile) {
  const auto [d, errors] = parse({"box.toml", kShelf + "[[bay]]\nn = 1\nlabel = \"{x}\"\n"
                                                       "[[vew]]\nname = \"front\"\n"});
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_LT(errors[0].line, errors[1].line);
}

const std::string kHost =
    "[chassis]\nlabel = \"Box\"\napplies_to = \"host\"\nsource = \"a test\"\n"
    "[[match]]\ndmi_vendor = \"ACME\"\n[[member]]\nname = \"bp\"\nses_name = \"x\"\n"
    "[[view]]\nname = \"rear\"\nwidth_mm = 440\nheight_mm = 88\n";

TEST(Parse, PartsThatAreNoBays) {
  const auto d =
      good(kHost +
           "[[fru]]\ntype = \"psu\"\nlabel = \"PSU {n}\"\ncount = 2\nipmi = \"PS{n} Status\"\n"
           "view = \"rear\"\nx_mm = 10\ny_mm = 4\nw_mm = 80\nh_mm = 40\npitch_x_mm = 90\n"
           "pitch_y_mm = 2\n"
           "[[fru]]\ntype = \"dimm\"\nlabel = \"A{n:02}\"\nfirst = 4\ncount = 2\nedac = \"mc{n}\"\n"
           "locator = \"DIMM {n}\"\nipmi = \"DIMM{n}\"\n"
           "[[fru]]\ntype = \"fan\"\nlabel = \"Fan\"\nses_element = \"fan/3\"\nmember = \"bp\"\n"
           "[[fru]]\ntype = \"fan\"\nlabel = \"Rear fan\"\n");
  ASSERT_EQ(d.frus.size(), 6u);
  EXPECT_EQ(d.frus[1].label, "PSU 2");
  EXPECT_EQ(d.frus[1].key("ipmi"), "PS2 Status");
  EXPECT_EQ(*d.frus[1].box.x, 100);
  EXPECT_EQ(*d.frus[1].box.y, 6);
  EXPECT_EQ(d.frus[3].label, "A05");
  EXPECT_EQ(d.frus[3].key("locator"), "DIMM 5");
  EXPECT_EQ(d.frus[3].key("socket"), "");
  EXPECT_EQ(d.frus[4].member, "bp");
  EXPECT_TRUE(d.frus[5].keys.empty()) << "to be seen only";
  // Equal names in two members, or for two types, are no conflict.
  good(kHost + "[[member]]\nname = \"other\"\nses_name = \"y\"\n" +
       "[[fru]]\ntype = \"psu\"\nlabel = \"A\"\nses_element = \"psu/0\"\nmember = \"bp\"\n"
       "[[fru]]\ntype = \"psu\"\nlabel = \"B\"\nses_element = \"psu/0\"\nmember = \"other\"\n"
       "[[fru]]\ntype = \"psu\"\nlabel = \"C\"\nipmi = \"X\"\n"
       "[[fru]]\ntype = \"fan\"\nlabel = \"D\"\nipmi = \"X\"\n");
}

TEST(Properties, OfABayAndOfAnotherPart) {
  auto d = good(kShelf +
                "[[bay]]\nn = 1\nlabel = \"B\"\nview = \"front\"\nx_mm = 1\ny_mm = 2\nw_mm = 3\n"
                "h_mm = 4\norientation = \"vertical\"\nform_factor = \"2.5\"\n"
                "[[fault_domain]]\nname = \"f\"\nkind = \"cable\"\nbays = [\"1\"]\n");
  nlohmann::json properties{{"label", "SLOT 1"}, {"slot", 1}};
  describe(d.bays[0], properties);
  EXPECT_EQ(properties, (nlohmann::json{{"label", "B"},
                                        {"slot", 1},
                                        {"view", "front"},
                                        {"x_mm", 1.0},
                                        {"y_mm", 2.0},
                                        {"w_mm", 3.0},
                                        {"h_mm", 4.0},
                                        {"orientation", "vertical"},
                                        {"form_factor", "2.5"},
                                        {"fault_domain", "f"},
                                        {"verified", "drawing only"}}));
  const auto host = std::make_shared<const Description>(
      good(kHost + "[[fru]]\ntype = \"dimm\"\nlabel = \"A1\"\nedac = \"4\"\nipmi = \"D\"\n"
                   "[[fru]]\ntype = \"cpu\"\nlabel = \"CPU\"\nsocket = \"4\"\n"
                   "[[fru]]\ntype = \"psu\"\nlabel = \"P\"\nipmi = \"4\"\n"));
  EXPECT_EQ(find_fru({host}, "cpu", "socket", "4")->label, "CPU");
  EXPECT_EQ(find_fru({host}, "dimm", "edac", "4")->label, "A1");
  EXPECT_EQ(find_fru({host}, "dimm", "ipmi", "4"), nullptr) << "that is the power supply's";
  EXPECT_EQ(find_fru({host}, "cpu", "edac", ""), nullptr) << "no value finds nothing";
  properties = nlohmann::json::object();
  describe(host->frus[0], properties);
  EXPECT_EQ(properties, (nlohmann::json{{"label", "A1"}, {"ipmi", "D"}}));
}

TEST(Parse, PartsThatNothingCanFind) {
  const auto on_host = [](const std::string& fru, const std::string& wanted) {
    const std::string all = errors_of(kHost + "[[fru]]\nlabel = \"X{n}\"\n" + fru);
    EXPECT_NE(all.find(wanted), all.npos) << fru << all;
  };
  on_host("type = \"dimm\"\nipmi = \"x\"\n", "edac or locator is missing: how is this dimm found?");
  on_host("type = \"cpu\"\nedac = \"x\"\n",
          "\"edac\" does not find a cpu of a host; it takes socket");
  on_host("type = \"cpu\"\nsocket = \"CPU{n}\"\n", "\"socket\" must be the number of a socket");
  on_host("type = \"psu\"\nses_element = \"fan/0\"\n",
          "\"ses_element\" must be \"psu/\" and a number, as in \"psu/0\"");
  on_host("type = \"psu\"\nses_element = \"psu/x\"\n", "as in \"psu/0\"");
  on_host("type = \"psu\"\nses_element = \"psu/0\"\nmember = \"pb\"\n",
          "no [[member]] is called \"pb\"");
  on_host("type = \"psu\"\nmember = \"bp\"\n", "\"member\" goes with ses_element only");
  on_host("type = \"psu\"\ncount = 2\nipmi = \"PS\"\n",
          "\"X1\" and \"X2\" have the same ipmi \"PS\"");
  on_host("type = \"psu\"\n[[fru]]\ntype = \"fan\"\nlabel = \"X1\"\n",
          "a second FRU labelled \"X1\"");
  expect_error("[[fru]]\ntype = \"psu\"\nlabel = \"P\"\n",
               "ses_element is missing: how is this psu found?");
  expect_error("[[fru]]\ntype = \"psu\"\nlabel = \"P\"\nses_element = \"psu/0\"\nipmi = \"x\"\n",
               "\"ipmi\" does not find a psu of a shelf");
  expect_error("[[fru]]\ntype = \"cpu\"\nlabel = \"P\"\nsocket = \"0\"\n",
               "a shelf has power supplies, fans and sensors only");
}

TEST(Parse, WhatRenderWritesReadsTheSame) {
  auto d =
      good(kShelf +
           "[[grid]]\ncount = 2\nlabel = \"B\\\"{n}\\\\\"\nview = \"front\"\nx_mm = 0\ny_mm = 0\n"
           "w_mm = 9.5\nh_mm = 9\nform_factor = \"2.5\"\nresolve = [{ ses_name = \"S {n}\" }]\n");
  d.source = {"tab\there"};
  d.notes = "a note";
  d.quirks = {"occupied-by-link"};
  d.bays[1].orientation = "vertical";
  d.bays[1].leds.fault = Led{{"npem", "ledctl"}, {}};
  d.bays[1].leds.locate = Led{{}, false};
  d.bays[0].leds.locate = Led{{"ipmi"}, {}, "0x30 0x25 0x01", "0x30 0x25 0x00"};
  const auto again = good(render(d));
  EXPECT_EQ(again.notes, "a note");
  EXPECT_EQ(again.quirks, d.quirks);
  EXPECT_EQ(again.bays[1].orientation, "vertical");
  EXPECT_FALSE(again.bays[0].leds.fault);
  EXPECT_EQ(again.bays[0].leds.locate->ipmi_on, "0x30 0x25 0x01");
  EXPECT_EQ(again.bays[0].leds.locate->ipmi_off, "0x30 0x25 0x00");
  EXPECT_EQ(again.bays[1].leds.fault->methods, (std::vector<std::string>{"npem", "ledctl"}));
  EXPECT_EQ(again.bays[1].leds.locate->reads_back, false);
  ASSERT_EQ(again.bays.size(), 2u);
  EXPECT_EQ(again.bays[1].label, "B\"2\\");
  EXPECT_EQ(again.bays[1].resolve[0].value, "S 2");
  EXPECT_EQ(*again.bays[1].box.x, 9.5);
  EXPECT_EQ(again.source, d.source);
  EXPECT_EQ(again.match, d.match);
  auto host = good(kHost +
                   "[[bay]]\nn = 1\nlabel = \"1\"\nresolve = [{ ses_slot = \"1\", member = "
                   "\"bp\" }, { by_path = \"p\" }]\n");
  const auto twice = good(render(host));
  EXPECT_EQ(twice.bays[0].resolve[0].member, "bp");
  EXPECT_EQ(twice.bays[0].resolve[1].kind, "by_path");
  EXPECT_EQ(twice.members[0].keys, host.members[0].keys);
}

TEST(Pattern, Globs) {
  EXPECT_TRUE(glob_matches("MD12?0", "MD1220          "));
  EXPECT_TRUE(glob_matches("Standard PC (Q35*", "Standard PC (Q35 + ICH9, 2009)"));
  EXPECT_TRUE(glob_matches("*a*b", "xxaxbxab"));
  EXPECT_FALSE(glob_matches("*a*b", "xxaxbxa"));
  EXPECT_FALSE(glob_matches("md1220", "MD1220"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_GT(glob_weight("MD1220"), glob_weight("MD12?0"));
  // A hostile pattern must not take forever.
  EXPECT_FALSE(glob_matches(std::string(200, '*') + "b", std::string(20000, 'a')));
}

TEST(Pattern, Templates) {
  EXPECT_EQ(*fill("a{n+1:02}b{n-1}{n}", {{"n", "7"}}), "a08b67");
  EXPECT_EQ(*fill("{name}", {{"name", "x{n}"}}), "x{n}") << "filled in once";
  for (const char* bad : {"{", "{n:2}", "{n:099}", "{n+x}", "{}", "{n+}"})
    EXPECT_FALSE(fill(bad, {{"n", "7"}})) << bad;
}

// Reads the manual page: ".Ss [[bay]]", and ".It Va key" for each key below it.
TEST(Manual, NamesEveryKeyAndNoOther) {
  std::ifstream in(MANUAL);
  ASSERT_TRUE(in) << MANUAL;
  std::map<std::string, std::set<std::string>> told;
  std::string line, table;
  const std::regex head("\\.Ss \\[*(\\w+)\\]*"), row("\\.It Va (\\w+)");
  for (std::smatch found; std::getline(in, line);) {
    if (std::regex_match(line, found, head))
      table = found[1];
    else if (line.starts_with(".S"))
      table.clear();
    else if (!table.empty() && std::regex_match(line, found, row))
      told[table].insert(found[1]);
  }
  for (const auto& known : tables())
    EXPECT_EQ(told[known.table], std::set<std::string>(known.keys.begin(), known.keys.end()))
        << known.table;
  EXPECT_EQ(told.size(), tables().size());
}

// A listed key that the parser does not read would be ignored: each must be able to cause an error.
TEST(Parse, EveryKeyIsReallyRead) {
  const std::map<std::string, std::string> around{
      {"resolver", "[[bay]]\nresolve = [{ %s = [] }]\n"},
      {"led", "[[bay]]\nfault = { %s = 1979-05-27 }\n"},
      {"chassis", "[chassis]\n%s = 1979-05-27\n"}};
  for (const auto& table : tables())
    for (const auto& key : table.keys) {
      auto found = around.find(table.table);
      std::string text =
          found != around.end() ? found->second : "[[" + table.table + "]]\n%s = 1979-05-27\n";
      text.replace(text.find("%s"), 2, key);
      const std::string all = errors_of(text);
      EXPECT_NE(all.find("\"" + key + "\" must"), all.npos)
          << table.table << " " << key << ": " << all;
    }
}

}  // namespace
}  // namespace fmd::chassis
