// A drawing as JSON, for painting elsewhere: a notifier has neither inventory nor scene. Keys are
// short because a shelf of sixty disks has about 1,500 shapes. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "fmd/base/result.h"
#include "fmd/scene/drawing.h"

namespace fmd::scene {

nlohmann::json to_json(const Drawing& drawing);
// An error if it is not a drawing, or larger than any chassis.
Result<Drawing> drawing_from_json(const nlohmann::json& doc);

}  // namespace fmd::scene
