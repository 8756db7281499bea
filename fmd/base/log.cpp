#include "fmd/base/log.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr size_t kLongest = 4000;

// Whether stderr is the journal's stream, whose device and inode are in JOURNAL_STREAM.
bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (!stream || fstat(STDERR_FILENO, &status) != 0) return false;
  unsigned long long device = 0, inode = 0;
  return std::sscanf(stream, "%llu:%llu", &device, &inode) == 2 && device == status.st_dev &&
         inode == status.st_ino;
}

}  // namespace

void log_line(int priority, std::string_view text) {
  log_entry(priority, text, {});
}

void log_entry(int priority, std::string_view text,
               const std::vector<std::pair<std::string, std::string>>& fields) {
  static const bool journal = stderr_is_journal();
  const std::string shown = display(text, kLongest);
  if (!journal) {
    std::fprintf(stderr, "fmd: %s\n", shown.c_str());
    return;
  }
  std::vector<std::string> parts = {"MESSAGE=" + shown, "PRIORITY=" + std::to_string(priority),
                                    "SYSLOG_IDENTIFIER=fmd"};
  for (const auto& [name, value] : fields) parts.push_back(name + "=" + display(value, kLongest));
  std::vector<iovec> vectors;
  for (std::string& part : parts) vectors.push_back({part.data(), part.size()});
  if (sd_journal_sendv(vectors.data(), static_cast<int>(vectors.size())) < 0)
    std::fprintf(stderr, "<%d>%s\n", priority, shown.c_str());
}

}  // namespace fmd
