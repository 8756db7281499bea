#include "fmd/model/fmri_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace fmd {
namespace {

struct Entry {
  std::string name;
  int number = 0;
  const std::string& fmri() const { return name; }
};

// As a std::map, whatever comes and goes, and each entry stays where it is.
TEST(FmriTable, FindsWhatIsInIt) {
  std::mt19937 random(27);
  const auto one_of = [&](int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(random);
  };
  for (const int names : {3, 20, 400}) {
    FmriTable<Entry> table;
    std::map<std::string, Entry*> plain;
    EXPECT_EQ(table.find("dev://wwn=0"), nullptr);
    for (int step = 0; step < 20000; ++step) {
      const std::string fmri = "dev://wwn=" + std::to_string(one_of(names));
      const auto known = plain.find(fmri);
      ASSERT_EQ(table.find(fmri), known == plain.end() ? nullptr : known->second);
      if (known == plain.end()) {
        plain[fmri] = &table.add(std::make_unique<Entry>(Entry{fmri, step}));
      } else if (one_of(2) == 0) {
        table.erase(*known->second);
        plain.erase(known);
      }
      if (step % 100 != 0) continue;
      for (const auto& [name, entry] : plain) ASSERT_EQ(table.find(name), entry) << name;
    }
  }
}

}  // namespace
}  // namespace fmd
