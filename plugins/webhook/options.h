// What /etc/fmd/webhook.toml says, checked.
#pragma once
#include <chrono>
#include <string>

#include "fmd/base/result.h"

namespace fmd::webhook {

struct Options {
  std::string program;      // run with the alert on stdin; "" none
  std::string url;          // sent the alert as a body; "" none
  std::string secret_file;  // its first line signs the body; "" unsigned
  std::string token_file, ca_file;
  std::chrono::milliseconds timeout{30000};
  std::string file;  // of this configuration, for messages

  // path "": no configuration. All errors are listed, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::webhook
