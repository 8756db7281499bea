#include "plugins/sdk/unknown_lines.h"

#include <syslog.h>

#include <algorithm>

#include "plugins/sdk/plugin.h"

namespace fmd::sdk {
namespace {

constexpr size_t kShown = 160;  // characters of a line

std::string joined(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

bool is_known_format(const TraceEvent& event, std::string_view format) {
  const size_t at = format.find("print fmt: ");
  if (at == format.npos) return true;  // nothing to compare with
  const std::string_view printed = format.substr(at);
  return std::all_of(event.marks.begin(), event.marks.end(),
                     [&](std::string_view mark) { return printed.find(mark) != printed.npos; });
}

void UnknownLines::compare(const Host& host, std::string_view instance,
                           const std::vector<TraceEvent>& events) {
  const std::string folder = "/sys/kernel/tracing/instances/" + std::string(instance) + "/events/";
  for (const TraceEvent& event : events) {
    const std::string name(event.name);
    if (compared_.contains(name)) continue;
    const auto format = host.read(folder + name + "/format");
    if (!host.exists(folder + name) && host.exists(folder + name.substr(0, name.find('/'))))
      missing_.insert(name);
    else
      missing_.erase(name);
    if (!format) continue;
    compared_.insert(name);
    if (is_known_format(event, *format)) continue;
    unknown_formats_.insert(name);
    log(LOG_WARNING, "the kernel prints the trace event " + name + " in an unknown format");
  }
}

bool UnknownLines::add(std::string_view event, std::string_view line) {
  ++count_;
  last_ = std::string(line.substr(0, kShown));
  const bool first = ++lines_[std::string(event)] == 1;
  if (first) log(LOG_WARNING, "a line of the kernel's trace cannot be read: " + last_);
  return first;
}

std::string UnknownLines::missing() const {
  return missing_.empty() ? "" : "this kernel has no trace event " + joined(missing_);
}

std::string UnknownLines::text() const {
  std::string out;
  if (!unknown_formats_.empty())
    out = "this kernel prints trace events in an unknown format, so errors may be missed: " +
          joined(unknown_formats_);
  if (count_ > 0)
    out += (out.empty() ? "" : "; ") + std::to_string(count_) + (count_ == 1 ? " line" : " lines") +
           " of the kernel's trace could not be read, the last: " + last_;
  return out;
}

}  // namespace fmd::sdk
