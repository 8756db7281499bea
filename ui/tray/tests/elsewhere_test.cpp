// Parts without a picture (card, expander, pool, array): their problems still lead to a page.
#include <QStatusBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include "ui/tray/canvas.h"
#include "ui/tray/fleet.h"
#include "ui/tray/pools.h"
#include "ui/tray/tests/desktop.h"

namespace fmd::tray {
namespace {

constexpr const char* kSlot = "hc://system=c1/pcislot=5";
constexpr const char* kHba = "dev://pci=0000:02:00.0";
constexpr const char* kExpander = "dev://sas=500a";

json made(const char* fmri, const char* type, json properties, json edges = json::array()) {
  return {{"fmri", fmri}, {"type", type}, {"properties", properties}, {"edges", edges}};
}

json edge(const char* relation, const std::string& to) {
  return {{"relation", relation}, {"to", to}};
}

json case_of(const std::string& part) {
  json c = open_case(8, "Critical", "The card fails");
  c["suspects"][0] = {{"class", "fault.io.pci.device"},
                      {"resource", part},
                      {"fru", part},
                      {"status", "faulty"},
                      {"certainty", 100}};
  return c;
}

class Elsewhere : public Desktop {
 protected:
  json known() const override {
    json doc = fixture();
    for (const json& one :
         {made("hc://system=c1", "system", {{"id", "c1"}}),
          made(kSlot, "pci-slot", {{"label", "SLOT5"}}, json::array({edge("contains", kHba)})),
          made(kHba, "hba",
               {{"vendor", "Broadcom"},
                {"model", "SAS<3008>"},
                {"firmware", "16.00.12"},
                {"class_name", "SAS controller"}},
               json::array({edge("path", kExpander)})),
          made(kExpander, "expander", {{"name", "expander-0:0"}},
               json::array({edge("path", "dev://wwn=3"), edge("path", "dev://wwn=4")})),
          made("md://uuid=1", "md-array",
               {{"name", "md0"},
                {"level", "raid1"},
                {"health", "degraded"},
                {"scan", "resilver"},
                {"scan_percent", 42.0}},
               json::array({edge("redundancy", "md://uuid=1/disk=1"),
                            edge("redundancy", "md://uuid=1/missing=1")})),
          made("md://uuid=1/disk=1", "md-member", {{"name", "sda1"}, {"state", "in-sync"}},
               json::array({edge("redundancy", "dev://wwn=1")})),
          made("md://uuid=1/missing=1", "md-member", {{"name", "?"}, {"state", "missing"}}),
          made("btrfs://fsid=1", "btrfs", {{"name", "data"}, {"devices", 2}, {"missing", 1}},
               json::array({edge("redundancy", "btrfs://fsid=1/dev=1")})),
          made("btrfs://fsid=1/dev=1", "btrfs-device",
               {{"name", "sdb"}, {"state", "ok"}, {"io_errors", 3}, {"corruption_errors", 1}},
               json::array({edge("redundancy", "dev://wwn=2")})),
          made(
              "dm://uuid=LVM-1", "lvm-volume",
              {{"name", "vg0-data"}, {"level", "raid1"}, {"health", "optimal"}},
              json::array({edge("redundancy", "dev://wwn=3"), edge("redundancy", "dev://wwn=4")}))})
      doc["resources"].push_back(one);
    return doc;
  }
  QColor ground_of(const char* part) {
    const QRectF at = view_->place(part);
    return view_->viewport()->grab().toImage().pixelColor(
        QPoint(static_cast<int>(at.left() + at.width() * 0.03),
               static_cast<int>(at.top() + at.height() * 0.12)));
  }
  QString row(const QString& name) {
    auto* tree = window_->findChild<Pools*>()->findChild<QTreeWidget*>();
    for (QTreeWidgetItemIterator it(tree); *it; ++it)
      if ((*it)->text(0) == name) {
        QStringList all;
        for (int column = 1; column < tree->columnCount(); ++column) all << (*it)->text(column);
        return all.join('|');
      }
    return "no such row";
  }
};

TEST_F(Elsewhere, AProblemOfACardIsInItsSlot) {
  ASSERT_NE(ground_of(kSlot), qt_colour(scene::Ink::faulted, view_->theme()));
  order({{"case", case_of(kHba)}, {"event", "diagnosed"}});
  ASSERT_TRUE(
      until([&] { return ground_of(kSlot) == qt_colour(scene::Ink::faulted, view_->theme()); }));
  problems_->select(QString::fromStdString(case_of(kHba)["uuid"]));
  page<Problems>("Problems");
  QTest::mouseClick(button("Show the part"), Qt::LeftButton);
  EXPECT_EQ(view_->selected(), kSlot);
  EXPECT_TRUE(view_->isVisible());
  for (const char* fact : {"SLOT5", "Broadcom", "SAS<3008>", "16.00.12", "SAS controller"})
    EXPECT_TRUE(says(fact)) << fact;
  EXPECT_TRUE(says_link("The card fails"));
  EXPECT_NE(button("Mark repaired"), nullptr) << "the card is what is accused";
}

TEST_F(Elsewhere, AnExpanderIsTheBaysThatDependOnIt) {
  view_->select({});
  const auto picture = [&](int n) {
    const int grown = n == 2 ? 0 : 3;  // to the outline; a neighbour's reaches as far
    const QRect at = view_->place(QString::fromStdString(bay(n))).toRect();
    return view_->viewport()->grab(at.adjusted(-grown, -grown, grown, grown)).toImage();
  };
  const QImage second = picture(2), third = picture(3), fourth = picture(4);
  window_->show_part(session_, kExpander);
  EXPECT_TRUE(view_->isVisible());
  EXPECT_NE(picture(3), third);
  EXPECT_NE(picture(4), fourth);
  EXPECT_EQ(picture(2), second);
  EXPECT_EQ(view_->selected(), "");
  EXPECT_EQ(window_->statusBar()->currentMessage(),
            "expander-0:0 is in no picture: the bays that depend on it are outlined");
}

TEST_F(Elsewhere, APoolIsOnItsPage) {
  for (const auto& [part, name] : {std::pair{"zfs://pool=1", "tank"},
                                   {"md://uuid=1", "md0 (md, raid1)"},
                                   {"md://uuid=1/missing=1", "?"}}) {
    page<Problems>("Problems");
    window_->show_part(session_, part);
    auto* pools = window_->findChild<Pools*>();
    EXPECT_TRUE(pools->isVisible()) << part;
    const QTreeWidgetItem* current = pools->findChild<QTreeWidget*>()->currentItem();
    ASSERT_NE(current, nullptr) << part;
    EXPECT_EQ(current->text(0), name);
  }
  window_->show_part(session_, "zfs://pool=1/vdev=3");
  EXPECT_EQ(view_->selected().toStdString(), bay(3)) << "a leaf is its disk";
}

TEST_F(Elsewhere, ArraysFileSystemsAndVolumesAreListedWithThePools) {
  page<Pools>("Pools");
  EXPECT_TRUE(row("md0 (md, raid1)").startsWith("degraded||||rebuild, 42.0 % done"))
      << row("md0 (md, raid1)").toStdString();
  EXPECT_EQ(row("sda1"), "in-sync|Slot 1|S1||");
  EXPECT_EQ(row("?"), "missing||||");
  EXPECT_EQ(row("data (btrfs)"), "1 device(s) missing||||");
  EXPECT_EQ(row("sdb"), "ok|Slot 2|S2|3 I/O, 1 checksum|Disk returns wrong data")
      << "and what it is accused of";
  EXPECT_EQ(row("vg0-data (LVM, raid1)"), "optimal||||");
  const auto tiles = window_->findChild<Fleet*>()->findChildren<QToolButton*>();
  ASSERT_EQ(tiles.size(), 1);
  EXPECT_TRUE(tiles[0]->accessibleDescription().contains("md0: rebuild, 42 %\n"))
      << tiles[0]->accessibleDescription().toStdString();
}

}  // namespace
}  // namespace fmd::tray
