#include "ui/tray/events.h"

#include <QComboBox>
#include <QDateTime>
#include <QDateTimeEdit>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/client/surroundings.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr size_t kMostEvents = 20000, kPage = 2000;
constexpr qint64 kFromTo = -1;  // entry of the choice of times
enum EventColumn { kEventTime, kEventClass, kEventResource, kEventSource, kEventColumns };

}  // namespace

int EventRows::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(events_.size());
}
int EventRows::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kEventColumns;
}

QVariant EventRows::data(const QModelIndex& index, int role) const {
  if (role != Qt::DisplayRole) return {};
  const ui::LoggedEvent& event = at(index.row());
  switch (index.column()) {
    case kEventTime:
      return QLocale().toString(QDateTime::fromMSecsSinceEpoch(event.time_ns / 1'000'000),
                                "yyyy-MM-dd HH:mm:ss.zzz");
    case kEventClass:
      return clean_text(event.event_class);
    case kEventResource:
      return parts_.contains(event.resource) ? parts_.at(event.resource)
                                             : clean_text(event.resource);
    default:
      return clean_text(event.source);
  }
}

QVariant EventRows::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QString names[] = {Events::tr("Time"), Events::tr("Class"), Events::tr("Part"),
                           Events::tr("From")};
  return names[section];
}

void EventRows::clear() {
  beginResetModel();
  events_.clear();
  parts_.clear();
  endResetModel();
}

void EventRows::add(const std::vector<ui::LoggedEvent>& oldest_first, const QString& part,
                    const Inventory& inventory) {
  std::vector<const ui::LoggedEvent*> fit;
  for (const ui::LoggedEvent& event : oldest_first) {
    QString& name = parts_[event.resource];
    if (name.isEmpty()) name = part_name(inventory, event.resource);
    if (part.isEmpty() || name.contains(part, Qt::CaseInsensitive) ||
        clean_text(event.resource).contains(part, Qt::CaseInsensitive) ||
        QString::fromStdString(event.payload).contains(part, Qt::CaseInsensitive))
      fit.push_back(&event);
  }
  if (fit.empty()) return;
  beginInsertRows({}, 0, static_cast<int>(fit.size()) - 1);
  for (const ui::LoggedEvent* event : fit) events_.push_front(*event);
  endInsertRows();
  if (events_.size() <= kMostEvents) return;
  beginRemoveRows({}, kMostEvents, static_cast<int>(events_.size()) - 1);
  events_.resize(kMostEvents);
  endRemoveRows();
}

Events::Events(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  class_ = new QLineEdit;
  class_->setPlaceholderText(tr("class, for example ereport.fs.zfs.*"));
  class_->setAccessibleName(tr("Class"));
  class_->setClearButtonEnabled(true);
  part_ = new QLineEdit;
  part_->setPlaceholderText(tr("part: serial, device, pool"));
  part_->setAccessibleName(tr("Part"));
  part_->setClearButtonEnabled(true);
  time_ = new QComboBox;
  name_choice(time_, tr("Time"));
  time_->addItem(tr("The last hour"), 3600);
  time_->addItem(tr("The last day"), 86400);
  time_->addItem(tr("The last week"), 7 * 86400);
  time_->addItem(tr("All"), 0);
  time_->addItem(tr("From … to …"), kFromTo);
  time_->setCurrentIndex(1);
  from_ = new QDateTimeEdit(QDateTime::currentDateTime().addDays(-1));
  from_->setAccessibleName(tr("From"));
  to_ = new QDateTimeEdit(QDateTime::currentDateTime());
  to_->setAccessibleName(tr("To"));
  for (QDateTimeEdit* edit : {from_, to_}) {
    edit->setDisplayFormat("yyyy-MM-dd HH:mm");
    edit->setCalendarPopup(true);
    edit->hide();
    connect(edit, &QDateTimeEdit::dateTimeChanged, this, &Events::again);
  }
  auto* row = new QHBoxLayout;
  row->addWidget(class_, 2);
  row->addWidget(part_, 2);
  row->addWidget(time_);
  row->addWidget(from_);
  row->addWidget(to_);
  table_ = new QTableView;
  table_->setModel(&rows_);
  table_->setAccessibleName(tr("Events"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setTabKeyNavigation(false);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->setColumnWidth(kEventTime,
                         fontMetrics().horizontalAdvance("2026-11-22 18:48:39.000") + 24);
  table_->setColumnWidth(kEventClass, fontMetrics().averageCharWidth() * 40);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSectionResizeMode(kEventResource, QHeaderView::Stretch);
  payload_ = new QPlainTextEdit;
  payload_->setReadOnly(true);
  payload_->setTabChangesFocus(true);
  payload_->setAccessibleName(tr("The selected event"));
  payload_->setPlaceholderText(tr("Select an event to see all that it says."));
  note_ = plain_label();
  auto* both = new QSplitter(Qt::Vertical);
  both->addWidget(table_);
  both->addWidget(payload_);
  both->setStretchFactor(0, 3);
  both->setStretchFactor(1, 1);
  auto* all = new QVBoxLayout(this);
  all->addLayout(row);
  all->addWidget(note_);
  all->addWidget(both, 1);
  for (QLineEdit* edit : {class_, part_})
    connect(edit, &QLineEdit::editingFinished, this, &Events::again);
  connect(time_, &QComboBox::currentIndexChanged, this, [this] {
    for (QDateTimeEdit* edit : {from_, to_})
      edit->setVisible(time_->currentData().toLongLong() == kFromTo);
    again();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &Events::tell);
  connect(&session, &Session::logged, this, [this] {
    stale_ = true;
    if (isVisible()) more();
  });
  live_ = session.connected();
  connect(&session, &Session::changed, this, [this] {
    // Read the log again: events may have been missed, or fmd may have a new log.
    if (session_.connected() && !live_) began_ = false;
    live_ = session_.connected();
    if (isVisible() && live_ && !began_) again();
  });
}

void Events::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!began_) return again();
  if (stale_) more();
}

void Events::again() {
  ++query_;
  after_ = 0;
  asking_ = false;
  began_ = false;
  rows_.clear();
  more();
}

void Events::more() {
  if (asking_ || !session_.connected()) return;
  asking_ = true;
  began_ = true;
  stale_ = false;
  ui::EventsQuery query;
  query.after = after_;
  query.class_glob = class_->text().trimmed().toStdString();
  query.limit = kPage;
  const qint64 seconds = time_->currentData().toLongLong();
  if (seconds == kFromTo) {
    query.from_ns = from_->dateTime().toMSecsSinceEpoch() * 1'000'000;
    query.to_ns = to_->dateTime().addSecs(60).toMSecsSinceEpoch() * 1'000'000 - 1;  // including it
  } else if (seconds != 0) {
    query.from_ns = (QDateTime::currentSecsSinceEpoch() - seconds) * 1'000'000'000;
  }
  // Without a filter, read only as many as are shown, so that the newest appear immediately.
  const bool newest = after_ == 0 && query.class_glob.empty() && query.to_ns == 0 &&
                      part_->text().trimmed().isEmpty();
  session_.ask<ui::EventsPage>(
      this,
      [query, newest](ui::Client& client) mutable -> Result<ui::EventsPage> {
        if (newest) {
          const auto last = ui::fetch_last_seq(client);
          if (!last) return tl::unexpected(last.error());
          query.after = *last - std::min<uint64_t>(*last, kMostEvents);
        }
        return ui::fetch_events(client, query);
      },
      [this, of = query_](Result<ui::EventsPage> page) { took(std::move(page), of); });
}

void Events::took(Result<ui::EventsPage> page, unsigned of) {
  if (of != query_) return;
  asking_ = false;
  if (!page) return note_->setText(clean_text(page.error().text()));
  const SnapshotPtr snapshot = session_.snapshot();
  rows_.add(page->events, part_->text().trimmed(), snapshot ? snapshot->inventory : Inventory());
  const bool on = page->next > after_;
  after_ = std::max(after_, page->next);
  note_->setText(!page->damage.empty()   ? clean_text(page->damage)
                 : rows_.rowCount() == 0 ? tr("No events in this time range.")
                                         : tr("%n event(s)", nullptr, rows_.rowCount()));
  if ((page->more && on) || stale_) more();
}

void Events::tell() {
  const QModelIndexList chosen = table_->selectionModel()->selectedRows();
  if (chosen.isEmpty()) return payload_->clear();
  const ui::LoggedEvent& event = rows_.at(chosen.front().row());
  payload_->setPlainText(clean_text(event.event_class) + "\n" + clean_text(event.resource) + "\n" +
                         QString::fromStdString(event.payload));
}

}  // namespace fmd::tray
