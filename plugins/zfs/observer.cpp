#include "plugins/zfs/observer.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"

namespace fmd::zfs {
namespace {

constexpr std::string_view kKernelPools = "/proc/spl/kstat/zfs";

}  // namespace

Observer::Observer(sd_event* loop, sdk::Host& host, std::chrono::milliseconds deadline,
                   std::function<void()> back)
    : host_(host), deadline_(deadline), back_(std::move(back)), start_(loop) {}

void Observer::look(bool thorough, Done done) {
  done_ = std::move(done);
  thorough_ = thorough;
  start_.start(std::chrono::milliseconds(0), [this] { begin(); });
}

void Observer::begin() {
  running_ = true;
  thorough_ = thorough_ || entries_.empty();
  look_ = {};
  look_.taken_ns = wall_clock_ns();
  if (const auto names = kernel_names()) return look_at(*names, {});
  if (thorough_) return ask_list();
  std::vector<std::string> known;
  for (const auto& [name, entry] : entries_) known.push_back(name);
  look_at(known, {});
}

// Omits "$import" and the like, which are not pools yet.
std::optional<std::vector<std::string>> Observer::kernel_names() const {
  auto names = host_.list(kKernelPools);
  if (!names) return {};
  std::erase_if(*names, [this](const std::string& name) {
    return name.starts_with("$") || !host_.exists(fmt::format("{}/{}/state", kKernelPools, name));
  });
  return *names;
}

void Observer::ask_list() {
  if (stuck_)
    return give_up(Look::Kind::no_answer, "an earlier zpool(8) still hangs: is a pool suspended?");
  auto alive = std::weak_ptr<bool>(alive_);
  auto done = [this, alive](const sdk::CommandOutput& output) {
    if (alive.expired()) return;
    stuck_ |= output.end == sdk::CommandOutput::End::deadline;
    if (!output.ok() || output.truncated) {
      auto [kind, reason] = refusal_of(output, "zpool list", deadline_);
      return give_up(kind, std::move(reason));
    }
    auto listed = parse_pool_list(output.out);
    if (!listed) return give_up(Look::Kind::failed, listed.error().text());
    std::vector<std::string> names;
    for (const ListedPool& pool : *listed) names.push_back(pool.name);
    look_at(names, std::move(*listed));
  };
  auto gone = [this, alive] {
    if (!alive.expired()) stuck_ = false;
  };
  host_.run({"zpool", "list", "-H", "-p", "-o", std::string(kListColumns)}, deadline_,
            std::move(done), std::move(gone));
}

void Observer::look_at(const std::vector<std::string>& names, std::vector<ListedPool> listed) {
  std::erase_if(entries_, [&](const auto& entry) {
    return std::find(names.begin(), names.end(), entry.first) == names.end();
  });
  asking_ = true;  // an answer may arrive immediately
  for (size_t i = 0; i < names.size(); ++i) {
    Entry& entry = entries_[names[i]];
    if (!entry.look) entry.look = std::make_unique<PoolLook>(host_, names[i], deadline_, skills_);
    entry.awaited = !entry.look->hangs() && !entry.look->running();
    // Applies to the whole look: this pool may respond before the others have.
    if (!entry.awaited) look_.unseen[names[i]] = entry.reason;
    if (entry.look->running() || (entry.look->hangs() && Clock::now() < entry.not_before)) continue;
    ask(names[i], thorough_ || entry.look->hangs(),
        listed.empty() ? std::nullopt : std::optional(std::move(listed[i])));
  }
  asking_ = false;
  finish();
}

void Observer::ask(const std::string& name, bool thorough, std::optional<ListedPool> listed) {
  entries_.at(name).look->look(thorough, std::move(listed),
                               [this, name](PoolSight sight) { took(name, std::move(sight)); });
}

void Observer::took(const std::string& name, PoolSight sight) {
  Entry& entry = entries_.at(name);
  entry.reason = sight.reason;
  entry.not_before = Clock::now() + deadline_;
  const bool awaited = std::exchange(entry.awaited, false);
  if (!awaited) {  // it hung and was retried separately
    if (sight.end == LookEnd::ok) back_();
    return;
  }
  if (sight.end == LookEnd::no_tool || sight.end == LookEnd::not_loaded) {
    // The kernel may have pools that no tool can list: keep their last known state.
    const auto names = kernel_names();
    look_.kind = names && !names->empty() ? Look::Kind::failed : sight.end;
    look_.reason = sight.reason;
  }
  if (sight.end == LookEnd::ok)
    look_.pools.push_back(std::move(sight.pool));
  else if (sight.end != LookEnd::no_such_pool)
    look_.unseen[name] = sight.reason;
  finish();
}

void Observer::give_up(Look::Kind kind, std::string reason) {
  look_.kind = kind;
  look_.reason = std::move(reason);
  finish();
}

// Ends the look once no pool is awaited.
void Observer::finish() {
  if (asking_ || !running_) return;
  for (const auto& [name, entry] : entries_)
    if (entry.awaited) return;
  if (look_.kind != Look::Kind::ok) {
    look_.pools.clear();
    look_.unseen.clear();
  } else {
    std::sort(look_.pools.begin(), look_.pools.end(),
              [](const Pool& a, const Pool& b) { return a.name < b.name; });
    properties_.clear();
    for (const auto& [name, entry] : entries_)
      for (const auto& [guid, values] : entry.look->properties()) properties_[guid] = values;
  }
  running_ = false;
  const Done done = std::exchange(done_, {});
  done(std::move(look_));
}

}  // namespace fmd::zfs
