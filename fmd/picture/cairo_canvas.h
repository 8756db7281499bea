// Paints a drawing with cairo into the bytes of an SVG or PNG file.
#pragma once
#include <string>

#include "fmd/base/result.h"
#include "fmd/scene/drawing.h"

namespace fmd::picture {

enum class Format { svg, png };
struct Options {
  Format format = Format::svg;
  scene::Theme theme = scene::Theme::light;
  double scale = 4;  // PNG: pixels per millimetre
};
Result<std::string> paint(const scene::Drawing& drawing, const Options& options);

}  // namespace fmd::picture
