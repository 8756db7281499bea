#include "plugins/redfish/event_stream.h"

#include <utility>

#include "fmd/base/bounded_json.h"
#include "plugins/redfish/documents.h"

namespace fmd::redfish {

size_t EventStream::take(std::string_view bytes) {
  events_ = 0;
  for (const char c : bytes) {
    if (!trouble_.empty()) break;
    const bool second = c == '\n' && std::exchange(after_return_, false);
    if (second) continue;
    after_return_ = c == '\r';
    if (c == '\n' || c == '\r')
      end_line();
    else if (line_.size() + data_.size() < kLongest)
      line_ += c;
    else
      trouble_ = "an event is too long";
  }
  return events_;
}

void EventStream::end_line() {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    if (event_ended()) ++events_;
  } else if (line.front() != ':') {  // otherwise a comment, which keeps the connection open
    const size_t colon = line.find(':');
    const std::string_view name = std::string_view(line).substr(0, colon);
    std::string_view value =
        colon == line.npos ? std::string_view() : std::string_view(line).substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "data")
      data_.append(value) += '\n';
    else if (name != "id" && name != "event" && name != "retry")
      garbage_ += line.size();
  }
  if (garbage_ > kMostGarbage) trouble_ = "what it says are no events";
}

bool EventStream::event_ended() {
  const std::string data = std::exchange(data_, {});
  if (data.empty()) return false;
  const auto parsed = parse_bounded_json(data);
  const nlohmann::json event = parsed ? *parsed : nlohmann::json();
  if (!event.is_object()) {
    garbage_ += data.size();
    return false;
  }
  const auto& events = at(event, "Events");  // a MetricReport has none
  if (!events.is_array() || events.empty()) return false;
  garbage_ = 0;
  return true;
}

}  // namespace fmd::redfish
