// Which description is a machine's, and that those shipped are right.
#include "fmd/chassis/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fmd::chassis {
namespace {

std::vector<SourceFile> shipped() {
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(SHIPPED)) {
    if (entry.path().extension() != ".toml") continue;
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    files.push_back({entry.path().string(), text.str()});
  }
  return files;
}

Library library() {
  auto [all, errors] = Library::load(shipped());
  for (const Error& e : errors) ADD_FAILURE() << e.text();
  return all;
}

std::string shelf(const Facts& facts) {
  const auto found = library().shelf(facts);
  return found ? found->name : "none";
}

TEST(Library, ShippedDescriptionsAreRightAndSayTheirSource) {
  const Library all = library();
  ASSERT_GE(all.all().size(), 7u);
  for (const auto& one : all.all()) {
    EXPECT_FALSE(one->source.empty()) << one->name;
    EXPECT_GE(one->source.front().size(), 20u) << one->name;
    const size_t bays = one->name == "wd-data60" ? 60 : one->name == "dell-md1220" ? 24 : 0;
    EXPECT_TRUE(bays == 0 || one->bays.size() == bays) << one->name;
  }
}

TEST(Library, TheSpecificGoesBeforeTheGeneric) {
  const Facts box{{"ses_id", "5000"}, {"ses_slots", "24"}, {"ses_name", "0:0:8:0"}};
  EXPECT_EQ(shelf(box), "generic-ses");
  Facts dell = box;
  dell["ses_vendor"] = "DELL    ";
  dell["ses_product"] = "MD1220          ";
  EXPECT_EQ(shelf(dell), "dell-md1220");
  dell["ses_product"] = "MD1200";
  EXPECT_EQ(shelf(dell), "generic-ses");
  EXPECT_EQ(shelf({{"ses_name", "fakeses0"}, {"ses_id", "5"}, {"ses_slots", "8"}}), "fakeses");
  EXPECT_EQ(shelf({{"ses_name", "fakeses0"}, {"ses_id", "5"}, {"ses_slots", "9"}}), "generic-ses");
  EXPECT_EQ(shelf({{"ses_vendor", "HGST"}, {"ses_product", "H4060-J"}, {"ses_id", "5"}}),
            "wd-data60");
}

TEST(Library, AHostHasOneSpecificOrAllGeneric) {
  const auto q35 =
      library().host({{"dmi_vendor", "QEMU"}, {"dmi_product", "Standard PC (Q35 + ICH9, 2009)"}});
  ASSERT_EQ(q35.size(), 1u);
  EXPECT_EQ(q35[0]->name, "qemu-q35");
  EXPECT_EQ(library().host({{"dmi_vendor", ""}}).size(), 2u) << "ATA ports and PCI slots";
  EXPECT_TRUE(library().host({}).empty());
}

TEST(Library, AFileWithErrorsIsLeftOutAndTold) {
  auto files = shipped();
  const size_t good = files.size();
  files.push_back({"bad.toml", "[chassis]\nlabel = 1\n"});
  files.push_back({"worse.toml", "\xff[["});
  const auto [all, errors] = Library::load(files);
  EXPECT_EQ(all.all().size(), good);
  EXPECT_TRUE(std::any_of(errors.begin(), errors.end(),
                          [](const Error& e) { return e.file == "worse.toml"; }));
  EXPECT_GE(errors.size(), 3u);
}

}  // namespace
}  // namespace fmd::chassis
