// Text from the kernel: its log, its trace, crash records in firmware, and whole sysfs trees. Much
// of it is chosen by the hardware.
#include <fmt/format.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "corpus.h"
#include "plugins/cpu/crash.h"
#include "plugins/cpu/findings.h"
#include "plugins/cpu/processors.h"
#include "plugins/cpu/trace_records.h"
#include "plugins/disk/disk_scan.h"
#include "plugins/disk/kmsg_text.h"
#include "plugins/disk/trace_text.h"
#include "plugins/enclosure/enclosure_scan.h"
#include "plugins/hardware/edac_dimms.h"
#include "plugins/sdk/host.h"
#include "plugins/sdk/messages.h"
#include "plugins/volumes/btrfs.h"
#include "plugins/volumes/dm_model.h"
#include "plugins/volumes/hardware_raid.h"
#include "plugins/volumes/md_model.h"
#include "targets.h"

namespace fmd::fuzz {
namespace {

namespace fs = std::filesystem;

void each_line(std::string_view text, const std::function<void(std::string_view)>& take) {
  for (size_t end = 0; !text.empty(); text.remove_prefix(end)) {
    end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    end += end < text.size() ? 1 : 0;
  }
}

// Reads each line as a record of /dev/kmsg, with and without a record header.
void read_kmsg(std::string_view text) {
  disk::LogText log;
  each_line(text, [&](std::string_view line) {
    for (const std::string& record : {std::string(line), "6,12,345,-;" + std::string(line) + "\n"})
      if (const auto parsed = disk::parse_kmsg(record)) (void)log.said_in(*parsed);
  });
}

void read_disk_trace(std::string_view text) {
  each_line(text, [](std::string_view line) {
    (void)disk::read_trace(line);
    (void)disk::parse_lost(line);
  });
}

void judge(const cpu::MceRecord& record) {
  if (const auto error = cpu::decode(record)) {
    (void)error->text();
    (void)cpu::frame_of(record, *error);
  }
  (void)cpu::findings(record, {});
  (void)cpu::doubt(record, 1);
}

void read_cpu_trace(std::string_view text) {
  each_line(text, [](std::string_view line) {
    if (const auto record = cpu::parse_trace_record(line)) {
      (void)cpu::findings(*record, {}, [](const std::string& address) {
        return cpu::PciLink{address, "", ""};
      });
      if (const auto* mce = std::get_if<cpu::MceRecord>(&record->what)) judge(*mce);
    }
    (void)cpu::unread_event(line);
    (void)cpu::lost_events(line);
  });
}

void read_crash(std::string_view bytes) {
  for (const auto& record : cpu::fatal_in_log(bytes)) judge(record);
  for (const auto& record : cpu::fatal_in_record(bytes)) {
    judge(record);
    must(!cpu::crash_id(record).empty(), "a crash without an id");
  }
}

constexpr const char* kPanic =
    "Panic#1 Part1\n"
    "<0>[   40.100000] mce: [Hardware Error]: CPU 5: Machine Check Exception: 5 Bank 3: "
    "be00000000000136\n"
    "<0>[   40.100002] mce: [Hardware Error]: TSC 1f ADDR 12345000 MISC 86 \n"
    "<0>[   40.100003] mce: [Hardware Error]: PROCESSOR 0:606a6 TIME 1795228661 SOCKET 1 APIC 12\n";

std::string crash_record() {
  std::string bytes(120, '\0');
  const uint64_t status = 0xbe00000000000136, mcg_status = 5;
  memcpy(&bytes[0], &status, sizeof status);
  memcpy(&bytes[24], &mcg_status, sizeof mcg_status);
  return bytes;
}

// --- trees of sysfs ------------------------------------------------------------------------------

// A temporary root folder, rebuilt for each input: "/path:text" is a line of a file, "/path ->
// target" a link. Nothing outside is written or read.
class Tree {
 public:
  Tree() {
    std::string name =
        (fs::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/fmd-fuzz-XXXXXX");
    must(mkdtemp(name.data()) != nullptr, "no temporary folder");
    root_ = name;
  }
  Tree(const Tree&) = delete;
  ~Tree() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  void build(std::string_view text) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(root_)) fs::remove_all(entry, ignored);
    size_t left = kMostEntries;
    each_line(text, [&](std::string_view line) {
      if (left == 0) return;
      --left;
      const size_t arrow = line.find(" -> "), colon = line.find(':', line.find_last_of('/') + 1);
      if (arrow != line.npos)
        link(line.substr(0, arrow), line.substr(arrow + 4));
      else if (const size_t first = line.find_first_of(":\t"); first != line.npos)
        add(line.substr(0, colon == line.npos || line[first] == '\t' ? first : colon),
            line.substr(first + 1));
    });
  }
  const std::string& root() const { return root_; }

 private:
  static constexpr size_t kMostEntries = 300;
  static constexpr size_t kLongestPath = 300;

  // Returns "" if the path would be outside the folder.
  std::string place(std::string_view path) const {
    const bool fits = path.starts_with('/') && path.size() < kLongestPath &&
                      path.find('\0') == path.npos && path.find("..") == path.npos;
    if (!fits) return {};
    std::string place = root_ + std::string(path);
    std::error_code ignored;
    fs::create_directories(fs::path(place).parent_path(), ignored);
    // Never follow a symbolic link created by the input.
    const fs::path parent = fs::weakly_canonical(fs::path(place).parent_path(), ignored);
    return parent.string().starts_with(root_) ? place : "";
  }
  void link(std::string_view path, std::string_view target) const {
    std::error_code ignored;
    const bool inside = target.starts_with('/') && target.find("..") == target.npos;
    const std::string to = inside ? root_ + std::string(target) : std::string(target);
    if (const std::string where = place(path); !where.empty() && to.find('\0') == to.npos && inside)
      fs::create_symlink(to, where, ignored);
  }
  void add(std::string_view path, std::string_view text) const {
    const std::string where = place(path);
    std::error_code ignored;
    if (!where.empty() && !fs::is_symlink(where, ignored))
      std::ofstream(where, std::ios::binary | std::ios::app) << text << '\n';
  }

  std::string root_;
};

void read_tree(Tree& tree, std::string_view text) {
  tree.build(text);
  const sdk::Host host(nullptr, tree.root(), "");
  const auto md = volumes::scan_md(host, {});
  volumes::MdMemory memory;
  note(md, "a-boot", memory);
  (void)md_resources(md, memory, {});
  (void)volumes::scan_md(host, md.arrays);
  (void)volumes::dm_resources(volumes::scan_dm(host, {}), nullptr, {});
  (void)volumes::btrfs_resources(volumes::scan_btrfs(host, {}), {});
  (void)volumes::hardware_raid_resources(volumes::scan_hardware_raid(host));
  const auto disks = disk::scan_devices(host, {});
  if (disks) (void)disk::disks_of(*disks);
  must(disk::from_bytes(disk::to_bytes(disks)).has_value() == disks.has_value(),
       "a scan comes back otherwise");
  if (const auto names = host.list(enclosure::kFolder))
    for (const std::string& name : *names) {
      const auto box = enclosure::scan_enclosure(host, name, nullptr);
      must(enclosure::from_bytes(enclosure::to_bytes(box)).has_value(), "an enclosure is lost");
    }
  cpu::KnownPlaces places;
  (void)cpu::look_at_processors(host, places);
  (void)hardware::edac_dimms(host, {});
  (void)cpu::kept_crashes(host);
}

// Two disks on one controller, members of an array.
std::string two_disks() {
  std::string out;
  for (const char letter : {'b', 'c'}) {
    const std::string name = std::string("sd") + letter;
    const std::string device = fmt::format("/sys/devices/pci0000:00/host0/0:0:{}:0", letter - 'a');
    out += fmt::format(
        "{0}/wwid:naa.5000c500a000000{1}\n{0}/model:QEMU HARDDISK\n{0}/vendor:QEMU\n"
        "{0}/block/{2}/size:524288\n{0}/block/{2}/queue/rotational:1\n"
        "{0}/block/{2}/device -> {0}\n/sys/block/{2} -> {0}/block/{2}\n"
        "/sys/class/block/{2} -> {0}/block/{2}\n/dev/{2}:x\n",
        device, letter - 'a', name);
  }
  return out;
}

std::string as_lines(std::string text) {
  for (char& c : text)
    if (c == '\t') c = ':';
  return text;
}

}  // namespace

std::vector<Target> kernel_targets(const std::string& tree) {
  const std::string recorded = tree + "/tests/score/recorded/", plugins = tree + "/plugins/";
  const auto place = std::make_shared<Tree>();
  const std::string disks = two_disks();
  return {
      {"kmsg", "the kernel's log of disks", {file(recorded + "kernel-disk.txt")}, read_kmsg},
      {"disk-trace", "its trace of disks", {file(recorded + "kernel-disk.txt")}, read_disk_trace},
      {"cpu-trace",
       "its trace of processors, memory and PCIe",
       {file(recorded + "kernel-cpu.txt")},
       read_cpu_trace},
      {"crash", "what the firmware kept of a crash", {kPanic, crash_record()}, read_crash},
      {"sysfs",
       "trees of sysfs: disks, arrays, maps, btrfs, enclosures, processors, memory",
       {disks + file(plugins + "volumes/tests/fixtures/md-raid1.txt"),
        disks + file(plugins + "volumes/tests/fixtures/btrfs-raid1.txt"),
        as_lines(file(plugins + "system/tests/fixtures/machine-recorded.txt")),
        as_lines(file(plugins + "enclosure/tests/fixtures/q35-recorded.txt"))},
       [place](std::string_view text) { read_tree(*place, text); }}};
}

}  // namespace fmd::fuzz
