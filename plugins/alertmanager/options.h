// What /etc/fmd/alertmanager.toml says, checked.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::alertmanager {

struct Options {
  std::vector<std::string> urls;  // of each Alertmanager of a cluster, without "/api/v2/alerts"
  std::string user, password_file, token_file, ca_file;
  std::chrono::milliseconds resend{60000};  // what is open is told again this often
  std::chrono::milliseconds timeout{20000};
  std::string file;  // of this configuration, for messages

  // What is not told again for so long has ended.
  std::chrono::milliseconds lasts() const { return 4 * resend; }
  // path "": no configuration. All errors are listed, with file and line.
  static Result<Options> load(const std::string& path);
};

}  // namespace fmd::alertmanager
