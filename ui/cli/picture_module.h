// The module of fmadm that paints, with cairo: of the 35 libraries that fmadm had with it cairo and what cairo needs are twenty,
// which took a third of the time that any of its commands took to start.
#pragma once
#include <string>

#include "fmd/base/result.h"
#include "fmd/picture/cairo_canvas.h"

namespace fmd::cli {

struct PictureModule {
  const char* build;  // FMD_PICTURE_BUILD; stays the first, whatever comes
  Result<std::string> (*paint)(const scene::Drawing& drawing, const picture::Options& options);
};

}  // namespace fmd::cli
