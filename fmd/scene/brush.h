// Brush: adds shapes to a drawing. Private to drawing.cpp and page.cpp.
#pragma once
#include <string>

#include "fmd/scene/drawing.h"

namespace fmd::scene {

// Approximate width of a text at this size; good enough to choose a size that fits.
double text_width(std::string_view text, double size, bool bold);
// The text, cut with "…" if it is too long.
std::string fitting(std::string_view text, double size, double width, bool bold);

// "16 TB SSD" without its last word if it does not fit even at text()'s minimum size. text() cuts
// the result if that is still too long.
std::string fitting_words(std::string_view text, double size, double width);

// The inks for a part in a certain state.
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
  // Centred vertically in the box; made smaller, and finally cut, to fit.
  Shape& text(const Rect& at, std::string_view text, double size, Ink fill, bool bold = false,
              Shape::Align align = Shape::Align::centre, bool turned = false);
  // The sign of a state, in that square. Each state has a different shape.
  void sign(const Rect& at, PartState state, Ink ink);
  // An LED, in that square; blinks: as the real one does.
  void lamp(const Rect& at, Lamp lamp, Light light, bool blinks);

 private:
  Shape& add(Shape shape);

  Drawing& on_;
  std::string part_;
};

}  // namespace fmd::scene
