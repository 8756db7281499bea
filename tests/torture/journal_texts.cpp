// Prints one source's events from a store's journal, one per line, in the format in which
// tests/bench/storm_bench.py sends them.
//   journal-texts FOLDER SOURCE
#include <fmt/format.h>

#include <cstdio>

#include "fmd/store/store.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto store = fmd::Store::open(argv[1], 0);
  if (!store || (*store)->unopened() || !(*store)->moved_aside().empty()) {
    fmt::print(stderr, "{}: damaged, or cannot be opened\n", argv[1]);
    return 1;
  }
  const auto read = (*store)->each_event({}, [&](const fmd::Event& event) {
    if (event.source == argv[2])
      fmt::print(R"({{"class":"{}","resource":"{}","time":{},"ena":{},"payload":{}}})"
                 "\n",
                 event.event_class, event.resource, event.time_ns, event.ena, event.payload_json);
    return true;
  });
  if (!read) fmt::print(stderr, "{}\n", read.error().text());
  return read && std::fflush(stdout) == 0 ? 0 : 1;
}
