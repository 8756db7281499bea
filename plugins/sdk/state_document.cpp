#include "plugins/sdk/state_document.h"

#include <syslog.h>

#include <exception>
#include <utility>

#include "fmd/base/json.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::sdk {

using nlohmann::json;

Result<void> StateDocument::load(const std::function<void(const json&)>& take) {
  if (path_.empty()) return {};
  auto text = read_whole(path_);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return {};
  try {
    take(json::parse(**text));
  } catch (const std::exception& e) {
    return fail(std::string("is damaged: ") + e.what(), path_);
  }
  saved_ = std::move(**text);
  return {};
}

void StateDocument::save(const json& document) {
  if (path_.empty()) return;
  std::string text = document.dump(1, ' ', false, json::error_handler_t::replace);
  if (text == saved_) return;
  if (auto written = write_whole(path_, text); !written)
    return log(LOG_WARNING, written.error().text());
  saved_ = std::move(text);
}

}  // namespace fmd::sdk
