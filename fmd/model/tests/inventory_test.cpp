#include "fmd/model/inventory.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd {
namespace {

using Kind = InventoryChange::Kind;

Resource resource(const std::string& fmri, const std::string& type,
                  const std::vector<std::pair<std::string, Value>>& properties = {},
                  const std::vector<Edge>& edges = {}) {
  Resource r;
  r.fmri = fmri;
  r.type = type;
  for (const auto& [name, value] : properties) r.properties[name] = value;
  r.edges = edges;
  return r;
}

InventoryUpdate update(const std::string& source, std::vector<Resource> resources,
                       bool complete = false, std::vector<InventoryUpdate::Gone> gone = {}) {
  InventoryUpdate u;
  u.source = source;
  u.resources = std::move(resources);
  u.complete = complete;
  u.gone = std::move(gone);
  return u;
}

std::string show(const std::vector<InventoryChange>& changes) {
  std::string out;
  for (const InventoryChange& c : changes) {
    const char* kind = c.kind == Kind::added      ? "added"
                       : c.kind == Kind::changed  ? "changed"
                       : c.kind == Kind::measured ? "measured"
                       : c.kind == Kind::absent   ? "absent"
                                                  : "removed";
    out += std::string(kind) + " " + c.fmri + (c.reason.empty() ? "" : " " + c.reason) + "\n";
  }
  return out;
}

// fmd-smart tells of disks that others say are there.
TEST(Inventory, WhoDoesNotSeeAPartMayMeasureIt) {
  Inventory inventory;
  inventory.apply(update("disk", {resource("dev://wwn=1", "disk", {{"serial", "S"}})}));
  Resource part = resource("dev://wwn=1", "disk", {{"smart.state", "observed"}});
  part.present = false;
  inventory.apply(update("smart", {part}));
  InventoryUpdate read = update("smart", {resource("dev://wwn=1", "", {{"t", int64_t{20}}})});
  read.merge = true;
  EXPECT_EQ(show(inventory.apply(read)), "measured dev://wwn=1\n");
  EXPECT_EQ(inventory.find("dev://wwn=1")->get("t"), "20");
  EXPECT_TRUE(inventory.find("dev://wwn=1")->present);
}

TEST(Inventory, WhatIsTiedToAnotherSaysToWhatItWasTied) {
  Inventory inventory;
  const auto vdev = [](const std::string& disk) {
    return update("zfs", {resource("zfs://vdev=1", "vdev", {}, {{Relation::redundancy, disk}})});
  };
  inventory.apply(vdev("dev://wwn=1"));
  const auto changes = inventory.apply(vdev("dev://wwn=2"));
  ASSERT_EQ(show(changes), "changed zfs://vdev=1\n");
  EXPECT_EQ(changes[0].was().edges, (std::vector<Edge>{{Relation::redundancy, "dev://wwn=1"}}));
}

TEST(Inventory, WhatWasMeasuredIsWrittenInTurn) {
  Inventory inventory;
  InventoryUpdate told = update("disk", {}), read;
  for (int n = 0; n < 5; ++n)
    told.resources.push_back(
        resource("dev://wwn=" + std::to_string(n), "disk", {{"t", int64_t{20}}}));
  inventory.apply(told);
  EXPECT_EQ(inventory.take_changes().size(), 5u);
  read = told;
  read.merge = true;
  std::string written;
  for (int sweep = 1; sweep < 6; ++sweep) {
    for (Resource& r : read.resources) r.properties["t"] = int64_t{20 + sweep};
    EXPECT_EQ(inventory.apply(read).size(), 5u);
    EXPECT_TRUE(inventory.take_changes().empty());
    for (const Inventory::Row& row : inventory.take_measured(3)) written += row.key.back();
  }
  EXPECT_EQ(written, "012340123401234") << "all, though each is measured again before the last";
  read.source = "smart";
  inventory.apply(read);
  for (Resource& r : read.resources) r.properties = {{"u", int64_t{1}}};
  inventory.take_changes();
  inventory.write_out();
  inventory.take_changes();
  inventory.apply(read);
  for (Resource& r : read.resources) r.properties = {{"u", int64_t{2}}};
  EXPECT_EQ(inventory.apply(read).size(), 5u);
  read.source = "disk";
  for (Resource& r : read.resources) r.properties = {{"v", int64_t{1}}};
  EXPECT_EQ(inventory.apply(read).size(), 5u);
  EXPECT_EQ(inventory.take_measured(1).size(), 2u) << "what both say of it";
}

TEST(Inventory, TellsOnlyWhatChanged) {
  Inventory inv;
  const Resource r = resource("dev://wwn=1", "disk", {{"serial", "S"}});
  EXPECT_EQ(show(inv.apply(update("disk", {r}))), "added dev://wwn=1\n");
  EXPECT_EQ(show(inv.apply(update("disk", {r}))), "");
  const uint64_t generation = inv.generation();
  EXPECT_EQ(show(inv.apply(update("disk", {r}))), "");
  EXPECT_EQ(inv.generation(), generation);
  EXPECT_EQ(show(inv.apply(update("disk", {resource("dev://wwn=1", "disk", {{"serial", "T"}})}))),
            "changed dev://wwn=1\n");
  EXPECT_EQ(show(inv.apply(update("disk", {}, false, {{"dev://wwn=1", "removed", ""}}))),
            "absent dev://wwn=1 removed\n");
  EXPECT_FALSE(inv.find("dev://wwn=1")->present);
  EXPECT_EQ(inv.find("dev://wwn=1")->get("serial"), "T");
  EXPECT_EQ(show(inv.apply(update("disk", {}, false, {{"dev://wwn=1", "removed", ""}}))), "");
  EXPECT_EQ(show(inv.apply(update("disk", {r}))), "added dev://wwn=1\n");
  EXPECT_EQ(
      show(inv.apply(update("disk", {}, false, {{"dev://wwn=1", "replaced", "dev://wwn=2"}}))),
      "removed dev://wwn=1 replaced\n");
  EXPECT_EQ(inv.find("dev://wwn=1"), nullptr);
  EXPECT_EQ(
      show(inv.apply(update("disk", {}, false,
                            {{"dev://wwn=9", "removed", ""}, {"dev://wwn=9", "destroyed", ""}}))),
      "");
}

TEST(Inventory, SourcesAreMergedAndTheLaterWordWins) {
  Inventory inv;
  inv.apply(update("redfish",
                   {resource("ups://name=1", "disk", {{"serial", "S"}, {"path", "/dev/sda"}})}));
  inv.apply(update("smart", {resource("ups://name=1", "",
                                      {{"temperature", int64_t{30}}, {"path", "/dev/sdb"}})}));
  const Resource* r = inv.find("ups://name=1");
  EXPECT_EQ(r->type, "disk");
  EXPECT_EQ(r->get("path"), "/dev/sdb");
  EXPECT_EQ(r->sources, (Names{"redfish", "smart"}));
  inv.apply(update("redfish", {resource("ups://name=1", "disk", {{"path", "/dev/sdc"}})}));
  EXPECT_EQ(inv.find("ups://name=1")->get("path"), "/dev/sdc");
  EXPECT_EQ(inv.find("ups://name=1")->get("serial"), "");  // its earlier word was replaced wholly
  EXPECT_EQ(inv.find("ups://name=1")->get("temperature"), "30");
  // One source's "removed" leaves what another still sees.
  EXPECT_EQ(show(inv.apply(update("smart", {}, false, {{"ups://name=1", "removed", ""}}))), "");
  EXPECT_TRUE(inv.find("ups://name=1")->present);
  EXPECT_EQ(show(inv.apply(update("redfish", {}, false, {{"ups://name=1", "removed", ""}}))),
            "absent ups://name=1 removed\n");
}

// Only these plugins get commands about the part (hub/routing.h).
TEST(Inventory, KnowsWhoDescribedAPartAndItsLed) {
  using Names = std::vector<std::string>;
  Inventory inv;
  const std::string bay = "hc://chassis=1/bay=1", own = "ups://name=1";
  EXPECT_EQ(inv.described_by(bay), Names());
  inv.apply(update("scanner", {resource(bay, "bay", {{"label", std::string("1")}})}));
  EXPECT_EQ(inv.described_by(bay), Names{"scanner"});
  inv.apply(update("strip", {resource(bay, "bay", {{"led.fault", std::string("off")}})}));
  EXPECT_EQ(inv.described_by(bay), Names{"strip"}) << "the one that has its LED";
  inv.apply(update("enclosure", {resource(bay, "bay")}));
  EXPECT_EQ(inv.described_by(bay), (Names{"strip", "enclosure"})) << "bays are fmd-enclosure's";
  InventoryUpdate read = update("meter", {resource(own, "", {{"load", int64_t{20}}})});
  read.merge = true;
  inv.apply(read);
  EXPECT_EQ(inv.described_by(own), Names()) << "measuring is not describing";
  inv.apply(update("ups", {resource(own, "ups")}));
  EXPECT_EQ(inv.described_by(own), Names{"ups"});
}

TEST(Inventory, ReadingsAreAdded) {
  Inventory inv;
  inv.apply(update("smart", {resource("dev://wwn=1", "disk", {{"serial", "S"}})}));
  InventoryUpdate readings =
      update("smart", {resource("dev://wwn=1", "", {{"temperature", int64_t{30}}})});
  readings.merge = true;
  EXPECT_EQ(show(inv.apply(readings)), "measured dev://wwn=1\n");
  EXPECT_EQ(show(inv.apply(readings)), "");
  EXPECT_EQ(inv.find("dev://wwn=1")->get("serial"), "S");
  EXPECT_EQ(inv.find("dev://wwn=1")->type, "disk");
  // Readings alone do not make a part present, nor keep one that is no more.
  readings.resources.front().fmri = "dev://wwn=2";
  inv.apply(readings);
  EXPECT_FALSE(inv.find("dev://wwn=2")->present);
  readings.resources.front().fmri = "dev://wwn=1";
  readings.source = "other";
  inv.apply(readings);
  inv.apply(update("smart", {}, false, {{"dev://wwn=1", "destroyed", ""}}));
  EXPECT_EQ(inv.find("dev://wwn=1"), nullptr);
}

TEST(Inventory, ASnapshotInPartsEndsWithAllItsNames) {
  Inventory inv;
  const Resource a = resource("dev://wwn=1", "disk"), b = resource("dev://wwn=2", "disk"),
                 c = resource("dev://wwn=3", "disk");
  inv.apply(update("disk", {a, b, c}));
  inv.apply(update("disk", {a}));
  InventoryUpdate end = update("disk", {}, true);
  end.kept = {"dev://wwn=1", "dev://wwn=3", "dev://wwn=7"};
  EXPECT_EQ(show(inv.apply(end)), "absent dev://wwn=2 removed\n");
}

TEST(Inventory, ASnapshotTellsDetachedFromRemoved) {
  Inventory inv;
  const Resource pool = resource("zfs://pool=1", "zfs-pool", {},
                                 {{Relation::redundancy, "zfs://pool=1/vdev=1"},
                                  {Relation::redundancy, "zfs://pool=1/vdev=2"}});
  const Resource v1 = resource("zfs://pool=1/vdev=1", "zfs-vdev"),
                 v2 = resource("zfs://pool=1/vdev=2", "zfs-vdev");
  inv.apply(update("zfs", {pool, v1, v2}, true));
  inv.apply(update("disk", {resource("dev://wwn=1", "disk")}, true));
  const Resource smaller =
      resource("zfs://pool=1", "zfs-pool", {}, {{Relation::redundancy, "zfs://pool=1/vdev=1"}});
  EXPECT_EQ(show(inv.apply(update("zfs", {smaller, v1}, true))),
            "changed zfs://pool=1\nremoved zfs://pool=1/vdev=2 detached\n");
  EXPECT_EQ(show(inv.apply(update("zfs", {}, true))),
            "absent zfs://pool=1 removed\nabsent zfs://pool=1/vdev=1 removed\n");
  EXPECT_EQ(show(inv.apply(update("zfs", {smaller, v1}, true))),
            "added zfs://pool=1\nadded zfs://pool=1/vdev=1\n");
  EXPECT_TRUE(inv.find("dev://wwn=1")->present);  // another source's
}

class Chassis : public ::testing::Test {
 protected:
  void SetUp() override {
    inv.apply(update("enclosure", {resource("hc://chassis=c", "enclosure", {{"id", "c"}},
                                            {{Relation::contains, "hc://chassis=c/bay=3"},
                                             {Relation::contains, "hc://chassis=c/bay=4"}}),
                                   resource("hc://chassis=c/bay=3", "bay",
                                            {{"label", "SLOT 03"}, {"slot", int64_t{3}}},
                                            {{Relation::contains, "dev://wwn=a"}}),
                                   resource("hc://chassis=c/bay=4", "bay", {{"slot", int64_t{4}}},
                                            {{Relation::contains, "dev://wwn=b"}})}));
    inv.apply(update("disk",
                     {resource("dev://wwn=a", "disk",
                               {{"serial", "SER A/1"}, {"wwn", "5000c500a"}, {"path", "/dev/sdc"}}),
                      resource("dev://wwn=b", "disk", {{"path", "/dev/sdd"}})}));
    inv.apply(update(
        "zfs", {resource("zfs://pool=1", "zfs-pool",
                         {{"name", "tank"}, {"checksum_n", int64_t{20}}, {"io_n", int64_t{7}}},
                         {{Relation::redundancy, "zfs://pool=1/vdev=1"}}),
                resource("zfs://pool=1/vdev=1", "zfs-vdev",
                         {{"name", "raidz"}, {"checksum_n", int64_t{5}}},
                         {{Relation::redundancy, "zfs://pool=1/vdev=2"}}),
                resource("zfs://pool=1/vdev=2", "zfs-vdev", {{"name", "wwn-a"}},
                         {{Relation::redundancy, "dev://wwn=a"},
                          {Relation::redundancy, "zfs://pool=1"}})}));  // a cycle
  }
  Inventory inv;
};

TEST_F(Chassis, Relations) {
  EXPECT_EQ(inv.descend("zfs://pool=1", Relation::redundancy, "dev")->fmri, "dev://wwn=a");
  EXPECT_EQ(inv.descend("dev://wwn=a", Relation::redundancy, "dev")->fmri, "dev://wwn=a");
  EXPECT_EQ(inv.descend("zfs://pool=1", Relation::redundancy, "hc"), nullptr);
  EXPECT_EQ(inv.descend("zfs://pool=1", Relation::redundancy, "de"), nullptr);
  EXPECT_EQ(inv.descend("nothing", Relation::redundancy, "dev"), nullptr);
  EXPECT_EQ(to_text(*inv.inherited("zfs://pool=1/vdev=2", Relation::redundancy, "checksum_n")),
            "5");
  EXPECT_EQ(to_text(*inv.inherited("zfs://pool=1/vdev=2", Relation::redundancy, "io_n")), "7");
  EXPECT_EQ(inv.inherited("zfs://pool=1/vdev=2", Relation::redundancy, "none"), nullptr);
  ASSERT_EQ(inv.parents("dev://wwn=a", Relation::contains).size(), 1u);
  EXPECT_EQ(inv.parents("dev://wwn=a", Relation::contains)[0]->fmri, "hc://chassis=c/bay=3");
  EXPECT_TRUE(inv.parents("dev://wwn=a", Relation::power).empty());
}

TEST_F(Chassis, WhereItSits) {
  EXPECT_EQ(inv.location("dev://wwn=a"), "SLOT 03");
  inv.apply(
      update("disk", {resource("dev://path=p", "path", {}, {{Relation::path, "dev://wwn=a"}})}));
  EXPECT_EQ(inv.location("dev://path=p"), "SLOT 03") << "where its disk is";
  EXPECT_EQ(inv.location("dev://wwn=b"), "bay 4");
  EXPECT_EQ(inv.location("hc://chassis=c/bay=3"), "SLOT 03");
  EXPECT_EQ(inv.location("zfs://pool=1"), "");
  EXPECT_EQ(inv.fru_path("dev://wwn=a"), "hc://chassis=c/bay=3/disk=SER%20A%2F1");
  EXPECT_EQ(inv.fru_path("dev://wwn=b"),
            "dev://wwn=b");  // no serial, no wwn: nothing to write there
  EXPECT_EQ(inv.fru_path("hc://chassis=c"), "hc://chassis=c");
  EXPECT_EQ(inv.fru_path("dev://wwn=zz"), "dev://wwn=zz");
  // The disk moves: the old bay's word is replaced.
  inv.apply(update("enclosure", {resource("hc://chassis=c/bay=3", "bay", {{"label", "SLOT 03"}}),
                                 resource("hc://chassis=c/bay=4", "bay", {{"slot", int64_t{4}}},
                                          {{Relation::contains, "dev://wwn=a"}})}));
  EXPECT_EQ(inv.location("dev://wwn=a"), "bay 4");
}

TEST_F(Chassis, Lookup) {
  const auto found = [this](std::string_view name) {
    std::string out;
    for (const Resource* r : inv.lookup(name)) out += r->fmri + " ";
    return out;
  };
  EXPECT_EQ(found("dev://wwn=a"), "dev://wwn=a ");
  EXPECT_EQ(found("SLOT 03"), "hc://chassis=c/bay=3 ");
  EXPECT_EQ(found("slot 03"), "hc://chassis=c/bay=3 ");
  EXPECT_EQ(found("bay-3"), "hc://chassis=c/bay=3 ");
  EXPECT_EQ(found("bay 4"), "hc://chassis=c/bay=4 ");
  EXPECT_EQ(found("4"), "hc://chassis=c/bay=4 ");
  EXPECT_EQ(found("SER A/1"), "dev://wwn=a ");
  EXPECT_EQ(found("0x5000C500A"), "dev://wwn=a ");
  EXPECT_EQ(found("sdc"), "dev://wwn=a ");
  EXPECT_EQ(found("/dev/sdd"), "dev://wwn=b ");
  EXPECT_EQ(found("tank"), "zfs://pool=1 ");
  EXPECT_EQ(found(""), "");
  EXPECT_EQ(found("bay-"), "");
  EXPECT_EQ(found("99999999999999999999"), "");
  // A name in the same case goes before one that differs in case.
  inv.apply(update("cpu", {resource("cpu://socket=0", "cpu", {{"label", "CPU1"}}),
                           resource("cpu://cpu=1", "thread", {{"name", "cpu1"}})}));
  EXPECT_EQ(found("CPU1"), "cpu://socket=0 ");
  EXPECT_EQ(found("cpu1"), "cpu://cpu=1 ");
  EXPECT_EQ(found("Cpu1"), "cpu://cpu=1 cpu://socket=0 ");
  // A name that a pulled disk had belongs to the one that has it now.
  inv.apply(update("disk", {resource("dev://wwn=c", "disk", {{"path", "/dev/sdc"}})}, false,
                   {{"dev://wwn=a", "removed", ""}}));
  EXPECT_EQ(found("sdc"), "dev://wwn=c ");
  EXPECT_EQ(found("SER A/1"), "dev://wwn=a ");  // known still
}

// The kernel writes an enclosure's id with "0x", its disks' WWNs and its printed label go without.
TEST_F(Chassis, AShelfGoesByItsIdWithAndWithout0x) {
  Resource shelf = resource("hc://chassis=0x5000a0f1", "enclosure", {{"id", "0x5000a0f1"}});
  shelf.edges = {{Relation::contains, "hc://chassis=0x5000a0f1/bay=3"}};
  inv.apply(update("ses", {shelf, resource("hc://chassis=0x5000a0f1/bay=3", "bay", {{"slot", "3"}}),
                           resource("hc://chassis=c2", "enclosure", {{"id", "5000a0f2"}})}));
  for (const char* name : {"0x5000a0f1/bay-3", "5000a0f1/bay-3", "5000A0F1/3"}) {
    const auto found = inv.lookup(name);
    ASSERT_EQ(found.size(), 1u) << name;
    EXPECT_EQ(found[0]->fmri, "hc://chassis=0x5000a0f1/bay=3");
  }
  ASSERT_EQ(inv.lookup("0x5000a0f2").size(), 1u);
  EXPECT_TRUE(inv.lookup("5000a0f").empty());
}

std::string names_of(const std::vector<const Resource*>& found) {
  std::string out;
  for (const Resource* r : found) out += r->fmri + " ";
  return out;
}

TEST_F(Chassis, LookupByWhatHoldsIt) {
  EXPECT_EQ(names_of(inv.lookup("hc://chassis=c/bay-3")), "hc://chassis=c/bay=3 ");
  EXPECT_EQ(names_of(inv.lookup("hc://chassis=c/slot 03")), "hc://chassis=c/bay=3 ");
  EXPECT_EQ(names_of(inv.lookup("hc://chassis=c/bay=3/disk=SER%20A%2F1")), "dev://wwn=a ")
      << "as a case shows its FRU";
  EXPECT_EQ(names_of(inv.lookup("hc://chassis=c/bay=4/disk=SER%20A%2F1")), "");
  EXPECT_EQ(names_of(inv.lookup("hc://chassis=c/bay-9")), "");
  EXPECT_EQ(names_of(inv.lookup("nowhere/bay-3")), "");
  for (const char* odd : {"/", "//", "/bay-3", "hc://chassis=c/", "a/b/c"})
    EXPECT_EQ(names_of(inv.lookup(odd)), "") << odd;
}

// Two shelves with a bay 3 each.
class Shelves : public ::testing::Test {
 protected:
  Inventory inv;
  void SetUp() override {
    std::vector<Resource> all;
    for (const std::string id : {"5000c500aa", "5000c500bb"}) {
      const std::string chassis = "hc://chassis=" + id;
      all.push_back(resource(chassis, "enclosure", {{"id", id}, {"label", "Shelf 1"}},
                             {{Relation::contains, chassis + "/bay=3"}}));
      all.push_back(resource(chassis + "/bay=3", "bay",
                             {{"label", "SLOT 03"}, {"slot", int64_t{3}}},
                             {{Relation::contains, "dev://wwn=" + id}}));
      all.push_back(resource("dev://wwn=" + id, "disk",
                             {{"path", "/dev/sdc" + id.substr(8)},
                              {"paths", "sdc" + id.substr(8) + ",sdz" + id.substr(8)}}));
    }
    inv.apply(update("enclosure", std::move(all)));
  }
};

TEST_F(Shelves, ABayOfSeveralIsNamedByItsShelf) {
  EXPECT_EQ(names_of(inv.lookup("bay-3")),
            "hc://chassis=5000c500aa/bay=3 hc://chassis=5000c500bb/bay=3 ");
  EXPECT_EQ(names_of(inv.lookup("5000c500bb/bay-3")), "hc://chassis=5000c500bb/bay=3 ");
  EXPECT_EQ(names_of(inv.lookup("5000C500BB/SLOT 03")), "hc://chassis=5000c500bb/bay=3 ");
  EXPECT_EQ(inv.lookup("Shelf 1/bay-3").size(), 2u) << "both shelves are called so";
  EXPECT_EQ(names_of(inv.lookup("sdzbb")), "dev://wwn=5000c500bb ") << "its second path";
}

TEST_F(Shelves, WhatMayBeMeantIsListed) {
  const auto several = inv.meant("SLOT 03");
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().message,
            "\"SLOT 03\" may be any of hc://chassis=5000c500aa/bay=3 (SLOT 03), "
            "hc://chassis=5000c500bb/bay=3 (SLOT 03): name one of these by its FMRI, or as "
            "ENCLOSURE/BAY: \"5000c500aa/bay-3\"");
  EXPECT_EQ(inv.meant("5000c500aa/bay-3")->size(), 1u);
  EXPECT_TRUE(inv.meant("no such thing")->empty());
  // A disk and the vdev on it are not mixed up; two vdevs of a name are.
  inv.apply(update("zfs", {resource("zfs://pool=1/vdev=1", "zfs-vdev", {{"path", "/dev/sdcaa"}}),
                           resource("zfs://pool=2/vdev=2", "zfs-vdev", {{"path", "/dev/sdcaa"}}),
                           resource("zfs://pool=1/vdev=3", "zfs-vdev", {{"name", "raidz1-0"}}),
                           resource("zfs://pool=2/vdev=4", "zfs-vdev", {{"name", "raidz1-0"}})}));
  EXPECT_TRUE(inv.meant("/dev/sdcaa"));
  EXPECT_FALSE(inv.meant("raidz1-0"));
}

TEST_F(Shelves, ManyAreNotAllListed) {
  std::vector<Resource> more;
  for (int i = 0; i < 18; ++i)
    more.push_back(
        resource("hc://chassis=x" + std::to_string(i) + "/bay=3", "bay", {{"slot", int64_t{3}}}));
  inv.apply(update("other", std::move(more)));
  const auto several = inv.meant("bay-3");
  ASSERT_FALSE(several);
  EXPECT_NE(several.error().message.find("and 14 more"), std::string::npos)
      << several.error().message;
}

TEST_F(Chassis, RowsBringItBack) {
  InventoryUpdate readings = update(
      "smart",
      {resource("dev://wwn=a", "", {{"temperature", 30.5}, {"big", UINT64_MAX}, {"on", true}})});
  readings.merge = true;
  inv.apply(readings);
  inv.apply(update("disk", {}, false, {{"dev://wwn=b", "removed", ""}}));
  std::map<std::string, std::string> rows;
  for (const auto& row : inv.take_changes()) rows[row.key] = row.doc;
  EXPECT_TRUE(inv.take_changes().empty());
  EXPECT_TRUE(rows.count("smart dev://wwn=a"));
  Inventory back;
  for (const auto& [key, doc] : rows) ASSERT_TRUE(back.restore_row(key, doc));
  ASSERT_EQ(back.all().size(), inv.all().size());
  for (const auto& [fmri, r] : inv.all())
    EXPECT_EQ(Inventory::to_json(*back.find(fmri)), Inventory::to_json(r));
  EXPECT_TRUE(back.take_changes().empty());
  // And they go on alike: "disk" said its word after "smart".
  for (Inventory* i : {&inv, &back}) {
    i->apply(update("disk", {resource("dev://wwn=a", "disk", {{"temperature", int64_t{1}}})}));
    EXPECT_EQ(i->find("dev://wwn=a")->get("temperature"), "1");
    EXPECT_EQ(i->find("dev://wwn=b")->present, false);
  }
  inv.apply(update("zfs", {}, false, {{"zfs://pool=1/vdev=2", "detached", ""}}));
  bool dropped = false;
  for (const auto& row : inv.take_changes())
    if (row.key == "zfs zfs://pool=1/vdev=2") dropped = row.doc.empty();
  EXPECT_TRUE(dropped);
}

TEST(InventoryJson, RefusesWhatIsNone) {
  for (const char* bad :
       {"[]", "{}", R"({"fmri":5})", R"({"fmri":"nonsense"})",
        R"({"fmri":"a://b=c","properties":[]})", R"({"fmri":"a://b=c","properties":{"x":[1]}})",
        R"({"fmri":"a://b=c","edges":[{"relation":"x","to":"y"}]})",
        R"({"fmri":"a://b=c","edges":{}})", R"({"fmri":"a://b=c","present":1})",
        R"({"fmri":"a://b=c","type":1})"})
    EXPECT_FALSE(Inventory::resource_from_json(nlohmann::json::parse(bad))) << bad;
  Inventory inv;
  EXPECT_FALSE(inv.restore_row("x", "{}"));
  EXPECT_FALSE(inv.restore_row("a b", "{"));
}

}  // namespace
}  // namespace fmd
