// Fuzz target of the SMBIOS parser. With arguments: runs over files, as the test does with its
// corpus; LLVMFuzzerTestOneInput is libFuzzer's (-DFMD_FUZZER: without our main).
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "plugins/hardware/smbios.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto found =
      fmd::hardware::parse_smbios(std::string_view(reinterpret_cast<const char*>(data), size));
  return found.modules.size() * 6 > size ? -1 : 0;  // each takes at least its header and an end
}

#ifndef FMD_FUZZER
int main(int argc, char** argv) {
  int bad = argc < 2;
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const bool read = in.good() || in.eof();
    bool good = read && LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()),
                                               text.size()) == 0;
    // Every beginning of it, too: most damage is a cut.
    for (size_t cut = 0; good && cut < text.size(); ++cut)
      good = LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), cut) == 0;
    if (good) continue;
    fprintf(stderr, "%s: not as it should be\n", argv[i]);
    bad = 1;
  }
  return bad;
}
#endif
