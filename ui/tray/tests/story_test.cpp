// The window over the real fmd and its plugins on a simulated host, through the story of a failing disk:
// what the picture shows is what happened, and a click reaches the simulated machine's LED.
#include <gtest/gtest.h>

#include <QApplication>
#include <QDir>
#include <QDirIterator>
#include <QPushButton>
#include <QTest>
#include <functional>

#include "ui/tray/canvas.h"
#include "ui/tray/chassis_view.h"
#include "ui/tray/demo.h"
#include "ui/tray/window.h"

namespace fmd::tray {
namespace {

constexpr int kPatienceMs = 120'000;

class Story : public testing::Test {
 protected:
  void SetUp() override {
    QObject::connect(&demo_, &Demo::began, &demo_, [this](const QString& bus) {
      folder_ = QFileInfo(QString(bus).remove("unix:path=")).path();
      ui::Target target;
      target.bus = bus.toStdString();
      session_ = hosts_.add(target);
    });
    QObject::connect(&demo_, &Demo::ready, &demo_, [this] { ++told_; });
    QObject::connect(&demo_, &Demo::failed, &demo_, [this](const QString& why) { failed_ = why; });
    demo_.start(qEnvironmentVariable("FMD_SIMULATOR"), qEnvironmentVariable("FMD_BUILD"));
    window_.show();
    ASSERT_TRUE(until([this] { return told_ == 1 && session_ && session_->snapshot(); }));
    view_ = window_.findChild<ChassisView*>();
    ASSERT_NE(view_, nullptr);
    ASSERT_TRUE(until([this] { return view_->part(bay(4)) != nullptr; }));
  }

  bool until(const std::function<bool()>& so) {
    const bool was = QTest::qWaitFor([&] { return !failed_.isEmpty() || so(); }, kPatienceMs);
    EXPECT_EQ(failed_.toStdString(), "");
    return was && failed_.isEmpty();
  }
  bool step() {
    const int before = told_;
    demo_.next();
    return until([&] { return told_ > before; });
  }
  QString bay(int n) const {
    for (const auto& [fmri, resource] : session_->snapshot()->inventory.all())
      if (resource.type == "bay" && resource.get("label") == "SLOT 0" + std::to_string(n))
        return QString::fromStdString(fmri);
    return {};
  }
  scene::PartState state(int n) const { return view_->part(bay(n))->state; }
  QColor ground(int n) {
    const QRectF at = view_->place(bay(n));
    return view_->viewport()->grab().toImage().pixelColor(
        QPoint(static_cast<int>(at.left() + at.width() * 0.03),
               static_cast<int>(at.top() + at.height() * 0.12)));
  }
  QPushButton* button(const QString& text) {
    for (QPushButton* one : window_.findChildren<QPushButton*>())
      if (one->isVisible() && QString(one->text()).remove('&').startsWith(text)) return one;
    return nullptr;
  }
  // The simulated sysfs itself: how many slots have that LED on.
  int lit(const QString& led) const {
    int count = 0;
    for (QDirIterator it(folder_ + "/host/sys/devices", {led}, QDir::Files,
                         QDirIterator::Subdirectories);
         it.hasNext();) {
      QFile file(it.next());
      if (file.open(QIODevice::ReadOnly)) count += file.readAll().trimmed() == "1";
    }
    return count;
  }

  QString folder_, failed_;
  int told_ = 0;
  Demo demo_;
  Hosts hosts_;
  Session* session_ = nullptr;
  Window window_{hosts_};
  ChassisView* view_ = nullptr;
};

TEST_F(Story, AFailingDiskFromTheFirstErrorToTheNewOne) {
  ASSERT_TRUE(until([&] { return state(4) == scene::PartState::ok; }));
  ASSERT_TRUE(step()) << "garbage";
  EXPECT_EQ(state(4), scene::PartState::ok) << "nobody has noticed";
  ASSERT_TRUE(step()) << "scrub";
  ASSERT_TRUE(until([&] { return state(4) == scene::PartState::faulted; }));
  EXPECT_TRUE(until([&] { return ground(4) == qt_colour(scene::Ink::faulted, view_->theme()); }));

  QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, view_->place(bay(4)).center().toPoint());
  ASSERT_NE(button("Locate"), nullptr);
  QTest::mouseClick(button("Locate"), Qt::LeftButton);
  EXPECT_TRUE(until([&] { return lit("locate") == 1; }));
  ASSERT_TRUE(until([&] { return view_->part(bay(4))->locate == scene::Light::on; }));
  const QImage now = view_->viewport()->grab().toImage();
  EXPECT_TRUE(until([&] { return view_->viewport()->grab().toImage() != now; })) << "it blinks";

  double first = -1;
  EXPECT_TRUE(until([&] {
    const auto progress = view_->part(bay(7))->progress;
    if (progress && first < 0) first = *progress;
    return progress && *progress > first;
  })) << "the spare's bar moves";
  ASSERT_TRUE(step()) << "pull";
  EXPECT_TRUE(until([&] { return view_->part(bay(4))->holds.empty(); }));
  ASSERT_TRUE(step()) << "insert";
  EXPECT_TRUE(until([&] { return session_->snapshot()->cases.empty(); }));
  EXPECT_TRUE(until([&] { return state(4) == scene::PartState::ok; }));
  EXPECT_TRUE(until([&] { return state(7) == scene::PartState::spare; }));
  EXPECT_EQ(lit("fault"), 0);
}

}  // namespace
}  // namespace fmd::tray

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  QApplication app(argc, argv);
  return RUN_ALL_TESTS();
}
