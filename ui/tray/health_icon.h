// The tray's icon: how things are by shape and colour: a tick, a triangle, a cross, a question mark.
#pragma once
#include <QIcon>

#include "ui/tray/snapshot.h"

namespace fmd::tray {

QIcon health_icon(Health health);

}  // namespace fmd::tray
