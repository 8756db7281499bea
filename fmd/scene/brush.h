// Brush: short functions that add shapes to a drawing. Private to drawing.cpp and page.cpp.
#pragma once
#include <string>

#include "fmd/scene/drawing.h"

namespace fmd::scene {

// About how wide a text is, in its size: enough to choose a size that fits.
double text_width(std::string_view text, double size, bool bold);
// Cut with "…" to what fits.
std::string fitting(std::string_view text, double size, double width, bool bold);

// What of "16 TB SSD" fits at the least size that text() goes down to: all, else without its last word; what does not fit
// then either is cut by text().
std::string fitting_words(std::string_view text, double size, double width);

// What a part in that state is painted with.
struct Dress {
  Ink ground, text, sign;
};
Dress dress(PartState state);

class Brush {
 public:
  explicit Brush(Drawing& on) : on_(on) {}

  void part(std::string fmri) { part_ = std::move(fmri); }
  Shape& box(const Rect& at, double radius, std::optional<Ink> fill, std::optional<Ink> stroke = {},
             double width = 0);
  Shape& ellipse(const Rect& at, std::optional<Ink> fill, std::optional<Ink> stroke = {},
                 double width = 0);
  Shape& polygon(std::vector<Point> points, Ink fill);
  Shape& line(Point from, Point to, Ink stroke, double width);
  // In the middle of the box; smaller, and cut at last, so that it fits.
  Shape& text(const Rect& at, std::string_view text, double size, Ink fill, bool bold = false,
              Shape::Align align = Shape::Align::centre, bool turned = false);
  // The sign of a state, in that square: a shape of its own for each.
  void sign(const Rect& at, PartState state, Ink ink);
  // A light, in that square; blinks: as it really does.
  void lamp(const Rect& at, Lamp lamp, Light light, bool blinks);

 private:
  Shape& add(Shape shape);

  Drawing& on_;
  std::string part_;
};

}  // namespace fmd::scene
