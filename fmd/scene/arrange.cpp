#include "fmd/scene/arrange.h"

#include <algorithm>
#include <array>

namespace fmd::scene {
namespace {

constexpr double kMargin = 18, kGap = 2, kWidth = 444;

struct Cell {
  double w, h;
};

// A few bays are horizontal, as in 2U and 4U boxes of 3.5" disks; many are vertical.
Cell bay_cell(size_t count) {
  if (count <= 16) return {100, 26};
  return {count <= 48 ? 15.0 : 26.0, count <= 48 ? 78.0 : 60.0};
}

Cell part_cell(PartKind kind) {
  switch (kind) {
    case PartKind::cpu:
    case PartKind::psu:
      return {78, 40};
    case PartKind::fan:
      return {40, 40};
    case PartKind::dimm:
      return {134, 9};
    case PartKind::card:
      return {134, 14};
    default:
      return {78, 14};
  }
}

// Fills rows from the left, downwards; returns the position below them.
double rows(std::vector<Part*>& parts, Cell cell, double top) {
  if (parts.empty()) return top;
  const auto fit = static_cast<size_t>((kWidth - 2 * kMargin + kGap) / (cell.w + kGap));
  const size_t wanted = (parts.size() + fit - 1) / fit;         // rows
  const size_t columns = (parts.size() + wanted - 1) / wanted;  // evenly filled
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t line = i / columns;
    const auto column = static_cast<double>(i % columns), row = static_cast<double>(line);
    parts[i]->box = {kMargin + column * (cell.w + kGap), top + row * (cell.h + kGap), cell.w,
                     cell.h};
  }
  return top + static_cast<double>(wanted) * (cell.h + kGap) + 3 * kGap;
}

}  // namespace

void arrange(Face& face) {
  constexpr std::array kKinds{PartKind::bay,  PartKind::psu,  PartKind::fan,   PartKind::cpu,
                              PartKind::dimm, PartKind::card, PartKind::sensor};
  double top = kGap * 2;
  for (const PartKind kind : kKinds) {
    std::vector<Part*> parts;
    for (Part& part : face.parts)
      if (part.kind == kind) parts.push_back(&part);
    top = rows(parts, kind == PartKind::bay ? bay_cell(parts.size()) : part_cell(kind), top);
  }
  double right = 0;
  for (const Part& part : face.parts) right = std::max(right, part.box.right());
  face.width = right + kMargin;
  face.height = std::max(30.0, top - kGap);
  face.to_scale = false;
}

}  // namespace fmd::scene
