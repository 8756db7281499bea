#include "fmd/scene/palette.h"

#include <gtest/gtest.h>

#include <utility>

namespace fmd::scene {
namespace {

TEST(Palette, TheRatioIsWcags) {
  EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21.0, 0.01);
  EXPECT_NEAR(contrast({0x77, 0x77, 0x77}, {255, 255, 255}), 4.48, 0.01);
}

// WCAG 2.1 AA: 4.5 for text, 3 for signs (§ 1.4.3, § 1.4.11).
TEST(Palette, TextAndSignsAreReadInBothThemes) {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const auto ratio = [&](Ink a, Ink b) { return contrast(colour(a, theme), colour(b, theme)); };
    for (const auto& [text, ground] : {std::pair{Ink::page_text, Ink::page},
                                       {Ink::panel_text, Ink::panel},
                                       {Ink::slot_text, Ink::slot},
                                       {Ink::carrier_text, Ink::carrier},
                                       {Ink::degraded_text, Ink::degraded},
                                       {Ink::faulted_text, Ink::faulted}})
      EXPECT_GE(ratio(text, ground), 4.5)
          << static_cast<int>(text) << " theme " << static_cast<int>(theme);
    for (const Ink sign : {Ink::ok, Ink::spare, Ink::rebuilding, Ink::quiet})
      EXPECT_GE(ratio(sign, Ink::carrier), 3) << static_cast<int>(sign);
    for (const Ink lit : {Ink::locate, Ink::fault_light})
      EXPECT_GE(ratio(lit, Ink::dark_light), 2) << static_cast<int>(lit);
    EXPECT_GE(ratio(Ink::mark, Ink::page), 3);
  }
}

}  // namespace
}  // namespace fmd::scene
