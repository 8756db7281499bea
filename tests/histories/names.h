// FMRIs of the world's parts, and the reverse.
#pragma once
#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>

namespace fmd::histories {

inline std::string pool_fmri(int pool) {
  return fmt::format("zfs://pool={}", pool + 1);
}
inline std::string leaf_fmri(int pool, int leaf) {
  return fmt::format("zfs://pool={}/vdev={}", pool + 1, leaf + 1000);
}
inline std::string top_fmri(int pool, int top) {
  return fmt::format("zfs://pool={}/vdev={}", pool + 1, top + 100);
}
inline std::string disk_fmri(int disk) {
  return fmt::format("dev://wwn=5000c500a{:07}", disk);
}
inline std::string disk_path(int disk) {
  return fmt::format("/dev/sd{}", disk);
}
inline std::string bay_fmri(int bay) {
  return fmt::format("hc://chassis=c1/bay={}", bay);
}

// The number after the last '='; -1 if there is none.
inline int number_in(std::string_view fmri) {
  const size_t at = fmri.rfind('=');
  int value = -1;
  if (at != std::string_view::npos)
    std::from_chars(fmri.data() + at + 1, fmri.data() + fmri.size(), value);
  return value;
}
inline int leaf_in(std::string_view fmri) {
  return fmri.starts_with("zfs://") && number_in(fmri) >= 1000 ? number_in(fmri) - 1000 : -1;
}
inline int bay_in(std::string_view fmri) {
  return fmri.starts_with("hc://") ? number_in(fmri) : -1;
}
inline int disk_in(std::string_view fmri) {
  if (!fmri.starts_with("dev://")) return -1;
  int value = -1;
  const std::string_view digits = fmri.substr(fmri.size() - 7);
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

}  // namespace fmd::histories
