// Loss of fmd's database: a new one begins, and the sources resend what they still have.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "stage.h"

namespace fmd::histories {
namespace {

constexpr const char* kForgotten = "fault.fmd.action.forgotten";
constexpr Ns kUndo = 3 * kHour, kAfterwards = 3 * kHour;

}  // namespace

void Stage::play_loss(const Step& step) {
  stop_daemon(std::max(step.amount, 1) * kMs,
              "is killed");  // gives earlier events an earlier time
  say("fmd", "has lost its database: the next start begins a new one");
  daemon_.lose_database();
  watch_.database_lost();
  world_.forget_lights();
  // Without cursors, the kernel's ring is read from its beginning.
  for (SimPlugin& p : plugins_) {
    p.events.insert(p.events.begin(), std::make_move_iterator(p.ring.begin()),
                    std::make_move_iterator(p.ring.end()));
    p.ring.clear();
    p.events_sent = 0;
  }
}

// As the message asks, an administrator acquits the parts that fmd changed for lost cases; fmd then
// undoes the changes.
bool Stage::undo_what_is_forgotten() {
  if (watch_.found() || !daemon_.up()) return false;
  std::vector<std::string> forgotten;
  for (const auto& [uuid, c] : daemon_.engine().cases())
    if (c.faulty() && std::any_of(c.suspects.begin(), c.suspects.end(),
                                  [](const Suspect& s) { return s.fault_class == kForgotten; }))
      forgotten.push_back(uuid);
  if (forgotten.empty()) return true;
  watch_.noise();
  for (const std::string& uuid : forgotten) {
    say("person", "fmadm acquit " + uuid);
    daemon_.person([this, uuid](Moment now) {
      (void)daemon_.engine().judge(Engine::Verdict::acquitted, uuid, "", "root", now);
    });
  }
  if (!advance(now_ + kUndo)) return false;
  watch_.silence();
  if (!advance(now_ + kAfterwards)) return false;
  if (tell_story_) say_how_it_ends();
  for (const std::string& uuid : forgotten)
    if (const Case* c = daemon_.engine().find_case(uuid); c && c->faulty())
      watch_.violated("lost database", uuid + " is open, although a person has acquitted it");
  watch_.verdict();
  return !watch_.found();
}

}  // namespace fmd::histories
