#include "fmd/scene/drawing_json.h"

#include <cmath>

#include "fmd/base/json.h"
#include "fmd/base/text.h"

namespace fmd::scene {
namespace {

using nlohmann::json;

constexpr size_t kMostShapes = 20000, kMostPoints = 200, kLongestText = 300;
constexpr double kLargestMm = 5000;
enum Flag : unsigned { kBold = 1, kTurned = 2, kDashed = 4 };

// To hundredths of a millimetre; finer differences are invisible.
double rounded(double mm) {
  return std::round(mm * 100) / 100;
}

json shape_to_json(const Shape& s) {
  json doc{{"f", static_cast<int>(s.form)}};
  if (s.points.empty())
    doc["b"] = {rounded(s.box.x), rounded(s.box.y), rounded(s.box.w), rounded(s.box.h)};
  for (const Point& p : s.points) doc["p"].push_back({rounded(p.x), rounded(p.y)});
  if (s.radius > 0) doc["r"] = rounded(s.radius);
  if (!s.text.empty()) {
    doc["t"] = s.text;
    doc["s"] = rounded(s.size);
    doc["a"] = static_cast<int>(s.align);
  }
  const unsigned flags =
      (s.bold ? kBold : 0U) | (s.turned ? kTurned : 0U) | (s.dashed ? kDashed : 0U);
  if (flags != 0) doc["o"] = flags;
  if (s.fill) doc["i"] = static_cast<int>(*s.fill);
  if (s.stroke) {
    doc["k"] = static_cast<int>(*s.stroke);
    doc["w"] = rounded(s.width);
  }
  return doc;
}

double number(const json& doc) {
  const double value = doc.get<double>();
  if (!std::isfinite(value) || std::abs(value) > kLargestMm) throw std::out_of_range("a number");
  return value;
}

template <class Enum>
Enum one_of(const json& doc, int count) {
  const int value = doc.get<int>();
  if (value < 0 || value >= count) throw std::out_of_range("a word");
  return static_cast<Enum>(value);
}

Shape shape_from_json(const json& doc) {
  Shape s;
  s.form = one_of<Shape::Form>(doc.at("f"), 5);
  if (const auto box = doc.find("b"); box != doc.end())
    s.box = {number(box->at(0)), number(box->at(1)), number(box->at(2)), number(box->at(3))};
  if (const auto points = doc.find("p"); points != doc.end()) {
    if (points->size() > kMostPoints) throw std::out_of_range("points");
    for (const json& p : *points) s.points.push_back({number(p.at(0)), number(p.at(1))});
  }
  if (doc.contains("r")) s.radius = number(doc["r"]);
  if (doc.contains("t")) {
    s.text = display(doc["t"].get<std::string>(), kLongestText);
    s.size = number(doc.at("s"));
    s.align = one_of<Shape::Align>(doc.at("a"), 3);
  }
  const unsigned flags = doc.value("o", 0U);
  s.bold = (flags & kBold) != 0;
  s.turned = (flags & kTurned) != 0;
  s.dashed = (flags & kDashed) != 0;
  if (doc.contains("i")) s.fill = one_of<Ink>(doc["i"], kInks);
  if (doc.contains("k")) {
    s.stroke = one_of<Ink>(doc["k"], kInks);
    s.width = number(doc.at("w"));
  }
  return s;
}

}  // namespace

json to_json(const Drawing& drawing) {
  json shapes = json::array();
  for (const Shape& shape : drawing.shapes) shapes.push_back(shape_to_json(shape));
  return {{"width", rounded(drawing.width)},
          {"height", rounded(drawing.height)},
          {"shapes", std::move(shapes)}};
}

Result<Drawing> drawing_from_json(const json& doc) {
  Drawing out;
  try {
    out.width = number(doc.at("width"));
    out.height = number(doc.at("height"));
    const json& shapes = doc.at("shapes");
    if (out.width <= 0 || out.height <= 0 || !shapes.is_array() || shapes.size() > kMostShapes)
      throw std::out_of_range("its size");
    for (const json& shape : shapes) out.shapes.push_back(shape_from_json(shape));
  } catch (const std::exception& error) {  // from the parser or from here
    return fail(std::string("it is no drawing: ") + display(error.what()));
  }
  return out;
}

}  // namespace fmd::scene
