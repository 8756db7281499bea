// A page for a file: the chassis' name, its faces one below the other, and a legend.
#include <algorithm>

#include "fmd/scene/brush.h"

namespace fmd::scene {
namespace {

constexpr double kPageMargin = 10, kTitle = 9, kCaption = 5, kPageGap = 4, kNote = 6;

void shift(Shape& shape, double x, double y) {
  shape.box.x += x;
  shape.box.y += y;
  for (Point& p : shape.points) {
    p.x += x;
    p.y += y;
  }
}

// Signs as on the parts, in the colour of the part's ground if that is the sign.
class Legend {
 public:
  Legend(Brush& brush, double left, double right, double top)
      : brush_(brush), left_(left), right_(right), x_(left), top_(top) {}

  void state(PartState state, const std::string& word) {
    const bool bold = state >= PartState::degraded;
    const Rect box = room(word, bold);
    brush_.box(box, 1, dress(state).ground, Ink::quiet, 0.3);
    brush_.sign(box.inset(1.1), state, dress(state).sign);
  }
  void lamp(Lamp lamp, const std::string& word) {
    const Rect box = room(word, false);
    brush_.box(box, 1, Ink::carrier, Ink::quiet, 0.3);
    brush_.lamp(box.inset(0.7), lamp, Light::on, false);
  }
  double bottom() const { return top_ + kSide; }

 private:
  static constexpr double kSide = 6, kSize = 4.5;

  // Writes the word; returns the place of its sign.
  Rect room(const std::string& word, bool bold) {
    const double w = kSide + 2 + text_width(word, kSize, bold) + 6;
    if (x_ + w > right_ && x_ > left_) {
      x_ = left_;
      top_ += kSide + 2.5;
    }
    const Rect box{x_, top_, kSide, kSide};
    brush_.text({x_ + kSide + 2, top_, w - kSide - 2, kSide}, word, kSize, Ink::page_text, bold,
                Shape::Align::left);
    x_ += w;
    return box;
  }

  Brush& brush_;
  double left_, right_, x_, top_;
};

double legend(Brush& brush, const Signs& signs, double left, double right, double top,
              const Meanings& words) {
  Legend legend(brush, left, right, top);
  for (const PartState state : signs.states) legend.state(state, words.state(state));
  for (const Lamp lamp : signs.lit) legend.lamp(lamp, words.lamp(lamp));
  return legend.bottom();
}

// A line about a pool's trouble, with the frame of its bays.
double note_line(Brush& brush, const Scene::Note& note, double left, double width, double top) {
  const Rect sign{left, top, kNote, kNote};
  brush.box(sign, 1, Ink::carrier, Ink::quiet, 0.3);
  brush.box(sign.inset(0.8), 0.6, {}, dress(note.frame).ground, 1.2);
  brush.text({left + kNote + 2, top, width - kNote - 2, kNote}, "bays of " + note.text, 4.5,
             Ink::page_text, true, Shape::Align::left);
  return top + kNote + 2;
}

Meanings plain() {
  return {[](PartState state) { return std::string(meaning(state)); },
          [](Lamp lit) { return std::string(meaning(lit)); }};
}

}  // namespace

std::string_view meaning(PartState state) {
  switch (state) {
    case PartState::empty:
      return "empty";
    case PartState::ok:
      return "watched, healthy";
    case PartState::spare:
      return "spare";
    case PartState::unwatched:
      return "not monitored";
    case PartState::unknown:
      return "unknown";
    case PartState::rebuilding:
      return "rebuilding";
    case PartState::degraded:
      return "needs attention (minor)";
    case PartState::faulted:
      return "needs attention";
  }
  return "";
}

std::string_view meaning(Lamp lit) {
  return lit == Lamp::locate ? "locate light on" : "fault light on";
}

void Signs::add(const Part& part) {
  states.insert(part.state);
  if (part.kind != PartKind::bay) return;  // in pictures, only bays have LEDs
  if (part.fault == Light::on) lit.insert(Lamp::fault);
  if (part.locate == Light::on) lit.insert(Lamp::locate);
}

Drawing draw_legend(const Signs& signs, double width, const Meanings& words) {
  Drawing row;
  Brush brush(row);
  row.width = width;
  if (!signs.empty()) row.height = legend(brush, signs, 0, width, 0, words);
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
  for (const Scene::Note& note : scene.notes) top = note_line(brush, note, kPageMargin, width, top);
  if (!scene.caution.empty()) {
    brush.text({kPageMargin, top, width, kNote}, scene.caution, 4.5, Ink::page_text, true,
               Shape::Align::left);
    top += kNote + 2;
  }
  Signs signs;
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
    for (const Part& part : face.parts) signs.add(part);
    top += face.height + kPageGap;
  }
  if (!signs.empty())
    top = legend(brush, signs, kPageMargin, kPageMargin + width, top + 2, plain());
  page.height = top + kPageMargin;
  Shape ground;
  ground.box = {0, 0, page.width, page.height};
  ground.fill = Ink::page;
  page.shapes.insert(page.shapes.begin(), std::move(ground));
  return page;
}

}  // namespace fmd::scene
