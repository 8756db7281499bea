#include "fmd/diagnosis/suspects.h"

#include <gtest/gtest.h>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::Rig;

// pool ─ vdev N ─ disk N, in bay N of a shelf; a case about each of the three vdevs, of which the
// third does not know its disk.
class Concerned : public ::testing::Test {
 protected:
  Concerned() {
    Resource pool = resource("pool"), shelf = resource("shelf");
    for (const std::string n : {"1", "2", "3"}) {
      pool.edges.push_back({Relation::redundancy, "vdev" + n});
      shelf.edges.push_back({Relation::contains, "bay" + n});
      put(resource("vdev" + n, {{Relation::redundancy, "disk" + n}}));
      put(resource("bay" + n, {{Relation::contains, "disk" + n}}));
    }
    put(pool);
    put(shelf);
    for (const std::string n : {"1", "2", "3"}) {
      Case& c = book.open(n, "vdev" + n);
      c.state = CaseState::solved;
      Suspect s;
      s.resource = s.asru = "vdev" + n;
      if (n != "3") s.fru = "disk" + n;
      if (n != "3") s.bay = "bay" + n;
      c.suspects.push_back(s);
      book.touch(c);
    }
  }
  static Resource resource(const std::string& fmri, const std::vector<Edge>& edges = {}) {
    Resource r;
    r.fmri = fmri;
    r.edges = edges;
    return r;
  }
  std::vector<InventoryChange> put(const Resource& r) {
    InventoryUpdate update;
    update.source = "t";
    update.resources.push_back(r);
    return inventory.apply(update);
  }
  std::string concerned(const std::string& fmri) {
    std::string out;
    for (const Case* c :
         concerned_cases(book, inventory, {{InventoryChange::Kind::changed, fmri, "", "", {}}}))
      out += c->uuid;
    return out;
  }
  Inventory inventory;
  CaseBook book{inventory};
};

TEST_F(Concerned, OnlyThoseThatTheChangeTouches) {
  EXPECT_EQ(concerned("disk1"), "1");
  EXPECT_EQ(concerned("vdev2"), "2");
  EXPECT_EQ(concerned("bay1"), "1");
  EXPECT_EQ(concerned("shelf"), "12") << "what lies in it";
  EXPECT_EQ(concerned("fan"), "");
}

TEST_F(Concerned, AnotherDiskInTheBay) {
  put(resource("bay1", {{Relation::contains, "new"}}));
  EXPECT_EQ(concerned("new"), "1");
  EXPECT_EQ(concerned("bay1"), "1") << "that held its disk";
}

TEST_F(Concerned, WhatMayTellTheUnknownDisk) {
  EXPECT_EQ(concerned("disk3"), "3");
  EXPECT_EQ(concerned("pool"), "3") << "others know theirs";
  Case& c = *book.find("3");
  c.suspects[0].fru = "disk3";
  book.touch(c);
  EXPECT_EQ(concerned("pool"), "");
  book.resolve(c, "resolved", "");
  EXPECT_EQ(concerned("disk3"), "");
}

TEST(SamePart, IsWhatIsDisabledBrokenOrReplaced) {
  const auto suspect = [](const std::string& resource, const std::string& fru) {
    Suspect s;
    s.resource = s.asru = resource;
    s.fru = fru;
    return s;
  };
  const Suspect vdev = suspect("vdev", "disk"), disk = suspect("disk", "");
  EXPECT_TRUE(same_part(vdev, suspect("vdev", "")));
  EXPECT_TRUE(same_part(vdev, disk));
  EXPECT_TRUE(same_part(disk, vdev));
  EXPECT_TRUE(same_part(vdev, suspect("other", "disk")));
  EXPECT_FALSE(same_part(suspect("a", ""), suspect("b", ""))) << "unknown is not the same";
}

}  // namespace
}  // namespace fmd
