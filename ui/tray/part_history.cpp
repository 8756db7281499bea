#include "ui/tray/part_history.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <set>

#include "fmd/base/json.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr int64_t kWeekNs = 7 * 24 * 3600 * 1'000'000'000LL;
constexpr size_t kLinePoints = 60;
constexpr size_t kMostReadings = 8, kMostRows = 8;
constexpr int kIndent = 16;

// The most important readings; the others are a click away.
const std::vector<std::string> kKeyReadings = {"temperature_celsius",
                                               "wear_percent",
                                               "smart.reallocated",
                                               "smart.pending",
                                               "smart.uncorrectable",
                                               "smart.crc",
                                               "smart.media_errors",
                                               "smart.grown_defects",
                                               "value",
                                               "ce_count",
                                               "ue_count",
                                               "corrected_per_minute",
                                               "power_on_hours"};

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

// The earlier disks of the bay with their cases: reveals a bay that damages its disks.
Result<std::vector<PartHistory::Before>> PartHistory::read_before(ui::Client& client,
                                                                  const std::string& bay) {
  auto stays = ui::fetch_stays(client, bay);
  if (!stays) return tl::unexpected(stays.error());
  std::vector<Before> before;
  std::set<std::string> told;  // a disk with two stays gets its cases once
  for (auto stay = stays->rbegin(); stay != stays->rend() && before.size() < kMostRows; ++stay) {
    if (stay->to_ns == 0) continue;  // still there
    Before one{std::move(*stay), {}};
    const std::string disk = one.stay.disk.empty() ? one.stay.serial : one.stay.disk;
    if (!disk.empty() && told.insert(disk).second) {
      auto cases = ui::fetch_cases(client, {{"all", true}, {"fru", disk}});
      if (!cases) return tl::unexpected(cases.error());
      one.cases = std::move(*cases);
    }
    before.push_back(std::move(one));
  }
  return before;
}

void PartHistory::show_part(const scene::Part* part) {
  const QString bay = part ? QString::fromStdString(part->fmri) : QString();
  const QString held = part && !part->holds.empty() ? QString::fromStdString(part->holds) : bay;
  if (bay != bay_ || held != part_)
    clear_layout(rows_);
  else if (of_ == session_.snapshot())
    return;
  const bool same = bay == bay_ && held == part_;
  if (same && asking_) return;  // a query is pending; the next change repeats it
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
        auto readings =
            ui::fetch_readings(client, {held, kKeyReadings, now - kWeekNs, 0, kLinePoints});
        const auto keep = [&past](auto& what, auto&& read, const QString& name) {
          if (read)
            what = std::move(*read);
          else
            past.troubles << tr("%1 cannot be read: %2").arg(name, clean_text(read.error().text()));
        };
        keep(past.readings, std::move(readings), tr("Readings"));
        keep(past.cases, ui::fetch_cases(client, {{"all", true}, {"fru", held}}),
             tr("Resolved problems"));
        std::erase_if(past.cases, [](const Case& c) { return c.open(); });
        if (is_bay) keep(past.before, read_before(client, bay), tr("Previous disks in this bay"));
        return past;
      },
      [this, bay, held](Result<Past> past) {
        if (bay != bay_ || held != part_) return;
        asking_ = false;
        if (past) return show_past(*past);
        Past nothing;
        nothing.troubles
            << tr("%1 cannot be read: %2").arg(tr("Readings"), clean_text(past.error().text()));
        show_past(nothing);
      });
}

void PartHistory::show_past(const Past& past) {
  clear_layout(rows_);
  for (const QString& trouble : past.troubles) rows_->addWidget(plain_label(trouble));
  if (!past.readings.series.empty()) show_readings(past.readings);
  if (!past.cases.empty()) heading(tr("Resolved problems"));
  size_t shown = 0;
  for (auto c = past.cases.rbegin(); c != past.cases.rend() && shown < kMostRows; ++c, ++shown)
    list_case(*c, 0);
  show_before(past.before);
}

void PartHistory::show_readings(const ui::Readings& readings) {
  heading(tr("The last 7 days"));
  auto* grid = new QGridLayout;
  int row = 0;
  for (const ui::Series& series : readings.series) {
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

void PartHistory::show_before(const std::vector<Before>& before) {
  if (!before.empty()) heading(tr("Previous disks in this bay"));
  for (const auto& [stay, cases] : before) {
    rows_->addWidget(plain_label(tr("%1 (serial %2), %3 to %4")
                                     .arg(clean_text(stay.model), clean_text(stay.serial),
                                          time_text(stay.from_ns), time_text(stay.to_ns))));
    size_t shown = 0;
    for (auto c = cases.rbegin(); c != cases.rend() && shown < kMostRows; ++c, ++shown)
      list_case(*c, kIndent);
  }
}

void PartHistory::list_case(const Case& c, int indent) {
  QLabel* link = link_label(time_text(c.opened_ns) + "  " + clean_text(c.title, 200));
  link->setIndent(indent);
  connect(link, &QLabel::linkActivated, this,
          [this, uuid = QString::fromStdString(c.uuid)] { emit case_wanted(uuid); });
  rows_->addWidget(link);
}

}  // namespace fmd::tray
