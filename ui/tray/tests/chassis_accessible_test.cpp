// The picture for assistive technology: names, states, positions, clicks, announced changes.
#include "ui/tray/chassis_accessible.h"

#include <QAccessible>
#include <QSignalSpy>
#include <algorithm>

#include "ui/tray/tests/desktop.h"

namespace fmd::tray::chassis_accessible_test {
namespace {

struct Told {
  QAccessible::Event what;
  QString name;
};
std::vector<Told> told;  // global, since the handler is a plain function

scene::Part part_of(const std::string& label, double x, scene::PartState state) {
  scene::Part part;
  part.fmri = "hc://chassis=c1/bay=" + label;
  part.label = "Slot " + label;
  part.says = part.label + ": a <disk>";
  part.state = state;
  part.box = {x, 5, 90, 30};
  return part;
}

scene::Scene shelf(std::vector<scene::Part> parts) {
  scene::Scene scene;
  scene.fmri = "hc://chassis=c1";
  scene.label = "Shelf A";
  scene.faces.push_back({"front", "Front", 400, 40, true, std::move(parts)});
  return scene;
}

std::vector<scene::Part> two(scene::PartState second = scene::PartState::ok) {
  return {part_of("1", 5, scene::PartState::ok), part_of("2", 100, second)};
}

class ChassisAccessibleTest : public testing::Test {
 protected:
  void SetUp() override {
    view_.resize(800, 300);
    view_.show_scenes({shelf(two())});
    view_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&view_));
    picture_ = dynamic_cast<ChassisAccessible*>(QAccessible::queryAccessibleInterface(&view_));
    ASSERT_NE(picture_, nullptr);
    // In a test Qt announces nothing.
    picture_->tell_to([](QAccessibleEvent* event) {
      const QAccessibleInterface* of = event->accessibleInterface();
      told.push_back({event->type(), of->role() == QAccessible::ListItem
                                         ? of->text(QAccessible::Name)
                                         : QString("the picture")});
    });
    told.clear();
  }
  static qsizetype times(QAccessible::Event what, const QString& name) {
    return std::count_if(told.begin(), told.end(),
                         [&](const Told& one) { return one.what == what && one.name == name; });
  }

  ChassisView view_;
  ChassisAccessible* picture_ = nullptr;
};

TEST_F(ChassisAccessibleTest, EachPartHasANameAStateAndAPlace) {
  view_.show_scenes({shelf(two(scene::PartState::faulted))});
  EXPECT_EQ(picture_->text(QAccessible::Name), "Picture of the chassis");
  ASSERT_EQ(picture_->childCount(), 2);
  QAccessibleInterface* second = picture_->child(1);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->text(QAccessible::Name), "Slot 2, needs attention");
  EXPECT_EQ(second->text(QAccessible::Description), "Slot 2: a <disk>");
  EXPECT_EQ(second->parent(), picture_);
  EXPECT_EQ(picture_->indexOfChild(second), 1);
  EXPECT_EQ(picture_->child(1), second) << "the same for ever";
  EXPECT_EQ(picture_->child(2), nullptr);
  const QRectF place = view_.place("hc://chassis=c1/bay=2");
  EXPECT_EQ(second->rect().center(), view_.viewport()->mapToGlobal(place.toAlignedRect().center()));
  EXPECT_EQ(picture_->childAt(second->rect().center().x(), second->rect().center().y()), second);
  EXPECT_FALSE(second->state().selected);
  EXPECT_FALSE(second->state().offscreen);
  view_.select("hc://chassis=c1/bay=2");
  EXPECT_TRUE(second->state().selected);
  EXPECT_FALSE(picture_->child(0)->state().selected);
  view_.hide();
  EXPECT_TRUE(second->state().invisible);
}

TEST_F(ChassisAccessibleTest, WithSeveralFacesEachPartSaysOnWhichItIs) {
  scene::Scene other = shelf({part_of("7", 5, scene::PartState::empty)});
  other.label = "Shelf B";
  view_.show_scenes({shelf(two()), other});
  ASSERT_EQ(picture_->childCount(), 3);
  EXPECT_EQ(picture_->child(2)->text(QAccessible::Description), "Shelf B, Front: Slot 7: a <disk>");
  EXPECT_EQ(picture_->indexOfChild(picture_->child(2)), 2);
}

TEST_F(ChassisAccessibleTest, ItsPressIsAClick) {
  QSignalSpy picked(&view_, &ChassisView::picked), clicked(&view_, &ChassisView::clicked);
  QAccessibleActionInterface* actions = picture_->child(1)->actionInterface();
  ASSERT_NE(actions, nullptr);
  ASSERT_TRUE(actions->actionNames().contains(QAccessibleActionInterface::pressAction()));
  actions->doAction(QAccessibleActionInterface::pressAction());
  EXPECT_EQ(view_.selected(), "hc://chassis=c1/bay=2");
  EXPECT_EQ(picked.count(), 1);
  EXPECT_EQ(clicked.count(), 1);
}

TEST_F(ChassisAccessibleTest, WhatChangesIsTold) {
  QAccessibleInterface* second = picture_->child(1);
  view_.show_scenes({shelf(two())});
  EXPECT_EQ(times(QAccessible::NameChanged, "Slot 2, watched, healthy"), 0)
      << "nothing has changed";
  view_.show_scenes({shelf(two(scene::PartState::faulted))});
  EXPECT_EQ(times(QAccessible::NameChanged, "Slot 2, needs attention"), 1);
  view_.select("hc://chassis=c1/bay=2");
  EXPECT_EQ(times(QAccessible::StateChanged, "Slot 2, needs attention"), 1);
  view_.setFocus();
  ASSERT_TRUE(QTest::qWaitFor([&] { return view_.hasFocus(); }, kPatienceMs));
  EXPECT_GE(times(QAccessible::Focus, "Slot 2, needs attention"), 1);
  EXPECT_EQ(picture_->focusChild(), second);
  EXPECT_TRUE(second->state().focused);
}

TEST_F(ChassisAccessibleTest, APartThatIsGoneIsTakenBackAndMayComeAgain) {
  QAccessibleInterface* second = picture_->child(1);
  const QAccessible::Id id = QAccessible::uniqueId(second);
  picture_->child(0);
  told.clear();
  view_.show_scenes({shelf({part_of("1", 5, scene::PartState::ok)})});
  EXPECT_EQ(times(QAccessible::ObjectDestroyed, "Slot 2, watched, healthy"), 1);
  EXPECT_EQ(times(QAccessible::ObjectDestroyed, "Slot 1, watched, healthy"), 0);
  EXPECT_EQ(times(QAccessible::ObjectReorder, "the picture"), 1);
  EXPECT_EQ(QAccessible::accessibleInterface(id), nullptr);
  EXPECT_EQ(picture_->childCount(), 1);
  view_.show_scenes({});
  EXPECT_EQ(picture_->childCount(), 0);
  EXPECT_EQ(picture_->child(0), nullptr);
  view_.show_scenes({shelf(two(scene::PartState::spare))});
  ASSERT_NE(picture_->child(1), nullptr);
  EXPECT_EQ(picture_->child(1)->text(QAccessible::Name), "Slot 2, spare");
}

TEST_F(ChassisAccessibleTest, NothingIsToldOfAViewThatIsGone) {
  auto* other = new ChassisView;
  other->show_scenes({shelf(two())});
  QAccessibleInterface* picture = QAccessible::queryAccessibleInterface(other);
  const QAccessible::Id id = QAccessible::uniqueId(picture->child(0));
  ASSERT_NE(QAccessible::accessibleInterface(id), nullptr);
  delete other;
  EXPECT_EQ(QAccessible::accessibleInterface(id), nullptr);
}

}  // namespace
}  // namespace fmd::tray::chassis_accessible_test
