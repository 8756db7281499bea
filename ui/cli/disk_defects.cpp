#include "ui/cli/disk_defects.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/cli/daemon.h"

namespace fmd::cli {
namespace {

// Worst first: unreadable now, lost, replaced in time. Properties with the same word are the same
// count as ATA and SCSI report it.
struct Counter {
  const char* property;
  const char* word;
};
constexpr Counter kCounters[] = {
    {"smart.pending", "pending"},
    {"smart.uncorrectable", "unreadable"},
    {"smart.media_errors", "lost"},
    {"smart.reported_uncorrectable", "reported"},
    {"smart.uncorrected_read", "uncorrected"},
    {"smart.uncorrected_write", "uncorrected"},
    {"smart.uncorrected_verify", "uncorrected"},
    {"smart.reallocated", "replaced"},
    {"smart.grown_defects", "replaced"},
};

}  // namespace

DiskDefects::DiskDefects(const Resource& disk) {
  for (const auto& [property, word] : kCounters) {
    const double value = number_of(disk, property, -1);
    if (value < 0) continue;
    counted_ = true;
    if (value < 1) continue;
    const auto same = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& kind) {
      return std::string_view(kind.word) == word;
    });
    if (same == kinds_.end())
      kinds_.push_back({static_cast<int64_t>(value), word});
    else
      same->count += static_cast<int64_t>(value);
  }
}

std::string DiskDefects::brief() const {
  if (kinds_.empty()) return counted_ ? "none" : "-";
  return fmt::format("{} {}{}", kinds_.front().count, kinds_.front().word,
                     kinds_.size() > 1 ? " +" : "");
}

std::string DiskDefects::all() const {
  std::string text;
  for (const Kind& kind : kinds_)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind.count, kind.word);
  return text;
}

}  // namespace fmd::cli
