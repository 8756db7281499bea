// Fault domains: an outline around all parts that fail with one part. Lines of domains that share
// bays run side by side.
#include <algorithm>
#include <map>

#include "fmd/scene/brush.h"

namespace fmd::scene {
namespace {

constexpr double kStep = 1.6, kLine = 0.9, kBed = 1.5, kTag = 3.2;
constexpr double kApart = 6;  // parts of a domain closer than this share an outline

struct Domain {
  std::string name;
  std::vector<Rect> boxes;  // of its parts, each slightly larger or smaller than the part
  double near = kApart;     // maximum distance between joined boxes
};

std::vector<Domain> outlined(const Face& face) {
  std::vector<Domain> domains;
  std::map<std::string, size_t> index;
  for (const Part& part : face.parts)
    for (const std::string& name : part.domains) {
      const auto [at, is_new] = index.emplace(name, domains.size());
      if (is_new) domains.push_back({name, {}});
      domains[at->second].boxes.push_back(part.box);
    }
  for (size_t i = 0; i < domains.size(); ++i) {
    const double inset = kStep * static_cast<double>(i % 4) - 0.4;
    for (Rect& box : domains[i].boxes) box = box.inset(inset);
    domains[i].near = kApart + 2 * inset;
  }
  return domains;
}

// Whether another box of the domain follows there.
bool goes_on(const Domain& domain, const Rect& beyond) {
  return std::any_of(domain.boxes.begin(), domain.boxes.end(),
                     [&](const Rect& other) { return other.overlaps(beyond); });
}

void outline(Brush& brush, const Domain& domain, Ink ink) {
  // Underlaid with the page's colour, since lines cross panels and parts of any shade.
  const auto side = [&](Point from, Point to) {
    brush.line(from, to, Ink::page, kBed);
    brush.line(from, to, ink, kLine).dashed = true;
  };
  const double near = domain.near;
  for (const Rect& b : domain.boxes) {
    const double r = b.right(), d = b.bottom(), margin = std::min(b.w, b.h) / 4;
    const double w = b.w - 2 * margin, h = b.h - 2 * margin;
    // Extends to a neighbouring box, so that the outline has no gap.
    const bool left = goes_on(domain, {b.x - near, b.y + margin, near - 0.1, h});
    const bool right = goes_on(domain, {r + 0.1, b.y + margin, near - 0.1, h});
    const bool above = goes_on(domain, {b.x + margin, b.y - near, w, near - 0.1});
    const bool below = goes_on(domain, {b.x + margin, d + 0.1, w, near - 0.1});
    const double x0 = b.x - (left ? near / 2 : 0), x1 = r + (right ? near / 2 : 0);
    const double y0 = b.y - (above ? near / 2 : 0), y1 = d + (below ? near / 2 : 0);
    if (!above) side({x0, b.y}, {x1, b.y});
    if (!below) side({x0, d}, {x1, d});
    if (!left) side({b.x, y0}, {b.x, y1});
    if (!right) side({r, y0}, {r, y1});
  }
}

// Each name is placed on its line, further to the right than the last, so that none covers another.
void tag(Brush& brush, const Domain& domain, double& from, double right, Ink ink) {
  const Rect& first = *std::min_element(
      domain.boxes.begin(), domain.boxes.end(),
      [](const Rect& a, const Rect& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
  const double x = std::max(first.x + 2, from);
  const double w = std::min(text_width(domain.name, kTag, true) + 3, std::max(10.0, right - x));
  const Rect at{x, std::max(0.0, first.y - kTag * 0.75), w, kTag * 1.5};
  brush.box(at, 0.8, Ink::page, ink, 0.4);
  brush.text(at.inset(0.4), domain.name, kTag, Ink::page_text, true);
  from = at.right() + 2;
}

}  // namespace

Drawing draw_domains(const Face& face) {
  Drawing drawing{face.width, face.height, {}};
  Brush brush(drawing);
  const auto domains = outlined(face);
  constexpr Ink kDomainInks[] = {Ink::mark, Ink::page_text, Ink::warm_line, Ink::cool_line};
  for (size_t i = 0; i < domains.size(); ++i) outline(brush, domains[i], kDomainInks[i % 4]);
  std::map<double, double> from;  // by height: domains side by side do not displace each other
  for (size_t i = 0; i < domains.size(); ++i) {
    double top = domains[i].boxes.front().y;
    for (const Rect& box : domains[i].boxes) top = std::min(top, box.y);
    double& at = from[static_cast<int>(top / 8)];
    tag(brush, domains[i], at, face.width, kDomainInks[i % 4]);
  }
  return drawing;
}

}  // namespace fmd::scene
