#include "ui/tray/telemetry.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSaveFile>
#include <QSplitter>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "ui/client/surroundings.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/time_chart.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr size_t kPoints = 400;
// Each part is a query: more at once would keep a person waiting.
constexpr int kMostParts = 200;
constexpr int kFmri = Qt::UserRole;

bool is_measured(const Resource& resource) {
  for (const char* type : {"disk", "sensor", "fan", "psu", "cpu", "dimm", "zfs-pool"})
    if (resource.type == type) return resource.present;
  return false;
}

}  // namespace

Telemetry::Telemetry(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  parts_ = new QListWidget;
  parts_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  parts_->setAccessibleName(tr("Parts"));
  parts_->setToolTip(tr("None selected: all parts are shown"));
  names_ = new QComboBox;
  name_choice(names_, tr("Reading"));
  by_ = new QComboBox;
  name_choice(by_, tr("Broken down by"));
  by_->addItem(tr("by part"), static_cast<int>(BreakDown::part));
  by_->addItem(tr("by pool"), static_cast<int>(BreakDown::pool));
  by_->addItem(tr("by chassis"), static_cast<int>(BreakDown::chassis));
  by_->addItem(tr("all together"), static_cast<int>(BreakDown::host));
  time_ = new QComboBox;
  name_choice(time_, tr("Time"));
  time_->addItem(tr("The last hour"), 3600);
  time_->addItem(tr("The last day"), 86400);
  time_->addItem(tr("The last week"), 7 * 86400);
  time_->addItem(tr("The last month"), 31 * 86400);
  time_->addItem(tr("The last year"), 366 * 86400);
  time_->setCurrentIndex(2);
  whole_ = new QPushButton(tr("&All of it"));
  whole_->setToolTip(tr("Shows the whole time range (0)"));
  save_ = new QPushButton(tr("Sa&ve…"));
  save_->setToolTip(tr("The picture as PNG, or the values as CSV"));
  chart_ = new TimeChart;
  note_ = plain_label();
  auto* row = new QHBoxLayout;
  for (QWidget* one : std::initializer_list<QWidget*>{names_, by_, time_}) row->addWidget(one);
  row->addStretch();
  row->addWidget(whole_);
  row->addWidget(save_);
  auto* right = new QWidget;
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(row);
  column->addWidget(chart_, 1);
  column->addWidget(note_);
  auto* split = new QSplitter;
  split->addWidget(parts_);
  split->addWidget(right);
  split->setStretchFactor(1, 1);
  split->setSizes({240, 900});
  auto* all = new QVBoxLayout(this);
  all->addWidget(split);
  for (QComboBox* box : {names_, time_})
    connect(box, &QComboBox::currentIndexChanged, this, &Telemetry::ask);
  connect(by_, &QComboBox::currentIndexChanged, this, &Telemetry::draw);
  connect(parts_, &QListWidget::itemSelectionChanged, this, &Telemetry::ask);
  connect(chart_, &TimeChart::line_chosen, this, &Telemetry::chose_line);
  connect(whole_, &QPushButton::clicked, chart_, [this] { chart_->chart()->zoomReset(); });
  connect(save_, &QPushButton::clicked, this, &Telemetry::save);
  fill_names();
}

void Telemetry::fill_names() {
  // What the SDK's plugins measure (schemas/resources.md); others are there under their own names.
  for (const char* name :
       {"temperature_celsius", "value", "smart.reallocated", "smart.pending", "smart.uncorrectable",
        "smart.crc", "smart.media_errors", "smart.grown_defects", "wear_percent", "power_on_hours",
        "scan_rate_bytes"})
    names_->addItem(std::string_view(name) == "value" ? tr("Sensors: temperature, fans, power")
                                                      : reading_words(name),
                    name);
}

void Telemetry::fill_parts() {
  const SnapshotPtr snapshot = session_.snapshot();
  if (!snapshot) return;
  std::vector<std::pair<QString, QString>> rows;
  for (const auto& [fmri, resource] : snapshot->inventory.all())
    if (is_measured(resource))
      rows.emplace_back(part_name(snapshot->inventory, fmri), QString::fromStdString(fmri));
  std::sort(rows.begin(), rows.end());
  bool same = parts_->count() == static_cast<int>(rows.size());
  for (int i = 0; same && i < parts_->count(); ++i)
    same = parts_->item(i)->data(kFmri) == rows[static_cast<size_t>(i)].second;
  if (same) return;
  const QSignalBlocker quiet(parts_);
  parts_->clear();
  for (const auto& [name, fmri] : rows) {
    auto* item = new QListWidgetItem(name, parts_);
    item->setData(kFmri, fmri);
  }
}

void Telemetry::refresh() {
  fill_parts();
  stale_ = true;
  if (isVisible() && read_.series.empty() && !asking_) ask();
}

void Telemetry::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) ask();
}

void Telemetry::show_part(const QString& fmri) {
  fill_parts();
  const QSignalBlocker quiet(parts_);
  for (int i = 0; i < parts_->count(); ++i)
    parts_->item(i)->setSelected(parts_->item(i)->data(kFmri) == fmri);
  ask();
}

void Telemetry::ask() {
  if (!session_.connected()) return;
  stale_ = false;
  std::vector<std::string> parts;
  const bool all = parts_->selectedItems().isEmpty();
  for (int i = 0; i < parts_->count() && static_cast<int>(parts.size()) < kMostParts; ++i)
    if (all || parts_->item(i)->isSelected())
      parts.push_back(parts_->item(i)->data(kFmri).toString().toStdString());
  const std::string name = names_->currentData().toString().toStdString();
  const int64_t from =
      (QDateTime::currentSecsSinceEpoch() - time_->currentData().toLongLong()) * 1'000'000'000;
  asking_ = true;
  note_->setText(tr("Reading…"));
  session_.ask<Answer>(
      this,
      [parts, name, from](ui::Client& client) -> Result<Answer> {
        Answer answer;
        for (const std::string& part : parts) {
          auto readings = ui::fetch_readings(client, {part, {name}, from, 0, kPoints});
          if (!readings) {
            if (client.away()) return tl::unexpected(readings.error());
            continue;  // one that went meanwhile, or never measured anything
          }
          // An fmd of an earlier version takes a pool's name for one of its disks.
          if (part.starts_with("zfs://") && readings->resource != part) continue;
          if (!readings->damage.empty()) answer.damage = clean_text(readings->damage);
          for (ui::Series& series : readings->series) {
            // A value holds until the next one.
            if (!series.points.empty() && series.points.back().time_ns < readings->to_ns) {
              series.points.push_back(series.points.back());
              series.points.back().time_ns = readings->to_ns;
            }
            answer.series.push_back({part, std::move(series)});
          }
        }
        auto cases = ui::fetch_cases(client, {{"all", true}});
        if (!cases) return tl::unexpected(cases.error());
        std::erase_if(*cases, [&](const Case& c) { return c.solved_ns < from; });
        answer.cases = std::move(*cases);
        return answer;
      },
      [this, of = ++query_](Result<Answer> answer) { took(std::move(answer), of); });
}

void Telemetry::took(Result<Answer> answer, unsigned of) {
  if (of != query_) return;
  asking_ = false;
  if (!answer) return note_->setText(clean_text(answer.error().text()));
  read_ = std::move(*answer);
  draw();
}

void Telemetry::draw() {
  const SnapshotPtr snapshot = session_.snapshot();
  if (!snapshot) return;
  auto lines = chart_lines(snapshot->inventory, read_.series,
                           static_cast<BreakDown>(by_->currentData().toInt()));
  for (ChartLine& line : lines)
    if (line.name.isEmpty()) line.name = session_.name();
  std::vector<FaultMark> marks;
  for (const Case& c : read_.cases)
    marks.push_back({c.solved_ns, clean_text(c.title, 60), severity_rank(c.severity) >= 2});
  chart_->show_lines(lines, marks, names_->currentText());
  const int shown = static_cast<int>(std::min(lines.size(), TimeChart::kMostLines));
  note_->setText(!read_.damage.isEmpty() ? read_.damage
                 : lines.empty()         ? tr("No readings in this time range.")
                 : lines.size() > TimeChart::kMostLines
                     ? tr("The %1 highest of %2 are shown; select parts to see others.")
                           .arg(shown)
                           .arg(lines.size())
                     : QString());
  save_->setEnabled(!lines.empty());
}

// A click on a line goes one step down: from all to chassis, from there to parts, from a part to it.
void Telemetry::chose_line(const QString& key) {
  const auto by = static_cast<BreakDown>(by_->currentData().toInt());
  if (by == BreakDown::part) return emit part_wanted(key);
  const SnapshotPtr snapshot = session_.snapshot();
  {
    const QSignalBlocker quiet(parts_), quiet_by(by_);
    for (int i = 0; i < parts_->count(); ++i) {
      const std::string part = parts_->item(i)->data(kFmri).toString().toStdString();
      parts_->item(i)->setSelected(by != BreakDown::host && snapshot &&
                                   group_of(snapshot->inventory, part, by) == key.toStdString());
    }
    by_->setCurrentIndex(by_->findData(
        static_cast<int>(by == BreakDown::host ? BreakDown::chassis : BreakDown::part)));
  }
  ask();
}

void Telemetry::save() {
  const QString name = QFileDialog::getSaveFileName(
      this, tr("Save"), QString(names_->currentData().toString()).replace('.', '-') + ".png",
      tr("Picture (*.png);;Values (*.csv)"));
  if (name.isEmpty()) return;
  bool done = false;
  if (name.endsWith(".csv", Qt::CaseInsensitive)) {
    QSaveFile file(name);
    const SnapshotPtr snapshot = session_.snapshot();
    done = snapshot && file.open(QIODevice::WriteOnly) &&
           file.write(QByteArray::fromStdString(
               csv_of(chart_lines(snapshot->inventory, read_.series,
                                  static_cast<BreakDown>(by_->currentData().toInt()))))) >= 0 &&
           file.commit();
  } else {
    done = chart_->grab().save(name);
  }
  note_->setText(done ? tr("Written: %1").arg(name) : tr("%1 cannot be written").arg(name));
}

}  // namespace fmd::tray
