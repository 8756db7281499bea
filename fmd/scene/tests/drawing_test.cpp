#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "box.h"
#include "fmd/scene/brush.h"
#include "fmd/scene/drawing.h"

namespace fmd::scene::drawing_test {
namespace {

Box shelf() {
  Box box;
  box.told.reserve(64);
  box.chassis("front:444.0x87.0");
  for (int n = 0; n < 12; ++n) box.bay(n);
  for (int n = 0; n < 10; ++n) box.disk(n);
  box.accuse(3);
  return box;
}

std::vector<const Shape*> of(const Drawing& drawing, const std::string& part) {
  std::vector<const Shape*> found;
  for (const Shape& s : drawing.shapes)
    if (s.part == part) found.push_back(&s);
  return found;
}

TEST(Drawing, AFaultyBayIsRedAndBearsACross) {
  Box box = shelf();
  const Drawing drawing = draw(box.scene().faces[0]);
  const auto shapes = of(drawing, Box::bay_fmri(3));
  ASSERT_FALSE(shapes.empty());
  EXPECT_EQ(shapes[0]->fill, Ink::faulted);
  EXPECT_EQ(std::count_if(shapes.begin(), shapes.end(),
                          [](const Shape* s) {
                            return s->form == Shape::Form::line && s->stroke == Ink::faulted_text;
                          }),
            2);
  EXPECT_EQ(of(drawing, Box::bay_fmri(4))[0]->fill, Ink::carrier);
}

// A healthy disk gets a frame for its pool's trouble; a disk in the same state needs none.
TEST(Drawing, AFrameInThePoolsColour) {
  Box box = shelf();
  Resource& pool = box.add("zfs://pool=1", "zfs-pool");
  pool.properties["name"] = Value{std::string("tank")};
  pool.properties["health"] = Value{std::string("DEGRADED")};
  const Scene scene = box.scene();
  const Drawing drawing = draw(scene.faces[0]);
  const auto frames = [&](int n) {
    const auto shapes = of(drawing, Box::bay_fmri(n));
    return std::count_if(shapes.begin(), shapes.end(), [](const Shape* s) {
      return s->form == Shape::Form::box && !s->fill && s->stroke == Ink::degraded;
    });
  };
  EXPECT_EQ(frames(4), 1);
  EXPECT_EQ(frames(3), 0) << "red itself";
  EXPECT_EQ(frames(11), 0) << "empty";
  const auto& shapes = draw_page(scene, {}).shapes;
  EXPECT_TRUE(std::any_of(shapes.begin(), shapes.end(), [](const Shape& s) {
    return s.text == "bays of pool tank: DEGRADED";
  })) << "and the page says so";
}

// In colour and in shape: no two states have the same sign.
TEST(Drawing, EachStateHasASignOfItsOwn) {
  std::vector<std::string> seen;
  for (int state = 0; state <= static_cast<int>(PartState::faulted); ++state) {
    Drawing drawing;
    Brush brush(drawing);
    brush.sign({0, 0, 10, 10}, static_cast<PartState>(state), Ink::ok);
    std::string key;
    for (const Shape& s : drawing.shapes)
      key += std::to_string(static_cast<int>(s.form)) + (s.fill ? "f" : "s") +
             std::to_string(s.points.size()) + s.text +
             (s.points.empty() ? "" : std::to_string(s.points[0].y)) + ";";
    EXPECT_EQ(std::count(seen.begin(), seen.end(), key), 0)
        << state_word(static_cast<PartState>(state));
    EXPECT_FALSE(key.empty());
    seen.push_back(key);
  }
}

TEST(Drawing, NothingOfAPartIsOutsideItsBox) {
  Box box = shelf();
  for (int n = 0; n < 12; ++n)
    box.of(Box::bay_fmri(n)).properties["led.locate"] = Value{std::string("on")};
  const Scene scene = box.scene();
  const Drawing drawing = draw(scene.faces[0]);
  for (const Part& part : scene.faces[0].parts) {
    const Rect allowed = part.box.inset(-0.01);
    for (const Shape* s : of(drawing, part.fmri)) {
      EXPECT_TRUE(!s->points.empty() || allowed.contains(s->box)) << part.label << " " << s->text;
      for (const Point& p : s->points)
        EXPECT_TRUE(allowed.contains({p.x, p.y, 0, 0})) << part.label;
    }
  }
}

TEST(Drawing, TextFitsItsBox) {
  Drawing drawing;
  Brush brush(drawing);
  for (const char* text :
       {"1", "Slot 12", "A label that nobody would print on a carrier", "東京の棚 12"})
    for (const Rect& at : {Rect{0, 0, 16, 8}, Rect{0, 0, 100, 8}, Rect{0, 0, 8, 60}}) {
      const Shape& s =
          brush.text(at, text, 8, Ink::page_text, true, Shape::Align::centre, at.upright());
      EXPECT_LE(text_width(s.text, s.size, true), (s.turned ? at.h : at.w) + 0.01) << text;
      EXPECT_LE(s.size, s.turned ? at.w : at.h);
    }
}

// A text made smaller to fit must not lose characters to rounding errors.
TEST(Drawing, ATextThatFitsWhenSmallerIsWholeAtAnyWidth) {
  for (const std::string text : {"16 TB SSD", "16 TB HDD", "3.84 TB NVMe", "Slot 12", "SAS3008"})
    for (const bool bold : {false, true})
      for (double size = 2; size <= 12; size += 0.7) {
        const double least = text_width(text, size * 0.6, bold);
        for (double width = least; width <= least / 0.6 + 1; width += 0.0137) {
          Drawing drawing;
          const Shape& s = Brush(drawing).text({0, 0, width, 40}, text, size, Ink::page_text, bold);
          ASSERT_EQ(s.text, text) << size << " in " << width;
          if (bold) continue;
          ASSERT_EQ(fitting_words(text, size, width), text) << size << " in " << width;
        }
      }
}

// "16 TB" says more than "16 TB S…".
TEST(Drawing, WhereADisksSizeAndKindDoNotFitItsSizeIsWhole) {
  for (double height = 30; height <= 78; height += 2) {
    Box box;
    box.told.reserve(64);
    box.chassis("front:444.0x87.0");
    for (int n = 0; n < 4; ++n) box.bay(n).properties["h_mm"] = Value{height};
    for (int n = 0; n < 4; ++n) box.disk(n);
    for (const Shape& s : draw(box.scene().faces[0]).shapes)
      if (s.text.find("TB") != s.text.npos) {
        EXPECT_TRUE(s.text == "4 TB HDD" || s.text == "4 TB") << s.text << " at " << height;
      }
  }
  EXPECT_EQ(fitting_words("16 TB SSD", 10, 100), "16 TB SSD");
  EXPECT_EQ(fitting_words("16 TB SSD", 10, 30), "16 TB");
  EXPECT_EQ(fitting_words("5400rpm", 10, 1), "5400rpm");
}

// WCAG 2.1, § 1.4.11: contrast with their underlay.
TEST(Drawing, ContoursOfFourDomainsAreSeenAndToldApart) {
  Face face;
  face.width = face.height = 100;
  for (const char* name : {"A", "B", "C", "D"}) {
    Part part;
    part.box = {10, 10, 50, 50};
    part.domains = {name};
    face.parts.push_back(part);
  }
  const Drawing drawing = draw_domains(face);
  std::set<Ink> inks;
  for (size_t i = 0; i < drawing.shapes.size(); ++i) {
    const Shape& s = drawing.shapes[i];
    if (s.form != Shape::Form::line || !s.dashed) continue;
    inks.insert(s.stroke.value());
    ASSERT_GT(i, 0u);
    const Shape& bed = drawing.shapes[i - 1];
    EXPECT_EQ(bed.points, s.points);
    EXPECT_GT(bed.width, s.width);
    for (const Theme theme : {Theme::light, Theme::dark})
      EXPECT_GE(contrast(colour(s.stroke.value(), theme), colour(bed.stroke.value(), theme)), 3)
          << static_cast<int>(s.stroke.value()) << ", theme " << static_cast<int>(theme);
  }
  EXPECT_EQ(inks.size(), 4u);
}

TEST(Drawing, OnlyALitLocateLightBlinks) {
  Box box = shelf();
  box.of(Box::bay_fmri(1)).properties["led.locate"] = Value{std::string("on")};
  box.of(Box::bay_fmri(2)).properties["led.locate"] = Value{std::string("off")};
  box.of(Box::bay_fmri(3)).properties["led.fault"] = Value{std::string("on")};
  const Drawing drawing = draw(box.scene().faces[0]);
  for (const Shape& s : drawing.shapes) EXPECT_TRUE(!s.blinks || s.part == Box::bay_fmri(1));
  EXPECT_TRUE(std::any_of(drawing.shapes.begin(), drawing.shapes.end(),
                          [](const Shape& s) { return s.blinks; }));
}

// An LED alone is hard to find among sixty.
TEST(Drawing, ABayThatBlinksHasAFrameAndTheLegendExplainsIt) {
  Box box = shelf();
  const Drawing dark = draw_page(box.scene(), {});
  EXPECT_TRUE(std::none_of(dark.shapes.begin(), dark.shapes.end(),
                           [](const Shape& s) { return s.text == "locate light on"; }));
  box.of(Box::bay_fmri(1)).properties["led.locate"] = Value{std::string("on")};
  const Scene scene = box.scene();
  const Drawing page = draw_page(scene, {});
  const auto has = [&](std::string_view text) {
    return std::any_of(page.shapes.begin(), page.shapes.end(),
                       [&](const Shape& s) { return s.text == text; });
  };
  EXPECT_TRUE(has("locate light on"));
  EXPECT_FALSE(has("fault light on"));
  const Part* part = scene.faces[0].find(Box::bay_fmri(1));
  const Drawing face = draw(scene.faces[0]);
  const auto shapes = of(face, Box::bay_fmri(1));
  EXPECT_TRUE(std::any_of(shapes.begin(), shapes.end(), [&](const Shape* s) {
    return s->blinks && s->stroke == Ink::locate && s->box.w > part->box.w * 0.8 &&
           s->box.h > part->box.h * 0.8;
  }));
}

// As on a horizontal 3.5" carrier: the detail is below the label, in a legible size.
TEST(Drawing, ALyingBayHasTwoLines) {
  Box box = shelf();
  Resource& bay = box.of(Box::bay_fmri(0));
  bay.properties["w_mm"] = Value{100.0};
  bay.properties["h_mm"] = Value{26.0};
  const Drawing face = draw(box.scene().faces[0]);
  const auto shapes = of(face, Box::bay_fmri(0));
  const auto text = [&](std::string_view words) {
    const auto at = std::find_if(shapes.begin(), shapes.end(),
                                 [&](const Shape* s) { return s->text == words; });
    return at == shapes.end() ? nullptr : *at;
  };
  ASSERT_TRUE(text("Slot 0"));
  ASSERT_TRUE(text("4 TB HDD"));
  EXPECT_GE(text("4 TB HDD")->box.y, text("Slot 0")->box.y + text("Slot 0")->size);
  EXPECT_GE(text("4 TB HDD")->size, 5);
}

TEST(Drawing, ThePageHasEverythingAndExplainsTheSignsThatOccur) {
  Box box = shelf();
  const Drawing page = draw_page(box.scene(), {});
  const auto has = [&](std::string_view text) {
    return std::any_of(page.shapes.begin(), page.shapes.end(),
                       [&](const Shape& s) { return s.text == text; });
  };
  EXPECT_TRUE(has("Shelf A"));
  EXPECT_TRUE(has("Front"));
  EXPECT_TRUE(has("needs attention"));
  EXPECT_TRUE(has("empty"));
  EXPECT_FALSE(has("spare"));
  const Rect whole{0, 0, page.width, page.height};
  for (const Shape& s : page.shapes)
    EXPECT_TRUE(s.form == Shape::Form::text || !s.points.empty() || whole.contains(s.box));
}

// Two domains in a row of four: each outline surrounds its own bays, without lines between them.
TEST(Drawing, FaultDomainsAreOutlinedAndNamed) {
  Box box;
  box.told.reserve(64);
  box.chassis("front:444.0x87.0");
  for (int n = 0; n < 4; ++n)
    box.bay(n).properties["fault_domain"] = Value{std::string(n < 2 ? "left,shelf" : "right")};
  const Face face = box.scene().faces[0];
  const Drawing drawing = draw_domains(face);
  std::vector<std::string> names;
  int upright = 0, cut = 0;
  for (const Shape& s : drawing.shapes) {
    if (s.form == Shape::Form::text) names.push_back(s.text);
    if (s.form != Shape::Form::line || s.stroke == Ink::page) continue;  // an underlay
    EXPECT_TRUE(s.dashed);
    const double middle = face.parts[0].box.right() + 1;
    upright += s.points[0].x == s.points[1].x;
    cut += s.points[0].x == s.points[1].x && std::abs(s.points[0].x - middle) < 4;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"left", "shelf", "right"}));
  EXPECT_EQ(upright, 6) << "one at each end of each domain";
  EXPECT_EQ(cut, 0) << "none between two bays of the same";
  EXPECT_TRUE(draw_domains(shelf().scene().faces[0]).shapes.empty());
}

TEST(Drawing, ADiskIsInTheDomainOfItsHbaAndExpander) {
  Box box;
  box.told.reserve(64);
  box.chassis("front:444.0x87.0");
  box.bay(0);
  box.disk(0);
  Resource& phy = box.add("dev://sas=1/phy=1", "phy");
  phy.edges = {{Relation::path, Box::disk_fmri(0)}};
  Resource& expander = box.add("dev://sas=1", "expander");
  expander.properties["name"] = Value{std::string("expander-6:0")};
  expander.edges = {{Relation::path, phy.fmri}};
  Resource& hba = box.add("dev://pci=0000:01:00.0", "hba");
  hba.properties["name"] = Value{std::string("mpt3sas0")};
  hba.edges = {{Relation::path, expander.fmri}};
  EXPECT_EQ(box.scene().faces[0].parts[0].domains,
            (std::vector<std::string>{"expander-6:0", "HBA mpt3sas0"}));
}

}  // namespace
}  // namespace fmd::scene::drawing_test
