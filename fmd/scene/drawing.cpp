// One face: the chassis' metal, and each part with its sign, label, LEDs and progress.
#include "fmd/scene/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fmd/scene/brush.h"

namespace fmd::scene {
namespace {

// The remaining part of a box, from which pieces are cut along its length.
struct Strip {
  Rect rest;
  bool upright = rest.upright();

  double length() const { return upright ? rest.h : rest.w; }
  double across() const { return upright ? rest.w : rest.h; }
  Rect take(double wanted, bool at_end = false) {
    const double cut = std::clamp(wanted, 0.0, length());
    Rect piece = rest;
    double& start = upright ? rest.y : rest.x;
    double& size = upright ? rest.h : rest.w;
    (upright ? piece.h : piece.w) = cut;
    if (at_end) (upright ? piece.y : piece.x) = start + size - cut;
    size -= cut;
    if (!at_end) start += cut;
    return piece;
  }
};

constexpr double kTwoLines = 18;  // millimetres across

Rect square(const Rect& in, double side) {
  return {in.x + (in.w - side) / 2, in.y + (in.h - side) / 2, side, side};
}

class FaceDrawing {
 public:
  explicit FaceDrawing(const Face& face) : face_(face) {
    drawing_.width = face.width;
    drawing_.height = face.height;
    for (const Part& part : face.parts)
      if (part.label.size() > longest_[part.kind].size()) longest_[part.kind] = part.label;
  }

  Drawing paint() {
    panel();
    for (const Part& part : face_.parts) {
      brush_.part(part.fmri);
      this->part(part);
    }
    return std::move(drawing_);
  }

 private:
  void panel() {
    const Rect whole{0, 0, face_.width, face_.height};
    brush_.box(whole, 2.5, Ink::panel, Ink::panel_edge, 0.8);
    // A 19" front has ears with handles at its sides, if the parts leave room for them.
    const bool rack = face_.width >= 420 && face_.name == "front";
    double left = face_.width, right = 0;
    for (const Part& part : face_.parts) {
      left = std::min(left, part.box.x);
      right = std::max(right, part.box.right());
    }
    if (!rack || left < 12 || face_.width - right < 12) return;
    for (const double x : {3.5, face_.width - 8.5}) {
      const Rect handle{x, face_.height * 0.18, 5, face_.height * 0.64};
      brush_.box(handle, 2.5, Ink::carrier, Ink::panel_edge, 0.4);
      brush_.box(handle.inset(1.4), 1.2, Ink::panel);
    }
  }

  // Air slits across the carrier.
  void vents(const Rect& at, bool upright) {
    const double length = upright ? at.h : at.w, across = upright ? at.w : at.h;
    if (across < 8 || length < 10) return;
    for (double along = 2; along < length - 1; along += 3.4) {
      const Point from = upright ? Point{at.x + across * 0.25, at.y + along}
                                 : Point{at.x + along, at.y + across * 0.25};
      const Point to = upright ? Point{at.x + across * 0.75, at.y + along}
                               : Point{at.x + along, at.y + across * 0.75};
      brush_.line(from, to, Ink::vent, 1.1);
    }
  }

  static double frame_of(const Rect& box) { return std::min({1.6, box.w / 8, box.h / 8}); }

  // At the far end, with the fault LED outermost, as on most carriers.
  void lights(const Part& part, Strip& strip, double unit) {
    if (part.kind != PartKind::bay) return;
    // LEDs grow with the carrier, but leave room for the text.
    const double side = std::min(unit, strip.upright ? 9.0 : 7.0);
    if (part.locate == Light::on) strip.take(frame_of(part.box), true);
    if (part.fault != Light::none)
      brush_.lamp(strip.take(side, true), Lamp::fault, part.fault, false);
    if (part.locate == Light::none) return;
    brush_.lamp(strip.take(side, true), Lamp::locate, part.locate, part.locate == Light::on);
    if (part.locate != Light::on) return;
    // A frame that also blinks: in a shelf of sixty, an LED alone is hard to find.
    const double frame = frame_of(part.box);
    const auto around = [&](double inset, Ink ink, double width) {
      brush_.box(part.box.inset(inset), 1, {}, ink, width).blinks = true;
    };
    around(frame * 0.8, Ink::vent, frame * 1.6);
    around(frame * 0.7, Ink::locate, frame);
  }

  // A frame for the pool's trouble, unless the part's own is as bad. Returns the frame's width.
  double pool_frame(const Part& part) {
    if (part.frame < PartState::degraded || part.frame <= part.state) return 0;
    const double width = frame_of(part.box);
    brush_.box(part.box.inset(width / 2), 1, {}, dress(part.frame).ground, width);
    return width;
  }

  void hole(const Part& part, const Rect& box) {
    Shape& edge = brush_.box(box, 1.2, Ink::slot, Ink::panel_edge, 0.5);
    edge.dashed = true;
    if (part.state != PartState::unknown) return;
    // Hatched: fmd cannot observe it.
    const double length = box.w + box.h, step = std::max(3.0, std::min(box.w, box.h) / 4);
    for (double d = step; d < length; d += step) {
      const Point a{box.x + std::min(d, box.w), box.y + std::max(0.0, d - box.w)};
      const Point b{box.x + std::max(0.0, d - box.h), box.y + std::min(d, box.h)};
      brush_.line(a, b, Ink::panel_edge, 0.4);
    }
  }

  void progress(const Part& part, Strip strip) {
    const std::string percent = fmt::format("{:.0f} %", *part.progress * 100);
    const bool is_line = !strip.upright && strip.across() < 9;  // below the label
    const double size = is_line ? strip.across() / 1.3 : std::clamp(strip.across() * 0.3, 2.4, 5.0);
    if (strip.length() > 24) {
      const double wanted = strip.upright ? size * 1.6 : text_width(percent, size, false) + size;
      brush_.text(strip.take(wanted), percent, size, Ink::carrier_text);
    }
    const Rect at = strip.rest;
    const double thick = is_line ? 0.6 : 0.2;  // fraction of the width
    const double before = (1 - thick) / 2;
    const Rect bar = strip.upright ? Rect{at.x + at.w * before, at.y + 1, at.w * thick, at.h - 2}
                                   : Rect{at.x + 1, at.y + at.h * before, at.w - 2, at.h * thick};
    brush_.box(bar, 1, Ink::vent, Ink::quiet, 0.3);
    Rect done = bar;
    if (strip.upright) {
      done.h = bar.h * *part.progress;
      done.y = bar.bottom() - done.h;
    } else {
      done.w = bar.w * *part.progress;
    }
    brush_.box(done, 1, Ink::rebuilding);
  }

  void part(const Part& part) {
    const Rect box = part.box;
    const Dress look = dress(part.state);
    const bool is_hole = part.state == PartState::empty || part.state == PartState::unknown;
    if (is_hole)
      hole(part, box);
    else
      brush_.box(box, 1.2, look.ground, Ink::carrier_edge, 0.5);
    Strip strip{box.inset(std::max(pool_frame(part), std::min({1.0, box.w * 0.06, box.h * 0.06})))};
    const double unit = std::min(strip.across(), strip.length() / 5);
    const Rect sign = strip.take(unit);
    brush_.sign(square(sign, unit * 0.62), part.state, look.sign);
    const bool plain = look.ground == Ink::carrier;
    lights(part, strip, unit);
    if (part.kind == PartKind::fan && !is_hole && plain) rotor(strip.rest);
    if (part.kind == PartKind::bay && !strip.upright && strip.across() >= kTwoLines)
      stacked(part, strip, look);
    else
      labels(part, strip, look);
  }

  // A horizontal 3.5" carrier has room for two lines: the label, then the detail or progress.
  void stacked(const Part& part, const Strip& strip, const Dress& look) {
    const double size = std::clamp(strip.across() * 0.36, 6.0, 10.0), small = size * 0.62;
    const double wanted = std::max(text_width(longest_[part.kind], size, true),
                                   text_width(part.detail, small, false));
    Strip left = strip;
    const Rect words = left.take(wanted + 2);
    const bool alone = !part.progress && part.detail.empty();
    const double middle = words.y + words.h * 0.56;
    const Rect name{words.x, middle - size * 1.1, words.w, size * 1.2};
    brush_.text(alone ? words : name, part.label, size, look.text, true, Shape::Align::left);
    const Rect below{words.x, middle + small * 0.2, words.w, small * 1.3};
    if (part.progress)
      return progress(part, {{below.x, below.y, strip.rest.right() - below.x - 2, below.h}});
    brush_.text(below, fitting_words(part.detail, small, below.w), small, look.text, false,
                Shape::Align::left);
    if (look.ground != Ink::carrier || alone) return;
    left.take(4);
    vents(left.rest, false);
  }

  void rotor(const Rect& in) {
    const double side = std::min(in.w, in.h) * 0.92;
    if (side < 16) return;
    for (double shrink = 1; shrink > 0.2; shrink -= 0.26)
      brush_.ellipse(square(in, side * shrink), {}, Ink::vent, 0.9);
  }

  // The label, and next to it the detail, the progress or the air slits.
  void labels(const Part& part, Strip strip, const Dress& look) {
    const double across = strip.across(), length = strip.length();
    const double size = std::clamp(across * 0.42, 2.6, 8.0);
    // If a long label does not fit a narrow carrier, all labels of its kind are turned.
    const std::string& longest = longest_[part.kind];
    const bool turned = strip.upright && text_width(longest, size * 0.6, true) > across;
    const double wanted =
        strip.upright && !turned ? size * 1.5 : text_width(longest, size, true) + size;
    const Rect name = strip.take(std::min(wanted, length * (part.detail.empty() ? 1.0 : 0.6)));
    brush_.text(name, part.label, size, look.text, true, Shape::Align::centre, turned);
    if (part.progress) return progress(part, strip);
    if (part.detail.empty() || strip.length() < 6) return;
    const double small = std::clamp(size * 0.72, 2.4, 5.5);
    const double needed = text_width(part.detail, small, false) + small;
    const Rect what = strip.take(std::min(needed, strip.length() - 1));
    const Rect room = what.inset(std::min(across * 0.06, 1.0));
    const bool upwards = strip.upright && needed > across;
    const double least = std::min(small, (upwards ? room.w : room.h) * 0.9);
    brush_.text(room, fitting_words(part.detail, least, upwards ? room.h : room.w), small,
                look.text, false, Shape::Align::centre, upwards);
    if (look.ground == Ink::carrier && part.kind == PartKind::bay) vents(strip.rest, strip.upright);
  }

  const Face& face_;
  Drawing drawing_;
  Brush brush_{drawing_};
  std::map<PartKind, std::string> longest_;  // label
};

}  // namespace

Drawing draw(const Face& face) {
  return FaceDrawing(face).paint();
}

}  // namespace fmd::scene
