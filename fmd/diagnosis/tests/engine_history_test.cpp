// What holds at every instant of every history.
#include <gtest/gtest.h>

#include <set>

#include "fmd/base/json.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/diagnosis/tests/random_stream.h"
#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::random_stream;
using test::Rig;
using test::Step;

constexpr unsigned kSeeds = 60;

std::vector<const Suspect*> faulty(const Case& c) {
  std::vector<const Suspect*> out;
  for (const Suspect& s : c.suspects)
    if (is_convictable(c) && s.status == SuspectStatus::faulty) out.push_back(&s);
  return out;
}

TEST(History, NoTwoCasesAreAboutOnePart) {
  size_t merged = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    Rig rig;
    for (const Step& step : random_stream(seed, 120)) {
      step(rig);
      for (const auto& [one, a] : rig.engine->cases())
        for (const auto& [other, b] : rig.engine->cases())
          for (const Suspect* s : faulty(a))
            for (const Suspect* t : faulty(b))
              ASSERT_FALSE(one < other && same_part(*s, *t))
                  << "seed " << seed << ": " << one << " and " << other;
    }
    for (const auto& [uuid, c] : rig.engine->cases()) merged += !c.merged_into.empty();
  }
  EXPECT_GT(merged, 10u);
}

// The only exception: a person acquits its old disk, which stays in the machine.
TEST(History, AResolvedCaseNeverChangesAgain) {
  for (unsigned seed = 1; seed <= kSeeds / 3; ++seed) {
    Rig rig;
    std::map<std::string, std::string> resolved;
    std::map<std::string, size_t> entries;  // of its timeline
    for (const Step& step : random_stream(seed, 120)) {
      step(rig);
      for (const CaseNews& news : rig.engine->take_news())
        ASSERT_FALSE(resolved.count(news.uuid)) << "seed " << seed << ": " << news.event;
      for (const auto& [uuid, c] : rig.engine->cases()) {
        if (c.open()) continue;
        EXPECT_FALSE(c.faulty());
        const auto [known, is_new] = resolved.try_emplace(uuid, to_json(c).dump());
        if (!is_new && c.timeline.size() == entries[uuid] + 1 &&
            c.timeline.back().kind == "acquitted")
          known->second = to_json(c).dump();
        entries[uuid] = c.timeline.size();
        if (is_new) continue;
        ASSERT_EQ(known->second, to_json(c).dump()) << "seed " << seed;
      }
    }
  }
}

using Lookup = std::vector<const Case*> (Engine::*)(std::string_view) const;

// A look-up against a search through all cases.
void expect_same(const Engine& engine, Lookup lookup, const std::set<std::string>& names,
                 const std::function<std::string(const Suspect&)>& name_of) {
  for (const std::string& name : names) {
    std::set<std::string> found, expected;
    int64_t newest = INT64_MAX;
    for (const Case* c : (engine.*lookup)(name)) {
      EXPECT_TRUE(found.insert(c->uuid).second);
      EXPECT_LE(c->solved_steady_ns, newest) << "newest verdict first";
      newest = c->solved_steady_ns;
    }
    for (const auto& [uuid, c] : engine.cases())
      for (const Suspect& s : c.suspects)
        if (c.open() && name_of(s) == name) expected.insert(uuid);
    ASSERT_EQ(found, expected) << name;
  }
}

TEST(History, TheLookupsFindWhatASearchFinds) {
  size_t asked = 0;
  for (unsigned seed = 1; seed <= kSeeds / 2; ++seed) {
    Rig rig;
    for (const Step& step : random_stream(seed, 100)) {
      step(rig);
      // The ASRU's group comes and changes by the inventory alone.
      rig.put(Rig::vdev(1), "zfs-vdev", {{"group", seed % 3 ? "zfs://pool=1" : "zfs://pool=2"}}, {},
              test::kStart, "groups");
      std::set<std::string> names{"zfs://pool=1", "zfs://pool=2"};
      for (int n = 1; n <= 3; ++n) names.insert({Rig::vdev(n), Rig::disk(n), Rig::bay(n)});
      asked += names.size();
      const Engine& engine = *rig.engine;
      expect_same(engine, &Engine::cases_by_asru, names, [](const Suspect& s) { return s.asru; });
      expect_same(engine, &Engine::cases_by_fru, names, [](const Suspect& s) { return s.fru; });
      expect_same(engine, &Engine::cases_by_bay, names, [](const Suspect& s) { return s.bay; });
      expect_same(engine, &Engine::cases_by_group, names, [&](const Suspect& s) {
        const Resource* asru = engine.inventory().find(s.asru);
        return asru ? asru->get("group") : "";
      });
    }
  }
  EXPECT_GT(asked, 10000u);
}

}  // namespace
}  // namespace fmd
