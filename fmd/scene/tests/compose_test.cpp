#include <gtest/gtest.h>

#include <algorithm>

#include "box.h"
#include "fmd/scene/drawing.h"

namespace fmd::scene {
namespace {

Box two_bays() {
  Box box;
  box.told.reserve(64);
  box.chassis("front:444.0x87.0");
  box.bay(1);
  box.bay(2);
  return box;
}

TEST(Scene, ABayIsWhereItsDescriptionHasIt) {
  Box box = two_bays();
  box.disk(1);
  const Scene scene = box.scene();
  ASSERT_EQ(scene.faces.size(), 1u);
  EXPECT_EQ(scene.faces[0].width, 444);
  EXPECT_TRUE(scene.faces[0].to_scale);
  const Part* part = scene.faces[0].find(Box::bay_fmri(1));
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->box, (Rect{40, 4, 18, 78}));
  EXPECT_EQ(part->label, "Slot 1");
  EXPECT_EQ(part->detail, "4 TB HDD");
  EXPECT_EQ(part->says, "Slot 1: serial S1, 4 TB HDD, in tank: watched, healthy");
}

TEST(Scene, AViewIsCalledAsItsDescriptionSays) {
  Box box = two_bays();
  EXPECT_EQ(box.scene().faces.at(0).label, "Front");
  box.of(Box::kChassis).properties["view.front"] =
      Value{std::string("Front, handle\x1b at the left")};
  EXPECT_EQ(box.scene().faces.at(0).label.find('\x1b'), std::string::npos) << "cleaned";
  EXPECT_TRUE(box.scene().faces.at(0).label.starts_with("Front, handle"));
}

TEST(Scene, ADrawingAsksForACheckUntilAPersonHasLooked) {
  Box box = two_bays();
  EXPECT_EQ(box.scene().caution, "") << "a generic description";
  box.of(Box::kChassis).properties["verified"] = Value{std::string("drawing only")};
  const Scene scene = box.scene();
  EXPECT_NE(scene.caution.find("check with a blink before you pull"), std::string::npos);
  const auto& shapes = draw_page(scene, {}).shapes;
  EXPECT_TRUE(std::any_of(shapes.begin(), shapes.end(),
                          [&](const Shape& s) { return s.text == scene.caution; }));
  box.of(Box::kChassis).properties["verified"] = Value{std::string("by a person")};
  EXPECT_EQ(box.scene().caution, "") << "as chassis map writes it";
}

TEST(Scene, StatesOfABay) {
  Box box = two_bays();
  EXPECT_EQ(box.state(1), PartState::empty);
  box.of(Box::bay_fmri(1)).properties.erase("occupied");
  EXPECT_EQ(box.state(1), PartState::unknown);  // not observed, so not called empty
  box.disk(1, "in-service", "");
  EXPECT_EQ(box.state(1), PartState::unwatched);
  box.of(Box::disk_fmri(1)).properties["smart.state"] = Value{std::string("observed")};
  EXPECT_EQ(box.state(1), PartState::ok);
}

TEST(Scene, AnIdleSpareIsOneUntilItIsInUse) {
  Box box = two_bays();
  box.disk(2, "in-service", "spare");
  EXPECT_EQ(box.state(2), PartState::spare);
  box.of(Box::vdev_fmri(2)).properties["state"] = Value{std::string("INUSE")};
  EXPECT_EQ(box.state(2), PartState::ok);
}

// In the pool's tree it is ONLINE below "spare-0" and still has its role.
TEST(Scene, ASpareThatStandsInIsNotIdle) {
  Box box = two_bays();
  box.disk(2, "in-service", "spare");
  box.of(Box::vdev_fmri(2)).properties["state"] = Value{std::string("ONLINE")};
  box.of(Box::vdev_fmri(2)).properties["parent_type"] = Value{std::string("spare")};
  EXPECT_EQ(box.state(2), PartState::ok);
  box.of(Box::vdev_fmri(2)).properties["parent_type"] = Value{std::string("none")};
  EXPECT_EQ(box.state(2), PartState::spare);
}

TEST(Scene, ABayThatIsFilledAndSilentNeedsAttention) {
  Box box = two_bays();
  box.of(Box::bay_fmri(1)).properties["occupied"] = Value{true};
  EXPECT_EQ(box.state(1), PartState::unwatched)
      << "as behind a RAID controller: no bay shows a disk";
  box.disk(2);
  EXPECT_EQ(box.state(1), PartState::degraded);
  EXPECT_EQ(box.scene().faces[0].find(Box::bay_fmri(1))->says,
            "Slot 1: something that shows no disk: needs attention (minor)");
  // A disk of another enclosure has no influence.
  box.of(Box::bay_fmri(2)).properties["enclosure"] = Value{std::string("hc://chassis=other")};
  EXPECT_EQ(box.state(1), PartState::unwatched);
}

TEST(Scene, APoolInTroubleFramesTheBaysOfItsDisks) {
  Box box = two_bays();
  box.bay(3);
  box.disk(1);
  box.disk(2);
  box.disk(3, "in-service", "spare");
  Resource& pool = box.add("zfs://pool=1", "zfs-pool");
  pool.properties["name"] = Value{std::string("tank")};
  pool.properties["health"] = Value{std::string("ONLINE")};
  const auto part = [&](int n) { return *box.scene().faces[0].find(Box::bay_fmri(n)); };
  EXPECT_EQ(part(1).frame, PartState::empty);
  EXPECT_TRUE(box.scene().notes.empty());
  box.of("zfs://pool=1").properties["health"] = Value{std::string("DEGRADED")};
  for (const int n : {1, 2}) {
    EXPECT_EQ(part(n).frame, PartState::degraded);
    EXPECT_EQ(part(n).state, PartState::ok) << "the disk itself is well";
    EXPECT_EQ(part(n).trouble, "pool tank: DEGRADED");
    EXPECT_TRUE(part(n).says.ends_with("in tank: watched, healthy (pool tank: DEGRADED)"));
  }
  EXPECT_EQ(part(3).frame, PartState::empty) << "an idle spare holds nothing";
  box.of("zfs://pool=1").properties["observed"] = Value{std::string("not-observed")};
  EXPECT_EQ(part(1).frame, PartState::faulted);
  EXPECT_EQ(part(1).trouble, "pool tank: not responding") << "not the state that was seen last";
  box.of("zfs://pool=1").properties["observed"] = Value{std::string("observed")};
  Case& lost = box.accuse(1, "Critical");
  lost.title = "Data lost";
  lost.suspects[0] = Suspect();
  lost.suspects[0].resource = "zfs://pool=1";
  EXPECT_EQ(part(1).frame, PartState::faulted);
  EXPECT_EQ(part(1).state, PartState::ok) << "the pool is accused, not its disks";
  EXPECT_EQ(box.scene().notes,
            (std::vector<Scene::Note>{{PartState::faulted, "pool tank: DEGRADED, Data lost"}}));
}

TEST(Scene, WhatTheSpareIsFilledWithShowsInItsBay) {
  Box box = two_bays();
  box.disk(1, "degraded");
  box.disk(2, "in-service", "spare");
  box.accuse(1);
  box.of(Box::vdev_fmri(1)).properties["spare"] = Value{std::string("resilvering")};
  box.of(Box::vdev_fmri(1)).properties["spare_by"] = Value{Box::vdev_fmri(2)};
  Resource& pool = box.add("zfs://pool=1", "zfs-pool");
  pool.properties["scan"] = Value{std::string("resilver")};
  pool.properties["scan_percent"] = Value{42.0};
  pool.edges = {{Relation::redundancy, Box::vdev_fmri(1)},
                {Relation::redundancy, Box::vdev_fmri(2)}};
  EXPECT_EQ(box.state(1), PartState::faulted);
  EXPECT_EQ(box.state(2), PartState::rebuilding);
  const Scene scene = box.scene();
  EXPECT_DOUBLE_EQ(scene.faces[0].find(Box::bay_fmri(2))->progress.value(), 0.42);
}

TEST(Scene, SeverityDecidesBetweenDegradedAndFaulted) {
  Box box = two_bays();
  box.disk(1);
  box.accuse(1, "Minor");
  EXPECT_EQ(box.state(1), PartState::degraded);
  box.accuse(1, "Critical");
  EXPECT_EQ(box.state(1), PartState::faulted);
  EXPECT_EQ(box.scene().faces[0].find(Box::bay_fmri(1))->cases,
            (std::vector<std::string>{"case-2", "case-1"}));
}

TEST(Scene, ACaseThatIsOverColoursNothing) {
  for (const CaseState over : {CaseState::resolved, CaseState::unsolved}) {
    Box box = two_bays();
    box.disk(1);
    box.accuse(1).state = over;
    EXPECT_EQ(box.state(1), PartState::ok);
  }
  Box box = two_bays();
  box.disk(1);
  box.accuse(1).suspects[0].status = SuspectStatus::acquitted;
  EXPECT_EQ(box.state(1), PartState::ok);
}

TEST(Scene, AnEmptyBayWhoseFaultyDiskIsGoneAsksForANewOne) {
  Box box = two_bays();
  box.accuse(1);
  EXPECT_EQ(box.state(1), PartState::faulted);
  box.disk(1, "in-service", "");  // another disk is in the bay, not used yet
  box.cases[0].suspects[0].fru = "dev://wwn=old";
  EXPECT_EQ(box.state(1), PartState::faulted) << "as grave as its case";
}

TEST(Scene, TheBayThatTheFaultyDiskHasLeftForAnotherIsFree) {
  Box box = two_bays();
  box.disk(2);
  box.accuse(2).suspects[0].bay = Box::bay_fmri(1);  // where the fault was found
  EXPECT_EQ(box.state(1), PartState::empty);
  EXPECT_EQ(box.state(2), PartState::faulted);
}

TEST(Scene, TakenOutByAPersonIsDegradedWithoutACase) {
  Box box = two_bays();
  box.disk(1, "out-of-service");
  EXPECT_EQ(box.state(1), PartState::degraded);
}

TEST(Scene, AnUndescribedChassisIsLaidOutInTheOrderOfItsLabels) {
  for (const int count : {1, 3, 12, 16, 24, 60, 102}) {
    Box box;
    box.told.reserve(256);
    box.chassis("");
    for (int n = count; n >= 1; --n) box.bay(n, false);
    const Scene scene = box.scene();
    ASSERT_EQ(scene.faces.size(), 1u);
    const Face& face = scene.faces[0];
    EXPECT_FALSE(face.to_scale);
    ASSERT_EQ(face.parts.size(), static_cast<size_t>(count));
    EXPECT_EQ(face.parts.back().label, "Slot " + std::to_string(count));
    const Rect whole{0, 0, face.width, face.height};
    for (size_t i = 0; i < face.parts.size(); ++i) {
      EXPECT_TRUE(whole.contains(face.parts[i].box)) << count << " bays, " << face.parts[i].label;
      for (size_t k = 0; k < i; ++k)
        EXPECT_FALSE(face.parts[i].box.overlaps(face.parts[k].box)) << count;
    }
  }
}

TEST(Scene, WhatNoViewHasAPlaceForIsShownBesideTheOthers) {
  Box box = two_bays();
  Resource& psu = box.add("hc://chassis=c1/psu=0", "psu");
  psu.properties["label"] = Value{std::string("PSU A")};
  psu.properties["enclosure"] = Value{std::string(Box::kChassis)};
  Scene scene = box.scene();
  ASSERT_NE(scene.face("parts"), nullptr);
  EXPECT_EQ(scene.face("parts")->parts[0].state, PartState::unknown);  // not observed
  box.of("hc://chassis=c1/psu=0").properties["status"] = Value{std::string("critical")};
  scene = box.scene();
  EXPECT_EQ(scene.face("parts")->parts[0].state, PartState::faulted);
  EXPECT_EQ(scene.worst(), PartState::faulted);
}

TEST(Scene, EachViewHasItsParts) {
  for (const char* view : {"rear", "top", "inside"}) {
    Box box;
    box.told.reserve(16);
    box.chassis("front:444.0x87.0," + std::string(view) + ":444.0x300.0");
    box.bay(1);
    Resource& fan = box.add("hc://chassis=c1/fan=0", "fan");
    fan.properties = {{"label", Value{std::string("FAN 1")}},
                      {"enclosure", Value{std::string(Box::kChassis)}},
                      {"view", Value{std::string(view)}},
                      {"x_mm", Value{10.0}},
                      {"y_mm", Value{20.0}},
                      {"w_mm", Value{40.0}},
                      {"h_mm", Value{40.0}}};
    const Scene scene = box.scene();
    ASSERT_NE(scene.face(view), nullptr) << view;
    const Part* part = scene.face(view)->find("hc://chassis=c1/fan=0");
    ASSERT_NE(part, nullptr) << view;
    EXPECT_EQ(part->box.x, 10) << view;
    EXPECT_TRUE(scene.face(view)->to_scale);
    EXPECT_EQ(scene.face("front")->find("hc://chassis=c1/fan=0"), nullptr);
    EXPECT_EQ(scene.face("parts"), nullptr) << "all have a place";
  }
}

TEST(Scene, ABackplaneIsInTheHostsPicture) {
  Box box = two_bays();
  Resource& backplane = box.add("hc://chassis=b1", "enclosure");
  backplane.properties["member_of"] = Value{std::string(Box::kChassis)};
  box.bay(3);
  box.of(Box::bay_fmri(3)).properties["enclosure"] = Value{std::string("hc://chassis=b1")};
  const Scene scene = box.scene();
  EXPECT_NE(scene.faces[0].find(Box::bay_fmri(3)), nullptr);
  EXPECT_EQ(pictured(box.inventory), std::vector<std::string>{Box::kChassis});
}

TEST(Scene, OfAHostItsProcessorsAndMemoryAreInItsOwnBox) {
  Box box = two_bays();
  box.add("hc://system=c1", "system").properties["id"] = Value{std::string("c1")};
  box.add("cpu://socket=0", "cpu").properties["label"] = Value{std::string("CPU 1")};
  const Scene scene = box.scene();
  ASSERT_NE(scene.face("parts"), nullptr);
  EXPECT_EQ(scene.face("parts")->parts[0].kind, PartKind::cpu);
  EXPECT_EQ(scene.face("parts")->parts[0].state, PartState::unwatched);
}

// They have no sensor: a plugin counts their errors, or they are not watched.
TEST(Scene, ProcessorsAndModulesAreWatchedByThePluginThatCountsTheirErrors) {
  Box box = two_bays();
  box.add("hc://system=c1", "system").properties["id"] = Value{std::string("c1")};
  box.add("cpu://socket=0", "cpu");
  box.add("mem://dimm=A1", "dimm");
  const auto states = [&] {
    std::vector<PartState> out;
    for (const char* fmri : {"cpu://socket=0", "mem://dimm=A1"})
      out.push_back(box.scene().face("parts")->find(fmri)->state);
    return out;
  };
  constexpr PartState kNo = PartState::unwatched, kYes = PartState::ok;
  EXPECT_EQ(states(), (std::vector{kNo, kNo}));
  box.add("fmd://plugin=cpu", "plugin").properties["state"] = Value{std::string("ok")};
  EXPECT_EQ(states(), (std::vector{kYes, kYes}));
  EXPECT_TRUE(
      box.scene().face("parts")->find("cpu://socket=0")->says.ends_with("watched, healthy"));
  for (const char* state : {"dead", "silent", "not-observed", "degraded"}) {
    box.of("fmd://plugin=cpu").properties["state"] = Value{std::string(state)};
    EXPECT_EQ(states(), (std::vector{kNo, kNo})) << state;
  }
  box.add("fmd://plugin=system", "plugin").properties["state"] = Value{std::string("ok")};
  EXPECT_EQ(states(), (std::vector{kNo, kNo}));
  box.of("mem://dimm=A1").properties["edac"] = Value{std::string("mc0/dimm0")};
  EXPECT_EQ(states(), (std::vector{kNo, kYes})) << "the kernel counts for it";
}

// A core's case is shown at its processor, which is the part to replace.
TEST(Scene, AProcessorWithACaseIsRedInItsSocket) {
  Box box;
  box.told.reserve(16);
  box.chassis("inside:437x300");
  box.add("hc://system=c1", "system").properties["id"] = Value{std::string("c1")};
  for (int n = 0; n < 2; ++n) {
    Resource& cpu = box.add("cpu://socket=" + std::to_string(n), "cpu");
    cpu.properties["label"] = Value{"CPU" + std::to_string(n + 1)};
    cpu.properties["enclosure"] = Value{std::string(Box::kChassis)};
    cpu.properties["view"] = Value{std::string("inside")};
    cpu.properties["x_mm"] = Value{74.0 + 229 * n};
    cpu.properties["y_mm"] = Value{110.0};
    cpu.properties["w_mm"] = Value{60.0};
    cpu.properties["h_mm"] = Value{80.0};
  }
  Case& core = box.accuse(1, "Major");
  core.suspects[0].resource = core.suspects[0].asru = "cpu://socket=1/core=3";
  core.suspects[0].fru = "cpu://socket=1";
  core.suspects[0].bay.clear();
  const Scene scene = box.scene();
  const Face* inside = scene.face("inside");
  ASSERT_NE(inside, nullptr);
  ASSERT_EQ(inside->parts.size(), 2U);
  const auto* bad = inside->find("cpu://socket=1");
  const auto* good = inside->find("cpu://socket=0");
  ASSERT_NE(bad, nullptr);
  ASSERT_NE(good, nullptr);
  EXPECT_EQ(bad->kind, PartKind::cpu);
  EXPECT_EQ(bad->state, PartState::faulted);
  EXPECT_EQ(bad->cases, std::vector<std::string>{core.uuid});
  EXPECT_EQ(bad->label, "CPU2");
  EXPECT_EQ(good->state, PartState::unwatched);
}

// Several disks fail together: the case is about the controller, and the disks are out of use.
TEST(Scene, ABayShowsTheCaseThatExplainsIt) {
  Box box;
  box.told.reserve(16);
  box.chassis("front:444.0x87.0");
  for (int n = 1; n <= 3; ++n) box.bay(n);
  box.disk(1, "degraded");
  box.disk(2, "in-service");
  box.disk(3, "out-of-service");
  Case& shared = box.accuse(1, "Critical");
  shared.suspects[0].resource = shared.suspects[0].fru = "dev://pci=0000:00:02.0";
  shared.suspects[0].asru = shared.suspects[0].bay = "";
  for (int n = 1; n <= 2; ++n) {
    Observation o;
    o.resource = Box::vdev_fmri(n);
    shared.observations.push_back(o);
  }
  const Scene scene = box.scene();
  const auto cases_of = [&](int n) { return scene.faces[0].find(Box::bay_fmri(n))->cases; };
  EXPECT_EQ(box.state(1), PartState::faulted);
  EXPECT_EQ(cases_of(1), std::vector<std::string>{shared.uuid});
  EXPECT_EQ(box.state(2), PartState::ok) << "it is in full service again";
  EXPECT_TRUE(cases_of(2).empty());
  EXPECT_EQ(box.state(3), PartState::degraded) << "the case does not name it";
  // Its own case says more.
  box.accuse(1, "Minor");
  EXPECT_EQ(box.state(1), PartState::degraded);
}

TEST(Scene, HostileTextIsText) {
  Box box = two_bays();
  box.of(Box::bay_fmri(1)).properties["label"] = Value{std::string("<b>\x1b[31mX")};
  const Scene scene = box.scene();
  EXPECT_EQ(scene.faces[0].find(Box::bay_fmri(1))->label, "<b>\\x1b[31mX");
}

TEST(Scene, ViewsThatDoNotReadAreLeftOut) {
  for (const char* views : {"front", "front:", "front:0x0", "front:ax9", ":,:,", "front:-4x9"}) {
    Box box;
    box.told.reserve(16);
    box.chassis(views);
    box.bay(1);
    const Scene scene = box.scene();
    ASSERT_EQ(scene.faces.size(), 1u) << views;
    EXPECT_EQ(scene.faces[0].name, "parts") << views;
  }
}

}  // namespace
}  // namespace fmd::scene
