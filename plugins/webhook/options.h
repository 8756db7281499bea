// /etc/fmd/webhook.toml, checked.
#pragma once
#include <chrono>
#include <string>

#include "fmd/base/result.h"

namespace fmd::webhook {

struct Options {
  std::string program;      // gets the alert on stdin; "" if none
  std::string url;          // gets the alert as the body; "" if none
  std::string secret_file;  // its first line is the key for signing; "": unsigned
  std::string token_file, ca_file;
  std::chrono::milliseconds timeout{30000};
  std::string file;  // of the configuration, for messages

  // path "": no configuration. Reports all errors, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::webhook
