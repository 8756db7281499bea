// Fuzz target of the event and status parsers. Built with a fuzzer's driver it takes
// LLVMFuzzerTestOneInput; with FUZZ_CORPUS_MAIN it runs the files given and thousands of mutations
// of them, the same ones each time.
#include <stddef.h>
#include <stdint.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "plugins/zfs/pool_model.h"
#include "plugins/zfs/zpool_events.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& event : fmd::zfs::parse_zpool_events(text))
    if (event.eid == 0 || event.event_class.empty() || event.time_ns < 0) __builtin_trap();
  (void)fmd::zfs::parse_pool_list(text);
  if (const auto status = fmd::zfs::parse_status(text); status) {
    const auto names = fmd::zfs::collect_names(*status, *status);
    for (const auto& pool : *status)
      (void)fmd::zfs::build_pools({{pool.name, "ONLINE", 1}}, {pool}, names);
  }
  return 0;
}

#ifdef FUZZ_CORPUS_MAIN
namespace {

// What breaks parsers: cut, doubled, swapped pieces, flipped bytes, and the characters that mean
// something.
std::string mutate(std::string text, std::minstd_rand& random) {
  constexpr std::string_view kSpecial = "\n\n  \t\"=:()x0-";
  for (int rounds = 1 + static_cast<int>(random() % 4); rounds > 0 && !text.empty(); --rounds) {
    const size_t at = random() % text.size(), length = random() % 200;
    switch (random() % 5) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(random() % text.size(), text.substr(at, length));
        break;
      case 2:
        text[at] = static_cast<char>(random());
        break;
      case 3:
        text[at] = kSpecial[random() % kSpecial.size()];
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

int run(const std::string& text) {
  return LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::minstd_rand random(1);
  for (int i = 1; i < argc; ++i) {
    std::ifstream stream(argv[i]);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    if (!stream || text.empty()) {
      fprintf(stderr, "cannot read %s\n", argv[i]);
      return 1;
    }
    run(text);
    for (int n = 0; n < 400; ++n) run(mutate(text, random));
  }
  return argc > 1 ? 0 : 1;
}
#endif
