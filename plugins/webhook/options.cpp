#include "plugins/webhook/options.h"

#include <utility>

#include "plugins/http/http_post.h"
#include "plugins/http/trusted_file.h"
#include "plugins/sdk/config.h"
#include "plugins/sdk/secret.h"

namespace fmd::webhook {
namespace {

void check_file(sdk::Config& config, const char* key, const std::string& path, bool runnable) {
  if (path.empty()) return;
  if (const auto good = http::check_trusted(path, runnable); !good)
    config.wrong(key, good.error().text());
}

}  // namespace

Result<Options> Options::load(const std::string& path) {
  sdk::Config config(path);
  Options options;
  options.file = path.empty() ? "/etc/fmd/webhook.toml" : path;
  options.program = config.text("program", "");
  check_file(config, "program", options.program, true);
  options.url = config.text("url", "");
  if (!options.url.empty() && !http::is_safe_url(options.url))
    config.wrong("url", "must be https://…, or http:// to localhost; passwords stand in files");
  for (const auto& [key, into] : {std::pair{"secret_file", &options.secret_file},
                                  {"token_file", &options.token_file},
                                  {"ca_file", &options.ca_file}}) {
    *into = config.text(key, "");
    check_file(config, key, *into, false);
    if (!into->empty() && options.url.empty()) config.wrong(key, "needs a url");
  }
  for (const auto& [key, file] :
       {std::pair{"secret_file", &options.secret_file}, {"token_file", &options.token_file}})
    if (!file->empty())
      if (const auto secret = sdk::read_secret(*file); !secret)
        config.wrong(key, secret.error().text());
  options.timeout = config.duration("timeout", options.timeout);
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  return options;
}

}  // namespace fmd::webhook
