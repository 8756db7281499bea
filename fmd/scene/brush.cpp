#include "fmd/scene/brush.h"

#include <algorithm>

namespace fmd::scene {
namespace {

constexpr double kLeastOfSize = 0.6;  // minimum size of a text before it is cut
constexpr double kRounding = 1e-6;    // tolerance, so that an exactly fitting text is not cut

size_t next_character(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  return at;
}

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  double ems = 0;
  for (size_t at = 0; at < text.size(); at = next_character(text, at)) {
    const char c = text[at];
    const bool narrow = std::string_view(" .,:;'|!ijlIft()[]").find(c) != std::string_view::npos;
    const bool wide = static_cast<unsigned char>(c) >= 0xe3 || c == 'W' || c == 'M' || c == 'm';
    ems += narrow ? 0.36 : wide ? 1.0 : 0.66;
  }
  return ems * size * (bold ? 1.08 : 1.0);
}

std::string fitting(std::string_view text, double size, double width, bool bold) {
  if (text_width(text, size, bold) <= width + kRounding) return std::string(text);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t next = next_character(text, at);
    const std::string longer = out + std::string(text.substr(at, next - at));
    if (text_width(longer + "…", size, bold) > width) break;
    out = longer;
    at = next;
  }
  return out.empty() ? "" : out + "…";
}

std::string fitting_words(std::string_view text, double size, double width) {
  const size_t blank = text.rfind(' ');
  const bool whole = text_width(text, size * kLeastOfSize, false) <= width + kRounding;
  return std::string(whole || blank == text.npos ? text : text.substr(0, blank));
}

Dress dress(PartState state) {
  switch (state) {
    case PartState::faulted:
      return {Ink::faulted, Ink::faulted_text, Ink::faulted_text};
    case PartState::degraded:
      return {Ink::degraded, Ink::degraded_text, Ink::degraded_text};
    case PartState::empty:
    case PartState::unknown:
      return {Ink::slot, Ink::slot_text, Ink::slot_text};
    case PartState::ok:
      return {Ink::carrier, Ink::carrier_text, Ink::ok};
    case PartState::spare:
      return {Ink::carrier, Ink::carrier_text, Ink::spare};
    case PartState::rebuilding:
      return {Ink::carrier, Ink::carrier_text, Ink::rebuilding};
    case PartState::unwatched:
      break;
  }
  return {Ink::carrier, Ink::carrier_text, Ink::quiet};
}

Shape& Brush::add(Shape shape) {
  shape.part = part_;
  on_.shapes.push_back(std::move(shape));
  return on_.shapes.back();
}

Shape& Brush::box(const Rect& at, double radius, std::optional<Ink> fill, std::optional<Ink> stroke,
                  double width) {
  Shape s;
  s.box = at;
  s.radius = std::min({radius, at.w / 2, at.h / 2});
  s.fill = fill;
  s.stroke = stroke;
  s.width = width;
  return add(std::move(s));
}

Shape& Brush::ellipse(const Rect& at, std::optional<Ink> fill, std::optional<Ink> stroke,
                      double width) {
  Shape& s = box(at, 0, fill, stroke, width);
  s.form = Shape::Form::ellipse;
  return s;
}

Shape& Brush::polygon(std::vector<Point> points, Ink fill) {
  Shape s;
  s.form = Shape::Form::polygon;
  s.points = std::move(points);
  s.fill = fill;
  return add(std::move(s));
}

Shape& Brush::line(Point from, Point to, Ink stroke, double width) {
  Shape s;
  s.form = Shape::Form::line;
  s.points = {from, to};
  s.stroke = stroke;
  s.width = width;
  return add(std::move(s));
}

Shape& Brush::text(const Rect& at, std::string_view text, double size, Ink fill, bool bold,
                   Shape::Align align, bool turned) {
  Shape s;
  s.form = Shape::Form::text;
  s.box = at;
  s.bold = bold;
  s.align = align;
  s.fill = fill;
  s.turned = turned;
  const double length = s.turned ? at.h : at.w, height = s.turned ? at.w : at.h;
  s.size = std::min(size, height * 0.9);
  const double needed = text_width(text, s.size, bold);
  if (needed > length) s.size = std::max(s.size * kLeastOfSize, s.size * length / needed);
  s.text = fitting(text, s.size, length, bold);
  return add(std::move(s));
}

void Brush::lamp(const Rect& at, Lamp lamp, Light light, bool blinks) {
  const auto around = [&](double side) {
    return Rect{at.x + (at.w - side) / 2, at.y + (at.h - side) / 2, side, side};
  };
  const double whole = std::min(at.w, at.h);
  const double side = whole * 0.65;
  const bool lit = light == Light::on;
  const Ink on = lamp == Lamp::locate ? Ink::locate : Ink::fault_light;
  // On a dark ground: an orange light would be invisible on a red part.
  if (lit) ellipse(around(whole), Ink::vent);
  ellipse(around(side), lit ? on : Ink::dark_light, Ink::carrier_edge, 0.3).blinks = lit && blinks;
  if (lit) ellipse(around(side * 1.4), {}, on, side * 0.14).blinks = blinks;
  if (light == Light::unknown) text(around(side), "?", side, Ink::carrier_text);
}

void Brush::sign(const Rect& at, PartState state, Ink ink) {
  const double side = std::min(at.w, at.h), thick = side * 0.16;
  const Rect r{at.x + (at.w - side) / 2, at.y + (at.h - side) / 2, side, side};
  const double mx = r.x + side / 2, my = r.y + side / 2;
  switch (state) {
    case PartState::ok:
      ellipse(r.inset(side * 0.2), ink);
      break;
    case PartState::unwatched:
      ellipse(r.inset(side * 0.2), {}, ink, thick);
      break;
    case PartState::spare:
      polygon({{mx, r.y + side * 0.1},
               {r.right() - side * 0.1, my},
               {mx, r.bottom() - side * 0.1},
               {r.x + side * 0.1, my}},
              ink);
      break;
    case PartState::rebuilding:  // two arrow heads for progress
      for (const double from : {0.08, 0.5})
        polygon({{r.x + side * from, r.y + side * 0.15},
                 {r.x + side * (from + 0.42), my},
                 {r.x + side * from, r.bottom() - side * 0.15}},
                ink);
      break;
    case PartState::degraded:
      polygon({{mx, r.y + side * 0.06},
               {r.right(), r.bottom() - side * 0.08},
               {r.x, r.bottom() - side * 0.08}},
              ink);
      break;
    case PartState::faulted:
      line({r.x + side * 0.12, r.y + side * 0.12},
           {r.right() - side * 0.12, r.bottom() - side * 0.12}, ink, thick * 1.5);
      line({r.right() - side * 0.12, r.y + side * 0.12},
           {r.x + side * 0.12, r.bottom() - side * 0.12}, ink, thick * 1.5);
      break;
    case PartState::unknown:
      text(r, "?", side, ink, true);
      break;
    case PartState::empty:
      line({r.x + side * 0.2, my}, {r.right() - side * 0.2, my}, ink, thick);
      break;
  }
}

}  // namespace fmd::scene
