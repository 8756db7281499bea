#include "fmd/notify/message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "fmd/notify/wrap.h"

namespace fmd::message_test {
namespace {

constexpr int64_t kSecond = 1000000000;
constexpr int64_t kStart = 1790000000 * kSecond;

Tidings news(std::string event) {
  return {{std::move(event), "", kStart}, {}, {}};
}

size_t columns(const std::string& line) {
  return static_cast<size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void expect_narrow(const std::string& body) {
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 78u) << line;
}

Inventory pool_inventory() {
  InventoryUpdate update;
  update.source = "zfs";
  Resource pool;
  pool.fmri = "zfs://pool=11";
  pool.type = "zfs-pool";
  pool.properties["name"] = std::string("tank");
  pool.properties["last_scan_text"] = std::string("resilvered 1.2G in 00:03:20 with 0 errors");
  update.resources.push_back(pool);
  Inventory inventory;
  inventory.apply(update);
  return inventory;
}

Case faulted_disk() {
  Case c;
  c.uuid = "3f6d2c40-0000-4000-8000-000000000001";
  c.code = "ZFS-8000-GH";
  c.severity = "Major";
  c.title = "Disk returns wrong data";
  c.state = CaseState::solved;
  c.opened_ns = c.solved_ns = kStart;
  Suspect s;
  s.fault_class = "fault.fs.zfs.vdev.checksum";
  s.resource = s.asru = "zfs://pool=11/vdev=22";
  s.fru = "dev://wwn=5000c500a0000006";
  s.fru_path = "hc://chassis=5000c500fa0e5e50/bay=6/disk=DISK06G1";
  s.location = "SLOT 06";
  s.serial = "DISK06G1";
  s.model = "MODEL X";
  s.part_number = "PN-77";
  s.device_path = "/dev/sdf";
  c.suspects = {s};
  c.description = "The disk returned wrong data 10 times.\nZFS repaired it from redundancy.";
  c.impact =
      "Redundancy is reduced until the disk is replaced, and a second failing disk in the same "
      "group may lose data.";
  c.response = "The disk is taken out of service.";
  c.action = "Replace the disk.";
  c.replaces = true;
  c.timeline = {{kStart, "diagnosed", "Diagnosed: disk returns wrong data"},
                {kStart + kSecond, "retire", "took the disk out of service"}};
  return c;
}

TEST(Message, BodyTellsWhatWasSeenOfAState) {
  const Inventory inventory = pool_inventory();
  Case c = faulted_disk();
  EXPECT_EQ(compose_message(c, news("diagnosed"), {"h", inventory}).body.find("Observations"),
            std::string::npos);
  c.observations = {{kStart, kStart, "smart-pending", "", "smart.pending", "20", "18", "10"}};
  EXPECT_NE(compose_message(c, news("diagnosed"), {"h", inventory})
                .body.find("\nObservations\n  Sep 21 14:13:20  smart.pending is 20, grown from 10 "
                           "(rule smart-pending)\n"),
            std::string::npos)
      << compose_message(c, news("diagnosed"), {"h", inventory}).body;
  const std::string after = compose_message(c, news("resolved"), {"h", inventory}).body;
  EXPECT_EQ(after.find("Observations"), std::string::npos) << "it is so no more";
}

TEST(Message, TellsWhereItIsExplained) {
  const Inventory inventory = pool_inventory();
  const Case c = faulted_disk();
  const auto body = [&](const char* url) {
    return compose_message(c, news("diagnosed"), {"h", inventory, false, url}).body;
  };
  EXPECT_NE(body("").find("  fmadm explain ZFS-8000-GH\n"), std::string::npos) << body("");
  EXPECT_EQ(body("").find("About it"), std::string::npos);
  EXPECT_NE(body("https://w.example/{code}.html").find("https://w.example/ZFS-8000-GH.html\n"),
            std::string::npos);
  EXPECT_NE(body("https://w.example/").find("https://w.example/ZFS-8000-GH\n"), std::string::npos);
  const auto document = [&](const char* url) {
    return nlohmann::json::parse(
        compose_message(c, news("diagnosed"), {"h", inventory, false, url}).case_json);
  };
  EXPECT_EQ(document("https://w.example/{code}.html")["explain_url"],
            "https://w.example/ZFS-8000-GH.html");
  EXPECT_FALSE(document("").contains("explain_url"));
}

// A feed is not a resource, and its shelves have labels.
TEST(Message, AFeedAndItsShelvesInWords) {
  Inventory inventory;
  InventoryUpdate update;
  update.source = "t";
  for (const char* name : {"A", "B"}) {
    Resource shelf;
    shelf.fmri = std::string("hc://chassis=5000") + name;
    shelf.type = "enclosure";
    shelf.properties["label"] = std::string("Shelf ") + name;
    update.resources.push_back(shelf);
  }
  inventory.apply(update);
  Case c = faulted_disk();
  c.suspects = {Suspect{}};
  c.suspects[0].resource = c.suspects[0].asru = "hc://in-common=power-feed";
  for (const char* shelf : {"hc://chassis=5000A", "hc://chassis=5000B"})
    c.observations.push_back(
        {kStart, kStart, "supplies-without-input", shelf, "input", "none", "", ""});
  const std::string body = compose_message(c, news("diagnosed"), {"h", inventory}).body;
  EXPECT_EQ(body.find("in-common"), std::string::npos) << body;
  EXPECT_NE(body.find("the power feed"), std::string::npos) << body;
  EXPECT_NE(body.find("Shelf B: input is none"), std::string::npos) << body;
}

TEST(Message, SubjectSaysFirstWhatToDo) {
  const Inventory inventory;
  Case c = faulted_disk();
  const auto subject = [&](const char* action) {
    c.action = action;
    return compose_message(c, news("diagnosed"), {"h", inventory}).subject;
  };
  EXPECT_EQ(
      subject("Replace the disk in bay SLOT 06, serial DISK06G1, with a blank one. Then wait."),
      "[fmd] h: replace the disk in SLOT 06 (serial DISK06G1) with a blank one at least as "
      "large (Major ZFS-8000-GH: SLOT 06: disk returns wrong data)");
  c.replaces = false;
  EXPECT_EQ(subject("Exchange the fan module. Look."),
            "[fmd] h: exchange the fan module (Major ZFS-8000-GH: SLOT 06: disk returns wrong "
            "data)");
  for (const char* none : {"", "'journalctl -k' has its words."})
    EXPECT_EQ(subject(none),
              "[fmd] h: look at SLOT 06 (Major ZFS-8000-GH: SLOT 06: disk returns wrong data)")
        << none;
}

TEST(Message, TheFirstLineIsTheSubjects) {
  const Inventory inventory;
  const auto message = compose_message(faulted_disk(), news("diagnosed"), {"h", inventory});
  EXPECT_TRUE(message.body.starts_with(
      "Replace the disk in SLOT 06 (serial DISK06G1) with a blank one at least as\nlarge.\n\n"
      "Disk returns wrong data: fmd found"))
      << message.body;
}

TEST(Message, BodyTellsWhatWhichPartWhatWasDoneAndWhatToDo) {
  const Inventory inventory = pool_inventory();
  const auto message = compose_message(faulted_disk(), news("diagnosed"), {"storage1", inventory});
  for (const char* expected :
       {"SLOT 06", "DISK06G1", "MODEL X", "PN-77", "/dev/sdf", "tank",
        "took the disk out of service", "Replace the disk in SLOT 06",
        "fmadm faulty -u 3f6d2c40-0000-4000-8000-000000000001",
        "The disk returned wrong data 10 times. ZFS repaired it from redundancy."})
    EXPECT_NE(message.body.find(expected), std::string::npos) << expected << "\n" << message.body;
  expect_narrow(message.body);
  EXPECT_NE(message.case_json.find("3f6d2c40"), std::string::npos);
}

TEST(Message, TellsHowManyMoreDisksThePoolCanLose) {
  Inventory inventory = pool_inventory();
  const auto body_with = [&](const char* event, std::optional<int64_t> left) {
    InventoryUpdate update;
    update.source = "zfs";
    Resource pool = *inventory.find("zfs://pool=11");
    pool.edges = {{Relation::redundancy, "zfs://pool=11/vdev=22"}};
    Resource vdev;
    vdev.fmri = "zfs://pool=11/vdev=22";
    vdev.type = "zfs-vdev";
    vdev.properties["role"] = std::string("data");
    vdev.properties["service"] = std::string("degraded");
    if (left) vdev.properties["losses_left"] = *left;
    update.resources = {pool, vdev};
    inventory.apply(update);
    return compose_message(faulted_disk(), news(event), {"host1", inventory}).body;
  };
  EXPECT_NE(body_with("diagnosed", 0).find("pool tank survives 1 more disk\n"), std::string::npos);
  EXPECT_NE(body_with("updated", 1).find("survives 2 more disks\n"), std::string::npos);
  EXPECT_NE(body_with("reminder", {}).find("pool tank survives no more disk failure\n"),
            std::string::npos);
  EXPECT_EQ(body_with("resolved", 1).find("survives"), std::string::npos) << "it is over";
}

TEST(Message, ResolvedTellsHowLongAndTheResilversResult) {
  const Inventory inventory = pool_inventory();
  Case c = faulted_disk();
  c.state = CaseState::resolved;
  c.resolved_ns = kStart + (2 * 3600 + 14 * 60) * kSecond;
  const auto message = compose_message(c, news("resolved"), {"storage1", inventory});
  EXPECT_TRUE(message.subject.starts_with("[fmd] storage1: Resolved ZFS-8000-GH: "))
      << message.subject;
  EXPECT_NE(message.body.find("2 h 14 min"), std::string::npos) << message.body;
  EXPECT_NE(message.body.find("resilvered 1.2G in 00:03:20 with 0 errors"), std::string::npos)
      << message.body;
  EXPECT_EQ(message.body.find("What to do"), std::string::npos);
  expect_narrow(message.body);
}

// It takes back the order of earlier messages; nothing was repaired.
TEST(Message, ACaseThatAnotherOneExplainsIsWithdrawn) {
  const Inventory inventory = pool_inventory();
  for (const bool resolved : {false, true}) {
    Case c = faulted_disk();
    c.state = resolved ? CaseState::resolved : CaseState::repaired;
    for (Suspect& s : c.suspects) s.status = SuspectStatus::acquitted;
    c.superseded_by = "0123456789abcdef";
    const auto message =
        compose_message(c, news(resolved ? "resolved" : "repaired"), {"storage1", inventory});
    EXPECT_EQ(message.subject,
              "[fmd] storage1: Withdrawn ZFS-8000-GH: SLOT 06: explained by case 01234567 (was: "
              "disk returns wrong data)");
    EXPECT_TRUE(message.body.starts_with(
        "Do not replace SLOT 06 for this (was: disk returns wrong data): case 01234567\n"
        "explains it."))
        << message.body;
    for (const char* untrue : {"is repaired", "is resolved", "Nothing is left"})
      EXPECT_EQ(message.body.find(untrue), std::string::npos) << message.body;
    c.superseded_by.clear();
    const auto by_person =
        compose_message(c, news(resolved ? "resolved" : "repaired"), {"storage1", inventory});
    EXPECT_TRUE(by_person.body.starts_with(
        "An administrator has declared SLOT 06 not at fault (was: disk returns wrong"))
        << by_person.body;
  }
}

// The only message that corrects the earlier ones about these disks.
TEST(Message, TheCauseNamesTheCasesThatItSupersedes) {
  const Inventory inventory = pool_inventory();
  Case c = faulted_disk();
  c.supersedes = {{"9e858a21-1111", "SLOT 04"}, {"12ab34cd-2222", "SLOT 05"}};
  const auto first = compose_message(c, news("diagnosed"), {"storage1", inventory});
  EXPECT_NE(
      first.body.find("Do not replace SLOT 04 (case 9e858a21) and SLOT 05 (case 12ab34cd) for"),
      std::string::npos)
      << first.body;
  for (int n = 0; n < 20; ++n) c.supersedes.push_back({fmt::format("{:08}-3333", n), "SLOT 99"});
  EXPECT_NE(compose_message(c, news("diagnosed"), {"storage1", inventory}).body.find("14 more"),
            std::string::npos);
}

TEST(Message, AnUpdateSaysFirstWhatIsNew) {
  const Inventory inventory = pool_inventory();
  Tidings tidings = news("updated");
  tidings.whats_new = {
      "The disk with serial DISK06G1 is in bay SLOT 06 now; it was in bay SLOT 04.",
      "No hot spare is available for the disk in bay SLOT 06 (serial DISK06G1). Once there is one, "
      "fmd brings it in by itself."};
  tidings.not_done = {tidings.whats_new[1]};
  const auto message = compose_message(faulted_disk(), tidings, {"storage1", inventory});
  EXPECT_EQ(
      message.subject,
      "[fmd] storage1: replace the disk in SLOT 06 (serial DISK06G1) with a blank one at least "
      "as large (Major (updated) ZFS-8000-GH: SLOT 06: disk returns wrong data)");
  EXPECT_NE(message.body.find(
                "Disk returns wrong data: there is news about a fault on storage1.\n\n"
                "Changes\n"
                "  - The disk with serial DISK06G1 is in bay SLOT 06 now; it was in bay SLOT\n"
                "    04.\n"
                "  - No hot spare is available for the disk in bay SLOT 06 (serial DISK06G1).\n"
                "    Once there is one, fmd brings it in by itself.\n"),
            std::string::npos)
      << message.body;
  expect_narrow(message.body);
}

TEST(Message, ChangesNamePartsAsPeopleDo) {
  Inventory inventory = pool_inventory();
  Resource bay, disk, vdev;
  bay.fmri = "hc://chassis=5000c500fa0e5e50/bay=6";
  bay.type = "bay";
  bay.properties["label"] = std::string("SLOT 06");
  bay.edges = {{Relation::contains, "dev://wwn=5000c500a0000006"}};
  disk.fmri = "dev://wwn=5000c500a0000006";
  disk.type = "disk";
  disk.properties["serial"] = std::string("DISK06G1");
  vdev.fmri = "zfs://pool=11/vdev=22";
  vdev.type = "zfs-vdev";
  vdev.properties["name"] = std::string("sdf");
  vdev.properties["path"] = std::string("/dev/sdf");
  vdev.edges = {{Relation::redundancy, disk.fmri}};
  inventory.apply({"t", {bay, disk, vdev}, {}, false});
  Case c = faulted_disk();
  c.timeline = {{kStart, "action", "could not take zfs://pool=11/vdev=22 out of service"}};
  Tidings tidings = news("updated");
  tidings.whats_new = {"It stays. 'fmadm retire zfs://pool=11/vdev=22' takes it out again."};
  const std::string body = compose_message(c, tidings, {"h", inventory}).body;
  EXPECT_NE(body.find("'fmadm retire \"SLOT 06\"' takes it out again."), std::string::npos) << body;
  EXPECT_NE(body.find("could not take SLOT 06 out of service"), std::string::npos) << body;
  EXPECT_LT(body.find("Run as root, for example with sudo: fmadm locate, fmadm acquit."),
            body.find("--------"))
      << body;
}

TEST(Message, InDryRunTheFirstLinesSayThatNothingChanges) {
  const Inventory inventory = pool_inventory();
  const char* said = "Dry run is on: fmd only watches. It changes nothing and lights no LED.";
  const std::string body =
      compose_message(faulted_disk(), news("diagnosed"), {"h", inventory, true}).body;
  EXPECT_LT(body.find(said), body.find("\nDescription")) << body;
  EXPECT_EQ(compose_message(faulted_disk(), news("diagnosed"), {"h", inventory}).body.find(said),
            std::string::npos);
}

TEST(Message, IdentifiersAreBelowARule) {
  const Inventory inventory = pool_inventory();
  const std::string body =
      compose_message(faulted_disk(), news("diagnosed"), {"h", inventory}).body;
  const size_t rule = body.find("\n--------\n");
  ASSERT_NE(rule, std::string::npos) << body;
  for (const char* identifier : {"fault.fs.zfs.vdev.checksum", "hc://chassis", "3f6d2c40-"})
    EXPECT_GT(body.find(identifier), rule) << identifier << "\n" << body;
}

TEST(Message, ACaseThatIsOverSaysThatThisIsTheOnlyMessage) {
  const Inventory inventory = pool_inventory();
  Tidings tidings = news("resolved");
  tidings.whats_new = {"This is the only message about it: it was over before one was sent."};
  const std::string body = compose_message(faulted_disk(), tidings, {"h", inventory}).body;
  EXPECT_NE(body.find("\nThis is the only message about it"), std::string::npos) << body;
  EXPECT_EQ(body.find("Earlier findings"), std::string::npos) << body;
}

TEST(Message, ACaseThatIsOverDoesNotReadAsTheFault) {
  const Inventory inventory = pool_inventory();
  Case c = faulted_disk();
  c.state = CaseState::resolved;
  c.suspects[0].status = SuspectStatus::repaired;
  for (const char* event : {"resolved", "repaired"}) {
    const auto message = compose_message(c, news(event), {"h", inventory});
    EXPECT_TRUE(
        message.subject.ends_with(" ZFS-8000-GH: SLOT 06: repaired (was: disk returns wrong data)"))
        << message.subject;
    EXPECT_TRUE(message.body.starts_with("The fault on h is ")) << message.body;
    EXPECT_NE(message.body.find("(was: disk returns wrong data)"), std::string::npos);
  }
}

// pool_inventory() with these properties of the pool and this service of its only disk.
Inventory pool_that_is(const decltype(Resource::properties)& properties, const char* service) {
  Inventory inventory = pool_inventory();
  InventoryUpdate update;
  update.source = "zfs";
  Resource pool = *inventory.find("zfs://pool=11");
  for (const auto& [name, value] : properties) pool.properties[name] = value;
  pool.edges = {{Relation::redundancy, "zfs://pool=11/vdev=22"}};
  Resource vdev;
  vdev.fmri = "zfs://pool=11/vdev=22";
  vdev.type = "zfs-vdev";
  vdev.properties["role"] = std::string("data");
  vdev.properties["service"] = std::string(service);
  update.resources = {pool, vdev};
  inventory.apply(update);
  return inventory;
}

TEST(Message, NothingIsLeftToDoOnlyIfThePoolIsWhole) {
  Case c = faulted_disk();
  c.state = CaseState::resolved;
  c.suspects[0].status = SuspectStatus::repaired;
  const auto body = [&](const decltype(Resource::properties)& properties, const char* service) {
    const Inventory inventory = pool_that_is(properties, service);
    std::string text = compose_message(c, news("resolved"), {"h", inventory}).body;
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.substr(0, text.find("Outcome"));
  };
  const std::string online = "ONLINE";
  EXPECT_NE(body({{"health", online}}, "in-service").find("Nothing is left to do."),
            std::string::npos);
  const std::string scrub =
      body({{"health", online}, {"scan", std::string("scrub")}}, "in-service");
  EXPECT_NE(scrub.find("Nothing is left to do."), std::string::npos) << scrub;
  const std::string resilver =
      body({{"health", online}, {"scan", std::string("resilver")}, {"scan_percent", int64_t{74}}},
           "in-service");
  EXPECT_EQ(resilver.find("Nothing is left to do."), std::string::npos) << resilver;
  EXPECT_NE(resilver.find("Wait for the resilver of pool tank (74 %)."), std::string::npos)
      << resilver;
  const std::string degraded = body({{"health", std::string("DEGRADED")}}, "in-service");
  EXPECT_EQ(degraded.find("Nothing is left to do."), std::string::npos) << degraded;
  EXPECT_NE(degraded.find("pool tank is still DEGRADED"), std::string::npos) << degraded;
  EXPECT_EQ(degraded.find("'fmadm faulty':"), std::string::npos) << "it lists cases only";
  const std::string lacking = body({{"health", online}}, "removed");
  EXPECT_EQ(lacking.find("Nothing is left to do."), std::string::npos) << lacking;
  EXPECT_NE(lacking.find("1 disk of pool tank is not in full service"), std::string::npos)
      << lacking;
}

// A person has only cleared its errors. The message must not claim that the disk works.
TEST(Message, AClearedDiskIsNotCalledWell) {
  Case c = faulted_disk();
  c.state = CaseState::resolved;
  c.suspects[0].status = SuspectStatus::repaired;
  Inventory inventory = pool_that_is({{"health", std::string("ONLINE")}}, "in-service");
  Resource disk;
  disk.fmri = c.suspects[0].fru;
  disk.type = "disk";
  InventoryUpdate found;
  found.source = "disk";
  found.resources = {disk};
  inventory.apply(found);
  const auto body = [&](const char* why) {
    c.timeline.back() = {kStart, "repaired", why};
    std::string text = compose_message(c, news("resolved"), {"h", inventory}).body;
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.substr(0, text.find("Outcome"));
  };
  const std::string cleared = body("sysevent.fs.zfs.vdev_clear on SLOT 06");
  EXPECT_EQ(cleared.find("Nothing is left to do"), std::string::npos) << cleared;
  EXPECT_NE(
      cleared.find("SLOT 06 counts as repaired because its errors in ZFS were cleared; "
                   "'zpool scrub tank' reads the whole disk. If it fails again, a new case says "
                   "so."),
      std::string::npos)
      << cleared;
  EXPECT_NE(body("repaired by admin").find("because an administrator has said so"),
            std::string::npos);
  EXPECT_NE(body("SLOT 06: state is ONLINE again").find("Nothing is left to do."),
            std::string::npos);
  c.suspects[0].status = SuspectStatus::replaced;
  EXPECT_NE(body("sysevent.fs.zfs.vdev_clear on SLOT 06").find("Nothing is left to do."),
            std::string::npos);
}

TEST(Message, AMergedCaseIsNotPutRightButGoesOn) {
  const Inventory inventory = pool_inventory();
  Case c = faulted_disk();
  c.state = CaseState::resolved;
  for (Suspect& suspect : c.suspects) suspect.status = SuspectStatus::acquitted;
  c.merged_into = "9a000000-0000-4000-8000-000000000009";
  const auto message = compose_message(c, news("resolved"), {"storage1", inventory});
  EXPECT_TRUE(message.subject.starts_with("[fmd] storage1: Merged ZFS-8000-GH: "))
      << message.subject;
  EXPECT_NE(message.body.find("goes on as case\n9a000000-0000-4000-8000-000000000009"),
            std::string::npos)
      << message.body;
  EXPECT_NE(message.body.find("fmadm faulty -u 9a000000"), std::string::npos);
  EXPECT_EQ(message.body.find("Nothing is left to do"), std::string::npos);
  expect_narrow(message.body);
}

TEST(Message, HostileNamesAreEscapedAndKeptWithinTheLine) {
  const Inventory inventory;
  Case c = faulted_disk();
  c.suspects[0].serial = "A\r\nBcc: x@y\x1b[2J" + std::string(300, 'S');
  c.suspects[0].model = "Größe 日本 \xff";
  c.timeline.push_back({kStart, "note", std::string(500, 'x')});
  const auto message = compose_message(c, news("updated"), {"host\nname", inventory});
  for (const std::string& text : {message.subject, message.body}) {
    EXPECT_EQ(text.find('\r'), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
  }
  EXPECT_EQ(message.subject.find('\n'), std::string::npos);
  EXPECT_NE(message.body.find("Größe 日本"), std::string::npos);
  expect_narrow(message.body);
}

TEST(Message, WrapBreaksAtBlanksAndWithinOverlongWords) {
  EXPECT_EQ(wrap("one two three", 2, "", 9), "  one two\n  three\n");
  EXPECT_EQ(wrap("abcdefghij", 0, "", 4), "abcd\nefgh\nij\n");
  EXPECT_EQ(wrap("value", 8, "  Key"), "  Key   value\n");
  EXPECT_EQ(wrap("a", 3, "longer", 20), "longer a\n");
}

TEST(Message, DurationsInTwoUnits) {
  EXPECT_EQ(spoken_duration(12 * kSecond), "12 s");
  EXPECT_EQ(spoken_duration(185 * kSecond), "3 min 5 s");
  EXPECT_EQ(spoken_duration((86400 + 3 * 3600) * kSecond), "1 day 3 h");
  EXPECT_EQ(spoken_duration(-5), "0 s");
}

}  // namespace
}  // namespace fmd::message_test
