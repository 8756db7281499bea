// The space that the store reserves for a full file system.
#include "fmd/store/reserve.h"

#include <sys/resource.h>

#include <csignal>

#include "fixture.h"

namespace fmd::test {
namespace {

using store::Reserve;

class ReserveTest : public StoreTest {
 protected:
  static constexpr uint64_t kBytes = 10'000;  // not a multiple of the page size
  std::string path() const { return file() + ".reserve"; }
  Reserve reserve(uint64_t bytes = kBytes) const { return Reserve(path(), bytes); }
  bool exists() const { return std::filesystem::exists(path()); }
  uint64_t size() const { return std::filesystem::file_size(path()); }
  void write(uint64_t bytes) const {
    std::ofstream(path()) << std::string(static_cast<size_t>(bytes), 'x');
  }
  // More than fits.
  uint64_t too_much() const { return std::filesystem::space(dir_).available; }
};

TEST_F(ReserveTest, IsGivenUpOnceAndTheNextStartKnows) {
  Reserve first = reserve();
  EXPECT_FALSE(first.given());
  EXPECT_FALSE(first.give_up()) << "there is none yet";
  EXPECT_TRUE(first.keep());
  EXPECT_EQ(size(), kBytes);
  EXPECT_TRUE(first.give_up());
  EXPECT_TRUE(first.given());
  EXPECT_EQ(size(), 0u);
  EXPECT_FALSE(first.give_up());

  Reserve next = reserve();
  EXPECT_TRUE(next.given());
  EXPECT_TRUE(next.keep());
  EXPECT_FALSE(next.given());
  EXPECT_EQ(size(), kBytes);
  EXPECT_TRUE(reserve().give_up()) << "whole at the start after that";
}

TEST_F(ReserveTest, WithoutRoomThereIsNone) {
  Reserve small = reserve(too_much());
  EXPECT_FALSE(small.keep());
  EXPECT_FALSE(small.given()) << "it was never made: nothing is full";
  EXPECT_FALSE(exists());
  write(0);
  Reserve given = reserve(too_much());
  EXPECT_FALSE(given.keep());
  EXPECT_TRUE(given.given());
}

TEST_F(ReserveTest, OneThatWasHalfWrittenIsMadeAnew) {
  write(kBytes / 2);
  Reserve half = reserve();
  EXPECT_FALSE(half.give_up());
  EXPECT_TRUE(half.keep());
  EXPECT_EQ(size(), kBytes);
}

// Space is free but a quota forbids its use: each commit would try in vain.
TEST_F(ReserveTest, IsTriedLessAndLessOften) {
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = kBytes / 2;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  Reserve one = reserve();
  EXPECT_FALSE(one.keep());
  EXPECT_FALSE(exists()) << "what is half made is taken away";
  EXPECT_FALSE(one.keep());  // pauses
  EXPECT_FALSE(one.keep());  // fails again
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  for (int n = 0; n < 3; ++n) EXPECT_FALSE(one.keep()) << "rests longer";
  EXPECT_TRUE(one.keep());
  EXPECT_FALSE(one.given());
}

TEST_F(ReserveTest, TheStoreTellsThatItLivesOnIt) {
  StoreOptions options{.max_pages = 64};
  options.reserve_bytes = kBytes;
  {
    const auto store = open(options);
    commit(*store, make_events(1, 1));
    EXPECT_EQ(size(), kBytes);
    EXPECT_FALSE(store->lives_on_reserve());
    std::vector<StateRow> bulky;
    for (int n = 0; n < 100; ++n) bulky.push_back({"k", std::to_string(n), std::string(4096, 'x')});
    EXPECT_FALSE(store->commit({{}, bulky}));  // a limit that freeing space does not lift
    EXPECT_TRUE(store->lives_on_reserve());
  }
  const auto store = open(options);
  EXPECT_TRUE(store->lives_on_reserve());
  commit(*store, make_events(2, 1));
  EXPECT_FALSE(store->lives_on_reserve());
  EXPECT_EQ(size(), kBytes);
}

}  // namespace
}  // namespace fmd::test
