// Fuzz target of smartctl's output. Built with a fuzzer's driver it takes LLVMFuzzerTestOneInput;
// with FUZZ_CORPUS_MAIN it runs the files given and thousands of mutations of them, the same ones
// each time.
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"
#include "plugins/smart/disk_record.h"
#include "plugins/smart/news.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int status : {0, 2}) {
    const auto report = fmd::smart::parse_report(text, status);
    for (const auto& [name, reading] : report.readings)
      if (name.empty() || name.size() > 64 || !std::isfinite(reading.value)) __builtin_trap();
    fmd::smart::DiskRecord record;
    record.observed(report);
    // What is sent must be text that can be sent.
    (void)record.resource("dev://wwn=1", true)
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::strict);
    fmd::smart::News news;
    news.of_report("dev://wwn=1", report, 1);
    fmd::smart::News again;
    again.restore(news.cursor());
    for (const auto& event : again.of_report("dev://wwn=1", report, 2))
      if (!event.event_class.starts_with("sysevent.")) __builtin_trap();  // told twice
  }
  (void)fmd::smart::message_of(text);
  (void)fmd::smart::with_error_counters(std::string(text), text);
  (void)fmd::smart::with_error_counters("{\"smartctl\":{}}", text);
  return 0;
}

#ifdef FUZZ_CORPUS_MAIN
namespace {

// What breaks parsers: cut, doubled, swapped pieces, flipped bytes, and the characters that mean
// something; above all numbers and words in each other's places.
std::string mutate(std::string text, std::minstd_rand& random) {
  constexpr const char* kWords[] = {"null", "true", "-1",   "1e400", "18446744073709551616",
                                    "{}",   "[]",   "\"\"", ",",     "\"smartctl\":{},"};
  for (int rounds = 1 + static_cast<int>(random() % 4); rounds > 0 && !text.empty(); --rounds) {
    const size_t at = random() % text.size(), length = random() % 200;
    switch (random() % 6) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(random() % text.size(), text.substr(at, length));
        break;
      case 2:
        text[at] = static_cast<char>(random());
        break;
      case 3: {  // a value for another
        const size_t colon = text.find(':', at);
        if (colon == text.npos) break;
        const size_t end = text.find_first_of(",}\n", colon);
        text.replace(colon + 1, end == text.npos ? end : end - colon - 1,
                     kWords[random() % std::size(kWords)]);
        break;
      }
      case 4:
        text.insert(at, kWords[random() % std::size(kWords)]);
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
    for (int n = 0; n < 100; ++n) run(mutate(text, random));
  }
  return argc > 1 ? 0 : 1;
}
#endif
