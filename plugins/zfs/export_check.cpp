#include "plugins/zfs/export_check.h"

#include <fmt/format.h>
#include <syslog.h>

#include <charconv>

#include "plugins/sdk/plugin.h"

namespace fmd::zfs {
namespace {

constexpr uint64_t kExported = 1, kDestroyed = 2;  // POOL_STATE_* of OpenZFS

// Asks udev, which has already read each partition.
bool is_of_pool(const sdk::Host& host, const std::string& device, uint64_t pool) {
  const auto number = host.read("/sys/class/block/" + device + "/dev");
  const auto known = number ? host.read("/run/udev/data/b" + *number) : number;
  if (!known) return false;
  const std::string lines = "\n" + *known + "\n";
  return lines.find("\nE:ID_FS_TYPE=zfs_member\n") != std::string::npos &&
         lines.find(fmt::format("\nE:ID_FS_UUID={}\n", pool)) != std::string::npos;
}

}  // namespace

// The pool's own values are indented by four blanks, those of its vdevs by more.
std::optional<Label> parse_label(std::string_view text) {
  std::optional<Label> newest;
  Label label;
  const auto keep = [&] {
    if (label.pool != 0 && label.vdev != 0 && (!newest || label.txg > newest->txg)) newest = label;
    label = {};
  };
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.starts_with("LABEL ")) keep();
    if (!line.starts_with("    ") || line.starts_with("     ")) continue;
    line.remove_prefix(4);
    const size_t colon = line.find(": ");
    if (colon == line.npos) continue;
    const std::string_view name = line.substr(0, colon), value = line.substr(colon + 2);
    uint64_t* const its = name == "pool_guid" ? &label.pool
                          : name == "guid"    ? &label.vdev
                          : name == "state"   ? &label.state
                          : name == "txg"     ? &label.txg
                                              : nullptr;
    if (its) (void)std::from_chars(value.data(), value.data() + value.size(), *its);
  }
  keep();
  return newest;
}

ExportCheck::ExportCheck(sdk::Host& host, std::chrono::milliseconds deadline, Exported exported)
    : host_(host), deadline_(deadline), exported_(std::move(exported)) {}

void ExportCheck::look(uint64_t pool, std::set<uint64_t> leaves) {
  Missing& missing = missing_[pool];
  missing.leaves = std::move(leaves);
  if (missing.told || missing.leaves.empty()) return;
  const auto devices = host_.list("/sys/class/block");
  if (!devices) return;
  for (const std::string& device : *devices)
    if (!missing.read.contains(device) && is_of_pool(host_, device, pool)) {
      missing.read.insert(device);
      wanted_.push_back({pool, device});
    }
  next();
}

void ExportCheck::next() {
  while (!running_ && !wanted_.empty()) {
    const Wanted wanted = std::move(wanted_.front());
    wanted_.pop_front();
    if (missing_[wanted.pool].told) continue;
    running_ = true;
    auto done = [this, pool = wanted.pool,
                 alive = std::weak_ptr<bool>(alive_)](const sdk::CommandOutput& output) {
      if (!alive.expired()) took(pool, output);
    };
    host_.run({"zdb", "-l", host_.path("/dev/" + wanted.device)}, deadline_, std::move(done));
  }
}

void ExportCheck::took(uint64_t pool, const sdk::CommandOutput& output) {
  running_ = false;
  Missing& missing = missing_[pool];
  // Ignore the exit status: it is 1 if any label cannot be read, and the others are still valid.
  const auto label = parse_label(output.out);
  const bool is_its = label && label->pool == pool && missing.leaves.contains(label->vdev);
  if (is_its && (label->state == kExported || label->state == kDestroyed))
    missing.exported.insert(label->vdev);
  if (!missing.told && missing.exported.size() * 2 > missing.leaves.size()) {
    missing.told = true;
    sdk::log(LOG_INFO, fmt::format("pool {} was exported before this boot, its disks say", pool));
    exported_(pool);
  }
  next();
}

}  // namespace fmd::zfs
