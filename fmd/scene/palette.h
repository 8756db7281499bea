// Palette: the colours of a picture by meaning, light and dark. A canvas needs no other colours.
#pragma once
#include <cstdint>

namespace fmd::scene {

// What is painted with it. Text is read on the ground it is named for.
enum class Ink {
  page,       // behind everything
  page_text,  // on the page
  panel,      // the chassis' own metal
  panel_edge,
  panel_text,  // printed on the panel
  slot,        // an empty bay: a hole
  slot_text,
  carrier,  // a part in place
  carrier_edge,
  carrier_text,
  vent,  // air slits of a carrier
  ok,    // marks and bars of a state, seen on the carrier and on the page
  spare,
  rebuilding,
  quiet,     // not watched, not known, empty
  degraded,  // ground of a part in that state
  degraded_text,
  faulted,
  faulted_text,
  locate,       // the locate light, on
  fault_light,  // the fault light, on
  dark_light,   // any light, off
  mark,         // what is selected, or has the focus
  warm_line,    // contours on the page that are told apart: beside the mark's and the page's own
  cool_line,
};
constexpr int kInks = 25;

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

enum class Theme { light, dark };

Colour colour(Ink ink, Theme theme);
// Contrast ratio, 1..21, by WCAG 2.1 § 1.4.3 (relative luminance).
double contrast(Colour a, Colour b);

}  // namespace fmd::scene
