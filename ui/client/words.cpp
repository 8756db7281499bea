#include "ui/client/words.h"

#include <algorithm>
#include <ctime>

#include "fmd/base/text.h"

namespace fmd::ui {

std::string clean(std::string_view raw) {
  return display(raw, raw.size());
}

std::string clean_prose(std::string_view raw) {
  std::string text(raw);
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\t', ' ');
  return clean(text);
}

std::string format_minute(int64_t ns) {
  const time_t seconds = ns / 1'000'000'000;
  std::tm when{};
  localtime_r(&seconds, &when);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%d %H:%M", &when);
  return text;
}

}  // namespace fmd::ui
