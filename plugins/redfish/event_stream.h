// EventStream: server-sent events as bytes come (DSP0266, "Server-sent events"; its frame is WHATWG HTML's
// "text/event-stream"). Of what they say only this is used: that something has happened. Any bytes may
// come. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fmd::redfish {

class EventStream {
 public:
  static constexpr size_t kLongest = 1 << 20;  // of one line, and of one event
  static constexpr size_t kMostGarbage = 64 << 10;

  // How many events ended in these bytes; metric reports and comments are none.
  size_t take(std::string_view bytes);
  // Why it is no stream of events: then nothing more is taken. "" it is one.
  const std::string& trouble() const { return trouble_; }

 private:
  void end_line();
  bool event_ended();

  std::string line_, data_, trouble_;
  size_t garbage_ = 0, events_ = 0;
  bool after_return_ = false;  // "\r\n" is one end
};

}  // namespace fmd::redfish
