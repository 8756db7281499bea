// The tray's icon: a tick, a triangle, a cross or a question mark, each with its own colour.
#pragma once
#include <QIcon>

#include "ui/tray/snapshot.h"

namespace fmd::tray {

QIcon health_icon(Health health);

}  // namespace fmd::tray
