#include "ui/tray/fleet.h"

#include <QDateTime>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QToolButton>
#include <algorithm>

#include "ui/client/surroundings.h"
#include "ui/tray/health_icon.h"
#include "ui/tray/part_words.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr int kTileWidth = 300;

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
      if (resource.present && resource.type == "zfs-pool")
        if (const ui::Scan scan = ui::scan_of(resource); scan.running())
          lines << QString::fromStdString(scan.pool) + ": " + work_words(scan) + ", " +
                       QLocale().toString(scan.percent, 'f', 0) + " %";
    }
    for (const Case& c : snapshot->cases) {
      if (c.state == CaseState::unsolved) continue;
      ++open;
      if (shown++ < 3)
        lines << clean_text(c.title.empty() ? c.code : c.title, 60) + ": " + place_of(c);
    }
    if (open > 3) lines << Fleet::tr("and %n more", nullptr, open - 3);
    if (open == 0) lines << health_words(Health::ok);
    lines << Fleet::tr("%n disk(s)", nullptr, disks);
  }
  return lines.join('\n');
}

// A button that a key can press, with the texts of a tile on it.
QToolButton* tile(const Session& session) {
  const Health health = health_of(session.snapshot().get(), session.connected());
  auto* button = new QToolButton;
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setIcon(health_icon(health));
  button->setIconSize({40, 40});
  button->setFixedWidth(kTileWidth);
  button->setMinimumHeight(button->fontMetrics().height() * 8);
  const QString text = session.name() + "\n" + health_words(health) + "\n" + summary_of(session);
  QStringList lines;
  for (const QString& line : text.split('\n'))
    lines << button->fontMetrics().elidedText(line, Qt::ElideRight, kTileWidth - 70);
  button->setText(lines.join('\n').replace('&', "&&"));
  button->setAccessibleName(session.name());
  button->setAccessibleDescription(text);
  button->setToolTip("<qt>" + text.toHtmlEscaped().replace('\n', "<br>") + "</qt>");
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

void Fleet::refresh() {
  const QString focused = focusWidget() ? focusWidget()->accessibleName() : QString();
  for (QWidget* one : tiles_) delete one;
  tiles_.clear();
  for (Session* session : hosts_.by_need()) {
    QToolButton* one = tile(*session);
    connect(one, &QToolButton::clicked, this, [this, session] { emit host_wanted(session); });
    if (one->accessibleName() == focused) one->setFocus();
    tiles_.push_back(one);
  }
  columns_ = 0;
  arrange();
}

void Fleet::arrange() {
  const int columns = std::max(1, viewport()->width() / (kTileWidth + 12));
  if (columns == columns_) return;
  columns_ = columns;
  for (size_t i = 0; i < tiles_.size(); ++i)
    grid_->addWidget(tiles_[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
}

void Fleet::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  arrange();
}

}  // namespace fmd::tray
