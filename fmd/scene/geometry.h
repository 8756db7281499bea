// Rect, Point: millimetres on a face of a chassis, from its upper left corner.
#pragma once

namespace fmd::scene {

struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct Rect {
  double x = 0, y = 0, w = 0, h = 0;

  double right() const { return x + w; }
  double bottom() const { return y + h; }
  bool upright() const { return h > w; }
  Rect inset(double by) const { return {x + by, y + by, w - 2 * by, h - 2 * by}; }
  bool contains(const Rect& other) const {
    return other.x >= x && other.y >= y && other.right() <= right() && other.bottom() <= bottom();
  }
  bool overlaps(const Rect& other) const {
    return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
  }
  bool operator==(const Rect&) const = default;
};

}  // namespace fmd::scene
