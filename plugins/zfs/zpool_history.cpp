#include "plugins/zfs/zpool_history.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>

#include "fmd/base/duration.h"
#include "plugins/zfs/vdev_helper.h"

namespace fmd::zfs {
namespace {

constexpr std::string_view kTimeShape = "0000-00-00.00:00:00";
constexpr int64_t kEarlyNs = 2 * kSecondNs;    // the clocks of event and record differ slightly
constexpr int64_t kLateNs = 15 * kSecondNs;    // command and record each wait for a txg
constexpr int64_t kOpenNs = 3600 * kSecondNs;  // a command whose end was not seen

bool has_time(std::string_view line) {
  if (line.size() <= kTimeShape.size() || line[kTimeShape.size()] != ' ') return false;
  for (size_t i = 0; i < kTimeShape.size(); ++i)
    if (kTimeShape[i] == '0' ? line[i] < '0' || line[i] > '9' : line[i] != kTimeShape[i])
      return false;
  return true;
}

std::string_view cut_word(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

// The words after the pool's name (which may contain blanks); nullopt for another pool.
std::optional<std::string_view> operands(std::string_view text, std::string_view pool) {
  while (text.starts_with("-")) cut_word(text);
  if (!text.starts_with(pool)) return {};
  text.remove_prefix(pool.size());
  if (!text.empty() && text.front() != ' ') return {};
  return text;
}

bool names_one(std::string_view words, const std::vector<std::string>& names) {
  const std::string padded = fmt::format("{} ", words);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return !name.empty() && padded.find(fmt::format(" {} ", name)) != std::string::npos;
  });
}

bool has_operand(std::string_view words) {
  while (!words.empty())
    if (const auto word = cut_word(words); !word.empty() && word.front() != '-') return true;
  return false;
}

void add_path(std::vector<std::string>& names, const std::string& path) {
  for (const std::string& each : {path, whole_disk_path(path)}) {
    names.push_back(each);
    names.push_back(each.substr(each.rfind('/') + 1));
  }
}

// Includes the vdevs above it: `zpool clear tank raidz2-0` is about its disks.
std::vector<std::string> names_of(const Pool& pool, uint64_t guid) {
  std::vector<std::string> names;
  for (int index = pool.index_of(guid); index > 0; index = at(pool, index).parent) {
    const Vdev& vdev = at(pool, index);
    names.push_back(std::to_string(vdev.guid));
    names.push_back(vdev.name);
    if (!vdev.path.empty()) add_path(names, vdev.path);
  }
  return names;
}

}  // namespace

std::optional<HistoryRecord> parse_history_line(std::string_view line) {
  if (!has_time(line)) return {};
  HistoryRecord record;
  record.time = line.substr(0, kTimeShape.size());
  line.remove_prefix(kTimeShape.size() + 1);
  if (const size_t user = line.rfind(" [user ");
      user != std::string_view::npos && line.back() == ']')
    line = line.substr(0, user);
  record.command = line;
  return record;
}

std::string history_time(int64_t time_ns) {
  const time_t seconds = time_ns / kSecondNs;
  struct tm local = {};
  localtime_r(&seconds, &local);
  char text[32];
  return {text, strftime(text, sizeof text, "%Y-%m-%d.%H:%M:%S", &local)};
}

bool concerns(const HistoryRecord& record, const HistoryQuestion& question) {
  if (record.time < history_time(question.from_ns) || record.time > history_time(question.to_ns))
    return false;
  std::string_view text = record.command;
  const auto program = cut_word(text);
  if (program != "zpool" && program != kVdevHelper) return false;
  const auto verb = cut_word(text);
  if (std::find(question.verbs.begin(), question.verbs.end(), verb) == question.verbs.end())
    return false;
  const auto words = operands(text, question.pool);
  if (!words) return false;
  const bool all = (verb == "clear" || verb == "reopen") && !has_operand(*words);
  return all || names_one(*words, question.names);
}

bool any_foreign(const std::vector<HistoryRecord>& records, const std::vector<OwnCommand>& own) {
  std::vector<bool> used(own.size());
  for (const HistoryRecord& record : records) {
    bool ours = false;
    for (size_t i = 0; i < own.size() && !ours; ++i) {
      const int64_t end_ns = own[i].to_ns ? own[i].to_ns + kLateNs : own[i].from_ns + kOpenNs;
      ours = !used[i] && own[i].text == record.command &&
             record.time >= history_time(own[i].from_ns - kEarlyNs) &&
             record.time <= history_time(end_ns);
      if (ours) used[i] = true;
    }
    if (!ours) return true;
  }
  return false;
}

HistoryQuestion who_caused(const ZpoolEvent& event, const Pool* pool) {
  const uint64_t vdev = event.number("vdev_guid").value_or(0);
  HistoryQuestion question;
  question.pool = event.text("pool");
  question.ask = pool ? pool->name : question.pool;
  if (pool) question.names = names_of(*pool, vdev);
  question.names.push_back(std::to_string(vdev));
  if (const auto path = event.text("vdev_path"); !path.empty())
    add_path(question.names, std::string(path));
  question.verbs = {"online", "clear", "reopen", "replace"};
  question.from_ns = event.time_ns - kEarlyNs;
  question.to_ns = event.time_ns + kLateNs;
  return question;
}

bool is_being_replaced(const Pool& pool, uint64_t guid) {
  for (int index = pool.index_of(guid); index > 0; index = at(pool, index).parent) {
    const Vdev& vdev = at(pool, index);
    if (vdev.parent < 0) return false;
    const Vdev& above = at(pool, vdev.parent);
    // The last child of replacing-N is the new disk.
    if (above.type == "replacing" && static_cast<size_t>(vdev.index) + 1 < above.children.size())
      return true;
  }
  return false;
}

bool ends_faults(const ZpoolEvent& event, const Pool* pool) {
  const auto state = event.text("vdev_state");
  const bool works =
      state.empty() || state == "ONLINE" || state == "HEALTHY" || state == "DEGRADED";
  return works && !(pool && is_being_replaced(*pool, event.number("vdev_guid").value_or(0)));
}

HistoryQuestion who_else(const Pool& pool, uint64_t vdev, std::vector<std::string_view> verbs,
                         int64_t since_ns, int64_t now_ns) {
  return {pool.name,        pool.name,           names_of(pool, vdev),
          std::move(verbs), since_ns - kEarlyNs, now_ns + kEarlyNs};
}

HistoryQuestion who_made_it_so(const Pool& pool, uint64_t vdev, int64_t since_ns, int64_t now_ns) {
  return who_else(pool, vdev, {"offline", "fault", "degrade", "online", "clear"}, since_ns, now_ns);
}

bool undoes(const HistoryRecord& record) {
  return record.command.starts_with("zpool online ") || record.command.starts_with("zpool clear ");
}

}  // namespace fmd::zfs
