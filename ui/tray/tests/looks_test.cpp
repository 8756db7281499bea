// Looks: every page, light and dark, small and large: nothing is cut off or overlaps, each shortcut
// key is unique, and text is legible (WCAG 2.1 AA).
#include "ui/tray/looks.h"

#include <gtest/gtest-spi.h>

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QKeySequence>
#include <QLayout>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleOptionButton>
#include <QTabBar>
#include <QTimer>
#include <QTranslator>
#include <map>
#include <tuple>

#include "ui/tray/host_pages.h"
#include "ui/tray/map_helper.h"
#include "ui/tray/part_actions.h"
#include "ui/tray/question.h"
#include "ui/tray/tests/desktop.h"

namespace fmd::tray {
namespace {

std::string name_of(const QWidget& widget, const QString& text) {
  return std::string(widget.metaObject()->className()) + " \"" + text.toStdString() + "\"";
}

// A widget's text as painted; "" if none.
QString text_of(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget))
    return label->textFormat() == Qt::RichText ? label->accessibleName() : label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  if (const auto* box = qobject_cast<const QComboBox*>(&widget)) return box->currentText();
  return {};
}

void expect_whole(const QWidget& widget, const QString& text) {
  const auto* label = qobject_cast<const QLabel*>(&widget);
  if (label && label->wordWrap()) {
    EXPECT_GE(label->height(), label->heightForWidth(label->width())) << name_of(widget, text);
    // A word wider than the label would be cut.
    for (const QString& word : text.split(QRegularExpression("[\\s\\x{200b}]+")))
      EXPECT_LE(label->fontMetrics().horizontalAdvance(word), label->contentsRect().width())
          << name_of(widget, word);
    return;
  }
  EXPECT_GE(widget.width(), widget.sizeHint().width()) << name_of(widget, text);
  EXPECT_GE(widget.height(), widget.minimumSizeHint().height()) << name_of(widget, text);
}

void expect_header_whole(const QHeaderView& header) {
  if (header.orientation() != Qt::Horizontal) return;
  for (int i = 0; i < header.count(); ++i)
    EXPECT_GE(header.sectionSize(i), header.sectionSizeHint(i))
        << header.model()->headerData(i, Qt::Horizontal).toString().toStdString();
}

void expect_legible(const QWidget& widget, const QString& text) {
  const QPalette& colours = widget.palette();
  const bool field = qobject_cast<const QLineEdit*>(&widget) ||
                     qobject_cast<const QPlainTextEdit*>(&widget) ||
                     qobject_cast<const QAbstractItemView*>(&widget);
  const auto ratio = [&](QPalette::ColorRole of, QPalette::ColorRole on) {
    return contrast(colours.color(QPalette::Active, of), colours.color(QPalette::Active, on));
  };
  if (field) {
    EXPECT_GE(ratio(QPalette::Text, QPalette::Base), kTextContrast) << name_of(widget, text);
    EXPECT_GE(ratio(QPalette::PlaceholderText, QPalette::Base), kTextContrast);
    EXPECT_GE(ratio(QPalette::HighlightedText, QPalette::Highlight), kTextContrast);
  } else if (!text.isEmpty() && widget.styleSheet().isEmpty()) {
    EXPECT_GE(ratio(widget.foregroundRole(), widget.backgroundRole()), kTextContrast)
        << name_of(widget, text);
  }
}

void expect_items_legible(const QAbstractItemView& view) {
  for (int row = 0; row < view.model()->rowCount(); ++row)
    for (int column = 0; column < view.model()->columnCount(); ++column) {
      const QModelIndex at = view.model()->index(row, column);
      const QVariant ground = at.data(Qt::BackgroundRole), text = at.data(Qt::ForegroundRole);
      if (!ground.isValid()) continue;
      ASSERT_TRUE(text.isValid()) << at.data().toString().toStdString();
      EXPECT_GE(
          contrast(qvariant_cast<QBrush>(text).color(), qvariant_cast<QBrush>(ground).color()),
          kTextContrast)
          << at.data().toString().toStdString();
    }
}

void expect_apart(const QWidget& parent) {
  if (!parent.layout()) return;
  std::vector<QWidget*> all;
  for (QObject* child : parent.children())
    if (auto* one = qobject_cast<QWidget*>(child); one && one->isVisible() && !one->isWindow())
      all.push_back(one);
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t n = i + 1; n < all.size(); ++n)
      EXPECT_FALSE(all[i]->geometry().intersects(all[n]->geometry()))
          << name_of(*all[i], text_of(*all[i])) << " and " << name_of(*all[n], text_of(*all[n]));
}

// Checks everything visible in that window.
void inspect(QWidget& window) {
  std::map<QString, QString> keys;  // Alt shortcut → its use
  const auto key = [&](const QString& text) {
    const QKeySequence pressed = QKeySequence::mnemonic(text);
    if (pressed.isEmpty()) return;
    const auto [at, is_new] = keys.emplace(pressed.toString(), text);
    EXPECT_TRUE(is_new) << pressed.toString().toStdString() << " is for \"" << text.toStdString()
                        << "\" and for \"" << at->second.toStdString() << '"';
  };
  for (QWidget* one : window.findChildren<QWidget*>()) {
    if (!one->isVisible() || one->window() != &window) continue;
    const QString text = text_of(*one);
    if (!text.isEmpty()) expect_whole(*one, text);
    expect_legible(*one, text);
    expect_apart(*one);
    if (auto* view = qobject_cast<QAbstractItemView*>(one)) expect_items_legible(*view);
    if (auto* header = qobject_cast<QHeaderView*>(one)) expect_header_whole(*header);
    if (auto* area = qobject_cast<QScrollArea*>(one)) {
      EXPECT_LE(area->widget()->width(), area->viewport()->width()) << "no scrolling sideways";
    }
    if (auto* field = qobject_cast<QLineEdit*>(one)) {
      EXPECT_GE(field->width(),
                field->fontMetrics().horizontalAdvance(field->placeholderText()) + 8)
          << field->placeholderText().toStdString();
    }
    if (auto* tabs = qobject_cast<QTabBar*>(one)) {
      EXPECT_GE(tabs->width(), tabs->sizeHint().width());
      for (int i = 0; i < tabs->count(); ++i) key(tabs->tabText(i));
    } else if (auto* menu = qobject_cast<QMenuBar*>(one)) {
      for (QAction* action : menu->actions()) key(action->text());
    } else if (auto* label = qobject_cast<QLabel*>(one); !label || label->buddy()) {
      key(text);
    }
  }
}

class Looks : public Desktop, public testing::WithParamInterface<std::tuple<bool, int>> {
 protected:
  void SetUp() override {
    const auto& [dark, width] = GetParam();
    before_ = QApplication::palette();
    QApplication::setStyle("Fusion");
    QApplication::setPalette(
        legible(dark ? dark_palette() : QApplication::style()->standardPalette()));
    ASSERT_TRUE(plurals_.load(":/i18n/fmtray_en"));
    QApplication::installTranslator(&plurals_);
    Desktop::SetUp();
    if (HasFatalFailure()) return;
    window_->resize(width, width * 9 / 16);
    pages_ = window_->findChild<HostPages*>();
    ASSERT_NE(pages_, nullptr);
  }
  void TearDown() override {
    Desktop::TearDown();
    QApplication::removeTranslator(&plurals_);
    QApplication::setPalette(before_);
  }
  json known() const override {
    json doc = fixture();
    // As long as in the field, so that long texts are tested.
    doc["resources"][1]["properties"]["model"] = "WDC WUH721816ALE6L4 and then some";
    doc["cases"][1]["title"] = "Disk has reallocated more sectors than its predecessors did in all";
    return doc;
  }

  // Checks once the layout has settled: nested layouts need several turns of the loop. Reports what
  // is still wrong at the time limit.
  void inspect_settled(QWidget& window) {
    // A label that became longer has asked for room, but the layout has not run yet.
    QTest::qWait(0);
    until([&] {
      testing::TestPartResultArray wrong;
      const testing::ScopedFakeTestPartResultReporter held(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &wrong);
      inspect(window);
      return wrong.size() == 0;
    });
    inspect(window);
  }

  QTranslator plurals_;
  QPalette before_;
  HostPages* pages_ = nullptr;
};

TEST_P(Looks, EachPage) {
  for (int page = 0; page < pages_->pages().size(); ++page) {
    SCOPED_TRACE(pages_->pages()[page].toStdString());
    pages_->show_page(page);
    inspect_settled(*window_);
  }
}

TEST_P(Looks, EachPart) {
  for (int n = 1; n <= 4; ++n) {
    SCOPED_TRACE(n);
    click(bay(n));
    inspect_settled(*window_);
  }
}

TEST_P(Looks, WithoutADaemon) {
  stop(daemon_);
  // After another attempt, the error names the address: a long word.
  ASSERT_TRUE(until([&] { return session_->trouble().contains(address_); }));
  inspect_settled(*window_);
}

TEST_P(Looks, TheFleet) {
  Session* gone =
      hosts_->add({"unix:path=/nowhere", ""}, "a-host-with-quite-a-long-name.example.org");
  ASSERT_TRUE(until([&] { return !gone->trouble().isEmpty(); }));
  inspect_settled(*window_);
}

TEST_P(Looks, TheMapHelper) {
  MapHelper helper(*session_, kBox, nullptr);
  helper.setAttribute(Qt::WA_DeleteOnClose, false);
  helper.show();
  inspect_settled(helper);
}

TEST_P(Looks, AQuestion) {
  QTimer::singleShot(0, qApp, [&] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(box->button(QMessageBox::Cancel)->text(), "&Cancel");
    inspect_settled(*box);
    box->button(QMessageBox::Cancel)->click();
  });
  const Question question{PartActions::tr("Mark %1 as replaced?").arg("SLOT 04 of a shelf"),
                          PartActions::tr("fmd puts back into service what it had taken out for:") +
                              "\n• Disk has reallocated more sectors than its predecessors did",
                          PartActions::tr("Even if the &very same part is still there")};
  EXPECT_FALSE(ask(window_.get(), question).yes);
}

TEST_P(Looks, AddingAHost) {
  QAction* add = nullptr;
  for (QAction* one : window_->menuBar()->actions().front()->menu()->actions())
    if (!add) add = one;
  QTimer::singleShot(0, qApp, [&] {
    QWidget* dialog = QApplication::activeModalWidget();
    ASSERT_NE(dialog, nullptr);
    inspect_settled(*dialog);
    dialog->close();
  });
  add->trigger();
}

INSTANTIATE_TEST_SUITE_P(All, Looks, testing::Combine(testing::Bool(), testing::Values(1280, 1920)),
                         [](const auto& of) {
                           return (std::get<0>(of.param) ? "dark_" : "light_") +
                                  std::to_string(std::get<1>(of.param));
                         });

TEST(Palettes, TextIsReadInBoth) {
  const std::unique_ptr<QStyle> fusion(QStyleFactory::create("Fusion"));
  for (const QPalette& raw : {fusion->standardPalette(), dark_palette()}) {
    const QPalette palette = legible(raw);
    for (const auto& [text, ground] : {std::pair{QPalette::WindowText, QPalette::Window},
                                       {QPalette::Text, QPalette::Base},
                                       {QPalette::Text, QPalette::AlternateBase},
                                       {QPalette::ButtonText, QPalette::Button},
                                       {QPalette::PlaceholderText, QPalette::Base},
                                       {QPalette::HighlightedText, QPalette::Highlight},
                                       {QPalette::ToolTipText, QPalette::ToolTipBase},
                                       {QPalette::Link, QPalette::Window}})
      EXPECT_GE(contrast(palette.color(text), palette.color(ground)), kTextContrast)
          << "role " << text << (is_dark(palette) ? ", dark" : ", light");
    for (int i = 0; i < kLineColours; ++i)
      for (const auto ground : {QPalette::Base, QPalette::Window})
        EXPECT_GE(contrast(line_colour(i, is_dark(palette)), palette.color(ground)), kSignContrast)
            << "line " << i << (is_dark(palette) ? ", dark" : ", light");
  }
}

// Fusion outlines them in a darker shade of the window, which is invisible on a dark one.
TEST(Palettes, ACheckBoxIsSeenInBoth) {
  const std::unique_ptr<QStyle> style(outlined_fusion());
  for (const QPalette& raw : {style->standardPalette(), dark_palette()}) {
    const QPalette palette = legible(raw);
    EXPECT_GE(contrast(outline_colour(palette), palette.color(QPalette::Base)), kSignContrast);
    EXPECT_GE(contrast(outline_colour(palette), palette.color(QPalette::Window)), kSignContrast);
    QStyleOptionButton box;
    box.rect = {0, 0, 16, 16};
    box.palette = palette;
    box.state = QStyle::State_Enabled | QStyle::State_Off;
    QImage image(16, 16, QImage::Format_RGB32);
    image.fill(palette.color(QPalette::Window));
    QPainter painter(&image);
    style->drawPrimitive(QStyle::PE_IndicatorCheckBox, &box, &painter);
    painter.end();
    double most = 1;  // greatest contrast on a line from the edge to the middle
    for (int x = 0; x < 8; ++x)
      most = std::max(most, contrast(image.pixelColor(x, 8), palette.color(QPalette::Window)));
    EXPECT_GE(most, kSignContrast * 0.85) << (is_dark(palette) ? "dark" : "light");
  }
}

TEST(Palettes, AFigureIsReadOnEveryHeat) {
  for (int i = 0; i <= 100; ++i) {
    const QColor ground = heat_colour(i / 100.0);
    EXPECT_GE(contrast(text_on(ground), ground), kTextContrast) << i;
  }
}

TEST(Palettes, WhatIsPaleIsMadeStrongerAndNothingElseChanges) {
  QPalette pale;
  pale.setColor(QPalette::Base, Qt::white);
  pale.setColor(QPalette::Text, Qt::black);
  pale.setColor(QPalette::PlaceholderText, QColor(0, 0, 0, 60));
  ASSERT_LT(contrast(pale.color(QPalette::PlaceholderText), Qt::white), kTextContrast);
  const QPalette read = legible(pale);
  EXPECT_GE(contrast(read.color(QPalette::PlaceholderText), Qt::white), kTextContrast);
  EXPECT_LT(contrast(read.color(QPalette::PlaceholderText), Qt::white), 21) << "still a hint";
  EXPECT_EQ(read.color(QPalette::Text), pale.color(QPalette::Text));
  EXPECT_EQ(legible(read), read);
}

}  // namespace
}  // namespace fmd::tray
