// The picture in a message: the right side, the right rings, unchanged by JSON.
#include "fmd/scene/case_picture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "box.h"
#include "fmd/base/json.h"
#include "fmd/scene/drawing_json.h"

namespace fmd::scene {
namespace {

Box shelf() {
  Box box;
  box.told.reserve(64);
  box.chassis("front:444.0x87.0");
  for (int n = 0; n < 12; ++n) box.bay(n);
  for (int n = 0; n < 10; ++n) box.disk(n);
  box.accuse(3);
  box.accuse(5);
  return box;
}

Inventory inventory_of(Box& box) {
  (void)box.scene();
  return box.inventory;
}

std::vector<const Case*> open_in(const Box& box) {
  std::vector<const Case*> out;
  for (const Case& c : box.cases) out.push_back(&c);
  return out;
}

std::vector<std::string> ringed(const Drawing& drawing) {
  std::vector<std::string> out;
  for (const Shape& s : drawing.shapes)
    if (s.stroke == Ink::mark) out.push_back(s.part);
  return out;
}

TEST(CasePicture, RingsThePartsOfThoseCasesOnly) {
  Box box = shelf();
  const Inventory inventory = inventory_of(box);
  const auto picture = picture_cases(inventory, open_in(box), {&box.cases[0]});
  ASSERT_TRUE(picture);
  EXPECT_EQ(ringed(picture->drawing), std::vector<std::string>{Box::bay_fmri(3)});
  EXPECT_TRUE(picture->alt.starts_with("Shelf A, ")) << picture->alt;
  EXPECT_NE(picture->alt.find("Slot 3"), std::string::npos) << picture->alt;
  EXPECT_NE(picture->alt.find("needs attention"), std::string::npos) << picture->alt;
  EXPECT_EQ(picture->alt.find("Slot 5"), std::string::npos) << picture->alt;
  const auto both = picture_cases(inventory, open_in(box), {&box.cases[0], &box.cases[1]});
  EXPECT_EQ(ringed(both->drawing).size(), 2u);
}

TEST(CasePicture, NamesAPoolInTrouble) {
  Box box = shelf();
  Resource& pool = box.add("zfs://pool=1", "zfs-pool");
  pool.properties["name"] = Value{std::string("tank")};
  pool.properties["health"] = Value{std::string("SUSPENDED")};
  const auto picture = picture_cases(inventory_of(box), open_in(box), {&box.cases[0]});
  ASSERT_TRUE(picture);
  EXPECT_TRUE(picture->alt.ends_with("; framed are the bays of pool tank: SUSPENDED"))
      << picture->alt;
}

TEST(CasePicture, ShowsThePlaceOfACaseThatIsOver) {
  Box box = shelf();
  Case over = box.cases[0];
  box.cases.erase(box.cases.begin());
  over.state = CaseState::resolved;
  const auto picture = picture_cases(inventory_of(box), open_in(box), {&over});
  ASSERT_TRUE(picture);
  EXPECT_EQ(ringed(picture->drawing).size(), 1u);
  EXPECT_EQ(picture->alt.find("needs attention"), std::string::npos) << picture->alt;
}

TEST(CasePicture, WhatIsInNoPictureHasNone) {
  Box box = shelf();
  Case pool = box.cases[0];
  pool.uuid = "elsewhere";
  pool.suspects[0].bay = pool.suspects[0].fru = "";
  pool.suspects[0].asru = pool.suspects[0].resource = "zfs://pool=99";
  EXPECT_FALSE(picture_cases(inventory_of(box), open_in(box), {&pool}));
}

TEST(CasePicture, TheSameAfterTheWire) {
  Box box = shelf();
  const Drawing drawing = picture_cases(inventory_of(box), open_in(box), {&box.cases[0]})->drawing;
  const auto doc = to_json(drawing);
  const auto again = drawing_from_json(nlohmann::json::parse(doc.dump()));
  ASSERT_TRUE(again) << again.error().text();
  ASSERT_EQ(again->shapes.size(), drawing.shapes.size());
  EXPECT_EQ(to_json(*again), doc);
  EXPECT_EQ(ringed(drawing).size(), 1u);
  EXPECT_EQ(std::count_if(again->shapes.begin(), again->shapes.end(),
                          [](const Shape& s) { return s.stroke == Ink::mark; }),
            1);
}

TEST(CasePicture, WhatIsNoDrawingIsRefused) {
  for (const char* doc :
       {"[]", "{}", R"({"width":0,"height":1,"shapes":[]})",
        R"({"width":1e9,"height":1,"shapes":[]})", R"({"width":1,"height":1,"shapes":[{}]})",
        R"({"width":1,"height":1,"shapes":[{"f":9}]})",
        R"({"width":1,"height":1,"shapes":[{"f":0,"b":[1,2,3]}]})",
        R"({"width":1,"height":1,"shapes":[{"f":0,"b":[1,2,3,"x"]}]})",
        R"({"width":1,"height":1,"shapes":[{"f":0,"b":[1,2,3,4],"i":99}]})",
        R"({"width":1,"height":1,"shapes":[{"f":4,"b":[1,2,3,4],"t":"x"}]})"})
    EXPECT_FALSE(drawing_from_json(nlohmann::json::parse(doc))) << doc;
}

}  // namespace
}  // namespace fmd::scene
