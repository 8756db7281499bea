#include "plugins/smart/options.h"

#include <algorithm>

#include "plugins/sdk/config.h"

namespace fmd::smart {
namespace {

// "WHAT TYPE", separated by the first blank. A -d type contains no blanks; one that begins with "-"
// would be another option.
bool split(const std::string& line, std::string& what, std::string& type) {
  const size_t blank = line.find(' ');
  if (blank == std::string::npos || blank == 0) return false;
  what = line.substr(0, blank);
  type = line.substr(blank + 1);
  const auto odd = [](unsigned char c) { return c <= ' ' || c > '~'; };
  return !type.empty() && type[0] != '-' && std::none_of(type.begin(), type.end(), odd);
}

bool is_device(const std::string& name) {
  return name.starts_with("/dev/") && name.size() > 5 && name.find("..") == std::string::npos;
}

}  // namespace

Result<Options> load_options(const std::string& file) {
  Options o;
  sdk::Config config(file);
  o.interval = config.duration("interval", o.interval);
  o.deadline = config.duration("deadline", o.deadline);
  o.retry = config.duration("retry", o.retry);
  o.rescan = config.duration("rescan", o.rescan);
  o.at_once = config.integer("at_once", o.at_once, 1, 256);
  o.standby_skips = config.integer("standby_skips", o.standby_skips, 0, 1000000);
  for (const std::string& line : config.texts("types", {})) {
    std::string what, type;
    if (split(line, what, type))
      o.types[what] = type;
    else
      config.wrong("types", "must hold texts like \"/dev/sdx sat\" or \"SERIAL usbjmicron\"");
  }
  for (const std::string& line : config.texts("passthrough", {})) {
    Passthrough one;
    if (split(line, one.device, one.type) && is_device(one.device))
      o.passthrough.push_back(std::move(one));
    else
      config.wrong("passthrough", "must hold texts like \"/dev/sda megaraid,0\"");
  }
  o.ignore = config.texts("ignore", {});
  const auto off = std::chrono::milliseconds(0);
  o.selftest.short_every = config.duration("selftest.short", off);
  o.selftest.long_every = config.duration("selftest.long", off);
  o.selftest.at_once = config.integer("selftest.at_once", o.selftest.at_once, 1, 1000);
  for (const auto& [key, every] : {std::pair("selftest.short", o.selftest.short_every),
                                   std::pair("selftest.long", o.selftest.long_every)})
    if (every > off && every < std::chrono::hours(12))
      config.wrong(key, "must be at least \"12h\": disks count in hours");
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  return o;
}

}  // namespace fmd::smart
