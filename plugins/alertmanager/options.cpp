#include "plugins/alertmanager/options.h"

#include <utility>

#include "plugins/http/http_post.h"
#include "plugins/http/trusted_file.h"
#include "plugins/sdk/config.h"
#include "plugins/sdk/secret.h"

namespace fmd::alertmanager {

Result<Options> Options::load(const std::string& path) {
  sdk::Config config(path);
  Options options;
  options.file = path.empty() ? "/etc/fmd/alertmanager.toml" : path;
  options.urls = config.texts("urls", {});
  for (std::string& url : options.urls) {
    if (!http::is_safe_url(url))
      config.wrong("urls", "must be https://…, or http:// to localhost; passwords stand in files");
    while (url.ends_with('/')) url.pop_back();
  }
  options.user = config.text("user", "");
  for (const auto& [key, into] : {std::pair{"password_file", &options.password_file},
                                  {"token_file", &options.token_file},
                                  {"ca_file", &options.ca_file}}) {
    *into = config.text(key, "");
    if (into->empty()) continue;
    if (const auto good = http::check_trusted(*into, false); !good)
      config.wrong(key, good.error().text());
    else if (into != &options.ca_file)
      if (const auto secret = sdk::read_secret(*into); !secret)
        config.wrong(key, secret.error().text());
  }
  if (options.user.empty() != options.password_file.empty())
    config.wrong(options.user.empty() ? "password_file" : "user",
                 "needs both user and password_file");
  options.resend = config.duration("resend", options.resend);
  if (options.resend < std::chrono::seconds(1)) config.wrong("resend", "must be a second or more");
  options.timeout = config.duration("timeout", options.timeout);
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  return options;
}

}  // namespace fmd::alertmanager
