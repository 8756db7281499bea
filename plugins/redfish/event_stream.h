// EventStream: parses server-sent events incrementally (DSP0266, "Server-sent events"; the format
// is WHATWG HTML's "text/event-stream"). Only their number is used. The bytes are not trusted.
// Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fmd::redfish {

class EventStream {
 public:
  static constexpr size_t kLongest = 1 << 20;  // of one line, and of one event
  static constexpr size_t kMostGarbage = 64 << 10;

  // Returns the number of events that these bytes complete, without metric reports and comments.
  size_t take(std::string_view bytes);
  // Why it is not an event stream, after which input is ignored; "" if it is.
  const std::string& trouble() const { return trouble_; }

 private:
  void end_line();
  bool event_ended();

  std::string line_, data_, trouble_;
  size_t garbage_ = 0, events_ = 0;
  bool after_return_ = false;  // "\r\n" is one line end
};

}  // namespace fmd::redfish
