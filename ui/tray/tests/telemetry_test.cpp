// Readings over time: two in one chart, a step down by a click or a key, what the pointer tells, faults on the time axis, and
// a chart that is not of now.
#include "ui/tray/telemetry.h"

#include <QComboBox>
#include <QToolTip>
#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>

#include "ui/tray/canvas.h"
#include "ui/tray/line_list.h"
#include "ui/tray/tests/desktop.h"
#include "ui/tray/time_chart.h"

namespace fmd::tray {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Where a line of that colour goes from top to bottom, dashed or not.
std::vector<int> columns_of(const QImage& image, const QColor& colour) {
  std::vector<int> found;
  for (int x = 0; x < image.width(); ++x) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y) count += image.pixel(x, y) == colour.rgb();
    // The line is two pixels wide.
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
    doc["cases"][1]["solved"] = (now - 1800) * kSecond;  // the one of severity Major
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
  qsizetype lines() const { return chart_->chart()->series().size(); }
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
  // Of the first line.
  QPointF place_of(qsizetype point) const {
    auto* line = static_cast<QLineSeries*>(chart_->chart()->series()[0]);
    return chart_->chart()->mapToPosition(line->points()[point], line);
  }
  void point_at(const QPointF& at) {
    QMouseEvent move(QEvent::MouseMove, at, chart_->viewport()->mapToGlobal(at), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(chart_->viewport(), &move);
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
  EXPECT_EQ(chart_->chart()->title(), "Temperature and SMART attribute 5");
  std::map<QString, double> reaches;
  for (QAbstractAxis* axis : chart_->chart()->axes(Qt::Vertical))
    reaches[axis->titleText()] = static_cast<QValueAxis*>(axis)->max();
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
  EXPECT_TRUE(until([this] { return chart_->chart()->title() == "Temperature"; }));
  EXPECT_EQ(chart_->chart()->axes(Qt::Vertical).size(), 1);
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
  const QRectF area = chart_->chart()->plotArea();
  point_at(area.bottomRight() - QPointF(5, 5));
  EXPECT_TRUE(until([] { return !QToolTip::isVisible(); })) << "no line is there";
  QTest::mouseClick(chart_->viewport(), Qt::LeftButton, {},
                    (area.bottomRight() - QPointF(5, 5)).toPoint());
  EXPECT_FALSE(view_->isVisible());
  QTest::mouseClick(chart_->viewport(), Qt::LeftButton, {}, place_of(1).toPoint());
  EXPECT_TRUE(view_->isVisible());
  EXPECT_EQ(view_->selected().toStdString(), bay(1));
  EXPECT_FALSE(chart_->chart()->isZoomed());
}

TEST_F(TelemetryPage, ADragZooms) {
  const QPoint from = chart_->chart()->plotArea().center().toPoint();
  QTest::mousePress(chart_->viewport(), Qt::LeftButton, {}, from);
  const QPointF to = from + QPoint(120, 4);
  QMouseEvent move(QEvent::MouseMove, to, chart_->viewport()->mapToGlobal(to), Qt::NoButton,
                   Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(chart_->viewport(), &move);
  QTest::mouseRelease(chart_->viewport(), Qt::LeftButton, {}, to.toPoint());
  EXPECT_TRUE(chart_->chart()->isZoomed());
  EXPECT_FALSE(view_->isVisible()) << "nothing was clicked";
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

TEST(Chart, MarksStandWhereTheirTimeIs) {
  ChartLine line{"part", "Slot 1", "celsius", {}, 0, "temperature_celsius"};
  for (int minute = 0; minute <= 60; ++minute)
    line.points.emplace_back(minute * 60 * kSecond, 30 + minute % 7);
  TimeChart chart;
  chart.resize(900, 400);
  chart.show();
  const auto seen = [&](const QColor& colour) {
    QTest::qWait(0);
    return columns_of(chart.grab().toImage(), colour);
  };
  chart.show_lines({line}, {}, "Temperature");
  EXPECT_TRUE(seen(kGrave).empty());
  chart.show_lines({line},
                   {{1800 * kSecond, "Disk fails", true},
                    {2700 * kSecond, "Disk is slow", false},
                    {7200 * kSecond, "Later than all of it", true}},
                   "Temperature");
  const auto grave = seen(kGrave), minor = seen(kMinor);
  const QRectF area = chart.chart()->plotArea();
  ASSERT_EQ(grave.size(), 1u);
  ASSERT_EQ(minor.size(), 1u);
  EXPECT_NEAR(grave[0], area.left() + area.width() / 2, 3);
  EXPECT_NEAR(minor[0], area.left() + area.width() * 3 / 4, 3);
}

}  // namespace
}  // namespace fmd::tray
