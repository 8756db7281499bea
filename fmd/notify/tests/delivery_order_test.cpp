#include "fmd/notify/delivery_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace fmd {
namespace {

using Place = DeliveryOrder::Place;

TEST(DeliveryOrder, ALaterMessageAboutACaseWaitsForTheEarlierOne) {
  DeliveryOrder order;
  order.add({1, "a"}, "mail", {"u1"});
  order.add({2, "b"}, "mail", {"u1"});
  order.add({3, "c"}, "snmp", {"u1"});
  for (const Place& place : {Place{2, "b"}, Place{1, "a"}, Place{3, "c"}}) order.release(place, 0);
  EXPECT_EQ(order.take("mail"), (Place{1, "a"}));
  EXPECT_EQ(order.take("mail"), std::nullopt);
  EXPECT_EQ(order.take("snmp"), (Place{3, "c"})) << "another channel";
  order.remove({1, "a"});
  EXPECT_EQ(order.take("mail"), (Place{2, "b"}));
}

TEST(DeliveryOrder, AMessageThatWasRefusedKeepsItsPlaceUntilItsTime) {
  DeliveryOrder order;
  order.add({1, "a"}, "mail", {"u1"});
  order.add({2, "b"}, "mail", {"u1"});
  order.release({1, "a"}, 0);
  order.release({2, "b"}, 0);
  ASSERT_EQ(order.take("mail"), (Place{1, "a"}));
  order.release({1, "a"}, 50);
  EXPECT_EQ(order.next_ns(), 50);
  order.advance(49);
  EXPECT_EQ(order.take("mail"), std::nullopt);
  order.advance(50);
  EXPECT_EQ(order.next_ns(), std::nullopt);
  EXPECT_EQ(order.take("mail"), (Place{1, "a"}));
}

TEST(DeliveryOrder, ADigestWaitsForEachOfItsCases) {
  DeliveryOrder order;
  order.add({1, "a"}, "mail", {"u1"});
  order.add({2, "digest"}, "mail", {"u2"});
  order.add({3, "c"}, "mail", {"u1"});
  order.release({1, "a"}, 0);
  order.release({3, "c"}, 0);
  order.add_case({2, "digest"}, "u1");
  ASSERT_EQ(order.take("mail"), (Place{1, "a"}));
  order.remove({1, "a"});
  EXPECT_EQ(order.take("mail"), std::nullopt) << "the digest about u1 rests";
  order.release({2, "digest"}, 0);
  EXPECT_EQ(order.take("mail"), (Place{2, "digest"}));
  order.remove({2, "digest"});
  EXPECT_EQ(order.take("mail"), (Place{3, "c"}));
}

TEST(DeliveryOrder, AFewOfAChannelAtATime) {
  DeliveryOrder order;
  for (uint64_t i = 1; i <= 10; ++i) {
    order.add({i, "m"}, "mail", {fmt::format("u{}", i)});
    order.release({i, "m"}, 0);
  }
  for (size_t i = 0; i < DeliveryOrder::kMostTaken; ++i) EXPECT_TRUE(order.take("mail"));
  EXPECT_FALSE(order.take("mail"));
  order.remove({2, "m"});
  EXPECT_EQ(order.take("mail"), (Place{5, "m"}));
}

// A model that examines all messages each time.
class Model {
 public:
  struct Message {
    std::set<std::string> cases;
    bool released = false, taken = false;
    int64_t not_before_ns = 0;
  };
  std::map<Place, Message> messages;

  std::optional<Place> take(int64_t now_ns) {
    std::set<std::string> earlier;
    size_t taken = 0;
    for (const auto& [place, m] : messages) taken += m.taken;
    for (auto& [place, m] : messages) {
      bool first = true;
      for (const std::string& uuid : m.cases) first &= earlier.insert(uuid).second;
      if (!first || !m.released || m.not_before_ns > now_ns) continue;
      if (taken >= DeliveryOrder::kMostTaken) return {};
      m.released = false;
      m.taken = true;
      return place;
    }
    return {};
  }
};

class Histories : public ::testing::TestWithParam<unsigned> {};

TEST_P(Histories, GoAsThoseOfOneThatLooksAtAll) {
  std::mt19937 random(GetParam());
  const auto any = [&](uint64_t n) { return random() % n; };
  DeliveryOrder order;
  Model model;
  int64_t now = 0;
  for (uint64_t step = 1; step <= 400; ++step) {
    const auto picked = [&] {
      return std::next(model.messages.begin(), static_cast<ptrdiff_t>(any(model.messages.size())));
    };
    switch (model.messages.empty() ? 0 : any(6)) {
      case 0: {
        const Place place{any(100), fmt::format("m{}", step)};
        std::set<std::string> cases{fmt::format("u{}", any(6))};
        order.add(place, "mail", cases);
        model.messages[place].cases = std::move(cases);
        break;
      }
      case 1:
        if (const auto at = picked(); !at->second.released) {
          const int64_t when = static_cast<int64_t>(any(2)) * (now + 20);
          order.release(at->first, when);
          at->second.released = true;
          at->second.taken = false;
          at->second.not_before_ns = when;
        }
        break;
      case 2:
        if (const auto at = picked(); !at->second.released && !at->second.taken) {
          const std::string uuid = fmt::format("u{}", any(6));
          order.add_case(at->first, uuid);
          at->second.cases.insert(uuid);
        }
        break;
      case 3:
        if (const auto at = picked(); at->second.taken || any(4) == 0) {
          order.remove(at->first);
          model.messages.erase(at);
        }
        break;
      case 4:
        order.advance(++now);
        break;
      default:
        ASSERT_EQ(order.take("mail"), model.take(now)) << "step " << step;
    }
    ASSERT_EQ(order.any("mail"), !model.messages.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Histories, ::testing::Range(0u, 50u));

}  // namespace
}  // namespace fmd
