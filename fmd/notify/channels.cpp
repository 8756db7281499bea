#include "fmd/notify/channels.h"

#include <fmt/format.h>

#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"

namespace fmd {

void Channels::changed(const std::string& name) {
  to_describe_.insert(name);
  dirty_.insert(name);
}

void Channels::works(const std::string& name, Channel& channel) {
  channel = {};
  changed(name);
}

void Channels::delivered(std::string_view channel, bool others_wait, Moment) {
  const auto [at, fresh] = channels_.try_emplace(std::string(channel));
  if (fresh || (at->second.failing && !others_wait)) works(at->first, at->second);
}

void Channels::refused(std::string_view channel, std::string_view reason, Moment now) {
  const auto [at, fresh] = channels_.try_emplace(std::string(channel));
  Channel& known = at->second;
  if (known.failing && known.reason == reason) return;
  if (!std::exchange(known.failing, true)) known.failing_since_ns = now.wall_ns;
  known.reason = reason;
  changed(at->first);
}

void Channels::unused(std::string_view channel) {
  const auto at = channels_.find(channel);
  if (at != channels_.end() && at->second.failing) works(at->first, at->second);
}

std::set<std::string, std::less<>> Channels::failing() const {
  std::set<std::string, std::less<>> out;
  for (const auto& [name, channel] : channels_)
    if (channel.failing) out.insert(name);
  return out;
}

std::vector<Resource> Channels::take_changed() {
  std::vector<Resource> out;
  for (const std::string& name : std::exchange(to_describe_, {})) {
    const Channel& channel = channels_[name];
    Resource resource;
    resource.fmri = make_fmri("fmd", {{"channel", name}});
    resource.type = "channel";
    resource.properties["name"] = name;
    resource.properties["delivery"] = std::string(channel.failing ? "failing" : "ok");
    resource.properties["failing_since"] =
        channel.failing ? format_time_fma(channel.failing_since_ns) : std::string();
    resource.properties["reason"] =
        channel.reason.empty() && channel.failing ? "no reason was given" : channel.reason;
    out.push_back(std::move(resource));
  }
  return out;
}

StateRow Channels::row_of(const std::string& name, const Channel& channel) {
  return {"channel", name,
          dump_json({{"failing", channel.failing},
                     {"since", channel.failing_since_ns},
                     {"reason", channel.reason}})};
}

std::vector<StateRow> Channels::take_changes() {
  std::vector<StateRow> rows;
  for (const std::string& name : std::exchange(dirty_, {}))
    rows.push_back(row_of(name, channels_[name]));
  return rows;
}

std::vector<StateRow> Channels::all_rows() const {
  std::vector<StateRow> rows;
  for (const auto& [name, channel] : channels_) rows.push_back(row_of(name, channel));
  return rows;
}

Result<void> Channels::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;
  for (const StateRow& row : rows) {
    if (row.kind != "channel") continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    if (!doc.is_object()) {
      outcome = fail(fmt::format("how {} delivers cannot be read", display(row.key)));
      continue;
    }
    channels_[row.key] = {json_bool(doc, "failing"), json_int(doc, "since"),
                          json_text(doc, "reason")};
  }
  return outcome;
}

}  // namespace fmd
