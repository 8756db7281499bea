// A machine whose name differs from that in its store: all knowledge about its parts is kept.
#include <gtest/gtest.h>

#include "fixture.h"

namespace fmd::test {
namespace {

constexpr const char* kUuid = "4c4c4544-0035-4d10-8053-b7c04f573432";  // of DMI, as fmd 0 wrote it
constexpr const char* kName = "f98595ef-4abf-46c3-847f-1deb864ebcb6";

std::string system_of(const std::string& name) {
  return "hc://system=" + name;
}
std::string bay_of(const std::string& name) {
  return "hc://chassis=" + name + "/bay=3";
}

Event event_at(uint64_t seq, const std::string& resource) {
  Event event = make_event(seq);
  event.resource = resource;
  event.payload_json = "{\"bay\":\"" + resource + "\"}";
  return event;
}

class MachineTest : public StoreTest {
 protected:
  // As written by an fmd that named the machine by its DMI UUID.
  void write_old(const std::string& name) {
    const auto store = open();
    Batch batch;
    batch.events.push_back(event_at(1, bay_of(name)));
    batch.events.push_back(event_at(2, "hc://chassis=5000c500fa0e5e50/bay=3"));
    batch.rows = {
        {"resource", "system " + system_of(name) + "/sensor=fan1",
         "{\"type\":\"sensor\",\"fmri\":\"" + system_of(name) + "/sensor=fan1\"}"},
        {"resource", "system " + system_of(name),
         "{\"type\":\"system\",\"fmri\":\"" + system_of(name) + "\"}"},
        {"bay", bay_of(name), "{\"disk\":\"dev://wwn=1\"}"},
        {"case", "c1", "{\"suspects\":[{\"fru\":\"" + bay_of(name) + "\"}],\"note\":\"mine\"}"},
        {"serd", "rule " + bay_of(name), "{\"n\":3}"},
        {"case", "c2", "{\"fru\":\"" + bay_of(name + "0") + "\"}"}};  // another box
    batch.readings = {{system_of(name) + "/sensor=fan1", "rpm", "rpm", 900, kNow},
                      {"dev://wwn=1", "temperature", "", 31, kNow}};
    const auto done = store->commit(batch);
    ASSERT_TRUE(done.has_value()) << done.error().text();
  }
  std::unique_ptr<Store> open_as(const std::string& name) {
    auto store = open();
    const auto named = store->name_machine(name);
    EXPECT_TRUE(named.has_value()) << (named ? "" : named.error().text());
    return store;
  }
  static std::vector<std::string> resources(const Store& store) {
    std::vector<std::string> found;
    EXPECT_TRUE(store.each_event({}, [&](const Event& event) {
      found.push_back(event.resource.str() + " " + event.payload_json);
      return true;
    }));
    return found;
  }
  static std::vector<double> fan(const Store& store, const std::string& name) {
    const auto history = store.readings({.resource = system_of(name) + "/sensor=fan1"});
    EXPECT_TRUE(history.has_value());
    std::vector<double> values;
    for (const ReadingSeries& series : history->series)
      for (const ReadingPoint& point : series.points) values.push_back(point.value);
    return values;
  }
  static void expect_all_about(const Store& store, const std::string& name) {
    EXPECT_EQ(row(store, "bay", bay_of(name)), "{\"disk\":\"dev://wwn=1\"}");
    EXPECT_EQ(row(store, "case", "c1"),
              "{\"suspects\":[{\"fru\":\"" + bay_of(name) + "\"}],\"note\":\"mine\"}");
    EXPECT_EQ(row(store, "serd", "rule " + bay_of(name)), "{\"n\":3}");
    EXPECT_NE(row(store, "resource", "system " + system_of(name)), "");
    EXPECT_EQ(
        resources(store),
        (std::vector<std::string>{
            bay_of(name) + " {\"bay\":\"" + bay_of(name) + "\"}",
            "hc://chassis=5000c500fa0e5e50/bay=3 {\"bay\":\"hc://chassis=5000c500fa0e5e50/bay="
            "3\"}"}));
  }
};

TEST_F(MachineTest, StateJournalAndReadingsOfAnOldStoreAreAboutTheNewName) {
  write_old(kUuid);
  const auto store = open_as(kName);
  expect_all_about(*store, kName);
  EXPECT_EQ(fan(*store, kName), std::vector<double>{900});
  EXPECT_EQ(row(*store, "bay", bay_of(kUuid)), "") << "no row is left under the old name";
  EXPECT_EQ(row(*store, "resource", "system " + system_of(kUuid)), "");
  EXPECT_EQ(row(*store, "case", "c2"), "{\"fru\":\"" + bay_of(std::string(kUuid) + "0") + "\"}")
      << "a name that only begins so is another's";
}

TEST_F(MachineTest, AndSoItIsAfterARestartAndAMonthLaterAndAfterAnotherName) {
  write_old(kUuid);
  {
    const auto store = open_as(kName);
    Batch batch;
    batch.readings = {{system_of(kName) + "/sensor=fan1", "rpm", "rpm", 950, kNow + 1'000'000'000}};
    ASSERT_TRUE(store->commit(batch).has_value());
    for (bool more = true; more;) more = *store->seal_some();
  }
  {
    const auto store = open_as(kName);
    expect_all_about(*store, kName);
    EXPECT_EQ(fan(*store, kName), (std::vector<double>{900, 950}));
  }
  const auto store = open_as("host");
  expect_all_about(*store, "host");
  EXPECT_EQ(fan(*store, "host"), (std::vector<double>{900, 950}));
  EXPECT_TRUE(store->name_machine(kName).has_value());  // and back
  expect_all_about(*store, kName);
}

TEST_F(MachineTest, WhatWasSealedUnderAFormerNameIsFoundByTheNewOne) {
  {
    const auto store = open_as(kUuid);
    std::vector<Event> events;
    for (uint64_t seq = 1; seq <= 1000; ++seq) events.push_back(event_at(seq, bay_of(kUuid)));
    commit(*store, std::move(events));
    while (*store->seal_some()) {
    }
  }
  const auto store = open_as(kName);
  EXPECT_EQ(seqs(*store, {.resource = bay_of(kName)}), range(1, 1000));
  EXPECT_TRUE(seqs(*store, {.resource = bay_of(std::string(kName) + "0")}).empty());
}

TEST_F(MachineTest, AShortSerialNumberAsTheNameOfBefore) {
  write_old("9XK3J42");
  expect_all_about(*open_as(kName), kName);
}

TEST_F(MachineTest, ANewStoreHasNothingToRename) {
  const auto store = open_as(kName);
  commit(*store, {event_at(1, bay_of("of-a-simulated-host"))},
         {{"resource", "system " + system_of("of-a-simulated-host"),
           "{\"type\":\"system\",\"fmri\":\"hc://system=of-a-simulated-host\"}"}});
  const auto again = [&] { return store->name_machine(kName); }();
  ASSERT_TRUE(again.has_value());
  EXPECT_NE(row(*store, "resource", "system " + system_of("of-a-simulated-host")), "");
}

TEST_F(MachineTest, TheNamesOutliveADamagedFile) {
  write_old(kUuid);
  const auto store = open_as(kName);
  ASSERT_TRUE(store->replace_damaged(kNow).has_value());
  expect_all_about(*store, kName);
  EXPECT_EQ(fan(*store, kName), std::vector<double>{900});
}

}  // namespace
}  // namespace fmd::test
