// The index says what looking at everything says, whatever comes and goes.
#include "fmd/diagnosis/doubts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fmd/base/tests/share.h"
#include "fmd/diagnosis/tests/common_rig.h"

namespace fmd {
namespace {

using namespace test;
using Filed = std::map<std::string, std::vector<Doubts::Place>>;

std::set<std::string> alone(const Filed& filed) {
  std::map<std::pair<const Rule*, Hanging::Id>, std::set<Hanging::Id>> below;
  for (const auto& [uuid, places] : filed)
    for (const Doubts::Place& place : places)
      for (const Hanging::Id one : place.above) below[{place.common, one}].insert(place.part);
  std::set<std::string> out;
  for (const auto& [uuid, places] : filed)
    if (std::none_of(places.begin(), places.end(), [&](const Doubts::Place& place) {
          return std::any_of(place.above.begin(), place.above.end(), [&](Hanging::Id one) {
            return below.at({place.common, one}).size() >= place.common->count;
          });
        }))
      out.insert(uuid);
  return out;
}

TEST(Doubts, SayWhatLookingAtAllSays) {
  const EventSchema schema = schema_of(kSchema);
  const auto rules = rules_of(kCommonRules, schema);
  const Rule* commons[] = {rules->find("shared"), rules->find("spoilt")};  // of two, and of three
  size_t were_alone = 0, had_company = 0;
  for (unsigned seed = 1; seed <= share_of(50); ++seed) {
    std::mt19937 random(seed);
    Doubts doubts;
    Filed filed;
    std::set<std::string> known;  // to be alone
    for (int step = 0; step < 200; ++step) {
      const std::string uuid = fmt::format("case-{}", random() % 12);
      std::vector<Doubts::Place> places;
      for (unsigned n = random() % 3; n > 0; --n) {
        const auto part = static_cast<Hanging::Id>(random() % 8);
        places.push_back({commons[random() % 2], part, {part / 4, 2 + part / 2}});
        if (random() % 4 == 0) places.back().above.pop_back();  // on one of its ways
      }
      doubts.file(uuid, places);
      known.erase(uuid);
      filed.insert_or_assign(uuid, places);
      if (random() % 3 == 0) continue;  // so that it has several changes to tell of
      const std::set<std::string> told = doubts.take_alone(), all = alone(filed);
      for (const std::string& one : told) ASSERT_TRUE(all.contains(one)) << one;
      known.insert(told.begin(), told.end());
      for (const std::string& one : all) ASSERT_TRUE(known.contains(one)) << one;
      std::erase_if(known, [&](const std::string& one) { return !all.contains(one); });
      were_alone += told.size();
      had_company += filed.size() - all.size();
    }
  }
  EXPECT_GT(were_alone, share_of(2000));
  EXPECT_GT(had_company, share_of(2000));
}

}  // namespace
}  // namespace fmd
