// Every command that advice offers names each part as people see it, and the daemon finds the part
// by that name.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "fmd/advice/part_names.h"
#include "tests/lib/made.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

struct Command {
  std::string text;
  std::vector<std::string> words;
};

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  static const std::regex word("\"([^\"]*)\"|(\\S+)");
  for (std::sregex_iterator at(command.begin(), command.end(), word), end; at != end; ++at)
    words.push_back((*at)[1].matched ? (*at)[1] : (*at)[2]);
  return words;
}

std::vector<Command> commands_in(const std::string& text) {
  std::vector<Command> out;
  static const std::regex quoted("'((?:fmadm|fmtopo|fmdump|fmstat) ?[^']*)'");
  for (std::sregex_iterator at(text.begin(), text.end(), quoted), end; at != end; ++at)
    out.push_back({(*at)[1], words_of((*at)[1])});
  return out;
}

std::vector<Command> commands_in(const Say& say) {
  std::string all = say.do_now;
  for (const auto* list : {&say.steps, &say.done, &say.next, &say.disagree})
    for (const std::string& sentence : *list) all += " " + sentence;
  return commands_in(all);
}

// Verbs of "fmadm VERB… PART". tests/document_commands.py checks the rest of the grammar.
const std::set<std::string> kOfPart{"acquit",     "repaired",        "replaced", "locate on",
                                    "smart show", "smart test long", "readings", "replace",
                                    "retire",     "restore"};

// The arguments that name a part.
std::vector<std::string> parts_of(const Command& command) {
  const auto& w = command.words;
  const auto is_option = [](const std::string& word) { return word.starts_with("-"); };
  if (w[0] == "fmtopo") {
    std::vector<std::string> parts(w.begin() + 1, w.end());
    std::erase_if(parts, is_option);
    return parts;
  }
  if (w[0] != "fmadm") return {};
  for (size_t n = 1; n <= 3 && n < w.size(); ++n) {
    std::string verb = w[1];
    for (size_t i = 2; i <= n; ++i) verb += " " + w[i];
    if (!kOfPart.count(verb)) continue;
    std::vector<std::string> parts;
    for (size_t i = n + 1; i < w.size(); ++i)
      if (!is_option(w[i]) && w[i] != "NEW-DISK") parts.push_back(w[i]);
    return parts;
  }
  return {};
}

TEST(Commands, NameEachPartAsAPersonSeesIt) {
  int named = 0;
  each_world([&](const FaultClass&, SayState, const ToldWorld& world) {
    for (const Command& command : commands_in(world.say()))
      for (const std::string& part : parts_of(command)) {
        if (part == "PART" || part == "DISK" || part == "BAY" || world.c.uuid.starts_with(part))
          continue;
        ++named;
        const auto meant = world.inventory().meant(part);
        ASSERT_TRUE(meant) << command.text << ": " << meant.error().text();
        EXPECT_FALSE(meant->empty()) << command.text << ": no part is known by that name";
        EXPECT_TRUE(part.find("://") == part.npos || meant->front()->type == "zfs-vdev")
            << command.text;
      }
  });
  EXPECT_GT(named, 150);
}

// zpool, mdadm and btrfs take a device, and the steps say where to read it.
TEST(Commands, OfOtherProgramsNameADevice) {
  int named = 0;
  const auto look = [&](const ToldWorld& world) {
    const Say say = world.say();
    std::string all = say.do_now;
    for (const std::string& step : say.steps) all += "\n" + step;
    static const std::regex bay("'(?!fmadm )[^']*NEW-DISK[^']*'");
    EXPECT_FALSE(std::regex_search(all, bay)) << all;
    if (all.find("NEW-DEVICE") == all.npos) return;
    ++named;
    EXPECT_NE(all.find("\nNEW-DEVICE is the device of the new disk: '"), all.npos) << all;
  };
  each_world([&](const FaultClass&, SayState, const ToldWorld& world) {
    ToldWorld rehearsed = world, cache = world;
    rehearsed.rehearse();
    cache.of_role("cache");
    look(world);
    look(rehearsed);
    look(cache);
  });
  EXPECT_GT(named, 30);
}

// A name that commands use is unique, whatever the parts of a machine are called.
TEST(Commands, ANameThatIsNotUniqueIsNotUsed) {
  const auto psu = [](const char* fmri, const char* label) {
    Resource r;
    r.fmri = fmri;
    r.type = "psu";
    r.properties["label"] = Value(std::string(label));
    return r;
  };
  Inventory inventory;
  inventory.apply({"t",
                   {psu("hc://a/psu=1", "PS1"), psu("hc://b/psu=1", "ps1"),
                    psu("hc://b/psu=2", "PS2"), psu("hc://b/psu=3", "PS'3")},
                   {},
                   true});
  const PartIndex index(inventory);
  EXPECT_EQ(command_name(inventory, index, "hc://a/psu=1"), "hc://a/psu=1");
  EXPECT_EQ(command_name(inventory, index, "hc://b/psu=2"), "\"PS2\"");
  EXPECT_EQ(command_name(inventory, index, "hc://b/psu=3"), "hc://b/psu=3");
}

// A missing part keeps its name as long as no other has it: a new disk replaces it by that name.
TEST(Commands, APartThatIsGoneIsNamed) {
  Inventory inventory;
  inventory.apply({"t",
                   {made("dev://wwn=1", "disk", {{"serial", Value(std::string("A1"))}}),
                    made("dev://wwn=2", "disk", {{"serial", Value(std::string("A2"))}})},
                   {},
                   true});
  inventory.apply({"t",
                   {made("dev://wwn=3", "disk", {{"serial", Value(std::string("a2"))}})},
                   {{"dev://wwn=1", "removed", ""}, {"dev://wwn=2", "removed", ""}},
                   false});
  const PartIndex index(inventory);
  EXPECT_EQ(command_name(inventory, index, "dev://wwn=1"), "\"A1\"");
  EXPECT_EQ(command_name(inventory, index, "dev://wwn=2"), "dev://wwn=2") << "A2 is another one";
  EXPECT_EQ(command_name(inventory, index, "dev://wwn=3"), "\"a2\"");
}

}  // namespace
}  // namespace fmd::test
