#include "ui/tray/fleet.h"

#include <QDateTime>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QToolButton>
#include <algorithm>
#include <map>

#include "ui/client/surroundings.h"
#include "ui/tray/health_icon.h"
#include "ui/tray/part_words.h"
#include "ui/tray/story.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr int kTileWidth = 300;
constexpr qsizetype kLongestLine = 100;

QString summary_of(const Session& session) {
  const SnapshotPtr snapshot = session.snapshot();
  QStringList lines;
  if (!session.connected())
    lines << (snapshot ? Fleet::tr("not connected; as of %1")
                             .arg(QLocale().toString(snapshot->taken, QLocale::ShortFormat))
              : session.trouble().isEmpty() ? Fleet::tr("connecting…")
                                            : session.trouble());
  if (snapshot) {
    int disks = 0, shown = 0, open = 0;
    for (const auto& [fmri, resource] : snapshot->inventory.all()) {
      disks += resource.present && resource.type == "disk";
      if (resource.present && is_storage(resource))
        if (const ui::Scan scan = ui::scan_of(resource); scan.running())
          lines << QString::fromStdString(scan.pool) + ": " + work_words(scan) + ", " +
                       QLocale().toString(scan.percent, 'f', 0) + " %";
    }
    for (const Case& c : snapshot->cases) {
      if (c.state == CaseState::unsolved) continue;
      ++open;
      if (shown++ >= 3) continue;
      const ui::Advice* advice = advice_on(snapshot->advice, c);
      lines << headline_of(c, advice).left(kLongestLine);
      if (advice) lines << to_do_of(c, advice);
    }
    if (open > 3) lines << Fleet::tr("and %n more", nullptr, open - 3);
    lines << order_words(*snapshot);
    if (open == 0 && health_of(snapshot.get(), session.connected()) == Health::unknown)
      lines << Fleet::tr("No open problem is known");
    for (const QString& one : unwatched_words(*snapshot))
      lines << Fleet::tr("Not watching: %1").arg(one);
    lines << Fleet::tr("%n disk(s)", nullptr, disks);
  }
  return lines.join('\n');
}

void dress(QToolButton& button, const Session& session) {
  const Health health = health_of(session.snapshot().get(), session.connected());
  const QString text = session.name() + "\n" +
                       health_words(session.snapshot().get(), session.connected()) + "\n" +
                       summary_of(session);
  if (button.accessibleDescription() == text) return;
  button.setIcon(health_icon(health));
  QStringList lines;
  for (const QString& line : text.split('\n'))
    lines << button.fontMetrics().elidedText(line, Qt::ElideRight, kTileWidth - 70);
  button.setText(lines.join('\n').replace('&', "&&"));
  button.setAccessibleName(session.name());
  button.setAccessibleDescription(text);
  button.setToolTip("<qt>" + text.toHtmlEscaped().replace('\n', "<br>") + "</qt>");
}

// A tile as a button, so that it can be pressed by key.
QToolButton* new_tile() {
  auto* button = new QToolButton;
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setIconSize({40, 40});
  button->setFixedWidth(kTileWidth);
  button->setMinimumHeight(button->fontMetrics().height() * 8);
  return button;
}

}  // namespace

Fleet::Fleet(Hosts& hosts, QWidget* parent) : QScrollArea(parent), hosts_(hosts) {
  auto* inner = new QWidget;
  grid_ = new QGridLayout(inner);
  grid_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  setWidget(inner);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  connect(&hosts, &Hosts::listed, this, &Fleet::refresh);
  connect(&hosts, &Hosts::changed, this, &Fleet::refresh);
  refresh();
}

// Each host keeps its tile, so that an update does not move it during a click.
void Fleet::refresh() {
  const auto hosts = hosts_.by_need();
  std::map<Session*, QToolButton*> kept;
  for (Session* session : hosts) {
    const auto at = tiles_.find(session);
    QToolButton* one = at == tiles_.end() ? new_tile() : at->second;
    if (at == tiles_.end())
      connect(one, &QToolButton::clicked, this, [this, session] { emit host_wanted(session); });
    // Queued, so that the click is handled before the tiles are rebuilt.
    if (at == tiles_.end())
      connect(one, &QToolButton::released, this, &Fleet::refresh, Qt::QueuedConnection);
    dress(*one, *session);
    kept[session] = one;
  }
  for (const auto& [session, one] : tiles_)
    if (!kept.contains(session)) one->deleteLater();
  const bool held =
      std::any_of(kept.begin(), kept.end(), [](const auto& one) { return one.second->isDown(); });
  const bool others = kept != tiles_;
  tiles_ = std::move(kept);
  if (held || (hosts == order_ && !others)) return;
  order_ = hosts;
  columns_ = 0;
  arrange();
}

void Fleet::arrange() {
  const int columns = std::max(1, viewport()->width() / (kTileWidth + 12));
  if (columns == columns_) return;
  columns_ = columns;
  int at = 0;
  QWidget* before = nullptr;
  for (Session* session : order_) {
    const auto tile = tiles_.find(session);
    if (tile == tiles_.end()) continue;
    grid_->addWidget(tile->second, at / columns, at % columns);
    if (before) setTabOrder(before, tile->second);
    before = tile->second;
    ++at;
  }
}

void Fleet::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  arrange();
}

}  // namespace fmd::tray
