#include "fmd/picture/cairo_canvas.h"

#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace fmd::picture {
namespace {

using scene::Shape;

constexpr int kMostPixels = 8192;  // per side: 256 MiB of memory

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* thing) const {
    Free(thing);
  }
};
using Surface = std::unique_ptr<cairo_surface_t, Freed<cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Freed<cairo_destroy>>;

cairo_status_t collect(void* to, const unsigned char* bytes, unsigned int length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}

class Painter {
 public:
  Painter(cairo_t* on, scene::Theme theme) : c_(on), theme_(theme) {}

  // Also paints the last pixels, which shapes cover only in part.
  void ground() {
    ink(scene::Ink::page);
    cairo_paint(c_);
  }

  void paint(const Shape& shape) {
    cairo_save(c_);
    cairo_new_path(c_);
    if (shape.form == Shape::Form::text)
      text(shape);
    else
      outline(shape);
    cairo_restore(c_);
  }

 private:
  void ink(scene::Ink ink) {
    const scene::Colour colour = scene::colour(ink, theme_);
    cairo_set_source_rgb(c_, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
  }

  void outline(const Shape& shape) {
    switch (shape.form) {
      case Shape::Form::box:
        box(shape.box, shape.radius);
        break;
      case Shape::Form::ellipse:
        if (shape.box.w <= 0 || shape.box.h <= 0) return;
        cairo_save(c_);
        cairo_translate(c_, shape.box.x + shape.box.w / 2, shape.box.y + shape.box.h / 2);
        cairo_scale(c_, shape.box.w / 2, shape.box.h / 2);
        cairo_arc(c_, 0, 0, 1, 0, 2 * std::numbers::pi);
        cairo_restore(c_);
        break;
      default:
        for (const scene::Point& p : shape.points) cairo_line_to(c_, p.x, p.y);
        if (shape.form == Shape::Form::polygon) cairo_close_path(c_);
    }
    if (shape.fill) {
      ink(*shape.fill);
      cairo_fill_preserve(c_);
    }
    if (!shape.stroke) return;
    ink(*shape.stroke);
    cairo_set_line_width(c_, shape.width);
    cairo_set_line_cap(c_, CAIRO_LINE_CAP_ROUND);
    const double dashes[] = {2, 1.5};
    if (shape.dashed) cairo_set_dash(c_, dashes, 2, 0);
    cairo_stroke(c_);
  }

  void box(const scene::Rect& r, double radius) {
    if (radius <= 0) return cairo_rectangle(c_, r.x, r.y, r.w, r.h);
    const double quarter = std::numbers::pi / 2;
    cairo_arc(c_, r.right() - radius, r.y + radius, radius, -quarter, 0);
    cairo_arc(c_, r.right() - radius, r.bottom() - radius, radius, 0, quarter);
    cairo_arc(c_, r.x + radius, r.bottom() - radius, radius, quarter, 2 * quarter);
    cairo_arc(c_, r.x + radius, r.y + radius, radius, 2 * quarter, 3 * quarter);
    cairo_close_path(c_);
  }

  void text(const Shape& shape) {
    if (shape.text.empty() || !shape.fill) return;
    cairo_select_font_face(c_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           shape.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c_, shape.size);
    cairo_text_extents_t extents;
    cairo_text_extents(c_, shape.text.c_str(), &extents);
    cairo_font_extents_t font;
    cairo_font_extents(c_, &font);
    const scene::Rect& r = shape.box;
    const double length = shape.turned ? r.h : r.w;
    cairo_translate(c_, r.x + r.w / 2, r.y + r.h / 2);
    if (shape.turned) cairo_rotate(c_, -std::numbers::pi / 2);
    // The scene only estimates widths: narrows a text that this font makes too long.
    if (extents.x_advance > length) cairo_scale(c_, length / extents.x_advance, 1);
    const double width = std::min(extents.x_advance, length);
    const double x = shape.align == Shape::Align::left    ? -length / 2
                     : shape.align == Shape::Align::right ? length / 2 - width
                                                          : -extents.x_advance / 2;
    cairo_move_to(c_, x, font.ascent / 2 - font.descent / 2);
    ink(*shape.fill);
    cairo_show_text(c_, shape.text.c_str());
  }

  cairo_t* c_;
  scene::Theme theme_;
};

}  // namespace

Result<std::string> paint(const scene::Drawing& drawing, const Options& options) {
  std::string bytes;
  const bool png = options.format == Format::png;
  const double width = drawing.width * options.scale, height = drawing.height * options.scale;
  if (png && (width > kMostPixels || height > kMostPixels))
    return fail(
        fmt::format("The picture would be {:.0f} by {:.0f} pixels; at most {} are drawn a "
                    "side: take a smaller --scale, or SVG",
                    width, height, kMostPixels));
  constexpr double kPointsPerMm = 72 / 25.4;
  Surface surface(
      png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width)),
                                       static_cast<int>(std::ceil(height)))
          : cairo_svg_surface_create_for_stream(collect, &bytes, drawing.width * kPointsPerMm,
                                                drawing.height * kPointsPerMm));
  {
    const Context context(cairo_create(surface.get()));
    const double scale = png ? options.scale : kPointsPerMm;
    cairo_scale(context.get(), scale, scale);
    Painter painter(context.get(), options.theme);
    if (png) painter.ground();
    for (const Shape& shape : drawing.shapes) painter.paint(shape);
    if (const auto status = cairo_status(context.get()); status != CAIRO_STATUS_SUCCESS)
      return fail(fmt::format("The picture cannot be drawn: {}", cairo_status_to_string(status)));
  }
  if (png) {
    cairo_surface_flush(surface.get());
    if (const auto status = cairo_surface_write_to_png_stream(surface.get(), collect, &bytes);
        status != CAIRO_STATUS_SUCCESS)
      return fail(fmt::format("The picture cannot be drawn: {}", cairo_status_to_string(status)));
  } else {
    cairo_surface_finish(surface.get());
  }
  return bytes;
}

}  // namespace fmd::picture
