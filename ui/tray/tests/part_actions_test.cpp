// Actions on a part: each button, its question, and the resulting call.
#include <QCheckBox>
#include <QMessageBox>
#include <QStatusBar>
#include <QTimer>

#include "ui/tray/part_actions.h"
#include "ui/tray/tests/desktop.h"

namespace fmd::tray {
namespace {

struct Left {
  const char* what;
  Properties properties;
  const char* says;
};

TEST(Consequence, IsWhatThePluginsTell) {
  const Left all[] = {
      {"raidz2",
       {{"losses_left", int64_t{1}}, {"losses_group", std::string("raidz2-0")}},
       "raidz2-0 will survive 1 more loss(es)."},
      {"raidz1",
       {{"losses_left", int64_t{0}}, {"losses_group", std::string("raidz1-0")}},
       "raidz1-0 will survive no further loss."},
      {"a mirror of md",
       {{"losses_left", int64_t{0}}, {"losses_group", std::string("md0 (<b>)")}},
       "md0 (<b>) will survive no further loss."},
      {"a log device", {{"role", std::string("log")}}, "The pool goes on without its log device."},
      {"an fmd that does not tell yet",
       {{"vdev_type", std::string("disk")}},
       "How many more losses its group will survive is unknown."}};
  for (const Left& one : all) {
    Resource vdev;
    for (const auto& [name, value] : one.properties) vdev.properties[name] = value;
    EXPECT_EQ(consequence_of(vdev).toStdString(), one.says) << one.what;
  }
}

class Actions : public Desktop {
 protected:
  json known() const override {
    json doc = fixture();
    // The fourth disk is degraded, and its case also suspects the first one.
    for (json& r : doc["resources"])
      if (r["fmri"] == "zfs://pool=1/vdev=4") r["properties"]["service"] = "degraded";
    json both = open_case(4, "Major", "One of two");
    json other = open_case(1, "Major", "")["suspects"][0];
    both["suspects"][0]["certainty"] = other["certainty"] = 50;
    both["suspects"].push_back(other);
    doc["cases"].push_back(both);
    return doc;
  }
  // Returns the question; "" if none. meanwhile: called while the question is open.
  QString press(const QString& name, QMessageBox::StandardButton answer,
                const std::function<void(QMessageBox&)>& meanwhile = {}) {
    QPushButton* pressed = button(name);
    EXPECT_NE(pressed, nullptr) << name.toStdString();
    if (!pressed) return {};
    QString asked;
    QTimer::singleShot(0, qApp, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (!box) return;
      asked = box->text() + " " + box->informativeText();
      const QPointer<QMessageBox> there = box;
      if (meanwhile) meanwhile(*box);
      if (there) there->button(answer)->click();
    });
    QTest::mouseClick(pressed, Qt::LeftButton);
    QTest::qWait(0);
    return asked;
  }
  QByteArray changes() { return order({{"changes", true}}); }
  bool done(const std::string& change) {
    return until([&] { return changes().contains(("\"" + change + " by ").c_str()); });
  }
  static std::string uuid(int n) { return open_case(n, "", "")["uuid"]; }
};

TEST_F(Actions, RepairedReplacedAndAcquittedNameTheCaseAndThePart) {
  click(bay(2));
  EXPECT_TRUE(press("Mark repaired", QMessageBox::Cancel).contains("Disk returns wrong data"));
  EXPECT_EQ(changes(), "[]\n") << "it was cancelled";
  press("Mark repaired", QMessageBox::Yes);
  EXPECT_TRUE(done("judge repaired [" + uuid(2) + "] [dev://wwn=2]"));
  press("Mark replaced", QMessageBox::Yes);
  EXPECT_TRUE(done("judge replaced [" + uuid(2) + "] [dev://wwn=2]"));
  press("Mark replaced", QMessageBox::Yes, [](QMessageBox& box) { box.checkBox()->click(); });
  EXPECT_TRUE(done("judge replaced [" + uuid(2) + "] [dev://wwn=2] forced"));
  click(bay(4));
  EXPECT_TRUE(press("Acquit", QMessageBox::Yes).contains("The other suspects stay accused."));
  EXPECT_TRUE(done("judge acquitted [" + uuid(4) + "] [dev://wwn=4]")) << "the other one is not";
}

// The question contains the case's title.
TEST_F(Actions, AQuestionIsTextAndNoMarkup) {
  click(bay(3));
  press("Mark repaired", QMessageBox::Cancel, [](QMessageBox& box) {
    EXPECT_TRUE(box.informativeText().contains("<b>slow</b> & old"));
    for (const QLabel* label : box.findChildren<QLabel*>())
      EXPECT_EQ(label->textFormat(), Qt::PlainText) << label->text().toStdString();
  });
}

TEST_F(Actions, OutAndInOfOneThatIsDegraded) {
  click(bay(4));
  press("Take out of service", QMessageBox::Yes);
  EXPECT_TRUE(done("retire [zfs://pool=1/vdev=4] out-of-service")) << changes().constData();
  EXPECT_TRUE(
      press("Put back into service", QMessageBox::Cancel).contains("still held to be faulty"));
  EXPECT_FALSE(changes().contains("restore"));
  press("Put back into service", QMessageBox::Yes);
  EXPECT_TRUE(done("restore [zfs://pool=1/vdev=4]")) << changes().constData();
  click(bay(1));
  EXPECT_EQ(button("Put back into service"), nullptr) << "it is in service";
  press("Start a short self-test", QMessageBox::NoButton);
  EXPECT_TRUE(done("self-test [dev://wwn=1] short")) << changes().constData();
}

// The answer is about the case in the question, whatever was read meanwhile.
TEST_F(Actions, YesIsToWhatWasAsked) {
  click(bay(2));
  press("Mark repaired", QMessageBox::Yes, [&](QMessageBox&) {
    json other = open_case(2, "Critical", "Something else");
    other["uuid"] = "11111111-6c1c-4a52-9d6e-2f9d6f0a7a12";
    json over = open_case(2, "Major", "Disk returns wrong data");
    over["state"] = "RESOLVED";
    order({{"case", over}, {"event", "resolved"}});
    order({{"case", other}, {"event", "diagnosed"}});
    EXPECT_TRUE(until([&] { return says_link("Something else"); }));
  });
  EXPECT_TRUE(done("judge repaired [" + uuid(2) + "] [dev://wwn=2]")) << changes().constData();
  EXPECT_FALSE(changes().contains("11111111"));
}

TEST_F(Actions, AHostRemovedWhileItIsAskedAboutTakesTheQuestionAlong) {
  click(bay(2));
  bool gone = false;
  press("Mark repaired", QMessageBox::Yes, [&](QMessageBox& box) {
    const QPointer<QMessageBox> there = &box;
    hosts_->remove(session_);
    gone = there.isNull();
  });
  EXPECT_TRUE(gone);
  EXPECT_EQ(changes(), "[]\n");
}

class Refused : public Actions {
 protected:
  void SetUp() override {
    Actions::SetUp();
    if (HasFatalFailure()) return;
    stop(daemon_);
    ASSERT_TRUE(until([&] { return !session_->connected(); }));
    start_daemon({"--polkit", "refuse", "--polkit-for-all"});
    ASSERT_TRUE(until([&] { return session_->connected(); }));
  }
  void expect_refusal_of(const QString& what) {
    const auto said = [&] { return window_->statusBar()->currentMessage(); };
    EXPECT_TRUE(until([&] { return said().startsWith(what + " failed: "); }))
        << what.toStdString() << ": " << said().toStdString();
    EXPECT_TRUE(said().contains("not allow")) << said().toStdString();
    window_->statusBar()->clearMessage();
  }
};

TEST_F(Refused, EachRefusalIsShown) {
  const struct {
    int bay;
    const char *button, *what;
  } all[] = {{1, "Locate", "Locate"},
             {1, "Take out of service", "Take out of service"},
             {1, "Start a short self-test", "Self-test"},
             {2, "Mark repaired", "Mark repaired"},
             {2, "Mark replaced", "Mark replaced"},
             {4, "Acquit", "Acquit"},
             {4, "Put back into service", "Put back into service"}};
  for (const auto& one : all) {
    click(bay(one.bay));
    press(one.button, QMessageBox::Yes);
    expect_refusal_of(one.what);
  }
  page<Problems>("Problems");
  QTest::mouseClick(button("Acknowledge"), Qt::LeftButton);
  expect_refusal_of("Acknowledge");
  EXPECT_EQ(changes(), "[]\n");
}

}  // namespace
}  // namespace fmd::tray
