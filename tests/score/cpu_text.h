// CpuText: what the kernel printed of machine checks and PCIe links on real machines (recorded/kernel-cpu.txt), of another
// part and with another status, read and told as fmd-cpu does. Loaded once; then const, for any thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/event.h"
#include "host.h"

namespace fmd::score {

class CpuText {
 public:
  explicit CpuText(const std::string& file);
  static const CpuText& recorded();  // of this tree

  // What is told of this event's part where the kernel says such of it; of its payload: level, severity, port. Nothing: no
  // such line was recorded.
  std::optional<Event> event(const Host& host, const Event& played) const;

 private:
  std::optional<Event> machine_check(const Host& host, const Event& played) const;
  std::optional<Event> link_error(const Event& played) const;

  std::string check_, link_fatal_, link_nonfatal_;
};

}  // namespace fmd::score
