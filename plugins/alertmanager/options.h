// /etc/fmd/alertmanager.toml, checked.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::alertmanager {

struct Options {
  std::vector<std::string> urls;  // one per Alertmanager of a cluster, without "/api/v2/alerts"
  std::string user, password_file, token_file, ca_file;
  std::chrono::milliseconds resend{60000};  // interval for resending open alerts
  std::chrono::milliseconds timeout{20000};
  std::string file;  // of the configuration, for messages

  // An alert that is not resent within this time ends.
  std::chrono::milliseconds lasts() const { return 4 * resend; }
  // path "": no configuration. Reports all errors, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::alertmanager
