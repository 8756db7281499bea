// A temporary folder per test, and events like those of ZFS.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fmd/store/store.h"

namespace fmd::test {

inline constexpr int64_t kNow = 1'795'229'321'000'000'000;  // ns since the epoch

inline Event make_event(uint64_t seq, std::string event_class = "ereport.fs.zfs.checksum") {
  Event event;
  event.seq = seq;
  event.event_class = std::move(event_class);
  event.resource = "zfs://pool=18236742014345987236/vdev=" + std::to_string(1000 + seq % 7);
  event.time_ns = kNow + static_cast<int64_t>(seq) * 1'000'000;
  event.received_ns = event.time_ns + 2500;
  event.ena = 0xf2c4'0000'0000'0001 + seq;
  event.source = "zfs";
  event.payload_json = "{\"pool\":\"tank\",\"zio_offset\":" + std::to_string(seq * 131072) + "}";
  return event;
}

inline std::vector<Event> make_events(uint64_t first, uint64_t count) {
  std::vector<Event> events;
  for (uint64_t seq = first; seq < first + count; ++seq) events.push_back(make_event(seq));
  return events;
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    // In memory if possible: only processes crash here, not the machine, and it is faster.
    const bool memory = access("/dev/shm", W_OK) == 0;
    std::string name = (memory ? "/dev/shm/" : testing::TempDir()) + "fmd-store-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    dir_ = name;
  }
  ~StoreTest() override { std::filesystem::remove_all(dir_); }

  std::unique_ptr<Store> open(const StoreOptions& options = {}) {
    auto store = Store::open(dir_, kNow, options);
    EXPECT_TRUE(store.has_value()) << (store ? "" : store.error().text());
    return store ? std::move(*store) : nullptr;
  }
  std::string file() const { return dir_ + "/fmd.db"; }

  static void commit(Store& store, std::vector<Event> events, std::vector<StateRow> rows = {}) {
    const auto done = store.commit({std::move(events), std::move(rows)});
    ASSERT_TRUE(done.has_value()) << done.error().text();
  }
  static std::vector<uint64_t> seqs(const Store& store, const EventQuery& query = {}) {
    std::vector<uint64_t> found;
    const auto done = store.each_event(query, [&](const Event& event) {
      found.push_back(event.seq);
      return true;
    });
    EXPECT_TRUE(done.has_value()) << done.error().text();
    return found;
  }
  static std::vector<uint64_t> range(uint64_t first, uint64_t last) {
    std::vector<uint64_t> all;
    for (uint64_t seq = first; seq <= last; ++seq) all.push_back(seq);
    return all;
  }
  static std::string row(const Store& store, std::string_view kind, std::string_view key) {
    const auto rows = store.load_state(kind);
    EXPECT_TRUE(rows.has_value());
    for (const StateRow& one : *rows)
      if (one.key == key) return one.doc;
    return "";
  }
  static std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string dir_;
};

}  // namespace fmd::test
