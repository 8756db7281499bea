// Listener: receives the service's server-sent events, if it streams them, so that changes are
// noticed at once. A forked child holds the connection, in the session that polls have opened;
// after it ends, offered() restarts it at growing intervals. Single thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "plugins/redfish/options.h"
#include "plugins/sdk/host.h"

namespace fmd::redfish {

class Listener {
 public:
  Listener(sdk::Host& host, const Options& options, std::function<void()> heard);
  // Call it after each successful poll. uri: "" if the service offers no stream.
  void offered(const std::string& uri, const std::string& session_file);
  void stop() { stream_.reset(); }
  bool listening() const { return stream_ && since_ != Time(); }

 private:
  using Time = std::chrono::steady_clock::time_point;
  void said(std::string_view line);
  void ended();

  sdk::Host& host_;
  const Options& options_;
  std::function<void()> heard_;
  std::shared_ptr<sdk::Host::Stream> stream_;
  std::string uri_, trouble_;
  Time since_, next_;  // start of the present stream; time of the next attempt
  std::chrono::milliseconds wait_{0};
};

// In a child: says "listening" once the stream has begun, "event" for each event, and "trouble"
// with the reason when it ends.
void listen(const Options& options, const std::string& session_file, const std::string& uri,
            const sdk::Host::Say& say);

}  // namespace fmd::redfish
