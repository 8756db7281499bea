#include "ui/cli/chassis_light.h"

#include <fmt/format.h>
#include <poll.h>

#include <chrono>

#include "fmd/base/json.h"
#include "ui/cli/dialogue.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kSeen{10};      // until fmd reports the LED as lit
constexpr std::chrono::seconds kPatience{30};  // until fmd answers again
constexpr int kBetweenMs = 500;

}  // namespace

Light::Light(Client& client, const Resource& bay)
    : client_(client), bay_(bay.fmri), anothers_(bay.is("led.locate", "on")) {}

Light::~Light() {
  if (asked_) off();
}

std::string Light::on() {
  if (anothers_) return {};
  if (auto done = client_.hold_locate(bay_); !done) {
    asked_ = client_.away();  // only the answer may be lost: the LED may blink
    return done.error().text();
  }
  asked_ = true;
  const auto deadline = Clock::now() + kSeen;
  while (Clock::now() < deadline && Interrupts::count() == 0) {
    const auto list = client_.query("ListResources", {{"fmri", bay_}});
    if (!list) return list.error().text();
    for (const auto& doc : *list)
      if (const auto bay = Inventory::resource_from_json(doc)) {
        if (bay->is("led.locate", "on")) return {};
        if (bay->is("led.locate", "cannot-drive")) return bay->get("led.reason");
      }
    if (!client_.wait(300)) break;
  }
  return "the light has not been seen to go on";
}

void Light::off() {
  const int before = Interrupts::count();
  const auto deadline = Clock::now() + kPatience;
  for (bool told = false;;) {
    const auto done = client_.release_locate();
    if (done) return;
    if (!client_.away() || Clock::now() > deadline || Interrupts::count() > before)
      return say_still_on(done.error().text());
    if (!told)
      fmt::print(stderr, "{}",
                 wrapped("",
                         clean_prose(done.error().text()) +
                             ". Waiting for it, to put the light out; Ctrl-C gives up.",
                         0));
    told = true;
    poll(nullptr, 0, kBetweenMs);
    if (!client_.connected()) (void)client_.reconnect();
  }
}

void Light::say_still_on(const std::string& why) const {
  fmt::print(stderr, "{}",
             wrapped("",
                     fmt::format("The light of {} may still be on: {}. fmd puts it out once it "
                                 "runs and this program has ended.",
                                 clean(bay_), clean_prose(why)),
                     0));
}

}  // namespace fmd::cli
