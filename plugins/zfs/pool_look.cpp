#include "plugins/zfs/pool_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "plugins/zfs/zpool_json.h"

namespace fmd::zfs {
namespace {

using End = sdk::CommandOutput::End;

constexpr int kMaxTries = 3;
// Properties known to OpenZFS 2.3, and to 2.2.
constexpr std::string_view kProperties[] = {
    "checksum_n,checksum_t,io_n,io_t,slow_io_n,slow_io_t,ashift,physpath",
    "checksum_n,checksum_t,io_n,io_t,ashift,physpath"};

bool module_missing(std::string_view text) {
  for (const std::string_view words :
       {"modules are not loaded", "modules cannot be auto-loaded", "/dev/zfs", "libzfs library"})
    if (text.find(words) != std::string_view::npos) return true;
  return false;
}

}  // namespace

void GotProperties::take(uint64_t guid, const std::string& property, std::string_view value) {
  if (value == "-") return;  // not set
  if (property == "physpath") {
    places[guid] = value;
    return;
  }
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && stop == value.data() + value.size())
    properties[guid][property] = number;
}

GotProperties parse_properties(std::string_view text, const Pool& pool) {
  GotProperties got;
  // Vdevs may have the same name: several mirrors, or a name that is another's path.
  std::unordered_multimap<std::string_view, uint64_t> guids;
  for (const Vdev& vdev : pool.vdevs) {
    guids.emplace(vdev.type == "root" ? "root-0" : std::string_view(vdev.name), vdev.guid);
    if (vdev.type != "root" && !vdev.path.empty() && vdev.path != vdev.name)
      guids.emplace(vdev.path, vdev.guid);
  }
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
    const auto [first, end_of_name] = guids.equal_range(name);
    for (auto one = first; one != end_of_name; ++one) got.take(one->second, property, value);
  }
  return got;
}

int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::pair<LookEnd, std::string> refusal_of(const sdk::CommandOutput& output, std::string_view what,
                                           std::chrono::milliseconds deadline) {
  if (output.end == End::deadline)
    return {LookEnd::no_answer, fmt::format("{} gave no answer in {} s: is a pool suspended?", what,
                                            static_cast<double>(deadline.count()) / 1000.0)};
  if (output.end == End::not_found)
    return {LookEnd::no_tool, "no zpool(8) found on this host: zfs is not observed"};
  if (module_missing(output.err + output.out))
    return {LookEnd::not_loaded, "the zfs module is not loaded: zfs is not observed"};
  const bool gone = output.err.find("no such pool") != std::string::npos;
  return {gone ? LookEnd::no_such_pool : LookEnd::failed, display(output.explain(what))};
}

PoolLook::PoolLook(sdk::Host& host, std::string name, std::chrono::milliseconds deadline,
                   ZpoolSkills& skills)
    : host_(host), name_(std::move(name)), deadline_(deadline), skills_(skills) {}

void PoolLook::look(bool thorough, std::optional<ListedPool> listed, Done done) {
  running_ = true;
  done_ = std::move(done);
  thorough_ = thorough || names_.empty() || !listed_;
  tries_ = 1;
  sight_ = {};
  const bool just_listed = listed.has_value();
  if (just_listed) listed_ = std::move(listed);
  if (stuck_)
    return give_up(LookEnd::no_answer, "an earlier zpool(8) still hangs: is the pool suspended?");
  if (thorough_ && !just_listed) return ask_list();
  ask_status();
}

void PoolLook::run(std::vector<std::string> argv,
                   std::function<void(const sdk::CommandOutput&)> take) {
  auto alive = std::weak_ptr<bool>(alive_);
  auto done = [this, alive, take = std::move(take)](const sdk::CommandOutput& output) {
    if (alive.expired()) return;
    stuck_ |= output.end == End::deadline;
    take(output);
  };
  auto gone = [this, alive] {
    if (!alive.expired()) stuck_ = false;
  };
  host_.run(std::move(argv), deadline_, std::move(done), std::move(gone));
}

void PoolLook::ask(std::vector<std::string> argv, std::function<void(std::string)> take) {
  const std::string what = argv[0] + " " + argv[1];
  run(std::move(argv), [this, what, take = std::move(take)](const sdk::CommandOutput& output) {
    if (output.ok() && !output.truncated) return take(output.out);
    refused(output, what);
  });
}

void PoolLook::refused(const sdk::CommandOutput& output, const std::string& what) {
  auto [end, reason] = refusal_of(output, what, deadline_);
  give_up(end, std::move(reason));
}

void PoolLook::ask_list() {
  ask({"zpool", "list", "-H", "-p", "-o", std::string(kListColumns), name_},
      [this](const std::string& text) {
        auto listed = parse_pool_list(text);
        if (!listed) return again(listed.error().text());
        if (listed->size() != 1) return again("zpool list names another pool");
        listed_ = std::move(listed->front());
        names_.clear();
        ask_status();
      });
}

void PoolLook::ask_status() {
  if (skills_.json) return ask_json();
  thorough_ ? ask_paths() : ask_guids();
}

void PoolLook::ask_json() {
  run({"zpool", "status", "-j", "--json-int", "-P", "-p", "-s", name_},
      [this](const sdk::CommandOutput& output) {
        if (output.end == End::exited && output.code == 2) skills_.json = false;  // before 2.3
        if (!skills_.json) return ask_status();
        if (!output.ok() || output.truncated) return refused(output, "zpool status");
        auto status = parse_status_json(output.out, wall_clock_ns());
        if (!status) {  // a rebuild, or a newer format
          thorough_ |= names_.empty();
          return thorough_ ? ask_paths() : ask_guids();
        }
        if (!listed_ || status->guid != listed_->guid) return again("it is another pool by now");
        names_ = std::move(status->names);
        took({std::move(status->pool)});
      });
}

void PoolLook::ask_paths() {
  ask({"zpool", "status", "-P", "-p", name_}, [this](const std::string& text) {
    auto status = parse_status(text);
    if (!status) return again(status.error().text());
    with_paths_ = std::move(*status);
    ask_guids();
  });
}

void PoolLook::ask_guids() {
  ask({"zpool", "status", "-g", "-p", "-s", name_}, [this](const std::string& text) {
    auto status = parse_status(text);
    if (!status) return again(status.error().text());
    join(*status);
  });
}

void PoolLook::join(const std::vector<StatusPool>& with_guids) {
  if (thorough_) {
    if (!same_shape(with_guids, with_paths_))
      return again("the configuration changes while it is looked at");
    names_ = collect_names(with_guids, with_paths_);
  }
  took(with_guids);
}

void PoolLook::took(const std::vector<StatusPool>& status) {
  auto pools = build_pools({*listed_}, status, names_);
  if (!pools) {
    if (!thorough_) --tries_;  // new vdevs in a quick look are no failure
    return again(pools.error().text());
  }
  sight_.pool = std::move(pools->front());
  ask_damaged();
}

// The following steps are optional: the look succeeds without them.
void PoolLook::ask_damaged() {
  Pool& pool = sight_.pool;
  const uint64_t errors = pool.data_errors.value_or(0);
  if (errors != 0 && !thorough_ && errors == damage_errors_) pool.damaged = damaged_;
  if (errors == 0 || (!thorough_ && errors == damage_errors_)) {
    if (errors == 0) damage_errors_ = 0;
    return thorough_ ? ask_creation() : finish();
  }
  run({"zpool", "status", "-v", name_}, [this, errors](const sdk::CommandOutput& output) {
    if (output.end == End::deadline) return finish();
    sight_.pool.damaged = damaged_ = parse_damaged(output.out);
    damage_errors_ = errors;
    thorough_ ? ask_creation() : finish();
  });
}

// The root dataset's creation time is the pool's. Needed once, for pools that were never scrubbed.
void PoolLook::ask_creation() {
  if (sight_.pool.scan.state != Scan::State::none || created_ns_ || !host_.has_tool("zfs")) {
    sight_.pool.created_ns = created_ns_.value_or(0);
    return ask_properties();
  }
  run({"zfs", "get", "-H", "-p", "-o", "value", "creation", name_},
      [this](const sdk::CommandOutput& output) {
        if (output.end == End::deadline) return finish();
        int64_t seconds = 0;
        if (output.ok())
          (void)std::from_chars(output.out.data(), output.out.data() + output.out.size(), seconds);
        created_ns_ = sight_.pool.created_ns = date_of_seconds(seconds);
        ask_properties();
      });
}

void PoolLook::ask_properties() {
  if (skills_.properties_of >= std::size(kProperties)) {
    properties_.clear();
    places_.clear();
    return finish();
  }
  run({"zpool", "get", "-H", "-p", "-o", "name,property,value",
       std::string(kProperties[skills_.properties_of]), name_, "all-vdevs"},
      [this](const sdk::CommandOutput& output) {
        if (output.end == End::deadline) return finish();
        if (output.err.find("invalid property") != std::string::npos || output.code == 2) {
          ++skills_.properties_of;
          return ask_properties();
        }
        if (output.ok()) {
          GotProperties got = parse_properties(output.out, sight_.pool);
          properties_ = std::move(got.properties);
          places_ = std::move(got.places);
        }
        finish();
      });
}

void PoolLook::again(std::string why) {
  if (++tries_ > kMaxTries) return give_up(LookEnd::failed, std::move(why));
  thorough_ = true;
  ask_list();
}

void PoolLook::give_up(LookEnd end, std::string reason) {
  sight_.end = end;
  sight_.reason = std::move(reason);
  finish();
}

void PoolLook::finish() {
  running_ = false;
  hangs_ = sight_.end == LookEnd::no_answer;
  for (Vdev& vdev : sight_.pool.vdevs)
    if (const auto place = places_.find(vdev.guid); place != places_.end())
      vdev.physpath = place->second;
  const Done done = std::exchange(done_, {});
  done(std::move(sight_));
}

}  // namespace fmd::zfs
