#include "plugins/snmp/source.h"

#include <time.h>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "ui/client/documents.h"

namespace fmd::snmp {
namespace {

using nlohmann::json;

constexpr size_t kFew = 64;  // up to this many changes are queried one by one, else the whole list

int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

}  // namespace

Result<void> Source::connect() {
  auto client = ui::Client::connect({bus_, "", false});
  if (!client) return tl::unexpected(client.error());
  client_ = std::make_unique<ui::Client>(std::move(*client));
  everything_ = true;
  auto good = client_->subscribe();
  if (!good) close();
  return good;
}

Result<void> Source::listen(uint64_t milliseconds) {
  for (uint64_t wait = milliseconds;; wait = 0) {
    const auto news = client_->wait(wait);
    if (!news) return tl::unexpected(news.error());
    if (news->signal.empty()) return {};
    if (news->signal == "Gone") return fail("fmd has ended");
    if (news->signal == "CaseChanged") cases_.insert(news->subject);
    if (news->signal == "ResourceChanged") parts_.insert(news->subject);
  }
}

Result<void> Source::refresh() {
  // Taken before the queries: later changes are signalled.
  const int64_t wall = clock_ns(CLOCK_REALTIME), steady = clock_ns(CLOCK_BOOTTIME);
  Result<void> good;
  if (everything_) {
    good = read_all();
  } else {
    good = read_parts();
    if (good) good = read_cases();
  }
  if (good) good = read_plugins();
  if (!good) return good;
  everything_ = false;
  parts_.clear();
  cases_.clear();
  wall_ns_ = wall;
  steady_ns_ = steady;
  return {};
}

Result<void> Source::read_all() {
  const auto config = client_->query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  version_ = json_text(*config, "version");
  const auto host = config->find("host");
  host_ = host != config->end() && host->is_object() ? json_text(*host, "name") : "";
  const auto list = client_->query("ListResources", json::object());
  if (!list) return tl::unexpected(list.error());
  resources_.clear();
  take(*list);
  return read_case_list();
}

void Source::take(const json& list) {
  if (!list.is_array()) return;
  for (const json& doc : list)
    if (auto part = Inventory::resource_from_json(doc)) resources_[part->fmri] = std::move(*part);
}

Result<void> Source::read_parts() {
  if (parts_.size() > kFew) {
    const auto list = client_->query("ListResources", json::object());
    if (!list) return tl::unexpected(list.error());
    resources_.clear();
    take(*list);
    return {};
  }
  for (const std::string& fmri : parts_) {
    const auto list = client_->query("ListResources", json{{"fmri", fmri}});
    if (!list) return tl::unexpected(list.error());
    resources_.erase(fmri);
    take(*list);
  }
  return {};
}

Result<void> Source::read_case_list() {
  ui::AdviceByCase advice;
  auto cases = ui::fetch_cases(*client_, json::object(), &advice);
  if (!cases) return tl::unexpected(cases.error());
  advice_ = std::move(advice);
  open_cases_.clear();
  for (Case& c : *cases)
    if (c.open() && c.state != CaseState::unsolved) open_cases_.emplace(c.uuid, std::move(c));
  return {};
}

Result<void> Source::read_cases() {
  // The advice about a case also changes when parts change.
  const bool moved = !parts_.empty() && !open_cases_.empty();
  if (moved || cases_.size() > kFew) return read_case_list();
  for (const std::string& uuid : cases_) {
    auto cases = ui::fetch_cases(*client_, json{{"uuid", uuid}}, &advice_);
    if (!cases) return tl::unexpected(cases.error());
    open_cases_.erase(uuid);
    for (Case& c : *cases)
      if (c.open() && c.state != CaseState::unsolved) open_cases_.emplace(c.uuid, std::move(c));
    if (!open_cases_.contains(uuid)) advice_.erase(uuid);
  }
  return {};
}

Result<void> Source::read_plugins() {
  auto plugins = client_->query("ListPlugins");
  if (!plugins) return tl::unexpected(plugins.error());
  plugins_.clear();
  if (!plugins->is_array()) return {};
  for (const json& plugin : *plugins)
    plugins_.push_back({json_text(plugin, "name"), json_text(plugin, "version"),
                        json_text(plugin, "state"), json_text(plugin, "reason")});
  return {};
}

Knowledge Source::knowledge(bool fresh) const {
  Knowledge knowledge;
  for (const auto& [fmri, part] : resources_) knowledge.inventory.restore(part);
  knowledge.cases = open_cases_;
  knowledge.advice = advice_;
  knowledge.plugins = plugins_;
  knowledge.version = version_;
  knowledge.host = host_;
  knowledge.wall_ns = wall_ns_;
  knowledge.steady_ns = steady_ns_;
  knowledge.fresh = fresh && steady_ns_ > 0;
  return knowledge;
}

}  // namespace fmd::snmp
