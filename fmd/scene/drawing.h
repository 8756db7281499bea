// Drawing: a face of a chassis as shapes in millimetres, in painting order. A canvas (Qt, SVG, PNG)
// only needs to know shapes and inks. Pure data.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/scene/palette.h"
#include "fmd/scene/scene.h"

namespace fmd::scene {

struct Shape {
  enum class Form { box, ellipse, polygon, line, text };
  enum class Align { left, centre, right };

  Form form = Form::box;
  Rect box;                   // of box and ellipse; of text: vertically centred in it
  double radius = 0;          // of a box's corners
  std::vector<Point> points;  // of polygon and line
  std::string text;
  double size = 0;  // of text: 1.4 times the height of capitals, about an em
  Align align = Align::centre;
  bool bold = false;
  bool turned = false;              // text: runs upwards
  std::optional<Ink> fill, stroke;  // text: fill
  double width = 0;                 // of the stroke
  bool dashed = false;
  bool blinks = false;  // like an LED: on for half a second, off for half a second
  std::string part;     // FMRI of its part; "": the chassis
};

struct Drawing {
  double width = 0, height = 0;
  std::vector<Shape> shapes;
};

Drawing draw(const Face& face);

// Each fault domain of the face: a dashed outline with its name. To be painted over draw().
Drawing draw_domains(const Face& face);

enum class Lamp { fault, locate };
// Signs in a picture that need an explanation.
struct Signs {
  std::set<PartState> states;
  std::set<Lamp> lit;

  void add(const Part& part);
  bool empty() const { return states.empty() && lit.empty(); }
  bool operator==(const Signs&) const = default;
};
std::string_view meaning(PartState state);  // "watched, healthy"
std::string_view meaning(Lamp lit);         // "locate light on"
struct Meanings {
  std::function<std::string(PartState)> state;
  std::function<std::string(Lamp)> lamp;
};
// A legend of these signs, in these words: one row, or several if needed.
Drawing draw_legend(const Signs& signs, double width, const Meanings& words);

struct PageOptions {
  std::string face;      // "": all faces
  bool domains = false;  // outlined
};
// The whole chassis on one page: its name, each face with its name, and a legend of its signs.
Drawing draw_page(const Scene& scene, const PageOptions& options);

}  // namespace fmd::scene
