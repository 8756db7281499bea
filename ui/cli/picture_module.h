// The module of fmadm that paints, with cairo. cairo brings twenty libraries, which would take a
// third of the start-up time of every fmadm command.
#pragma once
#include <string>

#include "fmd/base/result.h"
#include "fmd/picture/cairo_canvas.h"

namespace fmd::cli {

struct PictureModule {
  const char* build;  // FMD_PICTURE_BUILD; always the first member
  Result<std::string> (*paint)(const scene::Drawing& drawing, const picture::Options& options);
};

}  // namespace fmd::cli
