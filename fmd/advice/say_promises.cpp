#include "fmd/advice/say_promises.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmd {
namespace {

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

using Promises = std::span<const std::string_view>;
// Ends of sentences that promise what fmd does with a disk that returns, or with a new one.
constexpr std::array<std::string_view, 2> kOfReturn{": it rejoins the pool automatically",
                                                    "; it rejoins the pool automatically"};
constexpr std::array<std::string_view, 4> kOfNewDisk{
    "; the rest is automatic", ": it is used automatically", "; it is used automatically",
    ", which is used in its place"};

// Returns true if there was one.
bool cut_promise(std::string& text, Promises promises) {
  bool cut = false;
  for (const std::string_view promise : promises)
    if (const size_t at = text.find(promise); at != text.npos) {
      text = text.substr(0, at) + '.';
      cut = true;
    }
  return cut;
}

bool promises_new_disk(std::string_view step) {
  return mentions(step, "used automatically");
}

// fmadm locate is refused in dry run.
bool is_promise(std::string_view step) {
  return mentions(step, "'fmadm locate on") || promises_new_disk(step) ||
         step.starts_with("It rejoins the pool automatically");
}

// "Otherwise run …" after a promise becomes "Run …".
void erase_promises(std::vector<std::string>& steps, bool (*is_promise)(std::string_view)) {
  static constexpr std::string_view kOtherwise = "Otherwise run ";
  for (size_t i = 1; i < steps.size(); ++i)
    if (is_promise(steps[i - 1]) && steps[i].starts_with(kOtherwise))
      steps[i].replace(0, kOtherwise.size(), "Run ");
  std::erase_if(steps, is_promise);
}

// Orders that fmd refuses in dry run.
bool is_refused(std::string_view text) {
  return mentions(text, "'fmadm replace ") || mentions(text, "'fmadm retire ") ||
         mentions(text, "'fmadm restore ");
}

}  // namespace

void say_dry_run(const Situation& s, Say& say) {
  if (s.state == SayState::repaired || s.state == SayState::informed) return;
  for (const Promises promises : {Promises(kOfReturn), Promises(kOfNewDisk)}) {
    cut_promise(say.do_now, promises);
    for (std::string& step : say.steps) cut_promise(step, promises);
  }
  erase_promises(say.steps, is_promise);
  // say_by_hand() has already added the command for a new disk.
  if (is_refused(say.do_now) || std::any_of(say.steps.begin(), say.steps.end(), is_refused))
    say.steps.insert(say.steps.begin(),
                     "Dry run is on: fmd only watches, and refuses the fmadm commands below.");
}

void say_by_hand(const Situation& s, const std::string& command, Say& say) {
  if (s.state == SayState::repaired || s.state == SayState::informed) return;
  // The command follows the step that inserts the new disk.
  bool asks = cut_promise(say.do_now, kOfNewDisk);
  size_t place = asks ? 0 : say.steps.size();
  for (size_t i = 0; i < say.steps.size(); ++i)
    if (cut_promise(say.steps[i], kOfNewDisk) && !std::exchange(asks, true)) place = i + 1;
  const auto replaces = [&](const std::string& text) {
    return mentions(text, "'fmadm replace ") || mentions(text, "'zpool replace ") ||
           mentions(text, "'mdadm --manage ") || mentions(text, command);
  };
  const bool said =
      replaces(say.do_now) || std::any_of(say.steps.begin(), say.steps.end(), replaces);
  asks = asks || s.replaces || s.state == SayState::disk_pulled;
  if (s.vdev && asks && !said && !s.only_copy && !s.spare_stays && !s.superseded &&
      s.state != SayState::resilvering)
    say.steps.insert(say.steps.begin() + static_cast<std::ptrdiff_t>(place),
                     "Then run " + command + ".");
  erase_promises(say.steps, promises_new_disk);
}

}  // namespace fmd
