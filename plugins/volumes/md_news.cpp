#include "plugins/volumes/md_news.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "plugins/sdk/messages.h"

namespace fmd::volumes {
namespace {

using nlohmann::json;

const MdArray* find_array(const MdScan& scan, const std::string& fmri) {
  const auto at = std::find_if(scan.arrays.begin(), scan.arrays.end(),
                               [&](const MdArray& a) { return a.fmri == fmri; });
  return at == scan.arrays.end() ? nullptr : &*at;
}

json about(const MdArray& array) {
  return {{"array", array.device}, {"level", array.level}, {"health", array_health(array)}};
}

class MdDifference {
 public:
  MdDifference(MdMemory& memory, int64_t now_ns) : memory_(memory), now_ns_(now_ns) {}
  std::vector<sdk::OutEvent> take() { return std::move(events_); }

  void arrays(const MdScan& before, const MdScan& now) {
    for (const MdArray& array : before.arrays)
      if (!find_array(now, array.fmri)) tell("sysevent.md.array.stopped", array.fmri, about(array));
    for (const MdArray& array : now.arrays) {
      const MdArray* was = find_array(before, array.fmri);
      if (!was)
        tell("sysevent.md.array.started", array.fmri, about(array));
      else
        array_changed(*was, array);
    }
  }

 private:
  void tell(const char* event_class, const std::string& fmri, json payload) {
    events_.push_back({event_class, fmri, now_ns_, 0, std::move(payload)});
  }

  void array_changed(const MdArray& was, const MdArray& now) {
    if (array_health(was) != array_health(now)) {
      json payload = about(now);
      payload["was"] = array_health(was);
      tell("sysevent.md.array.health", now.fmri, std::move(payload));
    }
    if (was.action != now.action) sync_changed(was, now);
    for (const MdMember& m : now.members) member_changed(was, now, m);
    for (const MdMember& m : was.members)
      if (std::none_of(now.members.begin(), now.members.end(),
                       [&](const MdMember& other) { return other.fmri == m.fmri; }))
        tell("sysevent.md.member.removed", m.fmri, of_member(now, m, "removed"));
  }

  void sync_changed(const MdArray& was, const MdArray& now) {
    const auto runs = [](const MdArray& a) { return !a.action.empty() && a.action != "idle"; };
    json payload = about(now);
    if (runs(was) && was.action != "frozen") {
      payload["action"] = was.action;
      payload["mismatch_sectors"] = now.mismatches.value_or(0);
      memory_.last_sync[now.fmri] =
          fmt::format("{} ended {}, {}", was.action, format_time_fma(now_ns_),
                      was.action == "check" || was.action == "repair"
                          ? fmt::format("{} sectors did not match", now.mismatches.value_or(0))
                          : "the array is " + array_health(now));
      tell("sysevent.md.sync.finished", now.fmri, payload);
    }
    if (runs(now) && now.action != "frozen") {
      payload["action"] = now.action;
      payload.erase("mismatch_sectors");
      tell("sysevent.md.sync.started", now.fmri, std::move(payload));
    }
  }

  static json of_member(const MdArray& array, const MdMember& m, const std::string& state) {
    json payload{{"array", array.device}, {"device", m.device}, {"state", state}};
    if (!m.serial.empty()) payload["serial"] = m.serial;
    if (m.slot >= 0) payload["slot"] = m.slot;
    return payload;
  }

  void member_changed(const MdArray& was, const MdArray& now, const MdMember& m) {
    const auto before = std::find_if(was.members.begin(), was.members.end(),
                                     [&](const MdMember& other) { return other.fmri == m.fmri; });
    const std::string state = member_state(m);
    if (before == was.members.end())
      return tell("sysevent.md.member.added", m.fmri, of_member(now, m, state));
    if (member_state(*before) == state) return;
    json payload = of_member(now, m, state);
    payload["was"] = member_state(*before);
    tell("sysevent.md.member.state", m.fmri, std::move(payload));
  }

  MdMemory& memory_;
  int64_t now_ns_;
  std::vector<sdk::OutEvent> events_;
};

}  // namespace

std::vector<sdk::OutEvent> md_news(const MdScan& before, const MdScan& now, MdMemory& memory,
                                   int64_t now_ns) {
  MdDifference difference(memory, now_ns);
  difference.arrays(before, now);
  return difference.take();
}

}  // namespace fmd::volumes
