// The module that fmd-mail loads to send by SMTP and to paint pictures: see courier.h.
#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/picture/cairo_canvas.h"
#include "fmd/scene/drawing_json.h"
#include "plugins/mail/courier.h"

namespace fmd::mail {

std::string deliver(const Parcel& parcel);  // transfer.cpp

namespace {

std::string paint(const nlohmann::json& doc) {
  const auto drawing = scene::drawing_from_json(doc);
  if (!drawing) return drawing.error().text();
  constexpr double kWidest = 2.0 * kPictureWidth, kTallest = 1600;
  const double scale = std::min(kWidest / drawing->width, kTallest / drawing->height);
  auto png = picture::paint(*drawing, {picture::Format::png, scene::Theme::light, scale});
  return png ? std::move(*png) : png.error().text();
}

}  // namespace
}  // namespace fmd::mail

extern "C" [[gnu::visibility("default")]] const fmd::mail::Courier fmd_mail_courier{
    FMD_MAIL_BUILD, fmd::mail::deliver, fmd::mail::paint};
