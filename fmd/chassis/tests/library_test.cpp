// Which description matches a machine; and checks of the shipped ones.
#include "fmd/chassis/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
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
    const std::map<std::string, size_t> bays{{"wd-data60", 60},       {"dell-md1220", 24},
                                             {"truenas-es24f", 24},   {"truenas-r30", 16},
                                             {"truenas-mini-xl", 10}, {"supermicro-4u36", 36}};
    const auto at = bays.find(one->name);
    EXPECT_TRUE(at == bays.end() || one->bays.size() == at->second) << one->name;
  }
}

// Rectangles that touch do not overlap.
bool overlap(const Box& a, const Box& b) {
  return *a.x < *b.x + *b.w && *b.x < *a.x + *a.w && *a.y < *b.y + *b.h && *b.y < *a.y + *a.h;
}

TEST(Library, EachBayHasItsOwnLabelAndItsOwnPlaceWithinTheBox) {
  size_t placed = 0;
  const Library all = library();
  for (const auto& one : all.all()) {
    if (one->generic) continue;
    EXPECT_FALSE(one->verified.empty()) << one->name;
    std::set<std::string> labels;
    for (const Bay& bay : one->bays) {
      EXPECT_TRUE(labels.insert(bay.label).second) << one->name << ": " << bay.label << " twice";
      if (!bay.box.x) continue;
      ++placed;
      const auto view = std::find_if(one->views.begin(), one->views.end(),
                                     [&](const View& v) { return v.name == bay.view; });
      ASSERT_NE(view, one->views.end()) << one->name << ": " << bay.label;
      EXPECT_GE(*bay.box.x, 0) << one->name << ": " << bay.label;
      EXPECT_GE(*bay.box.y, 0) << one->name << ": " << bay.label;
      EXPECT_LE(*bay.box.x + *bay.box.w, view->width) << one->name << ": " << bay.label;
      EXPECT_LE(*bay.box.y + *bay.box.h, view->height) << one->name << ": " << bay.label;
      for (const Bay& other : one->bays)
        EXPECT_FALSE(&other != &bay && other.view == bay.view && other.box.x &&
                     overlap(bay.box, other.box))
            << one->name << ": " << bay.label << " and " << other.label;
    }
  }
  EXPECT_GT(placed, 600u);
}

TEST(Library, ShippedFilesSayThemselvesHowTheyWereVerified) {
  for (const SourceFile& file : shipped())
    EXPECT_NE(file.text.find("generic = true") != file.text.npos,
              file.text.find("\nverified = \"") != file.text.npos)
        << file.name;
}

TEST(Library, TheData60HasItsAisleAndItsFrontRowNearestToTheFront) {
  const auto all = library();
  const auto shelf = all.shelf({{"ses_vendor", "WDC"}, {"ses_product", "UData60"}});
  ASSERT_TRUE(shelf);
  const auto at = [&](size_t slot) { return shelf->bays.at(slot).box; };
  EXPECT_EQ(shelf->bays[7].label, "07");
  EXPECT_EQ(shelf->bays[59].id, "59");
  for (size_t row = 0; row < 5; ++row) {
    for (size_t i = 1; i < 12; ++i) EXPECT_GT(*at(row * 12 + i).x, *at(row * 12 + i - 1).x) << row;
    EXPECT_GT(*at(row * 12 + 6).x - *at(row * 12 + 5).x, 75) << "the aisle in row " << row;
    if (row > 0) {
      EXPECT_LT(*at(row * 12).y + *at(0).h, *at(row * 12 - 12).y) << "further back";
    }
  }
}

TEST(Library, AFourUnitBoxHasDisksInFrontAndBelowItsBoardAtTheRear) {
  const auto found =
      library().host({{"dmi_vendor", "Supermicro"}, {"dmi_product", "SSG-6049P-E1CR36L"}});
  ASSERT_EQ(found.size(), 1u);
  const auto& bays = found[0]->bays;
  std::map<std::string, size_t> by_view;
  for (const Bay& bay : bays) ++by_view[bay.view];
  EXPECT_EQ(by_view, (std::map<std::string, size_t>{{"front", 24}, {"rear", 12}}));
  const auto at = [&](const char* label) {
    return std::find_if(bays.begin(), bays.end(), [&](const Bay& b) { return b.label == label; })
        ->box;
  };
  EXPECT_GT(*at("Front 0").y, *at("Front 5").y) << "counted upwards from the lower left";
  EXPECT_EQ(*at("Front 0").x, *at("Front 5").x);
  EXPECT_GT(*at("Front 6").x, *at("Front 5").x);
  EXPECT_GE(*at("Rear 2").y, 88) << "the board has the upper half";
  EXPECT_EQ(library().host({{"dmi_vendor", "Supermicro"}, {"dmi_product", "X11DPH"}}).size(), 2u)
      << "any other board of theirs is not this box";
}

TEST(Library, AnNvmeServersBaysAreFoundByTheirPciSlots) {
  const auto found = library().host({{"dmi_vendor", "iXsystems"}, {"dmi_product", "TRUENAS-R30"}});
  ASSERT_EQ(found.size(), 1u);
  const auto& bays = found[0]->bays;
  ASSERT_EQ(bays.size(), 16u);
  EXPECT_EQ(*bays[0].box.x, *bays[6].box.x) << "7 is below 1";
  EXPECT_LT(*bays[0].box.y, *bays[6].box.y);
  EXPECT_FALSE(bays[12].box.x) << "nobody has told where those inside sit";
}

TEST(Library, ATowersBaysFollowEachOtherDownwards) {
  const auto found = library().host({{"dmi_product", "TRUENAS-MINI-3.0-XL+"}});
  ASSERT_EQ(found.size(), 1u);
  const auto& bays = found[0]->bays;
  const auto bay = [&](const std::string& label) {
    return *std::find_if(bays.begin(), bays.end(), [&](const Bay& b) { return b.label == label; });
  };
  double bottom = 0;
  for (int n = 1; n <= 9; ++n) {
    const Bay one = bay(std::to_string(n));
    EXPECT_GE(*one.box.y, bottom) << n;
    bottom = *one.box.y + *one.box.h;
    EXPECT_EQ(one.resolve.at(0).value,
              n == 1 ? "0000:00:14.0/6" : "0000:00:13.0/" + std::to_string(n - 1));
  }
  EXPECT_LT(bottom, found[0]->views.at(0).height);
  EXPECT_GT(*bay("6").box.y - *bay("5").box.y, 40) << "two cages of four";
  EXPECT_FALSE(bay("Inside 10").box.x) << "nobody has told where it sits";
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

// A description with that file name and match keys.
SourceFile known_by(const std::string& name, const std::string& applies_to, const std::string& keys,
                    const std::string& more = "") {
  const std::string bays = more.find("generic") == more.npos
                               ? "[[bay]]\nn = 1\nlabel = \"1\"\nresolve = [{ ses_slot = \"1\" }]\n"
                           : applies_to == "shelf" ? "[[discover]]\nby = \"ses\"\n"
                                                   : "[[discover]]\nby = \"ata-port\"\n";
  return {name + ".toml", "[chassis]\nlabel = \"x\"\nsource = \"a test\"\napplies_to = \"" +
                              applies_to + "\"\n" + more + "[[match]]\n" + keys + bays};
}
Library of(const std::vector<SourceFile>& files) {
  auto [all, errors] = Library::load(files);
  for (const Error& e : errors) ADD_FAILURE() << e.text();
  return all;
}
std::string shelf_of(const Library& all, const Facts& facts) {
  const auto found = all.shelf(facts);
  return found ? found->name : "none";
}

TEST(Library, AmongEqualsTheOneWhoseKeysSayMore) {
  const Facts box{{"ses_vendor", "ACME"}, {"ses_product", "BX-24"}, {"ses_id", "500a"}};
  const auto any = known_by("a-any", "shelf", "ses_vendor = \"*\"\n"),
             vendor = known_by("b-vendor", "shelf", "ses_vendor = \"ACME\"\n"),
             glob = known_by("c-glob", "shelf", "ses_vendor = \"ACM??*\"\n"),
             both = known_by("d-both", "shelf", "ses_vendor = \"AC*\"\nses_product = \"BX*\"\n");
  EXPECT_EQ(shelf_of(of({any, vendor}), box), "b-vendor");
  EXPECT_EQ(shelf_of(of({any, glob}), {{"ses_vendor", "ACME1"}}), "c-glob");
  EXPECT_EQ(shelf_of(of({glob, known_by("z", "shelf", "ses_vendor = \"ACME\"\n")}), box), "z");
  EXPECT_EQ(shelf_of(of({known_by("a", "shelf", "ses_vendor = \"ACME*\"\n"), vendor}), box),
            "b-vendor")
      << "exact goes before a glob of as many letters";
  EXPECT_EQ(shelf_of(of({known_by("a", "shelf", "ses_vendor = \"ACM*\"\n"), both}), box), "d-both");
}

TEST(Library, OfEqualsTheFirstAndASpecificOneWhateverItsKeys) {
  const Facts box{{"ses_vendor", "ACME"}, {"ses_product", "BX-24"}};
  const std::string keys = "ses_vendor = \"ACME\"\n";
  EXPECT_EQ(shelf_of(of({known_by("a", "shelf", keys), known_by("b", "shelf", keys)}), box), "a");
  EXPECT_EQ(
      shelf_of(
          of({known_by("long", "shelf", keys + "ses_product = \"BX-24\"\n", "generic = true\n"),
              known_by("short", "shelf", "ses_vendor = \"A*\"\n")}),
          box),
      "short");
  const Facts machine{{"dmi_vendor", "ACME"}, {"dmi_product", "T1"}, {"system_id", "s"}};
  const std::string vendor = "dmi_vendor = \"ACME\"\n";
  const auto host = [&](const std::vector<SourceFile>& files) {
    std::string names;
    for (const auto& one : of(files).host(machine)) names += one->name + " ";
    return names;
  };
  EXPECT_EQ(host({known_by("a", "host", vendor), known_by("b", "host", vendor)}), "a ");
  EXPECT_EQ(host({known_by("a", "host", "dmi_vendor = \"A*\"\n"), known_by("b", "host", vendor)}),
            "b ");
}

TEST(Library, OneMachineByItsNameOrByTheUuidItWasCalledByBefore) {
  const Facts machine{{"system_id", "f98595ef"}, {"dmi_id", "4c4c4544"}};
  const auto fits = [&](const std::string& id) {
    return of({known_by("a", "host", "system_id = \"" + id + "\"\n")}).host(machine).size();
  };
  EXPECT_EQ(fits("f98595ef"), 1u);
  EXPECT_EQ(fits("4c4c4544"), 1u);
  EXPECT_EQ(fits("12345678"), 0u);
}

TEST(Library, AShelfIsNoHostAndAHostNoShelf) {
  const auto host = known_by("h", "host", "dmi_vendor = \"*\"\n"),
             shelf = known_by("s", "shelf", "ses_vendor = \"*\"\n");
  const Facts both{{"dmi_vendor", "A"}, {"ses_vendor", "A"}};
  EXPECT_EQ(shelf_of(of({host, shelf}), both), "s");
  EXPECT_EQ(shelf_of(of({host}), both), "none");
  EXPECT_TRUE(of({shelf}).host(both).empty());
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

TEST(Library, SaysWhichKeysFit) {
  Description box;
  box.match = {{{"dmi_vendor", "ACME"}},
               {{"dmi_vendor", "ACME"}, {"dmi_product", "Tower ?"}, {"dmi_serial", "S1*"}},
               {{"dmi_vendor", "Other corporation with a long name"}}};
  const Facts facts{{"dmi_vendor", "ACME"}, {"dmi_product", "Tower 1"}, {"dmi_serial", "S12"}};
  EXPECT_EQ(matched_by(box, facts), "dmi_product = \"Tower ?\", dmi_serial, dmi_vendor = \"ACME\"")
      << "the most detailed table, without the serial number";
  EXPECT_EQ(matched_by(box, {{"dmi_vendor", "ACME"}}), "dmi_vendor = \"ACME\"");
  EXPECT_EQ(matched_by(box, {{"dmi_vendor", "none"}}), "");
}

}  // namespace
}  // namespace fmd::chassis
