#include "plugins/volumes/md_scan.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"
#include "plugins/hardware/disk_identity.h"

namespace fmd::volumes {
namespace {

constexpr uint64_t kMdSector = 512;

std::string read_md(const sdk::Host& host, const std::string& file) {
  return host.read(file).value_or(std::string());
}

// The number at the beginning of text: "4 (3)" while an array is being reshaped from 3 to 4 disks.
std::optional<uint64_t> leading_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  return number;
}

// 32 hex digits, else "". mdadm writes "c2d35dec:…", the kernel "c2d35dec-…".
std::string bare_uuid(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '-') continue;
    if (!isxdigit(static_cast<unsigned char>(c))) return {};
    out += static_cast<char>(tolower(static_cast<unsigned char>(c)));
  }
  const bool is_one = out.size() == 32 && out.find_first_not_of('0') != out.npos;
  return is_one ? out : std::string();
}

struct MdNames {  // from udev's links, made by mdadm's rules; by device name
  std::map<std::string, std::string> uuids, names;
};

MdNames names_of_arrays(const sdk::Host& host) {
  MdNames out;
  const auto links = host.list("/dev/disk/by-id");
  if (!links) return out;
  for (const std::string& link : *links) {
    const bool uuid = link.starts_with("md-uuid-"), name = link.starts_with("md-name-");
    if (!uuid && !name) continue;
    const auto target = host.read_link("/dev/disk/by-id/" + link);
    if (!target) continue;
    const std::string device = target->substr(target->rfind('/') + 1);
    std::string value = link.substr(8);
    if (uuid)
      out.uuids[device] = bare_uuid(value);
    else  // "HOST:NAME"
      out.names[device] = value.substr(value.find(':') == value.npos ? 0 : value.find(':') + 1);
  }
  return out;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    list = comma == list.npos ? std::string_view() : list.substr(comma + 1);
  }
  return false;
}

size_t lines_in(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + (text.empty() ? 0 : 1);
}

// Identifies the member: the identity of its disk, and the partition.
void identify_member(const sdk::Host& host, const MdArray& array, MdMember& member) {
  const std::string part = read_md(host, "/sys/class/block/" + member.device + "/partition");
  const auto identity = hardware::identify_disk(host, member.device);
  std::string who = member.device;
  if (identity && !identity->fmri.empty()) {
    member.disk = identity->fmri;
    member.serial = identity->serial;
    who = identity->wwn.empty() ? identity->model + ":" + identity->serial : identity->wwn;
  }
  const auto parsed = Fmri::parse(array.fmri);
  const std::string uuid = parsed ? parsed->get("uuid") : "";
  std::vector<std::pair<std::string, std::string>> parts = {
      uuid.empty() ? std::pair<std::string, std::string>("device", array.device)
                   : std::pair<std::string, std::string>("uuid", uuid),
      {"disk", who}};
  if (!part.empty()) parts.emplace_back("part", part);
  member.fmri = make_fmri("md", parts);
}

const MdMember* known_member(const std::vector<MdArray>& known, const MdArray& array,
                             const std::string& device) {
  for (const MdArray& before : known) {
    if (before.fmri != array.fmri) continue;
    for (const MdMember& member : before.members)
      if (member.device == device) return &member;
  }
  return nullptr;
}

MdMember read_member(const sdk::Host& host, const std::string& folder, const MdArray& array,
                     const std::string& device, const std::vector<MdArray>& known) {
  MdMember member;
  member.device = device;
  const std::string state = read_md(host, folder + "/state");
  member.faulty = has_word(state, "faulty");
  member.in_sync = has_word(state, "in_sync");
  member.spare = has_word(state, "spare");
  member.journal = has_word(state, "journal");
  member.want_replacement = has_word(state, "want_replacement");
  member.replacement = has_word(state, "replacement");
  if (const auto slot = leading_number(read_md(host, folder + "/slot")))
    member.slot = static_cast<int>(std::min<uint64_t>(*slot, 100000));
  member.errors = leading_number(read_md(host, folder + "/errors")).value_or(0);
  member.bad_blocks = lines_in(read_md(host, folder + "/bad_blocks"));
  const MdMember* before = known_member(known, array, device);
  member.mapped = hardware::is_mapped(host, device);
  member.gone = !host.exists("/sys/class/block/" + device);
  if (before && (member.gone || member.faulty)) {
    member.fmri = before->fmri;
    member.disk = before->disk;
    member.serial = before->serial;
  } else {
    identify_member(host, array, member);
  }
  return member;
}

void read_disks(const std::string& text, MdArray& array) {
  constexpr uint64_t kMost = 10000;
  array.raid_disks = static_cast<int>(leading_number(text).value_or(0) % kMost);
  if (const size_t before = text.find('('); before != text.npos)
    array.disks_before = static_cast<int>(
        leading_number(std::string_view(text).substr(before + 1)).value_or(0) % kMost);
}

void read_sync(const sdk::Host& host, const std::string& md, MdArray& array) {
  array.action = read_md(host, md + "/sync_action");
  array.last_action = read_md(host, md + "/last_sync_action");
  // "none", or a sector; the action is "idle" if the reshape has stopped half-way.
  array.reshape_at = leading_number(read_md(host, md + "/reshape_position"));
  array.reshaping = array.action == "reshape" || array.reshape_at.has_value();
  array.reshapes_backwards = read_md(host, md + "/reshape_direction") == "backwards";
  if (const auto degraded = leading_number(read_md(host, md + "/degraded")))
    array.degraded = static_cast<int>(std::min<uint64_t>(*degraded, 100000));
  array.mismatches = leading_number(read_md(host, md + "/mismatch_cnt"));
  const std::string done = read_md(host, md + "/sync_completed");  // "1234 / 5678", "none"
  array.sectors_done = leading_number(done).value_or(0);
  if (const size_t slash = done.find("/ "); slash != done.npos)
    array.sectors_all = leading_number(std::string_view(done).substr(slash + 2)).value_or(0);
  array.rate_bytes = leading_number(read_md(host, md + "/sync_speed")).value_or(0) * 1024;
}

// The kernel writes the position down every ten seconds at most, and so may show it unchanged while
// it works; its speed is 0 only after it has not worked for some time.
bool is_stalled(const MdArray& array, const MdArray* before) {
  return array.action == "reshape" && array.reshape_at && array.rate_bytes == 0 && before &&
         before->action == "reshape" && before->reshape_at == array.reshape_at &&
         before->sectors_done == array.sectors_done;
}

// raid10's layout: near copies in the low byte, far ones in the next.
int near_copies(uint64_t layout) {
  const bool far = ((layout >> 8) & 255) > 1;
  return far ? 0 : static_cast<int>(std::max<uint64_t>(1, layout & 255));
}

// "external:imsm", "external:ddf". Its volumes have "external:/md127/0", or "external:-md127/0"
// while mdmon keeps them read-only.
bool is_container(std::string_view metadata) {
  constexpr std::string_view kExternal = "external:";
  if (!metadata.starts_with(kExternal)) return false;
  metadata.remove_prefix(kExternal.size());
  return !metadata.starts_with('/') && !metadata.starts_with('-');
}

std::optional<MdArray> read_array(const sdk::Host& host, const std::string& device,
                                  const MdNames& names, const std::vector<MdArray>& known,
                                  size_t& nameless) {
  const std::string folder = "/sys/block/" + device, md = folder + "/md";
  MdArray array;
  array.device = device;
  array.state = read_md(host, md + "/array_state");
  array.level = read_md(host, md + "/level");
  // Without a level: an array that was not started, or a container of firmware RAID, whose volumes
  // are arrays themselves.
  const bool started = !array.level.empty();
  const bool container = is_container(read_md(host, md + "/metadata_version"));
  if (array.state == "clear" || (!started && (array.state != "inactive" || container))) return {};
  std::string uuid = bare_uuid(read_md(host, md + "/uuid"));     // newer kernels
  if (uuid.find_first_not_of("0:-") == uuid.npos) uuid.clear();  // of an array that was not started
  if (const auto at = names.uuids.find(device); uuid.empty() && at != names.uuids.end())
    uuid = at->second;
  const auto before = std::find_if(known.begin(), known.end(),
                                   [&](const MdArray& one) { return one.device == device; });
  if (uuid.empty() && started) {
    ++nameless;
    return {};
  }
  if (!uuid.empty())
    array.fmri = make_fmri("md", {{"uuid", uuid}});
  else  // the kernel has no UUID of an array that was not started
    array.fmri = before != known.end() ? before->fmri : make_fmri("md", {{"device", device}});
  if (!started && before != known.end() && before->fmri == array.fmri) array.level = before->level;
  if (const auto at = names.names.find(device); at != names.names.end()) array.name = at->second;
  read_disks(read_md(host, md + "/raid_disks"), array);
  if (array.level == "raid10")
    array.near_copies = near_copies(leading_number(read_md(host, md + "/layout")).value_or(0));
  array.size_bytes = leading_number(read_md(host, folder + "/size")).value_or(0) * kMdSector;
  array.has_journal = read_md(host, md + "/consistency_policy") == "journal";
  array.member_sectors =
      leading_number(read_md(host, md + "/component_size")).value_or(0) * (1024 / kMdSector);
  read_sync(host, md, array);
  const auto same = std::find_if(known.begin(), known.end(),
                                 [&](const MdArray& one) { return one.fmri == array.fmri; });
  array.stalled = is_stalled(array, same == known.end() ? nullptr : &*same);
  if (const auto entries = host.list(md))
    for (const std::string& entry : *entries)
      if (entry.starts_with("dev-"))
        array.members.push_back(read_member(host, md + "/" + entry, array, entry.substr(4), known));
  if (!started && array.members.empty() && before == known.end())
    return {};  // an unused device node
  return array;
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MdMember, fmri, device, disk, serial, slot, faulty, in_sync,
                                   spare, journal, want_replacement, replacement, mapped, gone,
                                   errors, bad_blocks)

MdScan scan_md(const sdk::Host& host, const std::vector<MdArray>& known) {
  MdScan scan;
  const auto devices = host.list("/sys/block");
  if (!devices) return scan;
  if (const auto all = host.list("/sys/class/block")) scan.devices.insert(all->begin(), all->end());
  std::optional<MdNames> names;
  for (const std::string& device : *devices) {
    // Names of arrays: md0, md_d0, md_home.
    if (!device.starts_with("md") || !host.exists("/sys/block/" + device + "/md")) continue;
    if (!names) names = names_of_arrays(host);
    if (auto array = read_array(host, device, *names, known, scan.nameless))
      scan.arrays.push_back(std::move(*array));
  }
  return scan;
}

nlohmann::json to_json(const MdScan& scan) {
  nlohmann::json arrays = nlohmann::json::array();
  for (const MdArray& a : scan.arrays)
    arrays.push_back({{"fmri", a.fmri},
                      {"device", a.device},
                      {"name", a.name},
                      {"level", a.level},
                      {"state", a.state},
                      {"action", a.action},
                      {"last_action", a.last_action},
                      {"raid_disks", a.raid_disks},
                      {"disks_before", a.disks_before},
                      {"reshaping", a.reshaping},
                      {"reshape_at", a.reshape_at.value_or(UINT64_MAX)},
                      {"reshapes_backwards", a.reshapes_backwards},
                      {"stalled", a.stalled},
                      {"member_sectors", a.member_sectors},
                      {"near_copies", a.near_copies},
                      {"has_journal", a.has_journal},
                      {"degraded", a.degraded.value_or(-1)},
                      {"mismatches", a.mismatches.value_or(UINT64_MAX)},
                      {"sectors_done", a.sectors_done},
                      {"sectors_all", a.sectors_all},
                      {"rate_bytes", a.rate_bytes},
                      {"size_bytes", a.size_bytes},
                      {"members", a.members}});
  return {{"arrays", std::move(arrays)}, {"nameless", scan.nameless}, {"devices", scan.devices}};
}

MdScan md_from_json(const nlohmann::json& doc) {
  MdScan scan;
  scan.nameless = doc.at("nameless");
  scan.devices = doc.at("devices").get<std::set<std::string>>();
  for (const auto& one : doc.at("arrays")) {
    MdArray a;
    a.fmri = one.at("fmri");
    a.device = one.at("device");
    a.name = one.at("name");
    a.level = one.at("level");
    a.state = one.at("state");
    a.action = one.at("action");
    a.last_action = one.at("last_action");
    a.raid_disks = one.at("raid_disks");
    a.disks_before = one.at("disks_before");
    a.reshaping = one.at("reshaping");
    if (const uint64_t at = one.at("reshape_at"); at != UINT64_MAX) a.reshape_at = at;
    a.reshapes_backwards = one.at("reshapes_backwards");
    a.stalled = one.at("stalled");
    a.member_sectors = one.at("member_sectors");
    a.near_copies = one.at("near_copies");
    a.has_journal = one.at("has_journal");
    if (const int degraded = one.at("degraded"); degraded >= 0) a.degraded = degraded;
    if (const uint64_t mismatches = one.at("mismatches"); mismatches != UINT64_MAX)
      a.mismatches = mismatches;
    a.sectors_done = one.at("sectors_done");
    a.sectors_all = one.at("sectors_all");
    a.rate_bytes = one.at("rate_bytes");
    a.size_bytes = one.at("size_bytes");
    a.members = one.at("members").get<std::vector<MdMember>>();
    scan.arrays.push_back(std::move(a));
  }
  return scan;
}

}  // namespace fmd::volumes
