// CpuText: kernel messages about machine checks and PCIe links from real machines
// (recorded/kernel-cpu.txt), rewritten for another part and status, and parsed as fmd-cpu parses
// them. Loaded once, then const; for any thread.
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

  // The event as fmd-cpu reports it from the kernel's message. Uses level, severity and port of the
  // payload. Nothing if no such line was recorded.
  std::optional<Event> event(const Host& host, const Event& played) const;

 private:
  std::optional<Event> machine_check(const Host& host, const Event& played) const;
  std::optional<Event> link_error(const Event& played) const;

  std::string check_, link_fatal_, link_nonfatal_;
};

}  // namespace fmd::score
