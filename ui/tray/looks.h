// Looks: colours of widgets with enough contrast (WCAG 2.1 AA: 4.5 to 1 for text, 3 to 1 for lines
// and signs) in any desktop theme. Pure except for follow_looks(); the application's thread.
#pragma once
#include <QColor>
#include <QPalette>

class QApplication;
class QStyle;

namespace fmd::tray {

constexpr double kTextContrast = 4.5, kSignContrast = 3;

// 1..21; a transparent colour is blended with its ground.
double contrast(const QColor& text, const QColor& ground);
bool is_dark(const QPalette& palette);

// The palette of a dark desktop.
QPalette dark_palette();
// Raises the contrast of pale colours: themes paint hints in fields at half strength.
QPalette legible(QPalette palette);
// share: of `over`.
QColor mixed(const QColor& over, const QColor& under, double share);
// For the outlines of input widgets: 3 to 1 on both grounds.
QColor outline_colour(const QPalette& palette);
// Fusion, with outlines of check boxes and fields that are also visible on a dark ground.
QStyle* outlined_fusion();
// Keeps the application's palette legible and Fusion's outlines visible when the theme changes.
void follow_looks(QApplication& app);

// The colour of a part by a figure, blue (0) to red (1), and of the text on it.
QColor heat_colour(double share);
QColor text_on(const QColor& ground);
// Lines of a chart, distinguished not only by hue: from the sixth on they are dashed.
constexpr int kLineColours = 5;
QColor line_colour(int index, bool dark);

}  // namespace fmd::tray
