#include "ui/tray/part_history.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "ui/tray/sparkline.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr int64_t kWeekNs = 7 * 24 * 3600 * 1'000'000'000LL;
constexpr size_t kPoints = 60;
constexpr size_t kMostReadings = 8, kMostRows = 8;

// Those a person looks at first; the others are a click away.
const std::vector<std::string> kKeyReadings = {"temperature_celsius",
                                               "wear_percent",
                                               "smart.reallocated",
                                               "smart.pending",
                                               "smart.uncorrectable",
                                               "smart.crc",
                                               "smart.media_errors",
                                               "smart.grown_defects",
                                               "rpm",
                                               "power_on_hours",
                                               "volts",
                                               "watts"};

void empty(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (item->layout()) empty(item->layout());
    delete item->widget();
    delete item;
  }
}

}  // namespace

PartHistory::PartHistory(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  rows_ = new QVBoxLayout(this);
  rows_->setContentsMargins(0, 0, 0, 0);
}

void PartHistory::heading(const QString& text) {
  auto* label = plain_label(text);
  QFont font = label->font();
  font.setBold(true);
  label->setFont(font);
  rows_->addWidget(label);
}

void PartHistory::show_part(const scene::Part* part) {
  const QString bay = part ? QString::fromStdString(part->fmri) : QString();
  const QString held = part && !part->holds.empty() ? QString::fromStdString(part->holds) : bay;
  if (bay != bay_ || held != part_)
    empty(rows_);
  else if (of_ == session_.snapshot())
    return;
  const bool same = bay == bay_ && held == part_;
  if (same && asking_) return;  // the next change asks again
  bay_ = bay;
  part_ = held;
  of_ = session_.snapshot();
  if (!part || !session_.connected()) return;
  asking_ = true;
  session_.ask<Past>(
      this,
      [bay = bay.toStdString(), held = held.toStdString(),
       is_bay = part->kind == scene::PartKind::bay](ui::Client& client) -> Result<Past> {
        Past past;
        const int64_t now = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
        auto readings = ui::fetch_readings(client, {held, kKeyReadings, now - kWeekNs, 0, kPoints});
        // A part that never measured anything is not known to the readings: no error to a person.
        if (readings) past.readings = std::move(*readings);
        auto cases = ui::fetch_cases(client, {{"all", true}, {"fru", held}});
        if (cases) past.cases = std::move(*cases);
        std::erase_if(past.cases, [](const Case& c) { return c.open(); });
        if (is_bay)
          if (auto stays = ui::fetch_stays(client, bay)) past.stays = std::move(*stays);
        return past;
      },
      [this, bay, held](Result<Past> past) {
        if (bay != bay_ || held != part_) return;
        asking_ = false;
        if (past) show_past(*past);
      });
}

void PartHistory::show_past(const Past& past) {
  empty(rows_);
  if (!past.readings.series.empty()) {
    heading(tr("The last 7 days"));
    auto* grid = new QGridLayout;
    int row = 0;
    for (const ui::Series& series : past.readings.series) {
      if (static_cast<size_t>(row) == kMostReadings) break;
      grid->addWidget(new QLabel(reading_words(series.name)), row, 0);
      grid->addWidget(new QLabel(figure_text(series.last, series.unit)), row, 1, Qt::AlignRight);
      grid->addWidget(new Sparkline(series), row++, 2);
    }
    grid->setColumnStretch(2, 1);
    rows_->addLayout(grid);
    auto* more = new QPushButton(tr("All readin&gs…"));
    more->setAutoDefault(false);
    connect(more, &QPushButton::clicked, this, [this] { emit readings_wanted(part_); });
    rows_->addWidget(more);
  }
  if (!past.cases.empty()) heading(tr("Resolved problems"));
  size_t shown = 0;
  for (auto c = past.cases.rbegin(); c != past.cases.rend() && shown < kMostRows; ++c, ++shown) {
    QLabel* link = link_label(time_text(c->opened_ns) + "  " + clean_text(c->title, 200));
    connect(link, &QLabel::linkActivated, this,
            [this, uuid = QString::fromStdString(c->uuid)] { emit case_wanted(uuid); });
    rows_->addWidget(link);
  }
  bool first = true;
  shown = 0;
  for (auto stay = past.stays.rbegin(); stay != past.stays.rend() && shown < kMostRows; ++stay) {
    if (stay->to_ns == 0) continue;  // it is what is described above
    if (first) heading(tr("Previous disks in this bay"));
    first = false;
    ++shown;
    rows_->addWidget(plain_label(tr("%1 (serial %2), %3 to %4")
                                     .arg(clean_text(stay->model), clean_text(stay->serial),
                                          time_text(stay->from_ns), time_text(stay->to_ns))));
  }
}

}  // namespace fmd::tray
