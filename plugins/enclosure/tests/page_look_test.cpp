// One status page per poll instead of four commands per bay, LED states set by others, and shelves
// with the same id. Shelves of 60 bays with generated pages; a stand-in for sg_ses logs its
// arguments.
#include <unistd.h>

#include "plugins/enclosure/pace.h"
#include "plugins/enclosure/same_ids.h"
#include "plugins/enclosure/tests/chassis_rig.h"
#include "plugins/enclosure/tests/trees.h"

namespace fmd::enclosure {
namespace {

using nlohmann::json;
using testing::ChassisTest;
using testing::with_header;

constexpr int kBays = 60;

std::string slot_name(int slot) {
  return (slot < 10 ? "SLOT 0" : "SLOT ") + std::to_string(slot);
}

class PageLookTest : public ChassisTest {
 protected:
  std::string status_ = std::string(4 * (kBays + 1), '\0');

  void SetUp() override {
    for (int slot = 1; slot <= kBays; ++slot) status_[4 * static_cast<size_t>(slot)] = '\5';
    set(5, "\1\0\0\0");
    pages();
    // All get the same answers: one shelf with two processors.
    tree_.file("/bin/sg_ses",
               "#!/bin/sh\necho \"${2#--page=} ${4##*/}\" >> '" + tree_.root() +
                   "/asked'\nexec cat '" + tree_.root() + "/pages/'\"${2#--page=}\"\n",
               0755);
    tree_.file("/asked", "");
    shelf("e0", "sg3");
    shelf("e1", "sg4");
  }
  void set(int slot, const char* bytes) {
    status_.replace(4 * static_cast<size_t>(slot), 4, std::string(bytes, 4));
  }
  void pages(char generation = 1) {
    std::string descriptors = testing::name("Slots");
    for (int slot = 1; slot <= kBays; ++slot) descriptors += testing::name(slot_name(slot));
    std::string configuration = with_header(1, std::string("\x11\0\1\x24", 4) +
                                                   std::string("\x50\0\xc5\0\xfa\x0e\x5e\x50", 8) +
                                                   "ACME    SHELF           0001" + '\x17' +
                                                   static_cast<char>(kBays) + std::string(2, '\0'));
    std::string status = with_header(2, status_);
    configuration[7] = status[7] = generation;
    tree_.file("/pages/0x1", configuration);
    tree_.file("/pages/0x2", status);
    tree_.file("/pages/0x7", with_header(7, descriptors));
  }
  void shelf(const std::string& name, const std::string& sg) {
    make_shelf(name, 0);
    const std::string box = "/sys/devices/platform/" + name + "/enclosure/" + name;
    for (int slot = 1; slot <= kBays; ++slot) {
      const std::string folder = box + "/" + slot_name(slot);
      tree_.file(folder + "/slot", std::to_string(slot) + "\n");
      tree_.file(folder + "/type", "array device\n");
      tree_.file(folder + "/status", slot == 5 ? "OK\n" : "not installed\n");
      for (const char* light : {"fault", "locate"}) tree_.file(folder + "/" + light, "0\n");
    }
    tree_.file(box + "/id", "5000c500fa0e5e50\n");
    tree_.folder("/sys/devices/platform/" + name + "/scsi_generic/" + sg);
    tree_.link(box + "/device", "/sys/devices/platform/" + name);
  }
  // Waits for a poll that queries only the status of each processor, because the pages of both are
  // known. Each query is logged before it is answered.
  void begin() {
    start();
    for (int looks = 0; looks < 50; ++looks) {
      tree_.file("/asked", "");
      look_again();
      const std::string asked = tree_.read("/asked");
      if (asked == "0x2 sg3\n0x2 sg4\n" || asked == "0x2 sg4\n0x2 sg3\n") break;
    }
    ASSERT_EQ(lines("/asked"), 2) << tree_.read("/asked");
    tree_.file("/asked", "");
  }
  long lines(const std::string& file) {
    const std::string text = tree_.read(file);
    return std::count(text.begin(), text.end(), '\n');
  }
  static std::string attributes(const std::string& name) {
    return "/sys/devices/platform/" + name + "/enclosure/" + name;
  }
  static std::string bay(int slot) {
    return "hc://chassis=5000c500fa0e5e50/bay=" + std::to_string(slot);
  }
};

// Instead of 480: four attributes of 60 bays by two processors.
TEST_F(PageLookTest, OneCommandALookAndProcessor) {
  begin();
  EXPECT_EQ(core_.property(bay(5), "status"), "OK");
  // Reading the attributes would need a command each: none is sent.
  for (const char* box : {"e0", "e1"})
    tree_.file(attributes(box) + "/SLOT 05/status", "critical\n");
  look_again();
  EXPECT_EQ(tree_.read("/asked").size(), std::string("0x2 sg3\n0x2 sg4\n").size());
  EXPECT_EQ(core_.property(bay(5), "status"), "OK");
  set(5, "\2\0\2\x30");
  pages();
  look_again();
  EXPECT_EQ(lines("/asked"), 4);
  EXPECT_EQ(core_.property(bay(5), "status"), "critical");
  EXPECT_EQ(core_.property(bay(5), "power"), "off");
  EXPECT_EQ(core_.property(bay(5), "led.fault"), "on");
  EXPECT_EQ(core_.property(bay(5), "led.locate"), "on");
  EXPECT_EQ(core_.property(bay(6), "status"), "not installed");
}

// With the same diskseq: a udev event or a refresh identifies the disk again; an unknown disk is
// identified at each poll.
TEST_F(PageLookTest, WhoADiskIsIsReadAgain) {
  const std::string disk = "/sys/devices/pci0000:00/host1/1:0:4:0";
  const auto named = [&](const std::string& wwn) {
    tree_.file(disk + "/wwid", "naa." + wwn + "\n");
  };
  tree_.file(disk + "/block/sdf/diskseq", "7\n");
  tree_.link(disk + "/block/sdf/device", "../../../1:0:4:0");
  tree_.link("/sys/block/sdf", disk + "/block/sdf");
  tree_.link(attributes("e0") + "/SLOT 05/device", disk);
  begin();
  EXPECT_EQ(disk_of(bay(5)), "");
  Enclosure known = scan_enclosure(host_, "e0", nullptr);
  ASSERT_EQ(known.bays.at(4).device, "sdf");
  named("5000c500a0000001");
  look_for_disks(host_, known);
  EXPECT_EQ(known.bays.at(4).disks, std::vector<std::string>{"dev://wwn=5000c500a0000001"});
  look_again();
  EXPECT_EQ(disk_of(bay(5)), "dev://wwn=5000c500a0000001");
  named("5000c500a0000002");
  look_again();
  EXPECT_EQ(disk_of(bay(5)), "dev://wwn=5000c500a0000002");
  // Before the shelf has been queried.
  named("5000c500a0000003");
  set(5, "\2\0\0\0");
  pages();
  plugin_->on_udev({"change", "block", "sdf"});
  ASSERT_TRUE(loop_.until([&] { return disk_of(bay(5)) == "dev://wwn=5000c500a0000003"; }));
  EXPECT_EQ(core_.property(bay(5), "status"), "OK");
}

TEST_F(PageLookTest, AnotherGenerationIsReadAnew) {
  begin();
  set(5, "\3\0\0\0");
  pages(2);
  look_again();
  EXPECT_EQ(core_.property(bay(5), "status"), "non-critical");
  EXPECT_EQ(lines("/asked"), 8) << "status, then all three, of both";
  look_again();
  EXPECT_EQ(lines("/asked"), 10);
}

TEST_F(PageLookTest, WithoutAnAnswerTheAttributesDo) {
  begin();
  tree_.file("/bin/sg_ses", "#!/bin/sh\nexit 5\n", 0755);
  for (const char* box : {"e0", "e1"})
    tree_.file(attributes(box) + "/SLOT 05/status", "critical\n");
  look_again();
  EXPECT_EQ(core_.property(bay(5), "status"), "critical");
}

// A shelf is not gone while one of its two processors is present.
TEST_F(PageLookTest, AShelfThatGoesAndComes) {
  begin();
  tree_.remove("/sys/class/enclosure/e0");
  look_again();
  EXPECT_TRUE(core_.events.empty());
  tree_.remove("/sys/class/enclosure/e1");
  look_again();
  ASSERT_TRUE(loop_.until([&] { return core_.events.size() == 1; }));
  EXPECT_EQ(core_.events[0]["class"], "ereport.enclosure.gone");
  EXPECT_EQ(core_.events[0]["resource"], "hc://chassis=5000c500fa0e5e50");
  tree_.link("/sys/class/enclosure/e1", attributes("e1"));
  look_again();
  ASSERT_TRUE(loop_.until([&] { return core_.events.size() == 2; }));
  EXPECT_EQ(core_.events[1]["class"], "sysevent.enclosure.back");
}

// --- State kept between runs

class ShelfMemoryTest : public PageLookTest {
 protected:
  // Waits until fmd has received and stored everything.
  void settle() {
    for (int looks = 0; looks < 3; ++looks) look_again();
  }
  void begin_anew() {
    plugin_.reset();
    core_.messages.clear();
    start();
    settle();
  }
  void unplug(const char* name) { tree_.remove(std::string("/sys/class/enclosure/") + name); }
  void plug_in(const char* name) {
    tree_.link(std::string("/sys/class/enclosure/") + name, attributes(name));
  }
  std::string told() {
    std::string out;
    for (const json& event : core_.events)
      out += (out.empty() ? "" : " ") + event["class"].get<std::string>();
    core_.events.clear();
    return out;
  }
};

TEST_F(ShelfMemoryTest, OneThatWasLostMeanwhileIsToldAndSoIsItsReturn) {
  begin_anew();
  EXPECT_EQ(told(), "");
  plugin_.reset();
  unplug("e0");
  unplug("e1");
  begin_anew();
  EXPECT_EQ(told(), "ereport.enclosure.gone");
  begin_anew();
  EXPECT_EQ(told(), "") << "once";
  plugin_.reset();
  plug_in("e1");
  begin_anew();
  EXPECT_EQ(told(), "sysevent.enclosure.back");
  begin_anew();
  EXPECT_EQ(told(), "");
}

TEST_F(ShelfMemoryTest, WhatFmdHasNotTakenIsToldAgain) {
  begin_anew();
  core_.commit = false;
  unplug("e0");
  unplug("e1");
  settle();
  ASSERT_TRUE(loop_.until([&] { return core_.count("events") == 1; }));
  core_.commit = true;
  begin_anew();
  EXPECT_EQ(told(), "ereport.enclosure.gone");
}

TEST_F(ShelfMemoryTest, OneWhoseProcessorHangsAtTheFirstLookIsNotGone) {
  begin_anew();
  plugin_.reset();
  scan_ = [](const sdk::Host&, const std::string&, const Enclosure*) -> Enclosure {
    for (;;) pause();
  };
  device_deadline_ = std::chrono::milliseconds(200);
  core_.messages.clear();
  launch();
  ASSERT_TRUE(loop_.until([&] {
    const auto all = core_.of("status");
    return std::any_of(all.begin(), all.end(),
                       [](const json& one) { return one["state"] == "degraded"; });
  }));
  EXPECT_EQ(told(), "");
}

TEST_F(ShelfMemoryTest, ADamagedFileIsForgotten) {
  begin_anew();
  tree_.file("/enclosure-memory.json", "{\"shelves\": 7");
  unplug("e0");
  unplug("e1");
  begin_anew();
  EXPECT_EQ(told(), "");
  plug_in("e0");
  settle();
  unplug("e0");
  settle();
  EXPECT_EQ(told(), "ereport.enclosure.gone");
}

// SES: FAULT SENSED is the disk's own signal, FAULT REQSTD is set by fmd.
TEST_F(PageLookTest, TheDisksOwnSignalIsNotOurLight) {
  begin();
  set(5, "\1\0\0\x40");
  pages();
  look_again();
  EXPECT_EQ(core_.property(bay(5), "led.fault"), "off");
  EXPECT_EQ(core_.property(bay(5), "fault_sensed"), true);
  set(5, "\1\0\0\x60");
  pages();
  look_again();
  EXPECT_EQ(core_.property(bay(5), "led.fault"), "on");
  EXPECT_EQ(core_.property(bay(5), "fault_sensed"), true);
}

TEST_F(PageLookTest, AnOrderIsNotDoneByTheDisksSignal) {
  write_led_ = [](const sdk::Host&, const std::string&, std::string_view) {
    return Result<void>();
  };
  for (const char* box : {"e0", "e1"}) tree_.file(attributes(box) + "/SLOT 05/fault", "4\n");
  begin();
  EXPECT_EQ(led(bay(5), "fault", true)["status"], "failed");
  EXPECT_EQ(led(bay(5), "fault", false)["status"], "done");
}

// Behind VMD the four bits of both indicators are written raw, in ledmon's patterns.
TEST_F(ChassisTest, ASlotBehindVmd) {
  testing::make_nvme_server(tree_);
  const std::string port = testing::port_of("04");
  tree_.file("/sys/bus/pci/slots/9/address", "10000:04:00\n");
  tree_.folder(port + "/pci_bus/10000:04");
  tree_.link("/sys/class/pci_bus/10000:04", port + "/pci_bus/10000:04");
  tree_.link("/sys/bus/pci/devices/10000:04:00.0", port + "/0000:04:00.0");
  const std::string bay = "hc://chassis=host/bay=pci-9", file = "/sys/bus/pci/slots/9/attention";
  tree_.file(file, "15\n");
  start();
  EXPECT_EQ(core_.property(bay, "led.fault"), "off");
  EXPECT_EQ(led(bay, "fault", true)["status"], "done");
  EXPECT_EQ(tree_.read(file), "13");
  EXPECT_EQ(core_.property(bay, "led.fault"), "on");
  EXPECT_EQ(led(bay, "locate", true)["status"], "done");
  EXPECT_EQ(tree_.read(file), "7");
  look_again();
  EXPECT_EQ(core_.property(bay, "led.fault"), "on");
  EXPECT_EQ(core_.property(bay, "led.locate"), "on");
  EXPECT_EQ(led(bay, "locate", false)["status"], "done");
  EXPECT_EQ(led(bay, "fault", false)["status"], "done");
  EXPECT_EQ(tree_.read(file), "15");
}

Enclosure box(const std::string& own, std::vector<std::string> disks) {
  Enclosure result;
  result.logical_id = "5000";
  result.own_id = own;
  for (size_t i = 0; i < disks.size(); ++i) {
    Bay bay;
    bay.slot = std::to_string(i);
    if (!disks[i].empty()) bay.disks = {disks[i]};
    result.bays.push_back(std::move(bay));
  }
  return result;
}

TEST(SameIds, TwoProcessorsOfOneShelf) {
  Enclosure a = box("a", {"d0", "d1"}), b = box("b", {"", "d1"}), empty = box("c", {"", ""});
  SameIds().tell_apart({&a, &b, &empty});
  EXPECT_EQ(a.id, "5000");
  EXPECT_EQ(b.id, "5000");
  EXPECT_EQ(empty.id, "5000") << "nothing says that it is another one";
}

TEST(SameIds, TwoShelves) {
  SameIds ids;
  Enclosure a1 = box("a1", {"d0", "d1"}), a2 = box("a2", {"d0", ""}), b = box("b", {"d7", ""});
  ids.tell_apart({&a1, &a2, &b});
  EXPECT_EQ(a1.id, "5000-a1");
  EXPECT_EQ(a2.id, "5000-a1");
  EXPECT_EQ(b.id, "5000-b");
  b.bays[0].disks.clear();  // its disk is pulled: it stays a separate shelf
  ids.tell_apart({&a1, &a2, &b});
  EXPECT_EQ(b.id, "5000-b");
  EXPECT_EQ(a1.id, "5000-a1");
}

// A clone of a known shelf, plugged in later or seen first after a restart.
TEST(SameIds, TheOneThatIsKnownKeepsItsName) {
  SameIds ids;
  Enclosure a1 = box("a1", {"d0", "d1"}), a2 = box("a2", {"d0", ""}), b = box("b", {"d7", ""});
  ids.tell_apart({&a1, &a2});
  ids.tell_apart({&b, &a1, &a2});
  EXPECT_EQ(a1.id, "5000");
  EXPECT_EQ(a2.id, "5000");
  EXPECT_EQ(b.id, "5000-b");
  SameIds later(ids.names());
  b.bays[0].disks.clear();
  later.tell_apart({&a1, &b, &a2});
  EXPECT_EQ(a1.id, "5000");
  EXPECT_EQ(b.id, "5000-b");
  Enclosure a3 = box("a3", {"d0", "d1"});  // a processor of it was replaced
  later.tell_apart({&b, &a3, &a1});
  EXPECT_EQ(a3.id, "5000");
}

// Each was present alone.
TEST(SameIds, TwoThatAreKnownByOneName) {
  SameIds ids;
  Enclosure a = box("a", {"d0"}), b = box("b", {"d7"});
  ids.tell_apart({&a});
  ids.tell_apart({&b});
  ids.tell_apart({&a, &b});
  EXPECT_EQ(a.id, "5000-a");
  EXPECT_EQ(b.id, "5000-b");
  b.logical_id = "6000";  // its board now has its own id
  ids.tell_apart({&a, &b});
  EXPECT_EQ(b.id, "6000");
}

TEST(SameIds, AProcessorThatHasFewerSlotsIsNoOtherShelf) {
  Enclosure a = box("a", {"d0", "d1", ""}), b = box("b", {""});
  SameIds().tell_apart({&a, &b});
  EXPECT_EQ(a.id, b.id);
}

TEST(Pace, ASlowShelfIsLeftAloneAndACalmOneIsLookedAtMoreSeldom) {
  using namespace std::chrono_literals;
  sdk::Watcher::Time now{};
  std::chrono::milliseconds pause{};
  sdk::Watcher watcher({[&] { return now; }, [&](auto in, bool, auto) { pause = in; }},
                       pace_of(10s), {[](bool) {}});
  const auto after_look_of = [&](std::chrono::milliseconds took) {
    watcher.look();
    now += took;
    watcher.over("");
    return pause;
  };
  EXPECT_EQ(after_look_of(300ms), 10s);
  EXPECT_EQ(after_look_of(4s), 20s);
  for (int look = 3; look < 30; ++look) EXPECT_EQ(after_look_of(300ms), 10s);
  EXPECT_EQ(after_look_of(300ms), 30s);
  EXPECT_EQ(after_look_of(4s), 60s);
}

}  // namespace
}  // namespace fmd::enclosure
