// ControlService: what a person asks of one disk itself. The plugin that reads what disks say of
// themselves answers, when the disk has.
#include <fmt/format.h>
#include <syslog.h>

#include "fmd/advice/storage.h"
#include "fmd/base/log.h"
#include "fmd/base/text.h"
#include "fmd/base/uuid.h"
#include "fmd/control/control_service.h"
#include "fmd/control/named_parts.h"
#include "fmd/model/fmri_in_text.h"
#include "fmd/model/only_copy.h"
#include "fmd/model/scan_noun.h"

namespace fmd {
namespace {

constexpr int64_t kDeadlineMs = 150000;  // it may have to wait for its turn, and has its own after

// "pool tank is resilvering", "array md0 is rebuilding", if that disk takes part; else "".
std::string resilver_words(const Inventory& inventory, const std::string& disk) {
  for (const Resource* vdev : inventory.parents(disk, Relation::redundancy))
    if (vdev->present && vdev->is("busy", "resilver")) {
      const Resource* storage = storage_of(inventory, vdev->fmri);
      const std::string pool = vdev->get("pool");
      return fmt::format("{} is {}",
                         storage        ? storage_name(*storage)
                         : pool.empty() ? display(vdev->fmri)
                                        : display(pool),
                         filling_word(vdev->fmri));
    }
  return {};
}

}  // namespace

// "dev://" is the plugin's that finds disks; "smart://" and the same rest the one's that asks them.
void ControlService::ask_disk(const std::string& disk, PluginCall call, DiskAsked done) {
  call.target = call.resource = "smart" + disk.substr(disk.find("://"));
  call.key = new_uuid();
  call.deadline_ms = kDeadlineMs;
  if (!hub_.handles(call.target))
    return done(
        fail("fmd-smart is not connected, which asks disks; see: systemctl status fmd-smart"));
  hub_.call(call, [this, disk, done = std::move(done)](const PluginAnswer& answer) {
    const std::string reason = with_places(engine_.inventory(), answer.reason);
    if (answer.status != "done") return done(fail(reason.empty() ? answer.status : reason));
    // Show the caller the disk's report, which came before the answer.
    if (auto taken = road_.commit(); !taken) return done(tl::unexpected(taken.error()));
    done(DiskAnswer{disk, reason});
  });
}

void ControlService::refresh_disk(std::string_view part, std::string_view who, DiskAsked done) {
  const auto disk = disk_named(engine_.inventory(), part);
  if (!disk) return done(tl::unexpected(disk.error()));
  log_line(LOG_INFO, fmt::format("{} asked for a look at {}", who, *disk));
  PluginCall call;
  call.name = "refresh";
  call.args = "{}";
  ask_disk(*disk, std::move(call), std::move(done));
}

void ControlService::self_test(std::string_view part, std::string_view type, bool force,
                               std::string_view who, DiskAsked done) {
  if (type != "short" && type != "long" && type != "abort")
    return done(
        fail(fmt::format("\"{}\" is not a self-test; use short, long or abort", display(type))));
  const auto disk = disk_named(engine_.inventory(), part);
  if (!disk) return done(tl::unexpected(disk.error()));
  if (const std::string busy = resilver_words(engine_.inventory(), *disk);
      type != "abort" && !force && !busy.empty())
    return done(
        fail(fmt::format("{}, which a self-test would slow down; wait for its end (fmadm "
                         "resilver -w), or use --force",
                         busy)));
  log_line(LOG_NOTICE, fmt::format("{} asked for a self-test ({}) of {}", who, type, *disk));
  PluginCall call;
  call.name = "selftest";
  call.args = fmt::format(R"({{"type":"{}"}})", type);
  ask_disk(*disk, std::move(call), std::move(done));
}

}  // namespace fmd
