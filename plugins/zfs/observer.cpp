#include "plugins/zfs/observer.h"

#include <fmt/format.h>

#include <charconv>

#include "fmd/base/text.h"

namespace fmd::zfs {
namespace {

constexpr int kMaxTries = 3;
constexpr std::string_view kProperties = "checksum_n,checksum_t,io_n,io_t";

bool module_missing(std::string_view text) {
  for (const std::string_view words :
       {"modules are not loaded", "modules cannot be auto-loaded", "/dev/zfs", "libzfs library"})
    if (text.find(words) != std::string_view::npos) return true;
  return false;
}

}  // namespace

int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Observer::Observer(sd_event* loop, sdk::Host& host, std::chrono::milliseconds deadline)
    : host_(host), deadline_(deadline), soon_(loop) {}

void Observer::look(bool thorough, Done done) {
  waiting_.push_back(std::move(done));
  want_thorough_ |= thorough;
  if (!running_) soon_.start(std::chrono::milliseconds(0), [this] { begin(); });
}

void Observer::begin() {
  if (running_ || waiting_.empty()) return;
  running_ = true;
  current_ = std::exchange(waiting_, {});
  thorough_ = std::exchange(want_thorough_, false) || names_.empty();
  tries_ = 1;
  look_ = {};
  look_.taken_ns = wall_clock_ns();
  if (stuck_)
    return give_up(Look::Kind::no_answer, "an earlier zpool(8) still hangs: is a pool suspended?");
  if (thorough_)
    ask_list();
  else
    ask_guids();
}

void Observer::ask(std::vector<std::string> argv, std::function<void(std::string)> take) {
  const std::string what = argv[0] + " " + argv[1];
  auto alive = std::weak_ptr<bool>(alive_);
  auto done = [this, alive, what, take = std::move(take)](const sdk::CommandOutput& output) {
    if (alive.expired()) return;
    using End = sdk::CommandOutput::End;
    if (output.ok() && !output.truncated) return take(output.out);
    if (output.end == End::not_found)
      return give_up(Look::Kind::no_tool, "no zpool(8) found on this host: zfs is not observed");
    if (output.end == End::deadline) {
      stuck_ = true;
      return give_up(Look::Kind::no_answer,
                     fmt::format("{} gave no answer in {} s: is a pool suspended?", what,
                                 deadline_.count() / 1000.0));
    }
    if (module_missing(output.err + output.out))
      return give_up(Look::Kind::not_loaded, "the zfs module is not loaded: zfs is not observed");
    give_up(Look::Kind::failed, display(output.explain(what)));
  };
  auto gone = [this, alive] {
    if (!alive.expired()) stuck_ = false;
  };
  host_.run(std::move(argv), deadline_, std::move(done), std::move(gone));
}

void Observer::ask_list() {
  ask({"zpool", "list", "-H", "-p", "-o", "name,guid,health"}, [this](const std::string& text) {
    auto listed = parse_pool_list(text);
    if (!listed) return again(listed.error().text());
    listed_ = std::move(*listed);
    names_.clear();
    if (!listed_.empty()) return ask_paths();
    look_.pools.clear();
    properties_.clear();
    finish();
  });
}

void Observer::ask_paths() {
  ask({"zpool", "status", "-P", "-p"}, [this](const std::string& text) {
    auto status = parse_status(text);
    if (!status) return again(status.error().text());
    with_paths_ = std::move(*status);
    ask_guids();
  });
}

void Observer::ask_guids() {
  ask({"zpool", "status", "-g", "-p"}, [this](const std::string& text) {
    auto status = parse_status(text);
    if (!status) return again(status.error().text());
    join(*status);
  });
}

void Observer::join(const std::vector<StatusPool>& with_guids) {
  if (thorough_) {
    if (!same_shape(with_guids, with_paths_))
      return again("the configuration changes while it is looked at");
    names_ = collect_names(with_guids, with_paths_);
  }
  auto pools = build_pools(listed_, with_guids, names_);
  if (!pools) {
    if (!thorough_) --tries_;  // a quick look that found something new is no failure
    return again(pools.error().text());
  }
  look_.pools = std::move(*pools);
  if (!thorough_) return finish();
  new_properties_.clear();
  ask_properties(0);
}

void Observer::ask_properties(size_t pool) {
  if (!has_properties_ || pool >= look_.pools.size()) {
    properties_ = std::move(new_properties_);
    return finish();
  }
  auto alive = std::weak_ptr<bool>(alive_);
  auto done = [this, alive, pool](const sdk::CommandOutput& output) {
    if (alive.expired()) return;
    if (output.ok())
      take_properties(look_.pools[pool], output.out);
    else if (output.end == sdk::CommandOutput::End::deadline)
      stuck_ = true;
    else if (output.err.find("invalid property") != std::string::npos || output.code == 2)
      has_properties_ = false;  // OpenZFS < 2.2
    if (stuck_) return finish();
    ask_properties(pool + 1);
  };
  auto gone = [this, alive] {
    if (!alive.expired()) stuck_ = false;
  };
  host_.run({"zpool", "get", "-H", "-p", "-o", "name,property,value", std::string(kProperties),
             look_.pools[pool].name, "all-vdevs"},
            deadline_, std::move(done), std::move(gone));
}

void Observer::take_properties(const Pool& pool, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t last = line.rfind('\t');
    const size_t middle =
        last == std::string_view::npos || last == 0 ? last : line.rfind('\t', last - 1);
    if (middle == std::string_view::npos) continue;
    const auto name = line.substr(0, middle), value = line.substr(last + 1);
    const std::string property(line.substr(middle + 1, last - middle - 1));
    uint64_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || stop != value.data() + value.size()) continue;  // "-": not set
    for (const Vdev& vdev : pool.vdevs)
      if (vdev.type == "root" ? name == "root-0" : name == vdev.name || name == vdev.path)
        new_properties_[vdev.guid][property] = number;
  }
}

void Observer::again(std::string why) {
  if (++tries_ > kMaxTries) return give_up(Look::Kind::failed, std::move(why));
  thorough_ = true;
  ask_list();
}

void Observer::give_up(Look::Kind kind, std::string reason) {
  look_.kind = kind;
  look_.reason = std::move(reason);
  look_.pools.clear();
  finish();
}

void Observer::finish() {
  const auto callbacks = std::exchange(current_, {});
  running_ = false;
  const Look look = std::move(look_);
  auto alive = std::weak_ptr<bool>(alive_);
  for (const Done& done : callbacks) {
    if (done) done(look);
    if (alive.expired()) return;
  }
  if (!waiting_.empty() && !running_)
    soon_.start(std::chrono::milliseconds(0), [this] { begin(); });
}

}  // namespace fmd::zfs
