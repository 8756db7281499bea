// A drawing as JSON, to be painted elsewhere: a notifier has neither the inventory nor a scene.
// Keys are short: a shelf of sixty disks has about 1,500 shapes. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "fmd/base/result.h"
#include "fmd/scene/drawing.h"

namespace fmd::scene {

nlohmann::json to_json(const Drawing& drawing);
// The error: what is no drawing, or larger than any chassis.
Result<Drawing> drawing_from_json(const nlohmann::json& doc);

}  // namespace fmd::scene
