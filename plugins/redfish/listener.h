// Listener: hears at once that something has happened, where the service streams its events (server-sent
// events). A forked child holds the one connection, in the session that looks have opened; what ends is
// begun again by offered(), at growing intervals. Single thread.
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
  // After each look that was answered. uri: "" the service offers nothing.
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
  Time since_, next_;  // listening since; the next try
  std::chrono::milliseconds wait_{0};
};

// In a child: says "listening" once the service has begun a stream, "event" for what comes, and "trouble"
// with the reason for the end.
void listen(const Options& options, const std::string& session_file, const std::string& uri,
            const sdk::Host::Say& say);

}  // namespace fmd::redfish
