#include "ui/tray/line_list.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "ui/tray/looks.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/time_chart.h"

namespace fmd::tray {
namespace {

constexpr int kLineKey = Qt::UserRole, kLineName = Qt::UserRole + 1;
constexpr int kMostLines = 4;  // further rows are scrolled
const QSize kSign(30, 12);

}  // namespace

LineList::LineList(QWidget* parent) : QListWidget(parent) {
  setAccessibleName(tr("Lines of the chart"));
  setFlow(QListView::LeftToRight);
  setWrapping(true);
  setResizeMode(QListView::Adjust);
  setIconSize(kSign);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVisible(false);
  connect(this, &QListWidget::itemClicked, this,
          [this](QListWidgetItem* item) { emit line_chosen(item->data(kLineKey).toString()); });
}

// Updates rows in place, so that the current row stays current.
void LineList::show_lines(const std::vector<ChartLine>& lines) {
  const QListWidgetItem* now = currentItem();
  const QString kept = now ? now->data(kLineName).toString() : QString();
  const int shown = static_cast<int>(std::min(lines.size(), TimeChart::kMostLines));
  while (count() > shown) delete takeItem(count() - 1);
  while (count() < shown) addItem(QString());
  for (int i = 0; i < shown; ++i) {
    const ChartLine& line = lines[static_cast<size_t>(i)];
    const double last = line.points.empty() ? 0 : line.points.back().second;
    QListWidgetItem& one = *item(i);
    one.setText(line.name + "  " + figure_text(last, line.unit));
    one.setData(kLineKey, QString::fromStdString(line.key));
    one.setData(kLineName, line.name);
    one.setToolTip("<qt>" +
                   tr("%1: a click or Enter goes one step down").arg(one.text()).toHtmlEscaped() +
                   "</qt>");
    if (!kept.isEmpty() && line.name == kept) setCurrentRow(i);
  }
  setVisible(shown > 0);
  paint_signs();
  fit();
}

void LineList::paint_signs() {
  for (int i = 0; i < count(); ++i) {
    const qreal dots = devicePixelRatioF();
    QPixmap sign(kSign * dots);
    sign.setDevicePixelRatio(dots);
    sign.fill(Qt::transparent);
    QPainter painter(&sign);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(TimeChart::pen(i, is_dark(palette())));
    painter.drawLine(QPointF(1, kSign.height() / 2.0),
                     QPointF(kSign.width() - 1, kSign.height() / 2.0));
    item(i)->setIcon(sign);
  }
}

void LineList::fit() {
  if (count() == 0) return;
  constexpr int kGap = 12;
  const QSize cell(sizeHintForColumn(0) + kGap, sizeHintForRow(0) + 2);
  setGridSize(cell);
  const int a_row = std::max(1, viewport()->width() / cell.width());
  const int rows = std::min((count() + a_row - 1) / a_row, kMostLines);
  setFixedHeight(rows * cell.height() + 2);
}

void LineList::keyPressEvent(QKeyEvent* event) {
  const bool chosen = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                      event->key() == Qt::Key_Space;
  if (!chosen || !currentItem()) return QListWidget::keyPressEvent(event);
  emit line_chosen(currentItem()->data(kLineKey).toString());
}

void LineList::resizeEvent(QResizeEvent* event) {
  QListWidget::resizeEvent(event);
  fit();
}

void LineList::changeEvent(QEvent* event) {
  QListWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) paint_signs();
}

}  // namespace fmd::tray
