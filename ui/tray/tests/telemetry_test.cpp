// Readings over time: two in one chart, drill-down by click or key, tooltips, faults on the time
// axis, and stale charts.
#include "ui/tray/telemetry.h"

#include <QComboBox>
#include <QToolTip>
#include <QWheelEvent>

#include "ui/tray/canvas.h"
#include "ui/tray/line_list.h"
#include "ui/tray/looks.h"
#include "ui/tray/tests/desktop.h"
#include "ui/tray/time_chart.h"

namespace fmd::tray {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Columns with a vertical line of that colour, dashed or not.
std::vector<int> columns_of(const QImage& image, const QColor& colour) {
  std::vector<int> found;
  for (int x = 0; x < image.width(); ++x) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y) count += image.pixel(x, y) == colour.rgb();
    // Two columns may belong to the same line, which is two pixels wide.
    if (count > image.height() / 4 && (found.empty() || x - found.back() > 2)) found.push_back(x);
  }
  return found;
}
const QColor kGrave = qt_colour(scene::Ink::faulted, scene::Theme::light);
const QColor kMinor = qt_colour(scene::Ink::degraded, scene::Theme::light);

class TelemetryPage : public Desktop {
 protected:
  json known() const override {
    json doc = fixture();
    const int64_t now = QDateTime::currentSecsSinceEpoch();
    json& celsius = doc["readings"]["series"][0];
    for (int n = 0; n < 4; ++n) celsius["points"][n]["time"] = (now - 3600 + 900 * n) * kSecond;
    doc["readings"]["to"] = now * kSecond;
    json counted = celsius;
    counted["name"] = "smart.attr.5";
    counted["unit"] = "count";
    for (json& point : counted["points"]) point["value"] = 7000;
    doc["readings"]["series"].push_back(counted);
    doc["cases"][1]["solved"] = (now - 1800) * kSecond;  // the case of severity Major
    return doc;
  }
  void SetUp() override {
    Desktop::SetUp();
    if (HasFatalFailure()) return;
    page_ = page<Telemetry>("Telemetry");
    chart_ = page_->findChild<TimeChart*>();
    list_ = page_->findChild<LineList*>();
    ASSERT_TRUE(until([this] { return lines() == 4; }));
  }
  size_t lines() const { return chart_->lines().size(); }
  QComboBox* choice(const QString& name) const {
    for (QComboBox* one : page_->findChildren<QComboBox*>())
      if (one->accessibleName() == name) return one;
    return nullptr;
  }
  void choose(const QString& name, const QString& text) {
    QComboBox* box = choice(name);
    ASSERT_NE(box, nullptr) << name.toStdString();
    ASSERT_GE(box->findText(text), 0) << text.toStdString();
    box->setCurrentIndex(box->findText(text));
  }
  // On the first line.
  QPointF place_of(size_t point) const { return chart_->place(chart_->lines()[0], point); }
  void point_at(const QPointF& at) {
    QMouseEvent move(QEvent::MouseMove, at, chart_->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(chart_, &move);
  }
  QStringList names() const {
    QStringList names;
    for (int i = 0; i < list_->count(); ++i) names << list_->item(i)->text();
    return names;
  }

  Telemetry* page_ = nullptr;
  TimeChart* chart_ = nullptr;
  LineList* list_ = nullptr;
};

TEST_F(TelemetryPage, TwoReadingsStandInOneChartEachWithItsAxis) {
  choose("Second reading", "SMART attribute 5");
  ASSERT_TRUE(until([this] { return lines() == 8; }));
  EXPECT_EQ(chart_->title(), "Temperature and SMART attribute 5");
  std::map<QString, double> reaches;
  for (const ValueAxis& axis : chart_->frame().axes()) reaches[axis.title] = axis.scale.most;
  ASSERT_EQ(reaches.size(), 2u);
  EXPECT_LT(reaches["Temperature (°C)"], 100);
  EXPECT_GE(reaches["SMART attribute 5"], 7000);
  EXPECT_TRUE(names().contains("Slot 1: Temperature  33 °C")) << names().join(" | ").toStdString();
  EXPECT_TRUE(names().contains("Slot 1: SMART attribute 5  7,000") ||
              names().contains("Slot 1: SMART attribute 5  7000"))
      << names().join(" | ").toStdString();
  choose("Reading", "SMART attribute 5");
  EXPECT_TRUE(until([this] { return lines() == 4; })) << "the same one twice is one";
  choose("Second reading", "no second reading");
  choose("Reading", "Temperature");
  EXPECT_TRUE(until([this] { return chart_->title() == "Temperature"; }));
  EXPECT_EQ(chart_->frame().axes().size(), 1u);
}

TEST_F(TelemetryPage, TheListOfLinesLeadsDownByKeysAndClicks) {
  EXPECT_EQ(names().value(0), "Slot 1  33 °C");
  choose("Broken down by", "by chassis");
  ASSERT_TRUE(until([this] { return list_->count() == 1; }));
  list_->setCurrentRow(0);
  QTest::keyClick(list_, Qt::Key_Return);
  EXPECT_EQ(choice("Broken down by")->currentText(), "by part");
  ASSERT_TRUE(until([this] { return list_->count() == 4; }));
  QTest::mouseClick(list_->viewport(), Qt::LeftButton, {},
                    list_->visualItemRect(list_->item(2)).center());
  EXPECT_TRUE(view_->isVisible());
  EXPECT_EQ(view_->selected().toStdString(), bay(3));
}

TEST_F(TelemetryPage, ThePointerTellsTheValueAndAClickGoesDown) {
  point_at(place_of(1) + QPointF(3, 5));
  EXPECT_TRUE(QToolTip::text().startsWith("<qt>Slot 1: 31 °C, ")) << QToolTip::text().toStdString();
  const QRectF area = chart_->frame().plot();
  point_at(area.bottomRight() - QPointF(5, 5));
  EXPECT_TRUE(until([] { return !QToolTip::isVisible(); })) << "no line is there";
  QTest::mouseClick(chart_, Qt::LeftButton, {}, (area.bottomRight() - QPointF(5, 5)).toPoint());
  EXPECT_FALSE(view_->isVisible());
  QTest::mouseClick(chart_, Qt::LeftButton, {}, place_of(1).toPoint());
  EXPECT_TRUE(view_->isVisible());
  EXPECT_EQ(view_->selected().toStdString(), bay(1));
  EXPECT_FALSE(chart_->zoomed());
}

TEST_F(TelemetryPage, ADragZooms) {
  const QPoint from = chart_->frame().plot().center().toPoint(), to = from + QPoint(120, 4);
  const TimeSpan chosen{chart_->frame().time_at(from.x()), chart_->frame().time_at(to.x())};
  QTest::mousePress(chart_, Qt::LeftButton, {}, from);
  QMouseEvent move(QEvent::MouseMove, to, chart_->mapToGlobal(QPointF(to)), Qt::NoButton,
                   Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(chart_, &move);
  QTest::mouseRelease(chart_, Qt::LeftButton, {}, to);
  EXPECT_TRUE(chart_->zoomed());
  EXPECT_EQ(chart_->view(), chosen);
  EXPECT_FALSE(view_->isVisible()) << "nothing was clicked";
  choose("Time", "The last day");
  EXPECT_FALSE(chart_->zoomed());
}

TEST_F(TelemetryPage, AFaultOfThatTimeIsMarked) {
  const auto marks = columns_of(chart_->grab().toImage(), kGrave);
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_NEAR(marks[0], place_of(2).x(), 3) << "half an hour ago, as the third value";
}

TEST_F(TelemetryPage, AChartThatIsNotOfNowSaysSo) {
  EXPECT_EQ(chart_->accessibleDescription(), "");
  const QImage live = chart_->grab().toImage();
  stop(daemon_);
  ASSERT_TRUE(until([this] { return !session_->connected(); }));
  EXPECT_TRUE(chart_->accessibleDescription().startsWith("Not connected: as of "));
  EXPECT_NE(chart_->grab().toImage(), live);
  EXPECT_TRUE(columns_of(chart_->grab().toImage(), kGrave).empty()) << "it is paled";
  start_daemon();
  EXPECT_TRUE(until([this] { return chart_->accessibleDescription().isEmpty(); }));
}

// Readings of ten days, but none from the third to the seventh.
ChartLine with_a_gap() {
  ChartLine line{"part", "Slot 1", "celsius", {}, 0, "temperature_celsius"};
  for (const int day : {0, 1, 7, 8, 9, 10})
    line.points.emplace_back(day * 86400 * kSecond, 30 + day % 2);
  return line;
}

class Chart : public testing::Test {
 protected:
  Chart() {
    chart_.resize(900, 400);
    chart_.show();
  }
  void turn_wheel(const QPoint& by) {
    const QPointF at = chart_.frame().plot().center();
    QWheelEvent wheel(at, chart_.mapToGlobal(at), {}, by, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&chart_, &wheel);
  }
  int64_t middle() const { return (chart_.view().from_ns + chart_.view().to_ns) / 2; }

  TimeChart chart_;
};

TEST_F(Chart, TheWheelZoomsAtThePointerAndPansSideways) {
  chart_.show_lines({with_a_gap()}, {}, "Temperature");
  const TimeSpan all = chart_.view();
  turn_wheel({0, 120});
  EXPECT_NEAR(static_cast<double>(chart_.view().length()), 0.8 * static_cast<double>(all.length()),
              kSecond);
  const int64_t before = middle();
  EXPECT_NEAR(static_cast<double>(before), static_cast<double>(all.to_ns) / 2, 1e3 * kSecond);
  turn_wheel({-120, 0});
  EXPECT_GT(middle(), before);
  for (int n = 0; n < 100; ++n) turn_wheel({-120, 0});
  EXPECT_EQ(chart_.view().to_ns, all.to_ns) << "nothing is beyond the last value";
  for (int n = 0; n < 100; ++n) turn_wheel({0, 120});
  EXPECT_EQ(chart_.view().length(), 10 * kSecond);
  QTest::keyClick(&chart_, Qt::Key_0);
  EXPECT_EQ(chart_.view(), all);
}

TEST_F(Chart, OtherLinesOfTheZoomedTimeStayZoomed) {
  chart_.show_lines({with_a_gap()}, {}, "Temperature");
  QTest::keyClick(&chart_, Qt::Key_Plus);
  const TimeSpan zoomed = chart_.view();
  ChartLine other = with_a_gap();
  other.points.emplace_back(11 * 86400 * kSecond, 35);
  chart_.show_lines({other}, {}, "Temperature");
  EXPECT_EQ(chart_.view(), zoomed);
  for (auto& [time, value] : other.points) time += 100 * 86400 * kSecond;
  chart_.show_lines({other}, {}, "Temperature");
  EXPECT_FALSE(chart_.zoomed()) << "nothing of it is in the zoomed time";
}

TEST_F(Chart, AnAxisFitsTheValuesInTheView) {
  ChartLine line = with_a_gap();
  line.points.back().second = 90;
  chart_.show_lines({line}, {}, "Temperature");
  EXPECT_GE(chart_.frame().axes()[0].scale.most, 90);
  QTest::keyClick(&chart_, Qt::Key_Plus);
  EXPECT_LT(chart_.frame().axes()[0].scale.most, 40);
}

TEST_F(Chart, AValueHoldsTwoDaysAndThenThereIsAGap) {
  chart_.show_lines({with_a_gap()}, {}, "Temperature");
  const QImage image = chart_.grab().toImage();
  const QColor line = line_colour(0, is_dark(chart_.palette()));
  const auto drawn = [&](double day) {
    const int x =
        static_cast<int>(chart_.frame().x_of(static_cast<int64_t>(day * 86400) * kSecond));
    for (int y = 0; y < image.height(); ++y)
      if (image.pixelColor(x, y) == line) return true;
    return false;
  };
  EXPECT_TRUE(drawn(0.5));
  EXPECT_TRUE(drawn(2.9));
  EXPECT_FALSE(drawn(3.1));
  EXPECT_FALSE(drawn(6.9));
  EXPECT_TRUE(drawn(7.5));
}

TEST_F(Chart, NothingIsDrawnOfNothing) {
  const QImage empty = chart_.grab().toImage();
  chart_.show_lines({}, {{0, "Disk fails", true}}, "");
  turn_wheel({0, 120});
  turn_wheel({120, 0});
  EXPECT_EQ(chart_.grab().toImage(), empty);
  EXPECT_FALSE(chart_.zoomed());
}

TEST_F(Chart, MarksStandWhereTheirTimeIs) {
  ChartLine line{"part", "Slot 1", "celsius", {}, 0, "temperature_celsius"};
  for (int minute = 0; minute <= 60; ++minute)
    line.points.emplace_back(minute * 60 * kSecond, 30 + minute % 7);
  const auto seen = [&](const QColor& colour) {
    QTest::qWait(0);
    return columns_of(chart_.grab().toImage(), colour);
  };
  chart_.show_lines({line}, {}, "Temperature");
  EXPECT_TRUE(seen(kGrave).empty());
  chart_.show_lines({line},
                    {{1800 * kSecond, "Disk fails", true},
                     {2700 * kSecond, "Disk is slow", false},
                     {7200 * kSecond, "Later than all of it", true}},
                    "Temperature");
  const auto grave = seen(kGrave), minor = seen(kMinor);
  const QRectF area = chart_.frame().plot();
  ASSERT_EQ(grave.size(), 1u);
  ASSERT_EQ(minor.size(), 1u);
  EXPECT_NEAR(grave[0], area.left() + area.width() / 2, 3);
  EXPECT_NEAR(minor[0], area.left() + area.width() * 3 / 4, 3);
}

}  // namespace
}  // namespace fmd::tray
