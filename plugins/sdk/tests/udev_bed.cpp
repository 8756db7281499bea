#include "plugins/sdk/tests/udev_bed.h"

#include <umockdev.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

namespace fmd::sdk::testing {
namespace {

namespace fs = std::filesystem;

// Sorted by path, so that parents come first; without comments, which umockdev does not accept.
std::map<std::string, std::string> read_dump(const std::string& name) {
  std::ifstream in(std::string(BEDS) + "/" + name + ".umockdev");
  if (!in) throw std::runtime_error("there is no bed " + name);
  std::map<std::string, std::string> devices;
  std::string device;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("P: ")) device = "/sys" + line.substr(3);
    if (!device.empty()) devices[device] += line + "\n";
  }
  return devices;
}

// Removes links to devices that were taken out.
void remove_dangling_links(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> dangling;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_symlink() && !fs::exists(entry.path())) dangling.push_back(entry.path());
  for (const auto& link : dangling) fs::remove(link);
}

}  // namespace

struct UdevBed::Impl {
  UMockdevTestbed* bed = umockdev_testbed_new();
  fs::path root;
  Impl() {
    gchar* folder = umockdev_testbed_get_root_dir(bed);
    root = folder;
    g_free(folder);
  }
  ~Impl() { g_object_unref(bed); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string node_of(const std::string& device) const {
    std::ifstream in(root.string() + device + "/uevent");
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("DEVNAME=")) return "/dev/" + line.substr(8);
    return {};
  }
  // A device and all devices below it, leaves first.
  std::vector<std::string> below(const std::string& device) const {
    const std::string folder = root.string() + device;
    std::vector<std::string> found{device};
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_directory() && fs::is_symlink(entry.path() / "subsystem"))
        found.push_back(entry.path().string().substr(root.string().size()));
    std::sort(found.rbegin(), found.rend());
    return found;
  }
};

UdevBed::UdevBed() : impl_(std::make_unique<Impl>()) {
  if (!umockdev_in_mock_environment()) throw std::runtime_error("run by umockdev-wrapper");
  // These directories exist on every kernel, even if empty.
  for (const char* folder : {"sys/block", "sys/bus", "sys/class", "sys/devices"})
    fs::create_directories(impl_->root / folder);
}
UdevBed::~UdevBed() = default;

void UdevBed::plug(const std::string& name) {
  for (const auto& [device, text] : read_dump(name)) {
    GError* error = nullptr;
    if (!umockdev_testbed_add_from_string(impl_->bed, text.c_str(), &error)) {
      const std::string why = error->message;
      g_error_free(error);
      throw std::runtime_error("bed " + name + ": " + why);
    }
    // umockdev lists partitions in /sys/block as well.
    if (fs::exists(impl_->root.string() + device + "/partition"))
      remove("/sys/block/" + fs::path(device).filename().string());
  }
}

// Not by umockdev_testbed_remove_device(): in umockdev 0.19 it follows the links in a device's
// folder, such as "device", and removes their targets.
void UdevBed::unplug(const std::string& device) {
  for (const auto& one : impl_->below(device)) {
    uevent(one, "remove");
    const std::string node = impl_->node_of(one);
    remove(one);
    if (node.empty()) continue;
    remove(node);
    std::string number = node.substr(5);  // umockdev's record of the node's device number
    std::replace(number.begin(), number.end(), '/', '_');
    remove("/dev/.node/" + number);
  }
  for (const char* folder : {"sys/block", "sys/bus", "sys/class", "sys/dev", "dev/disk"})
    remove_dangling_links(impl_->root / folder);
}

void UdevBed::uevent(const std::string& device, const std::string& action) {
  umockdev_testbed_uevent(impl_->bed, device.c_str(), action.c_str());
}

void UdevBed::file(const std::string& path, std::string_view text) const {
  const fs::path full = impl_->root.string() + path;
  fs::create_directories(full.parent_path());
  std::ofstream(full, std::ios::binary) << text;
}

void UdevBed::link(const std::string& path, const std::string& target) const {
  const fs::path full = impl_->root.string() + path;
  fs::create_directories(full.parent_path());
  fs::create_symlink(target, full);
}

void UdevBed::remove(const std::string& path) const {
  fs::remove_all(impl_->root.string() + path);
}

}  // namespace fmd::sdk::testing
