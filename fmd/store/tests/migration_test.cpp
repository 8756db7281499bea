#include "fmd/store/migrations.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "fixture.h"
#include "fmd/store/block.h"
#include "fmd/store/database.h"

namespace fmd::test {
namespace {

using store::Database;

Database raw(const std::string& path) {
  auto database = Database::open(path);
  EXPECT_TRUE(database.has_value());
  return std::move(*database);
}

void run(const Database& database, const std::string& sql) {
  const auto done = database.run(sql);
  ASSERT_TRUE(done.has_value()) << done.error().text();
}

// A database of the first format.
void make_version_1(const std::string& path) {
  const Database database = raw(path);
  run(database, std::string(store::migrations().front()));
  run(database, "PRAGMA application_id = 0x666d6431; PRAGMA user_version = 1");
  run(database, "INSERT INTO state VALUES ('case', 'a', '{\"x\":1}')");
  std::string lines = event_to_line(make_event(1)) + "\n" + event_to_line(make_event(2)) + "\n";
  store::BlockCodec codec;
  const std::string_view packed = codec.pack(lines, 3);
  auto insert = database.prepare("INSERT INTO block VALUES (1, 2, ?, ?, 2, 0, ?, ?)");
  ASSERT_TRUE(insert.has_value());
  insert->bind(1, make_event(1).time_ns).bind(2, make_event(2).time_ns);
  insert->bind(3, static_cast<int64_t>(packed.size())).bind_data(4, packed);
  ASSERT_TRUE(database.finish(*insert, "write").has_value());
}

TEST_F(StoreTest, AVersion1DatabaseIsMigratedWithItsContent) {
  make_version_1(file());
  {
    const auto store = open();
    EXPECT_EQ(store->moved_aside(), "");
    EXPECT_EQ(seqs(*store), range(1, 2));
    EXPECT_EQ(seqs(*store, {.from_ns = make_event(2).time_ns}), range(2, 2));
    EXPECT_EQ(row(*store, "case", "a"), "{\"x\":1}");
    commit(*store, make_events(3, 1));
    EXPECT_EQ(store->stats().events, 3u);
  }
  EXPECT_EQ(*raw(file()).number("PRAGMA user_version"),
            static_cast<int64_t>(store::migrations().size()));
}

TEST_F(StoreTest, AMigratedDatabaseHasTheSchemaOfANewOne) {
  const auto schema = [](const std::string& path) {
    const Database database = raw(path);
    auto statement =
        database.prepare("SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name");
    std::string all;
    while (statement->step() == SQLITE_ROW) all += std::string(statement->data(0)) + ";";
    return all;
  };
  make_version_1(file());
  open();
  ASSERT_TRUE(Store::open(dir_ + "/new", kNow).has_value());
  EXPECT_EQ(schema(file()), schema(dir_ + "/new/fmd.db"));
  EXPECT_NE(schema(file()), "");
}

TEST_F(StoreTest, ANewerFormatIsRefusedAndLeftAlone) {
  open();
  run(raw(file()), "CREATE TABLE of_later (x); PRAGMA user_version = 1000");
  const std::string before = contents(file());
  const auto store = Store::open(dir_, kNow);
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().text().find("newer fmd"), std::string::npos) << store.error().text();
  EXPECT_TRUE(store.error().permanent);
  EXPECT_TRUE(contents(file()) == before);
}

TEST_F(StoreTest, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
  run(raw(file()), "CREATE TABLE theirs (x)");
  const auto store = Store::open(dir_, kNow);
  ASSERT_FALSE(store.has_value());
  EXPECT_NE(store.error().text().find("another program"), std::string::npos)
      << store.error().text();
  EXPECT_TRUE(store.error().permanent);
  EXPECT_EQ(*raw(file()).number("SELECT count(*) FROM theirs"), 0);
}

}  // namespace
}  // namespace fmd::test
