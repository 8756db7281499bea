// Drawing: a face of a chassis as shapes in millimetres, in painting order. A canvas (Qt, SVG, PNG)
// knows only shapes and inks, no disks. Pure data.
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
  Rect box;                   // of box and ellipse; of text: it stands in its middle line
  double radius = 0;          // of a box's corners
  std::vector<Point> points;  // of polygon and line
  std::string text;
  double size = 0;  // of text: height of its capitals times 1.4, about an em
  Align align = Align::centre;
  bool bold = false;
  bool turned = false;              // text: read from below upwards
  std::optional<Ink> fill, stroke;  // text: fill
  double width = 0;                 // of the stroke
  bool dashed = false;
  bool blinks = false;  // a light that blinks: on for half of a second's time
  std::string part;     // FMRI of the part it belongs to, "" the chassis
};

struct Drawing {
  double width = 0, height = 0;
  std::vector<Shape> shapes;
};

Drawing draw(const Face& face);

// Each fault domain of the face: a dashed line around what it takes down, with its name on it. Over draw().
Drawing draw_domains(const Face& face);

enum class Lamp { fault, locate };
// What a picture bears that is to be explained.
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
// What the signs mean, in these words: a row, or several where it gets wider than that.
Drawing draw_legend(const Signs& signs, double width, const Meanings& words);

struct PageOptions {
  std::string face;      // only that one; "" all
  bool domains = false;  // outlined
};
// The whole chassis on one page: its name, each face with its name, and what the signs mean that occur.
Drawing draw_page(const Scene& scene, const PageOptions& options);

}  // namespace fmd::scene
