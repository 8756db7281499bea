// One POST of a JSON body over HTTP(S), with libcurl in a forked child that is killed at its
// deadline, so that a server that hangs blocks nothing. Redirects are not followed; certificates
// must be valid. Single thread, on the loop.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/host.h"

namespace fmd::http {

struct Request {
  std::string url, body;
  std::vector<std::string> headers;  // "Name: value", besides Content-Type
  std::string ca_file;               // "": the machine's certificates
  std::string user, password_file;   // basic authentication
  std::string token_file;            // bearer token
};

struct Answer {
  bool taken = false;  // 2xx
  std::string reason;  // if not taken: the status and the first words of the answer, or the error
};

// Calls done once, from the loop, within the time limit.
void post(sdk::Host& host, const Request& request, std::chrono::milliseconds within,
          std::function<void(const Answer&)> done);

// https://, or http:// to this machine itself, where nothing can be intercepted.
bool is_safe_url(std::string_view url);

}  // namespace fmd::http
