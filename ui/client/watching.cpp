#include "ui/client/watching.h"

#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "ui/client/words.h"

namespace fmd::ui {

std::vector<const Watcher*> Watching::missing() const {
  std::vector<const Watcher*> out;
  for (const Watcher& one : not_watching)
    if (one.state != "not-observed" && one.state != "disabled") out.push_back(&one);
  return out;
}

Watching watching_in(const nlohmann::json& plugins, const nlohmann::json& config) {
  Watching out;
  out.dry_run = json_bool(config, "dry_run");
  const auto notify = config.find("notify");
  for (const nlohmann::json& p : plugins) {
    const std::string name = json_text(p, "name");
    if (notify != config.end() && notify->contains(name)) continue;
    Watcher one{clean(name), clean(json_text(p, "state")), clean_prose(json_text(p, "reason")),
                json_int(p, "last_seen")};
    auto& list = one.state == "ok" ? out.watching : out.not_watching;
    list.push_back(std::move(one));
  }
  return out;
}

}  // namespace fmd::ui
