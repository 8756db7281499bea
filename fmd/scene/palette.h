// Palette: the colours of a picture by meaning, light and dark. Canvases need no other colours.
#pragma once
#include <cstdint>

namespace fmd::scene {

// The purpose of a colour. Each text ink is legible on the ground that it is named after.
enum class Ink {
  page,       // behind everything
  page_text,  // on the page
  panel,      // the chassis' metal
  panel_edge,
  panel_text,  // printed on the panel
  slot,        // an empty bay
  slot_text,
  carrier,  // an installed part
  carrier_edge,
  carrier_text,
  vent,  // air slits of a carrier
  ok,    // marks and bars of a state, visible on carrier and page
  spare,
  rebuilding,
  quiet,     // not watched, unknown, empty
  degraded,  // ground of a part in this state
  degraded_text,
  faulted,
  faulted_text,
  locate,       // the locate LED, on
  fault_light,  // the fault LED, on
  dark_light,   // any LED, off
  mark,         // selected or focused
  warm_line,    // outlines on the page, distinguishable from mark and page text
  cool_line,
};
constexpr int kInks = 25;

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

enum class Theme { light, dark };

Colour colour(Ink ink, Theme theme);
// Contrast ratio, 1..21, as in WCAG 2.1 § 1.4.3 (relative luminance).
double contrast(Colour a, Colour b);

}  // namespace fmd::scene
