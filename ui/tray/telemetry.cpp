#include "ui/tray/telemetry.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSaveFile>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "ui/tray/line_list.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/stale.h"
#include "ui/tray/time_chart.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr int kTileFmri = Qt::UserRole;
constexpr int kAgainMs = 15000;  // disks are read every few minutes, sensors every few seconds

}  // namespace

Telemetry::Telemetry(Session& session, Hosts& hosts, QWidget* parent)
    : QWidget(parent), session_(session), hosts_(hosts) {
  build();
  for (QComboBox* box : {names_, second_})
    connect(box, &QComboBox::currentIndexChanged, this, &Telemetry::ask);
  connect(time_, &QComboBox::currentIndexChanged, this, &Telemetry::learn);
  connect(by_, &QComboBox::currentIndexChanged, this, [this] {
    draw();
    ask_others();
  });
  connect(parts_, &QListWidget::itemSelectionChanged, this, &Telemetry::ask);
  connect(chart_, &TimeChart::line_chosen, this, &Telemetry::chose_line);
  connect(list_, &LineList::line_chosen, this, &Telemetry::chose_line);
  connect(whole_, &QPushButton::clicked, chart_, &TimeChart::show_all);
  connect(time_, &QComboBox::currentIndexChanged, chart_, &TimeChart::show_all);
  connect(save_, &QPushButton::clicked, this, &Telemetry::save);
  connect(&again_, &QTimer::timeout, this, [this] {
    // A zoomed chart shows the past and is not updated.
    if (isVisible() && !asking_ && !chart_->zoomed()) ask();
  });
  again_.setInterval(kAgainMs);
}

// In a row of their own, because names of readings are long.
QWidget* Telemetry::build_controls() {
  names_ = new QComboBox;
  name_choice(names_, tr("Reading"));
  second_ = new QComboBox;
  name_choice(second_, tr("Second reading"));
  second_->addItem(tr("no second reading"), QString());
  by_ = new QComboBox;
  name_choice(by_, tr("Broken down by"));
  by_->addItem(tr("by part"), static_cast<int>(BreakDown::part));
  by_->addItem(tr("by pool"), static_cast<int>(BreakDown::pool));
  by_->addItem(tr("by chassis"), static_cast<int>(BreakDown::chassis));
  by_->addItem(tr("by host"), static_cast<int>(BreakDown::host));
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
  auto* what = new QHBoxLayout;
  for (QComboBox* one : {names_, second_}) {
    one->setSizeAdjustPolicy(QComboBox::AdjustToContents);  // choices change while it is shown
    what->addWidget(one);
  }
  what->addStretch();
  auto* how = new QHBoxLayout;
  for (QComboBox* one : {by_, time_}) how->addWidget(one);
  how->addStretch();
  how->addWidget(whole_);
  how->addWidget(save_);
  auto* all = new QWidget;
  auto* rows = new QVBoxLayout(all);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->addLayout(what);
  rows->addLayout(how);
  return all;
}

void Telemetry::build() {
  parts_ = new QListWidget;
  parts_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  parts_->setAccessibleName(tr("Parts"));
  parts_->setToolTip(tr("None selected: all parts are shown"));
  picture_ = new QWidget;
  auto* picture = new QVBoxLayout(picture_);
  picture->setContentsMargins(0, 0, 0, 0);
  chart_ = new TimeChart;
  list_ = new LineList;
  picture->addWidget(chart_, 1);
  picture->addWidget(list_);
  note_ = plain_label();
  auto* right = new QWidget;
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(build_controls());
  column->addWidget(picture_, 1);
  column->addWidget(note_);
  auto* split = new QSplitter;
  split->addWidget(parts_);
  split->addWidget(right);
  split->setStretchFactor(1, 1);
  split->setSizes({240, 900});
  auto* all = new QVBoxLayout(this);
  all->addWidget(split);
}

void Telemetry::fill_names() {
  std::vector<std::pair<QString, QString>> rows;
  for (const auto& [name, parts] : measured_)
    rows.emplace_back(reading_words(name), QString::fromStdString(name));
  std::sort(rows.begin(), rows.end());
  std::vector<Choice> choices;
  for (const auto& [words, name] : rows) choices.push_back({words, name});
  const QSignalBlocker quiet(names_);
  const bool known = names_->findData(names_->currentData()) >= 0;
  const QString kept = names_->currentData().toString();
  fill_choice(names_, choices);
  if (!known || names_->currentData().toString() != kept)
    names_->setCurrentIndex(std::max(0, names_->findData("temperature_celsius")));
  choices.insert(choices.begin(), {tr("no second reading"), {}});
  fill_choice(second_, choices);
}

void Telemetry::fill_parts() {
  const SnapshotPtr snapshot = session_.snapshot();
  if (!snapshot) return;
  std::vector<std::pair<QString, QString>> rows;
  for (const std::string& fmri : measured_parts(snapshot->inventory)) {
    QString words = part_name(snapshot->inventory, fmri);
    // A vdev has its disk's name, so the pool's is added.
    if (const Resource* one = snapshot->inventory.find(fmri); one && one->type == "zfs-vdev")
      words = tr("%1 in %2").arg(words, clean_text(one->get("pool")));
    rows.emplace_back(words, QString::fromStdString(fmri));
  }
  std::sort(rows.begin(), rows.end());
  bool same = parts_->count() == static_cast<int>(rows.size());
  for (int i = 0; same && i < parts_->count(); ++i)
    same = parts_->item(i)->data(kTileFmri) == rows[static_cast<size_t>(i)].second;
  if (same) return;
  const QSignalBlocker quiet(parts_);
  parts_->clear();
  for (const auto& [name, fmri] : rows) {
    auto* item = new QListWidgetItem(name, parts_);
    item->setData(kTileFmri, fmri);
  }
  measured_.clear();  // the parts have changed
}

void Telemetry::refresh() {
  fill_parts();
  chart_->show_stale(stale_words(session_, read_at_));
  stale_ = true;
  if (!isVisible() || asking_) return;
  if (measured_.empty())
    learn();
  else if (read_.series.empty())
    ask();
}

void Telemetry::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  again_.start();
  if (stale_) learn();
}

void Telemetry::hideEvent(QHideEvent* event) {
  again_.stop();
  QWidget::hideEvent(event);
}

void Telemetry::show_part(const QString& fmri) {
  fill_parts();
  const QSignalBlocker quiet(parts_);
  for (int i = 0; i < parts_->count(); ++i)
    parts_->item(i)->setSelected(parts_->item(i)->data(kTileFmri) == fmri);
  chart_->show_all();
  learn();
}

std::vector<std::string> Telemetry::names() const {
  std::vector<std::string> names{names_->currentData().toString().toStdString()};
  if (const std::string second = second_->currentData().toString().toStdString();
      !second.empty() && second != names.front())
    names.push_back(second);
  return names;
}

QString Telemetry::title() const {
  return names().size() > 1 ? tr("%1 and %2").arg(names_->currentText(), second_->currentText())
                            : names_->currentText();
}

int64_t Telemetry::from_ns() const {
  return (QDateTime::currentSecsSinceEpoch() - time_->currentData().toLongLong()) * 1'000'000'000;
}

BreakDown Telemetry::by() const {
  return static_cast<BreakDown>(by_->currentData().toInt());
}

// The selected parts that have a chosen reading.
std::vector<std::string> Telemetry::wanted_parts() const {
  std::set<std::string> having;
  for (const std::string& name : names())
    if (const auto those = measured_.find(name); those != measured_.end())
      having.insert(those->second.begin(), those->second.end());
  std::vector<std::string> parts;
  const bool all = parts_->selectedItems().isEmpty();
  for (int i = 0; i < parts_->count(); ++i) {
    const std::string part = parts_->item(i)->data(kTileFmri).toString().toStdString();
    if ((all || parts_->item(i)->isSelected()) && having.contains(part)) parts.push_back(part);
  }
  return parts;
}

void Telemetry::learn() {
  if (!session_.connected()) return;
  stale_ = false;
  asking_ = true;
  note_->setText(tr("Reading…"));
  std::vector<std::string> parts;
  for (int i = 0; i < parts_->count(); ++i)
    parts.push_back(parts_->item(i)->data(kTileFmri).toString().toStdString());
  session_.ask<Measured>(
      this,
      [parts, from = from_ns()](ui::Client& client) { return ask_measured(client, parts, from); },
      [this, of = ++query_](Result<Measured> measured) {
        if (of != query_) return;
        asking_ = false;
        if (!measured) {
          stale_ = true;
          return note_->setText(clean_text(measured.error().text()));
        }
        measured_ = std::move(*measured);
        fill_names();
        ask();
      });
}

void Telemetry::ask() {
  if (!session_.connected()) return;
  stale_ = false;
  asking_ = true;
  if (read_.series.empty()) note_->setText(tr("Reading…"));
  session_.ask<History>(
      this,
      [parts = wanted_parts(), names = names(), from = from_ns()](ui::Client& client) {
        return ask_history(client, parts, names, from);
      },
      [this, of = ++query_](Result<History> answer) { took(std::move(answer), of); });
  ask_others();
}

// For comparing hosts: the readings of the others, one line each.
void Telemetry::ask_others() {
  if (by() != BreakDown::host) return others_.clear();
  for (const auto& other : hosts_.all()) {
    const SnapshotPtr snapshot = other->snapshot();
    if (other.get() == &session_ || !other->connected() || !snapshot) continue;
    other->ask<History>(
        this,
        [parts = measured_parts(snapshot->inventory), names = names(),
         from = from_ns()](ui::Client& client) { return ask_history(client, parts, names, from); },
        [this, snapshot, names = names(), host = other->name()](Result<History> answer) {
          if (!answer || by() != BreakDown::host || names != this->names()) return;
          others_[host] = chart_lines(snapshot->inventory, answer->series, BreakDown::host, host);
          draw();
        });
  }
}

void Telemetry::took(Result<History> answer, unsigned of) {
  if (of != query_) return;
  asking_ = false;
  if (!answer) {
    stale_ = true;
    return note_->setText(clean_text(answer.error().text()));
  }
  read_ = std::move(*answer);
  read_at_ = QDateTime::currentDateTime();
  draw();
}

std::vector<ChartLine> Telemetry::lines() const {
  const SnapshotPtr snapshot = session_.snapshot();
  if (!snapshot) return {};
  auto lines = chart_lines(snapshot->inventory, read_.series, by(), session_.name());
  for (const auto& [host, others] : others_)
    for (ChartLine line : others) {
      line.key = "host";  // no part of this host, so no drill-down
      lines.push_back(std::move(line));
    }
  if (names().size() > 1)
    for (ChartLine& line : lines) line.name += ": " + reading_words(line.reading);
  return lines;
}

void Telemetry::draw() {
  const auto all = lines();
  std::vector<FaultMark> marks;
  for (const Case& c : read_.cases)
    marks.push_back({c.solved_ns, clean_text(c.title.empty() ? c.code : c.title, 60),
                     severity_rank(c.severity) >= 2});
  chart_->show_lines(all, marks, title());
  list_->show_lines(all);
  const int shown = static_cast<int>(std::min(all.size(), TimeChart::kMostLines));
  note_->setText(!read_.damage.empty() ? clean_text(read_.damage)
                 : all.empty()         ? tr("No readings in this time range.")
                 : all.size() > TimeChart::kMostLines
                     ? tr("The %1 highest of %2 are shown; select parts to see others.")
                           .arg(shown)
                           .arg(all.size())
                     : QString());
  save_->setEnabled(!all.empty());
}

// A click on a line drills down: from the host to chassis, to parts, to the part's page.
void Telemetry::chose_line(const QString& key) {
  const BreakDown by = this->by();
  if (by == BreakDown::part) return emit part_wanted(key);
  if (by == BreakDown::host && !key.isEmpty()) return;  // another host's line
  const SnapshotPtr snapshot = session_.snapshot();
  {
    const QSignalBlocker quiet(parts_), quiet_by(by_);
    for (int i = 0; i < parts_->count(); ++i) {
      const std::string part = parts_->item(i)->data(kTileFmri).toString().toStdString();
      parts_->item(i)->setSelected(by != BreakDown::host && snapshot &&
                                   group_of(snapshot->inventory, part, by) == key.toStdString());
    }
    by_->setCurrentIndex(by_->findData(
        static_cast<int>(by == BreakDown::host ? BreakDown::chassis : BreakDown::part)));
  }
  others_.clear();
  ask();
}

void Telemetry::save() {
  const QString picture = tr("Picture (*.png)"), values = tr("Values (*.csv)");
  const QString title = QString(names_->currentData().toString()).replace('.', '-');
  QFileDialog dialog(this, tr("Save"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setNameFilters({picture, values});
  dialog.setDefaultSuffix("png");
  dialog.selectFile(title + ".png");
  // The file name's suffix follows the chosen type.
  connect(&dialog, &QFileDialog::filterSelected, this, [&](const QString& filter) {
    const QString suffix = filter == values ? "csv" : "png";
    const QStringList chosen = dialog.selectedFiles();
    const QFileInfo file(chosen.isEmpty() ? title : chosen.front());
    dialog.setDefaultSuffix(suffix);
    dialog.selectFile(file.dir().filePath(file.completeBaseName() + "." + suffix));
  });
  if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return;
  const QString name = dialog.selectedFiles().front();
  bool done = false;
  if (name.endsWith(".csv", Qt::CaseInsensitive)) {
    QSaveFile file(name);
    done = file.open(QIODevice::WriteOnly) &&
           file.write(QByteArray::fromStdString(csv_of(lines()))) >= 0 && file.commit();
  } else {
    done = picture_->grab().save(name);
  }
  note_->setText(done ? tr("Written: %1").arg(name) : tr("%1 cannot be written").arg(name));
}

}  // namespace fmd::tray
