// Paints a drawing's shapes with Qt.
#pragma once
#include <QColor>
#include <QPainter>

#include "fmd/scene/drawing.h"

namespace fmd::tray {

QColor qt_colour(scene::Ink ink, scene::Theme theme);
// The painter's units are the drawing's millimetres. lit: whether blinking lights are on now.
void paint(QPainter& painter, const scene::Drawing& drawing, scene::Theme theme, bool lit);
void paint(QPainter& painter, const scene::Shape& shape, scene::Theme theme);

}  // namespace fmd::tray
