#include "plugins/zfs/vdev_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "fmd/base/text.h"
#include "plugins/hardware/fmris_in_text.h"
#include "plugins/zfs/event_convert.h"

namespace fmd::zfs {
namespace {

// False for an alias from vdev_id.conf(5) or a partition's label that is also a word: "data".
bool is_device_name(const Vdev& vdev) {
  return vdev.path == "/dev/" + vdev.name || vdev.path == "/dev/" + vdev.name + "1" ||
         std::any_of(vdev.name.begin(), vdev.name.end(),
                     [](unsigned char c) { return std::isdigit(c); });
}

std::map<std::string, std::string> words_of(const Pool& pool) {
  std::map<std::string, std::string> words;
  const auto add = [&](const Vdev& vdev) {
    if (!vdev.leaf() || vdev.guid == 0) return;
    const std::string fmri = vdev_fmri(pool.guid, vdev.guid);
    words[std::to_string(vdev.guid)] = fmri;
    if (is_device_name(vdev)) words[vdev.name] = fmri;
    if (vdev.path.starts_with('/'))
      for (const std::string& path : {vdev.path, whole_disk_path(vdev.path)}) words[path] = fmri;
  };
  for (const Vdev& spare : pool.spares) add(spare);
  for (const Vdev& vdev : pool.vdevs) add(vdev);
  return words;
}

}  // namespace

std::string vdev_words(const Pool& pool, const Vdev& vdev) {
  return vdev.leaf() && vdev.guid != 0 ? vdev_fmri(pool.guid, vdev.guid) : display(vdev.name);
}

std::string vdev_of_pool(const Pool& pool, const Vdev& vdev) {
  return fmt::format("{} of pool '{}'", vdev_words(pool, vdev), display(pool.name));
}

std::string with_fmris(const Pool& pool, const std::map<std::string, std::string>& devices,
                       std::string_view text) {
  std::map<std::string, std::string> words = words_of(pool);
  words.insert(devices.begin(), devices.end());
  return hardware::with_fmris(text, words);
}

}  // namespace fmd::zfs
