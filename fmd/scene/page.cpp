// A page for a file: the chassis' name, its faces below each other, and what the signs mean.
#include <algorithm>
#include <set>

#include "fmd/scene/brush.h"

namespace fmd::scene {
namespace {

constexpr double kPageMargin = 10, kTitle = 9, kCaption = 5, kPageGap = 4;

void shift(Shape& shape, double x, double y) {
  shape.box.x += x;
  shape.box.y += y;
  for (Point& p : shape.points) {
    p.x += x;
    p.y += y;
  }
}

// Signs as the parts bear them, in the ground's colour where that is the sign.
double legend(Brush& brush, const std::set<PartState>& states, double left, double right,
              double top, const Meaning& words) {
  double x = left;
  constexpr double kSide = 6, kSize = 4.5;
  for (const PartState state : states) {
    const std::string word = words(state);
    const double w = kSide + 2 + text_width(word, kSize, false) + 8;
    if (x + w > right && x > left) {
      x = left;
      top += kSide + 2.5;
    }
    const Rect box{x, top, kSide, kSide};
    brush.box(box, 1, dress(state).ground);
    brush.sign(box.inset(1.1), state, dress(state).sign);
    brush.text({x + kSide + 2, top, w, kSide}, word, kSize, Ink::page_text,
               state >= PartState::degraded, Shape::Align::left);
    x += w;
  }
  return top + kSide;
}

std::string meaning_text(PartState state) {
  return std::string(meaning(state));
}

}  // namespace

std::string_view meaning(PartState state) {
  switch (state) {
    case PartState::empty:
      return "empty";
    case PartState::ok:
      return "in use";
    case PartState::spare:
      return "spare";
    case PartState::unwatched:
      return "not monitored";
    case PartState::unknown:
      return "unknown";
    case PartState::rebuilding:
      return "rebuilding";
    case PartState::degraded:
      return "degraded";
    case PartState::faulted:
      return "faulted";
  }
  return "";
}

Drawing draw_legend(const std::set<PartState>& states, double width, const Meaning& words) {
  Drawing row;
  Brush brush(row);
  row.width = width;
  if (!states.empty()) row.height = legend(brush, states, 0, width, 0, words);
  return row;
}

Drawing draw_page(const Scene& scene, const PageOptions& options) {
  Drawing page;
  Brush brush(page);
  double width = 160;
  for (const Face& face : scene.faces)
    if (options.face.empty() || face.name == options.face) width = std::max(width, face.width);
  page.width = width + 2 * kPageMargin;
  double top = kPageMargin;
  std::string title = scene.label;
  if (!scene.product.empty() && scene.product != scene.label) title += " (" + scene.product + ")";
  brush.text({kPageMargin, top, width, kTitle}, title, 7, Ink::page_text, true, Shape::Align::left);
  top += kTitle + kPageGap;
  std::set<PartState> states;
  for (const Face& face : scene.faces) {
    if (!options.face.empty() && face.name != options.face) continue;
    brush.text({kPageMargin, top, width, kCaption}, face.label, 4.5, Ink::page_text, false,
               Shape::Align::left);
    top += kCaption + 2;
    std::vector<Shape> shapes = draw(face).shapes;
    if (options.domains)
      for (Shape& shape : draw_domains(face).shapes) shapes.push_back(std::move(shape));
    for (Shape& shape : shapes) {
      shift(shape, kPageMargin, top);
      page.shapes.push_back(std::move(shape));
    }
    for (const Part& part : face.parts) states.insert(part.state);
    top += face.height + kPageGap;
  }
  if (!states.empty())
    top = legend(brush, states, kPageMargin, kPageMargin + width, top + 2, meaning_text);
  page.height = top + kPageMargin;
  Shape ground;
  ground.box = {0, 0, page.width, page.height};
  ground.fill = Ink::page;
  page.shapes.insert(page.shapes.begin(), std::move(ground));
  return page;
}

}  // namespace fmd::scene
