#include "plugins/zfs/command_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "plugins/sdk/messages.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/redundancy.h"
#include "plugins/zfs/spare_choice.h"
#include "plugins/zfs/vdev_helper.h"
#include "plugins/zfs/vdev_words.h"

namespace fmd::zfs {
namespace {

std::string text_arg(const sdk::CommandRequest& request, const char* key) {
  const auto found = request.args.find(key);
  return found != request.args.end() && found->is_string() ? found->get<std::string>()
                                                           : std::string();
}

bool said_blank(const sdk::CommandRequest& request) {
  const auto blank = request.args.find("blank");
  return (blank != request.args.end() && blank->is_boolean() && blank->get<bool>()) ||
         text_arg(request, "content") == "blank";
}

Plan answer(sdk::CommandReply reply) {
  Plan plan;
  plan.answer = std::move(reply);
  return plan;
}

Plan run(std::vector<std::vector<std::string>> steps) {
  Plan plan;
  plan.steps = std::move(steps);
  return plan;
}

// The vdev that the command is about. For spare_out and replace, if the request names a spare, the
// vdev that it replaces.
int subject_of(const sdk::CommandRequest& request, const Pool& pool, int index) {
  const bool original = request.name == "spare_out" || request.name == "replace";
  if (!original || at(pool, index).role != "spare") return index;
  const int pair = pool.pair_of(index, "spare");
  if (pair < 0) return index;
  int first = at(pool, pair).children.front();
  while (!at(pool, first).children.empty()) first = at(pool, first).children.back();
  return first;
}

Plan plan_retire(const sdk::CommandRequest& request, const Pool& pool, int index,
                 const PlanFacts& facts) {
  const Vdev& vdev = at(pool, index);
  // fmd's inventory may be seconds old: check the retirement's wait condition again.
  const std::string wait_for = text_arg(request, "unless_busy");
  const std::string_view busy = busy_word(pool.work());
  if (!wait_for.empty() && (wait_for == busy || (wait_for == "scrub" && busy == "expand"))) {
    auto reply =
        refused(fmt::format("a {} of pool '{}' is running",
                            busy == "expand" ? "raidz expansion" : busy, display(pool.name)));
    reply.detail["busy"] = wait_for;
    return answer(std::move(reply));
  }
  const bool degrades = wanted_state(request) == "DEGRADED";
  if (auto reason = degrades ? degrade_refusal(pool, vdev.guid) : retire_refusal(pool, vdev.guid);
      !reason.empty())
    return answer(refused(std::move(reason)));
  const bool spare_comes = !facts.no_spare.contains(pool.name) && spares_available(pool, index) > 0;
  if (facts.retire_only_with_spare && pool.spare_for(index) < 0 && !spare_comes)
    return answer(refused(std::string(kOnlyWithSpare)));
  const std::string guid = std::to_string(vdev.guid);
  if (degrades) return run({{kVdevHelper, "degrade", pool.name, guid}});
  Plan plan =
      run({{kVdevHelper, "fault", pool.name, guid}, {"zpool", "offline", "-f", pool.name, guid}});
  plan.alternatives = true;
  return plan;
}

// Why it must not be undone; "" it may. made_by: key of the command that caused it.
std::string undo_refusal(const sdk::CommandRequest& request, const std::string& made_by,
                         const std::string& what) {
  if (by_person(request)) return "";
  if (made_by.empty()) return fmt::format("{}, and that is not fmd's doing", what);
  return made_by == text_arg(request, "key")
             ? ""
             : fmt::format("{}: changed by somebody else since", what);
}

bool by_return(const sdk::CommandRequest& request) {
  return request.name == "restore" && text_arg(request, "by") == "return";
}

// The disk is present under another name than ZFS knows: "/dev/sdc" is only the third disk found.
Plan plan_return_by_name(const Pool& pool, const Vdev& vdev, const PlanFacts& facts) {
  const std::string name = vdev_of_pool(pool, vdev), disk = facts.disk(vdev);
  const std::string path = disk.empty() ? "" : facts.labelled_path(vdev, disk);
  if (path.empty() && !facts.present(vdev))
    return answer(refused(fmt::format("the disk of {} is not there", name)));
  if (path.empty() || !facts.takes_names) {
    const std::string there =
        path.empty() ? ""
                     : fmt::format(", it is there as {}, and ZFS before 2.2 cannot be told so",
                                   display(path));
    return answer(refused(
        fmt::format("ZFS knows the disk of {} as {}, which is {} name now{}: "
                    "'zpool export {}' and 'zpool import -d /dev/disk/by-id {}' find it again",
                    name, display(vdev.path), facts.present(vdev) ? "another one's" : "nobody's",
                    there, pool.name, pool.name)));
  }
  const std::string guid = std::to_string(vdev.guid);
  return run(
      {{"zpool", "set", "path=" + path, pool.name, guid}, {"zpool", "online", pool.name, guid}});
}

// Only for a vdev that the kernel has lost, and only with the very disk that it had.
Plan plan_return(const Pool& pool, const Vdev& vdev, const PlanFacts& facts) {
  const std::string name = vdev_of_pool(pool, vdev);
  if (vdev.state != "REMOVED" && vdev.state != "UNAVAIL")
    return answer(refused(
        fmt::format("{} is {}: only what was gone comes back by itself", name, vdev.state)));
  const std::string disk = facts.disk(vdev);
  if (disk.empty() || !facts.present(vdev) || facts.at_path(vdev) != disk)
    return plan_return_by_name(pool, vdev, facts);
  // At import the disk was absent, so ZFS has not read its label.
  if (vdev.state == "UNAVAIL" && !facts.bears_label(vdev))
    return answer(refused(
        fmt::format("what is at {} does not have the label of {}", display(vdev.path), name)));
  return run({{"zpool", "online", pool.name, std::to_string(vdev.guid)}});
}

Plan plan_restore(const sdk::CommandRequest& request, const Pool& pool, int index,
                  const PlanFacts& facts) {
  const Vdev& vdev = at(pool, index);
  const std::string guid = std::to_string(vdev.guid);
  if (by_return(request)) return plan_return(pool, vdev, facts);
  if (auto reason = restore_stop(request, pool, vdev.guid); !reason.empty())
    return answer(refused(std::move(reason)));
  const std::string what = fmt::format("{} is {}", vdev_of_pool(pool, vdev), vdev.state);
  if (auto reason = undo_refusal(request, facts.retired_by(vdev.guid), what); !reason.empty())
    return answer(refused(std::move(reason)));
  // It would become UNAVAIL, with a needless ereport.
  if (!vdev.usable() && !facts.present(vdev))
    return answer(refused(fmt::format("{}, and its disk is not there", what)));
  Plan plan;
  if (vdev.state != "DEGRADED" && vdev.state != "FAULTED")
    plan.steps.push_back({"zpool", "online", pool.name, guid});
  plan.steps.push_back({"zpool", "clear", pool.name, guid});
  // Clearing a fault may reveal an earlier `zpool offline`; a person wants the disk back in any
  // case.
  if (vdev.state == "FAULTED" && by_person(request))
    plan.steps.push_back({"zpool", "online", pool.name, guid});
  return plan;
}

// A waiting spare's label has its own GUID, but no pool's.
hardware::OwnLabel label_of(const Pool& pool, const Vdev& spare, const std::string& whole) {
  return {
      "zfs_member", std::to_string(pool.guid), std::to_string(spare.guid), true,
      fmt::format("if that is not needed, make the disk a spare again: 'zpool remove {0} {1}', "
                  "'wipefs -a {2}', 'zpool add {0} spare {3}'",
                  display(pool.name), display(spare.name), display(spare.path), display(whole))};
}

Plan plan_spare_in(const Pool& pool, int index, const PlanFacts& facts) {
  const Vdev& vdev = at(pool, index);
  if (auto reason = spare_refusal(pool, index); !reason.empty())
    return answer(refused(std::move(reason)));
  if (facts.no_spare.contains(pool.name)) return answer(refused(std::string(kNoSpare)));
  for (std::string reason : {replace_refusal(pool, index), spare_hold(pool, index)})
    if (!reason.empty()) return answer(refused(std::move(reason)));
  auto spares = choose_spares(pool, index, facts.device, facts.spare_order);
  if (!spares) return answer(refused(spares.error().message));
  Plan plan;
  plan.alternatives = true;
  const std::string guid = std::to_string(vdev.guid);
  for (const Vdev& spare : *spares) {
    const std::string exact = spare.type == "dspare" ? spare.name : spare.path;
    const std::string whole = spare.type == "disk" ? whole_disk_path(exact) : exact;
    const auto add = [&](std::vector<std::string> argv) {
      if (spare.type == "disk")
        plan.overwrites[plan.steps.size()] =
            hardware::Overwrite{exact, facts.disk(spare), false, label_of(pool, spare, whole)};
      plan.steps.push_back(std::move(argv));
    };
    // Distributed spares are made for a sequential rebuild (-s): all disks of the dRAID write at
    // once, and a scrub follows.
    if (spare.type == "dspare") add({"zpool", "replace", "-s", pool.name, guid, exact});
    // On a whole disk, ZFS itself made partition 1 and expects the disk's name.
    add({"zpool", "replace", pool.name, guid, whole});
    if (whole != exact) add({"zpool", "replace", pool.name, guid, exact});
  }
  return plan;
}

Plan plan_spare_out(const sdk::CommandRequest& request, const Pool& pool, int index,
                    const PlanFacts& facts) {
  const Vdev& vdev = at(pool, index);
  const int in = pool.spare_for(index);
  if (in < 0) return answer(done(fmt::format("no spare is in for {}", vdev_of_pool(pool, vdev))));
  const Vdev& spare = at(pool, in);
  const std::string what = fmt::format("the spare {} stands in for {}", vdev_words(pool, spare),
                                       vdev_of_pool(pool, vdev));
  if (auto reason = undo_refusal(request, facts.spare_key(vdev.guid), what); !reason.empty())
    return answer(refused(std::move(reason)));
  if (!vdev.online() || !vdev.full)
    return answer(refused(
        fmt::format("{} is {}: the spare {} holds its data", vdev_of_pool(pool, vdev),
                    vdev.online() ? "not yet resilvered" : vdev.state, vdev_words(pool, spare))));
  return run({{"zpool", "detach", pool.name, std::to_string(spare.guid)}});
}

// Fails if a new disk cannot replace `index` yet. Returns a step that makes room for it: it
// detaches an earlier new disk that failed before it had the data.
Result<std::vector<std::string>> make_room(const Pool& pool, int index) {
  const int pair = pool.pair_of(index, "replacing");
  if (pair < 0) return std::vector<std::string>();
  const Vdev& newest = at(pool, at(pool, pair).children.back());
  if (newest.usable())
    return fail(fmt::format("{} is being replaced by {} already; 'zpool detach {} {}' ends that",
                            vdev_of_pool(pool, at(pool, index)), vdev_words(pool, newest),
                            display(pool.name), display(newest.name)));
  return std::vector<std::string>{"zpool", "detach", pool.name, std::to_string(newest.guid)};
}

bool forced(const sdk::CommandRequest& request) {
  const auto force = request.args.find("force");
  return force != request.args.end() && force->is_boolean() && force->get<bool>();
}

void add_replace(Plan& plan, const sdk::CommandRequest& request, const Pool& pool, const Vdev& vdev,
                 const std::string& path, const PlanFacts& facts) {
  std::vector<std::string> argv{"zpool", "replace"};
  // zpool requires -f for a blank disk, which has no label. Other disks are left to zpool's
  // judgement, unless a person forces it.
  if (forced(request) || (said_blank(request) && !facts.has_partitions(path))) argv.push_back("-f");
  const auto ashift = request.args.find("ashift");
  if (forced(request) && ashift != request.args.end() && ashift->is_number_unsigned()) {
    argv.push_back("-o");
    argv.push_back(fmt::format("ashift={}", ashift->get<uint64_t>()));
  }
  for (const std::string& word : {pool.name, std::to_string(vdev.guid), path}) argv.push_back(word);
  hardware::Overwrite wish =
      hardware::Overwrite{path, text_arg(request, "device"), forced(request)};
  hardware::add_identity(request.args, wish);
  plan.overwrites[plan.steps.size()] = std::move(wish);
  plan.steps.push_back(std::move(argv));
}

Plan plan_replace(const sdk::CommandRequest& request, const Pool& pool, int index,
                  const PlanFacts& facts) {
  const Vdev& vdev = at(pool, index);
  const std::string device = text_arg(request, "device");
  if (device.empty()) return answer(failed("replace wants \"device\", the FMRI of the new disk"));
  for (const Vdev& other : pool.vdevs)
    if (other.leaf() && other.usable() && facts.disk(other) == device)
      return answer(refused(fmt::format("the disk is in use in pool '{}'", display(pool.name))));
  for (const Vdev& spare : pool.spares)
    if (facts.disk(spare) == device)
      return answer(refused(fmt::format("the disk is a spare of pool '{}'", display(pool.name))));
  // A vdev that may hold the only copy must be brought back, not replaced. --force overrides this.
  std::string reason = replace_refusal(pool, index);
  if (reason.empty()) reason = only_copy_refusal(pool, index);
  if (!reason.empty() && !forced(request)) return answer(refused(std::move(reason)));
  // The whole new disk would have neither the boot loader nor the other partitions of the old one.
  if (is_one_of_partitions(vdev.path) && !forced(request))
    return answer(refused(fmt::format(
        "{} is one of several partitions: partition the new disk like the old one, install the "
        "boot loader if the machine boots from it, then run 'zpool replace {} {} PARTITION'",
        vdev_of_pool(pool, vdev), display(pool.name), vdev.guid)));
  // On the disk itself, data would not be encrypted that was so far.
  if (facts.is_mapped && facts.is_mapped(vdev) && !forced(request))
    return answer(refused(
        fmt::format("{} is on a mapping, such as LUKS or LVM: give the new disk the same, then run "
                    "'zpool replace {} {} MAPPING'",
                    vdev_of_pool(pool, vdev), display(pool.name), vdev.guid)));
  Result<std::string> path = facts.path_in_place ? facts.path_in_place(vdev, device) : "";
  if (path->empty()) path = facts.stable_path(device, text_arg(request, "path"));
  if (!path) return answer(failed(path.error().message));
  auto room = make_room(pool, index);
  if (!room) return answer(refused(room.error().message));
  Plan plan;
  if (!room->empty()) plan.steps.push_back(std::move(*room));
  add_replace(plan, request, pool, vdev, *path, facts);
  return plan;
}

std::string unmet_service(const Pool& pool, const Vdev& vdev, std::string_view wish) {
  const auto is = service_word(vdev.state);
  const bool out = is == "out-of-service" || is == "removed";
  const bool met = wish == "degraded"         ? out || is == "degraded"
                   : wish == "out-of-service" ? out
                                              : is == wish;
  return met ? "" : fmt::format("{} is {}", vdev_of_pool(pool, vdev), vdev.state);
}

}  // namespace

bool by_person(const sdk::CommandRequest& request) {
  return text_arg(request, "by") == "person";
}

std::string wrong_args(const sdk::CommandRequest& request) {
  const bool undo = request.name == "restore" || request.name == "spare_out";
  if (undo && !by_person(request) && !by_return(request) && text_arg(request, "key").empty())
    return fmt::format("{} wants \"key\", that of the command to be undone, or \"by\": \"person\"",
                       request.name);
  if (request.name == "retire" && wanted_state(request).empty())
    return "retire wants \"to\": \"degraded\" or \"out-of-service\"";
  return "";
}

std::string wanted_state(const sdk::CommandRequest& request) {
  const std::string to = text_arg(request, "to");
  return to == "degraded" ? "DEGRADED" : to == "out-of-service" ? "FAULTED" : "";
}

std::string restore_stop(const sdk::CommandRequest& request, const Pool& pool, uint64_t guid) {
  const Vdev* vdev = request.name == "restore" ? pool.find(guid) : nullptr;
  if (!vdev || vdev->state != "FAULTED" || vdev->fault_forced() || by_person(request)) return "";
  return fmt::format("ZFS itself has faulted {}: only a person may clear that",
                     vdev_of_pool(pool, *vdev));
}

std::string unmet(const sdk::CommandRequest& request, const Pool& pool, uint64_t guid,
                  const PlanFacts& facts) {
  int index = pool.index_of(guid);
  const std::string& name = request.name;
  if (index < 0) return fmt::format("the vdev is not in use in pool '{}'", display(pool.name));
  if (name == "retire") return unmet_service(pool, at(pool, index), text_arg(request, "to"));
  if (name == "restore") return unmet_service(pool, at(pool, index), "in-service");
  index = subject_of(request, pool, index);
  const Vdev& vdev = at(pool, index);
  if (name == "spare_in")
    return pool.spare_for(index) >= 0 ? ""
                                      : fmt::format("{} has no spare", vdev_of_pool(pool, vdev));
  if (name == "spare_out")
    return pool.spare_for(index) < 0
               ? ""
               : fmt::format("the spare of {} is still in", vdev_of_pool(pool, vdev));
  const int pair = pool.pair_of(index, "replacing");  // replace
  const bool begun = pair >= 0 && facts.disk(at(pool, at(pool, pair).children.back())) ==
                                      text_arg(request, "device");
  return begun ? ""
               : fmt::format("{} is not being replaced by that disk", vdev_of_pool(pool, vdev));
}

Plan plan_command(const sdk::CommandRequest& request, const Pool& pool, uint64_t guid,
                  const PlanFacts& facts) {
  if (auto wrong = wrong_args(request); !wrong.empty()) return answer(failed(std::move(wrong)));
  if (pool.stopped()) return answer(refused(retire_refusal(pool, guid)));
  int index = pool.index_of(guid);
  if (index < 0) return answer(refused(retire_refusal(pool, guid)));
  if (request.name == "retire") return plan_retire(request, pool, index, facts);
  if (request.name == "restore") return plan_restore(request, pool, index, facts);
  index = subject_of(request, pool, index);
  if (request.name == "spare_in") return plan_spare_in(pool, index, facts);
  if (request.name == "spare_out") return plan_spare_out(request, pool, index, facts);
  if (request.name == "replace") return plan_replace(request, pool, index, facts);
  return answer(
      failed(fmt::format("fmd-zfs does not know the command '{}'", display(request.name))));
}

sdk::CommandReply success(const sdk::CommandRequest& request, const Pool& pool, uint64_t guid,
                          bool by_us) {
  const int index = pool.index_of(guid);
  if (index < 0) return done("it is so");
  const Vdev& vdev = at(pool, subject_of(request, pool, index));
  const int spare = pool.spare_for(pool.index_of(vdev.guid));
  std::string text = fmt::format("{} is {}", vdev_of_pool(pool, vdev), vdev.state);
  if (request.name == "spare_in" && spare >= 0)
    text = fmt::format("spare {} stands in for {}", vdev_words(pool, at(pool, spare)),
                       vdev_of_pool(pool, vdev));
  if (request.name == "spare_out")
    text = fmt::format("the spare of {} is available again", vdev_of_pool(pool, vdev));
  if (request.name == "replace")
    text = fmt::format("{} is being replaced, the new disk resilvers", vdev_of_pool(pool, vdev));
  if (!by_us) text += " (already so: done by zed or an administrator)";
  sdk::CommandReply reply = done(std::move(text));
  if (!by_us) reply.detail["already"] = true;
  if (request.name == "spare_in" && spare >= 0)
    reply.detail["spare"] = vdev_fmri(pool.guid, at(pool, spare).guid);
  return reply;
}

}  // namespace fmd::zfs
