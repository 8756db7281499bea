// Places parts whose description has no position: in rows, in the order of their labels. Pure.
#pragma once
#include "fmd/scene/scene.h"

namespace fmd::scene {

// Gives each part a box, and the face its size. Bays first, the other parts in rows below.
void arrange(Face& face);

}  // namespace fmd::scene
