// One POST of a JSON body over HTTP(S), by libcurl in a forked child that is ended at its deadline: a server that
// hangs blocks nothing. Redirects are not followed, certificates must hold. Single thread, on the loop.
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
  std::vector<std::string> headers;  // "Name: value", beside Content-Type
  std::string ca_file;               // "" the machine's
  std::string user, password_file;   // basic
  std::string token_file;            // bearer
};

struct Answer {
  bool taken = false;  // 2xx
  std::string
      reason;  // of what was not: the status and the answer's first words, or what went wrong
};

// Calls done once, from the loop, within the time.
void post(sdk::Host& host, const Request& request, std::chrono::milliseconds within,
          std::function<void(const Answer&)> done);

// https://, or http:// to this very machine, where nobody else listens.
bool is_safe_url(std::string_view url);

}  // namespace fmd::http
