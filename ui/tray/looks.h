// Looks: the colours of widgets, so that what they say can be read (WCAG 2.1 AA: 4.5 to 1 for text, 3 to 1 for lines
// and signs), whatever the desktop's theme. Pure but for follow_looks(); the application's thread.
#pragma once
#include <QColor>
#include <QPalette>

class QApplication;
class QStyle;

namespace fmd::tray {

constexpr double kTextContrast = 4.5, kSignContrast = 3;

// 1..21; what is transparent is seen on its ground.
double contrast(const QColor& text, const QColor& ground);
bool is_dark(const QPalette& palette);

// As a dark desktop has it.
QPalette dark_palette();
// The palette with what is too pale in it made stronger: themes paint hints in fields at half strength.
QPalette legible(QPalette palette);
// share of the one over the other.
QColor mixed(const QColor& over, const QColor& under, double share);
// Of what one clicks into: 3 to 1 on both of these grounds.
QColor outline_colour(const QPalette& palette);
// Fusion as it is, and the outlines of check boxes and fields so that they are seen on a dark ground too.
QStyle* outlined_fusion();
// Keeps the application's palette legible, also when the desktop turns dark, and Fusion's outlines visible.
void follow_looks(QApplication& app);

// Of parts by a figure: blue (0) to red (1), and what is written on it.
QColor heat_colour(double share);
QColor text_on(const QColor& ground);
// Lines of a chart, told apart by more than their hue: after the fifth they are dashed.
constexpr int kLineColours = 5;
QColor line_colour(int index, bool dark);

}  // namespace fmd::tray
