// A chassis without a description, mapped by clicks, with the real bus server and a fake daemon.
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTimer>

#include "fmd/chassis/parse.h"
#include "ui/tray/map_helper.h"
#include "ui/tray/tests/desktop.h"
#include "ui/tray/tests/file_chooser.h"

namespace fmd::tray {
namespace {

// The four bays have no positions; the fourth has no LED.
class Mapping : public Desktop {
 protected:
  json known() const override {
    json doc = fixture();
    for (json& r : doc["resources"]) {
      json& properties = r["properties"];
      for (const char* name : {"view", "x_mm", "y_mm", "w_mm", "h_mm", "views"})
        properties.erase(name);
      if (r["fmri"] == kBox) properties["id"] = "c1";
      if (r["fmri"] == bay(4)) properties["led.locate"] = "cannot-drive";
    }
    return doc;
  }
  void SetUp() override {
    Desktop::SetUp();
    if (HasFatalFailure()) return;
    ASSERT_NE(button("Describe this chassis"), nullptr) << "it is offered";
    QTest::mouseClick(button("Describe this chassis"), Qt::LeftButton);
    helper_ = window_->findChild<MapHelper*>();
    ASSERT_NE(helper_, nullptr);
    places_ = helper_->findChild<ChassisView*>();
    ASSERT_TRUE(until([&] { return says("Bay 1 of 4 blinks."); }));
  }
  bool says(const QString& beginning) const {
    for (QLabel* label : helper_->findChildren<QLabel*>())
      if (label->text().startsWith(beginning)) return true;
    return false;
  }
  template <typename Widget>
  Widget* named(const QString& name) const {
    for (Widget* one : helper_->findChildren<Widget*>())
      if (one->accessibleName() == name) return one;
    return nullptr;
  }
  void click_place(const QString& cell) {
    QTest::mouseClick(places_->viewport(), Qt::LeftButton, {},
                      places_->place(cell).center().toPoint());
  }
  chassis::Description described() const {
    const auto text = helper_->description();
    EXPECT_TRUE(text) << text.error().text();
    const auto [description, errors] = chassis::parse({"own.toml", text.value_or("")});
    EXPECT_TRUE(errors.empty());
    return description.value_or(chassis::Description());
  }

  MapHelper* helper_ = nullptr;
  ChassisView* places_ = nullptr;
};

QByteArray content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

TEST_F(Mapping, AFileThatIsThereIsReplacedOnlyWhenAPersonSaysSo) {
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  QTemporaryDir folder;
  const QString path = folder.filePath("mine.toml");
  click_place("1 1");
  ASSERT_TRUE(until([&] { return says("Bay 2 of 4 blinks."); }));
  const auto save = [&](QMessageBox::StandardButton answer) {
    FileChooser chooser(folder.filePath("mine"), answer);  // without the suffix
    button("Save the description")->click();
    return chooser.asked();
  };
  EXPECT_EQ(save(QMessageBox::No), "") << "nothing is there to be replaced";
  const QByteArray first = content(path);
  EXPECT_TRUE(first.contains("[chassis]"));
  EXPECT_TRUE(says("Written."));
  click_place("1 2");
  ASSERT_TRUE(until([&] { return says("Bay 3 of 4 blinks."); }));
  EXPECT_TRUE(save(QMessageBox::No).contains("mine.toml")) << "it is asked";
  EXPECT_EQ(content(path), first);
  EXPECT_TRUE(save(QMessageBox::Yes).contains("mine.toml"));
  EXPECT_GT(content(path).count("Slot"), first.count("Slot"));
}

TEST_F(Mapping, AskedForTwiceThereIsOne) {
  helper_->setObjectName("the first");
  window_->raise();
  QTest::mouseClick(button("Describe this chassis"), Qt::LeftButton);
  ASSERT_EQ(window_->findChildren<MapHelper*>().size(), 1);
  EXPECT_EQ(window_->findChild<MapHelper*>()->objectName(), "the first");
  helper_->close();
  ASSERT_TRUE(until([&] { return window_->findChild<MapHelper*>() == nullptr; }));
  QTest::mouseClick(button("Describe this chassis"), Qt::LeftButton);
  EXPECT_NE(window_->findChild<MapHelper*>(), nullptr) << "a new one, from the beginning";
}

TEST_F(Mapping, ABayBlinksAndAClickSaysWhereItIs) {
  EXPECT_TRUE(order({{"held", true}}).contains(bay(1).c_str()));
  click_place("1 2");
  ASSERT_TRUE(until([&] { return says("Bay 2 of 4 blinks."); }));
  EXPECT_TRUE(until([&] {
    const QByteArray held = order({{"held", true}});
    return held.contains(bay(2).c_str()) && !held.contains(bay(1).c_str());
  })) << "one light at a time";
  auto* label = named<QLineEdit>("Its label");
  label->setText("HDD 1");
  click_place("1 2");
  EXPECT_TRUE(says("Another bay has that position"));
  click_place("1 1");
  ASSERT_TRUE(until([&] { return says("Bay 3 of 4 blinks."); }));
  const auto box = described();
  ASSERT_EQ(box.bays.size(), 2u);
  EXPECT_EQ(box.bays[0].label, "Slot 1");
  EXPECT_EQ(box.bays[1].label, "HDD 1");
  EXPECT_EQ(box.bays[0].view, "front");
  EXPECT_GT(*box.bays[0].box.x, *box.bays[1].box.x) << "it was clicked to the right of it";
  EXPECT_EQ(box.applies_to, "shelf");
}

TEST_F(Mapping, WithoutALightItIsFoundByItsSerialOrByPullingIt) {
  for (int n = 1; n <= 3; ++n) {
    ASSERT_TRUE(until([&] { return says(QString("Bay %1 of 4 blinks.").arg(n)); }));
    QTest::mouseClick(button("Skip"), Qt::LeftButton);
  }
  ASSERT_TRUE(says("Bay 4 of 4 does not blink"));
  EXPECT_TRUE(says("It is known as Slot 4 and holds")) << "by its serial";
  EXPECT_TRUE(until([&] {
    return !order({{"held", true}}).contains("bay=");
  })) << "no light is left on";
  json empty = known()["resources"][3];
  ASSERT_EQ(empty["fmri"], bay(2));
  empty["edges"] = json::array();
  order({{"resource", empty}});
  EXPECT_TRUE(until([&] { return says("Its disk was just pulled: Bay 2 of 4"); }));
  click_place("1 3");
  EXPECT_EQ(described().bays.at(0).label, "Slot 2");
}

TEST_F(Mapping, ALightThatIsRefusedIsSaid) {
  stop(daemon_);
  ASSERT_TRUE(until([&] { return !session_->connected(); }));
  start_daemon({"--polkit", "refuse", "--polkit-for-all"});
  ASSERT_TRUE(until([&] { return session_->connected(); }));
  click_place("1 1");
  EXPECT_TRUE(until([&] { return says("Bay 2 of 4 does not blink: "); }));
  EXPECT_EQ(order({{"held", true}}), "{}\n");
}

TEST_F(Mapping, BackTakesItBackAndTheWindowTakesTheLightAlong) {
  click_place("1 1");
  ASSERT_TRUE(until([&] { return says("Bay 2 of 4 blinks."); }));
  QTest::mouseClick(button("One back"), Qt::LeftButton);
  ASSERT_TRUE(until([&] { return says("Bay 1 of 4 blinks."); }));
  EXPECT_FALSE(helper_->description()) << "nothing is mapped";
  QTest::keyClick(places_, Qt::Key_Right);
  QTest::keyClick(places_, Qt::Key_Return);
  EXPECT_TRUE(until([&] { return says("Bay 2 of 4"); })) << "by keys too";
  helper_->close();
  EXPECT_TRUE(until([&] { return !order({{"held", true}}).contains("bay="); }));
}

TEST_F(Mapping, TheLastBaysDiskPulledFirstLeavesTheOthersToBePlaced) {
  json empty = known()["resources"][9];
  ASSERT_EQ(empty["fmri"], bay(4));
  empty["edges"] = json::array();
  order({{"resource", empty}});
  ASSERT_TRUE(until([&] { return says("Its disk was just pulled: Bay 4 of 4"); }));
  click_place("1 4");
  for (int n = 1; n <= 3; ++n) {
    ASSERT_TRUE(until([&] { return says(QString("Bay %1 of 4 blinks.").arg(n)); }));
    if (n == 2)
      QTest::mouseClick(button("Skip"), Qt::LeftButton);
    else
      click_place(QString("1 %1").arg(n));
  }
  ASSERT_TRUE(says("1 bay(s) were skipped.") || says("1 bay was skipped."));
  EXPECT_EQ(described().bays.size(), 3u);
  for (int back = 0; back < 2; ++back) QTest::mouseClick(button("One back"), Qt::LeftButton);
  EXPECT_TRUE(until([&] { return says("Bay 2 of 4 blinks."); })) << "the way it came";
}

class MappingOfAHost : public Mapping {
 protected:
  json known() const override {
    json doc = Mapping::known();
    doc["resources"].push_back({{"fmri", "hc://system=s1"},
                                {"type", "system"},
                                {"properties", {{"label", "store1"}, {"id", "s1"}}},
                                {"edges", json::array()}});
    return doc;
  }
};

TEST_F(MappingOfAHost, WhatWasPlacedIsNotDroppedUnasked) {
  click_place("1 1");
  ASSERT_TRUE(until([&] { return says("Bay 2 of 4 blinks."); }));
  QCheckBox* own = nullptr;
  for (QCheckBox* one : helper_->findChildren<QCheckBox*>()) own = one;
  ASSERT_NE(own, nullptr);
  ASSERT_TRUE(own->isVisible());
  const auto tick = [&](QMessageBox::StandardButton answer) {
    QTimer::singleShot(0, qApp, [answer] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_NE(box, nullptr) << "it asks";
      box->button(answer)->click();
    });
    own->click();
  };
  tick(QMessageBox::Cancel);
  EXPECT_FALSE(own->isChecked());
  EXPECT_EQ(described().bays.size(), 1u);
  tick(QMessageBox::Yes);
  EXPECT_TRUE(own->isChecked());
  EXPECT_FALSE(helper_->description()) << "from the beginning";
}

}  // namespace
}  // namespace fmd::tray
