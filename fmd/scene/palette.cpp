#include "fmd/scene/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace fmd::scene {
namespace {

constexpr Colour rgb(uint32_t hex) {
  return {static_cast<uint8_t>(hex >> 16), static_cast<uint8_t>(hex >> 8),
          static_cast<uint8_t>(hex)};
}

struct Pair {
  Colour light, dark;
};

// In the order of Ink. Red, amber, blue and green also differ in lightness, for grey prints and
// colour-blind readers; shapes carry the same information (drawing.cpp).
constexpr std::array<Pair, kInks> kColours{{
    {rgb(0xffffff), rgb(0x16181b)},  // page
    {rgb(0x1c1f23), rgb(0xe6e8ea)},  // page_text
    {rgb(0xc9ced4), rgb(0x34393f)},  // panel
    {rgb(0x8b939c), rgb(0x565d66)},  // panel_edge
    {rgb(0x2a2f35), rgb(0xd5d9de)},  // panel_text
    {rgb(0x5c646d), rgb(0x121417)},  // slot
    {rgb(0xf4f6f8), rgb(0xaab1b9)},  // slot_text
    {rgb(0x2b3036), rgb(0x23272c)},  // carrier
    {rgb(0x14171a), rgb(0x5a626b)},  // carrier_edge
    {rgb(0xf1f3f5), rgb(0xeceef0)},  // carrier_text
    {rgb(0x14171a), rgb(0x121417)},  // vent
    {rgb(0x3fbf6f), rgb(0x3fbf6f)},  // ok
    {rgb(0x7cc4ff), rgb(0x7cc4ff)},  // spare
    {rgb(0xb79cff), rgb(0xb79cff)},  // rebuilding
    {rgb(0xa3abb4), rgb(0x8d959e)},  // quiet
    {rgb(0xffb52e), rgb(0xf5a81c)},  // degraded
    {rgb(0x1c1400), rgb(0x1c1400)},  // degraded_text
    {rgb(0xc0182b), rgb(0xc81e32)},  // faulted
    {rgb(0xffffff), rgb(0xffffff)},  // faulted_text
    {rgb(0x48a8ff), rgb(0x48a8ff)},  // locate
    {rgb(0xff8a2a), rgb(0xff8a2a)},  // fault_light
    {rgb(0x4a5159), rgb(0x454c54)},  // dark_light
    {rgb(0x0a63c9), rgb(0x6db6ff)},  // mark
    {rgb(0x9a4a00), rgb(0xf5a81c)},  // warm_line
    {rgb(0x7a3cc8), rgb(0xb79cff)},  // cool_line
}};

double linear(uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(Colour c) {
  return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}

}  // namespace

Colour colour(Ink ink, Theme theme) {
  const Pair& pair = kColours[static_cast<size_t>(ink)];
  return theme == Theme::light ? pair.light : pair.dark;
}

double contrast(Colour a, Colour b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace fmd::scene
