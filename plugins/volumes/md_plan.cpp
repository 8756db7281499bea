#include "plugins/volumes/md_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "plugins/sdk/messages.h"

namespace fmd::volumes {
namespace {

std::string word(const sdk::CommandRequest& request, const char* key) {
  const auto found = request.args.find(key);
  return found != request.args.end() && found->is_string() ? found->get<std::string>()
                                                           : std::string();
}

bool says(const sdk::CommandRequest& request, const char* key) {
  const auto found = request.args.find(key);
  return found != request.args.end() && found->is_boolean() && found->get<bool>();
}

MdPlan answered(sdk::CommandReply reply) {
  return {std::move(reply), {}};
}

std::string in_words(const MdArray& array, const MdMember& member) {
  return fmt::format("{} of {}", member.fmri, array_name(array));
}

const MdArray* array_of(const MdScan& scan, const std::string& member) {
  const auto parsed = Fmri::parse(member);
  if (!parsed) return nullptr;
  const std::string fmri = make_fmri("md", {{"uuid", parsed->get("uuid")}});
  const auto at = std::find_if(scan.arrays.begin(), scan.arrays.end(),
                               [&](const MdArray& a) { return a.fmri == fmri; });
  return at == scan.arrays.end() ? nullptr : &*at;
}

// A faulty member's device node may be gone, so it is named as in sysfs.
MdStep manage(const MdArray& array, const char* verb, const MdMember& member) {
  const std::string name = member.faulty ? member.device : "/dev/" + member.device;
  return {{"mdadm", "--manage", "/dev/" + array.device, verb, name}, "", "", false, false};
}

// A change of members interrupts a reshape, and a failed one may be needed to recover the array.
MdPlan refused_by_reshape(const MdArray& array) {
  auto reply = refused(md_reshape_refusal(array));
  reply.detail["busy"] = md_busy(array);
  return answered(std::move(reply));
}

MdPlan plan_retire(const sdk::CommandRequest& request, const MdArray& array,
                   const MdMember& member) {
  const std::string wait_for = word(request, "unless_busy");
  if (!wait_for.empty() && wait_for == md_busy(array)) {
    auto reply = refused(fmt::format("a {} of {} is running", array.action, array_name(array)));
    reply.detail["busy"] = wait_for;
    return answered(std::move(reply));
  }
  if (std::string why = md_refusal(array, member); !why.empty())
    return answered(refused(std::move(why)));
  if (array.reshaping) return refused_by_reshape(array);
  const bool softly = wanted_state(request) == "want-replacement";
  return {{}, {manage(array, softly ? "--replace" : "--fail", member)}};
}

hardware::OwnLabel label_of(const MdArray& array, const std::string& path) {
  const auto fmri = Fmri::parse(array.fmri);
  return {"linux_raid_member", fmri ? fmri->get("uuid") : "", "", false,
          fmt::format("if that is not needed, take the disk back with 'wipefs -a {0}' and then "
                      "'mdadm --manage /dev/{1} --add {0}'",
                      display(path), display(array.device))};
}

MdPlan plan_restore(const sdk::CommandRequest& request, const MdArray& array,
                    const MdMember& member, const MdMemory& memory) {
  const std::string state = member_state(member);
  const std::string what = fmt::format("{} is {}", in_words(array, member), state);
  if (word(request, "by") != "person") {
    const auto deed = memory.deeds.find(member.fmri);
    if (deed == memory.deeds.end() || deed->second.pending)
      return answered(refused(what + ", and that is not fmd's doing"));
    if (deed->second.key != word(request, "key"))
      return answered(refused(what + ": changed by somebody else since"));
  }
  if (state == "want-replacement")
    return {{},
            {{{},
              fmt::format("/sys/block/{}/md/dev-{}/state", array.device, member.device),
              "-want_replacement",
              false,
              false}}};
  if (array.reshaping) return refused_by_reshape(array);
  MdStep again = manage(array, "--re-add", member), anew = manage(array, "--add", member);
  again.argv.back() = anew.argv.back() = "/dev/" + member.device;
  again.may_fail = again.ends_if_done = true;
  // A former member has the array's superblock, unless the disk has been used for something else
  // since. A ZFS label leaves that superblock intact, and --re-add would go by it alone.
  again.overwrites = anew.overwrites =
      hardware::Overwrite{anew.argv.back(), member.disk, false, label_of(array, anew.argv.back())};
  return {{}, {manage(array, "--remove", member), std::move(again), std::move(anew)}};
}

std::string use_of(const MdScan& scan, const std::string& disk) {
  for (const MdArray& array : scan.arrays)
    for (const MdMember& m : array.members)
      if (m.disk == disk && !m.faulty) return array_name(array);
  return {};
}

MdPlan plan_replace(const sdk::CommandRequest& request, const MdScan& scan, const MdArray& array,
                    const MdMember* member, const std::string& new_disk) {
  const std::string device = word(request, "device"), path = word(request, "path");
  if (device.empty() || path.empty())
    return answered(failed("replace wants \"device\", the FMRI of the new disk, and its \"path\""));
  if (new_disk != device)
    return answered(failed(fmt::format("{} is not the disk {} any more", display(path), device)));
  if (array.reshaping) return refused_by_reshape(array);
  if (const std::string use = use_of(scan, device); !use.empty())
    return answered(refused(fmt::format("the disk is in use in {}", use)));
  if (request.resource.find("/part=") != std::string::npos)
    return answered(refused(fmt::format(
        "the members of {0} are partitions, and fmd writes no partition table: give the new disk "
        "that of another member's disk (sfdisk -d OTHER | sfdisk {1}), then 'mdadm /dev/{0} --add' "
        "its partition",
        display(array.device), display(path))));
  // On the disk itself, data would not be encrypted that was so far.
  if (is_mapped(array) && !says(request, "force"))
    return answered(refused(fmt::format(
        "the members of {0} are on mappings, such as LUKS or LVM: give the new disk the same, then "
        "'mdadm /dev/{0} --add' its mapping",
        display(array.device))));
  if (!says(request, "blank") && !says(request, "force"))
    return answered(refused("it is not known that the disk is blank"));
  MdPlan plan;
  if (member && member->faulty) {
    // The kernel may have removed it already.
    plan.steps.push_back(manage(array, "--remove", *member));
    plan.steps.back().may_fail = true;
  }
  plan.steps.push_back(
      {{"mdadm", "--manage", "/dev/" + array.device, "--add", path}, "", "", false, false});
  hardware::Overwrite wish = hardware::Overwrite{path, device, says(request, "force")};
  hardware::add_identity(request.args, wish);
  plan.steps.back().overwrites = std::move(wish);
  if (member && member->in_sync && !member->faulty)
    plan.steps.push_back({{"mdadm", "--manage", "/dev/" + array.device, "--replace",
                           "/dev/" + member->device, "--with", path},
                          "",
                          "",
                          false,
                          false});
  return plan;
}

}  // namespace

std::string wanted_state(const sdk::CommandRequest& request) {
  const std::string to = word(request, "to");
  return to == "degraded" ? "want-replacement" : to == "out-of-service" ? "faulty" : "";
}

MdPlan plan_md(const sdk::CommandRequest& request, const MdScan& scan, const MdMemory& memory,
               const std::string& new_disk) {
  const MdArray* array = array_of(scan, request.resource);
  if (!array || array->state == "inactive")
    return answered(refused("its array does not run on this host"));
  const MdMember* member = find_member(scan, request.resource);
  if (request.name == "replace") return plan_replace(request, scan, *array, member, new_disk);
  if (!member)
    return answered(refused(
        fmt::format("it is not in {} any more, and its disk is not there", array_name(*array))));
  if (request.name == "retire" && wanted_state(request).empty())
    return answered(failed("retire wants \"to\": \"degraded\" or \"out-of-service\""));
  if (request.name == "retire") return plan_retire(request, *array, *member);
  if (request.name != "restore")
    return answered(
        failed(fmt::format("fmd-volumes does not know the command '{}'", display(request.name))));
  if (word(request, "by") != "person" && word(request, "key").empty())
    return answered(
        failed("restore wants \"key\", that of the command to be undone, or \"by\": \"person\""));
  return plan_restore(request, *array, *member, memory);
}

std::string md_unmet(const sdk::CommandRequest& request, const MdScan& scan) {
  const MdArray* array = array_of(scan, request.resource);
  const MdMember* member = find_member(scan, request.resource);
  const std::string state = member ? member_state(*member) : "missing";
  const std::string is = fmt::format("it is {}", state);
  if (request.name == "replace") {
    const std::string device = word(request, "device");
    const bool in =
        array && std::any_of(array->members.begin(), array->members.end(),
                             [&](const MdMember& m) { return m.disk == device && !m.faulty; });
    return in ? "" : "the new disk is not in the array";
  }
  const bool out = state == "faulty" || state == "missing";
  if (request.name == "restore") return !out && state != "want-replacement" ? "" : is;
  const bool met = out || (state == "want-replacement" && word(request, "to") == "degraded");
  return met ? "" : is;
}

}  // namespace fmd::volumes
