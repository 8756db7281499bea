// Block names: false positives are possible, false negatives are not.
#include "fmd/store/block_names.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "fixture.h"
#include "fmd/store/journal_line.h"

namespace fmd::test {
namespace {

using store::ClassGlob;

std::string line_of(uint64_t seq, const std::string& event_class, const std::string& resource) {
  Event event = make_event(seq, event_class);
  event.resource = resource;
  return event_to_line(event) + '\n';
}

std::string part(int i) {
  return "zfs://pool=18236742014345987236/vdev=" + std::to_string(4242000000000000000 + i);
}

TEST(BlockNames, EveryoneThatIsThereIsFound) {
  for (const int parts : {1, 2, 37, 1000}) {
    std::string lines;
    for (int i = 0; i < parts; ++i) lines += line_of(1, "ereport.x", part(i));
    const auto names = store::names_of(lines);
    ASSERT_TRUE(names.has_value());
    for (int i = 0; i < parts; ++i)
      EXPECT_TRUE(store::may_have_resource(names->resources, part(i))) << i << " of " << parts;
    int in_vain = 0;
    for (int i = 0; i < 1000; ++i)
      in_vain += store::may_have_resource(names->resources, part(5000 + i)) ? 1 : 0;
    EXPECT_LT(in_vain, 150) << parts;
    EXPECT_LE(names->resources.size(), static_cast<size_t>(2 * parts + 1));
  }
}

TEST(BlockNames, ClassesAreKeptAsTheyAre) {
  const auto names =
      store::names_of(line_of(1, "ereport.a.b", "x://1") + line_of(2, "ereport.a.c", "x://1") +
                      line_of(3, "ereport.a.b", "x://1"));
  ASSERT_TRUE(names.has_value());
  EXPECT_EQ(names->classes, "ereport.a.b\nereport.a.c\n");
  EXPECT_TRUE(store::may_have_class(names->classes, ClassGlob("ereport.a.c")));
  EXPECT_TRUE(store::may_have_class(names->classes, ClassGlob("ereport.*")));
  EXPECT_TRUE(store::may_have_class(names->classes, ClassGlob("*.c")));
  EXPECT_FALSE(store::may_have_class(names->classes, ClassGlob("ereport.a")));
  EXPECT_FALSE(store::may_have_class(names->classes, ClassGlob("ereport.b.*")));
}

TEST(BlockNames, WhereTheyAreNotKnownAnythingMayBe) {
  EXPECT_TRUE(store::may_have_class("", ClassGlob("ereport.a")));
  EXPECT_TRUE(store::may_have_resource("", "x://1"));
  EXPECT_FALSE(store::names_of("{\"class\":1}\n").has_value());
  EXPECT_FALSE(store::names_of(line_of(1, "ereport.a", "x://\"1\"")).has_value())
      << "written with escapes";
  std::string many;
  for (uint64_t i = 0; i < 100; ++i) many += line_of(i, "ereport." + std::to_string(i), "x://1");
  EXPECT_EQ(store::names_of(many)->classes, "");
}

class NamesTest : public StoreTest {
 protected:
  // Blocks of 1000, one special event in each tenth; all but the last sealed.
  void fill(Store& store) {
    for (uint64_t first = 1; first <= 20'000; first += 1000) {
      auto events = make_events(first, 1000);
      if (first % 10'000 == 1) {
        events[500].event_class = "ereport.strange";
        events[700].resource = "x://\"strange\"/1";
        events[800].resource = "x://strange/2";
      }
      commit(store, std::move(events));
    }
    while (*store.seal_some()) {
    }
    auto last = make_events(20'001, 10);
    last[3].event_class = "ereport.strange";
    last[4].resource = "x://strange/2";
    commit(store, std::move(last));
  }
};

TEST_F(NamesTest, SearchesFindWhatIsThere) {
  auto store = open();
  fill(*store);
  for (int round = 0; round < 2; ++round) {
    using Seqs = std::vector<uint64_t>;
    EXPECT_EQ(seqs(*store, {.class_glob = "ereport.strange"}), (Seqs{501, 10'501, 20'004}));
    EXPECT_EQ(seqs(*store, {.class_glob = "ereport.s*"}), (Seqs{501, 10'501, 20'004}));
    EXPECT_EQ(seqs(*store, {.resource = "x://strange/2"}), (Seqs{801, 10'801, 20'005}));
    EXPECT_EQ(seqs(*store, {.resource = "x://\"strange\"/1"}), (Seqs{701, 10'701}));
    EXPECT_EQ(seqs(*store, {.after_seq = 801, .resource = "x://strange/2", .limit = 1}),
              (Seqs{10'801}));
    EXPECT_EQ(seqs(*store, {.from_ns = make_event(10'000).time_ns, .class_glob = "ereport.s*"}),
              (Seqs{10'501, 20'004}));
    EXPECT_EQ(seqs(*store, {.class_glob = "ereport.strange", .resource = "x://strange/2"}), Seqs());
    EXPECT_EQ(seqs(*store, {.seqs = {3, 999, 1000, 1001, 20'005}}),
              (Seqs{3, 999, 1000, 1001, 20'005}));
    store.reset();
    store = open();
  }
}

// look_at counts unpacked events, and so shows that the other blocks were skipped.
TEST_F(NamesTest, BlocksWithoutItAreNotUnpacked) {
  const auto store = open();
  fill(*store);
  EventQuery query{.class_glob = "ereport.strange"};
  query.look_at = 2010;
  EXPECT_EQ(seqs(*store, query).size(), 3u);
  query = {.resource = "x://strange/2"};
  query.look_at = 3010;  // one block may be a false positive
  EXPECT_EQ(seqs(*store, query).size(), 3u);
}

// SQLite has no checksums: damaged names must not hide events.
TEST_F(NamesTest, RottenNamesHideNothing) {
  auto store = open();
  auto events = make_events(1, 1000);
  events[500].event_class = "ereport.strange";
  events[800].resource = "x://strange/2";
  commit(*store, std::move(events));
  while (*store->seal_some()) {
  }
  for (const char* rot : {"classes = replace(classes, 'strange', 'strangf')",
                          "resources = zeroblob(length(resources))", "resources = x'00'"}) {
    store.reset();
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
    const std::string sql = std::string("UPDATE block_names SET ") + rot;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_changes(handle), 1);
    sqlite3_close(handle);
    store = open();
    EXPECT_EQ(seqs(*store, {.class_glob = "ereport.strange"}), range(501, 501)) << rot;
    EXPECT_EQ(seqs(*store, {.resource = "x://strange/2"}), range(801, 801)) << rot;
  }
}

TEST_F(NamesTest, OfBlocksThatAreDroppedGoToo) {
  const auto store = open();
  fill(*store);
  ASSERT_TRUE(store->retain(make_event(15'000).time_ns, UINT64_MAX));
  EXPECT_EQ(seqs(*store, {.class_glob = "ereport.strange"}), (std::vector<uint64_t>{20'004}));
}

}  // namespace
}  // namespace fmd::test
