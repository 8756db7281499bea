// Paints a drawing to a file's bytes with cairo: SVG, or PNG at so many pixels a millimetre.
#pragma once
#include <string>

#include "fmd/base/result.h"
#include "fmd/scene/drawing.h"

namespace fmd::cli {

enum class PictureFormat { svg, png };
struct PictureOptions {
  PictureFormat format = PictureFormat::svg;
  scene::Theme theme = scene::Theme::light;
  double scale = 4;  // PNG: pixels a millimetre
};
Result<std::string> paint(const scene::Drawing& drawing, const PictureOptions& options);

}  // namespace fmd::cli
