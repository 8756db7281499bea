// Generators of common causes: controllers, expanders, cables, shelves.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "fmd/model/fmri.h"
#include "signs.h"
#include "stage.h"

namespace fmd::score {
namespace {

// The hub and all hubs on its path with exactly the same disks, which cannot be told apart. Hubs on
// the other path are healthy, so blaming them is wrong, unless the disks fail themselves (`both`).
enum class Ways { own, both };
std::set<std::string> as_seen(const Host& host, const Hub& hub, Ways ways = Ways::own) {
  std::set<std::string> parts{hub.fmri};
  for (const Hub& other : host.hubs)
    if (other.disks == hub.disks && (ways == Ways::both || other.way == hub.way))
      parts.insert(other.fmri);
  return parts;
}

// The expander behind it.
const Hub* below(const Host& host, const Hub& hub) {
  for (const Hub& other : host.hubs)
    if (other.above >= 0 && &host.hubs[static_cast<size_t>(other.above)] == &hub) return &other;
  return nullptr;
}

// Position in a chain: the first expander is on the controller, nothing is behind the last.
bool stands(const Host& host, const Hub& hub, const std::string& where) {
  const bool controller = hub.above < 0;
  if (where == "controller") return controller;
  if (where == "outermost") return controller == (host.spec.chain == 0);
  if (where == "last expander") return !controller && !below(host, hub);
  if (where == "first expander")
    return !controller && host.hubs[static_cast<size_t>(hub.above)].above < 0;
  return !controller;
}

const Hub& some_hub(Stage& s) {
  std::vector<const Hub*> fit;
  for (const Hub& hub : s.host().hubs)
    if (stands(s.host(), hub, s.word("at")) && hub.disks.size() > 1) fit.push_back(&hub);
  if (fit.empty()) throw std::logic_error("no " + s.word("at") + " on this machine");
  return *s.one(fit);
}

void fails(Stage& s, const Disk& d, int64_t at) {
  const std::string& sign = s.word("sign");
  if (sign == "leaves") return signs::leaves(s.play, d, at);
  if (sign == "hangs") return signs::hangs(s.play, d, at);
  if (sign == "resets") {
    signs::reset(s.play, d, at);
    if (s.chance().percent(50))
      signs::errors(s.play, d, at + 200 * kMs, s.chance().between(1, 3), false);
    return;
  }
  if (sign == "transfers and errors") {
    signs::transport(s.play, d, at, s.chance().between(1, 4));
    at += kSec;
  }
  signs::errors(s.play, d, at, s.count("times"), true);
}

// Meanwhile disks elsewhere fail independently.
void elsewhere(Stage& s, const Hub& hub) {
  for (int left = s.count("elsewhere"); left > 0; --left) {
    const Disk* d = &s.disk();
    const auto behind = [&] {
      return std::find(hub.disks.begin(), hub.disks.end(), d - s.host().disks.data()) !=
             hub.disks.end();
    };
    if (hub.disks.size() == s.host().disks.size()) throw std::logic_error("no disk is elsewhere");
    while (behind()) d = &s.disk();
    const int64_t at = s.cast.onset + s.time("later");
    signs::errors(s.play, *d, at, s.chance().between(11, 30), true);
    s.is("disk", {d->fmri, d->vdev, d->bay}, at);
  }
}

// With multipath, only the path through the hub fails.
void way_fails(Stage& s, const Hub& hub, const Disk& d, int64_t at, bool vanishes) {
  const auto way = static_cast<size_t>(hub.way);
  vanishes ? signs::way_vanishes(s.play, d, at, way) : signs::way_fails(s.play, d, at, way);
}

// Fails as often as the scenario says, healthy in between.
void path(Stage& s) {
  const Hub& hub = some_hub(s);
  const int64_t back = s.time("back");
  const int idle = s.count("idle");
  const bool vanishes =
      s.word("way") == "vanishes" || (s.word("way") == "either" && s.chance().percent(50));
  const bool other_way = s.host().spec.multipath && s.word("sign") != "resets";
  if (back > 0 && (other_way || s.word("sign") != "leaves"))
    throw std::logic_error("\"back\" goes with one way and the sign \"leaves\"");
  const auto stay = static_cast<size_t>(s.count("stay"));
  std::set<int> stays;
  while (stays.size() < stay) stays.insert(s.one(hub.disks));
  s.is("hub", as_seen(s.host(), hub), s.cast.onset);
  const int times = s.count("repeats");
  for (int i = 0; i < times; ++i)
    for (const int n : hub.disks) {
      if (s.chance().percent(idle)) continue;
      const Disk& d = s.host().disks[static_cast<size_t>(n)];
      const int64_t at = s.cast.onset + i * s.time("every") + s.time("spread");
      other_way ? way_fails(s, hub, d, at, vanishes) : fails(s, d, at);
      if (back == 0) continue;
      if (stays.contains(n))
        s.is("disk", {d.fmri, d.vdev, d.bay}, at + back + 20 * kSec);
      else
        signs::comes_back(s.play, d, at + back + s.chance().below(20'000) * kMs);
    }
  elsewhere(s, hub);
  s.cast.until += back + (times - 1) * s.time("every");
}

// Bad memory or firmware of the controller or the machine corrupts the data that passes through it,
// on all of its disks.
void spoils(Stage& s) {
  const bool machine = s.word("at") == "machine";
  std::vector<int> disks(s.host().disks.size());
  std::iota(disks.begin(), disks.end(), 0);
  if (machine) {
    s.is("machine", {in_common_fmri("machine itself")}, s.cast.onset);
  } else {
    const Hub& hub = some_hub(s);
    disks = hub.disks;
    s.is("hub", as_seen(s.host(), hub), s.cast.onset);
  }
  const int share = s.count("share");
  for (const int n : disks) {
    const Disk& d = s.host().disks[static_cast<size_t>(n)];
    if ((machine && d.spare) || !s.chance().percent(share)) continue;
    const int times = s.count("times");
    signs::checksums(s.play, d, s.cast.onset + s.time("spread"), times, s.time("over"));
  }
}

// A link's error counters grow, then the disks behind it fail.
void bad_link(Stage& s) {
  const Hub& hub = some_hub(s);
  const std::string phy = hub.fmri + "/phy=0";
  for (int i = 1; i <= 6; ++i)
    s.play.reading(s.cast.onset + i * kMin, Teller::system, phy, "invalid_dword_count",
                   i * s.count("words"));
  const int64_t after = s.time("after");
  for (const int n : hub.disks) {
    if (s.chance().percent(s.count("idle"))) continue;
    const Disk& d = s.host().disks[static_cast<size_t>(n)];
    const int64_t at = s.cast.onset + after + s.time("spread");
    s.host().spec.multipath ? signs::way_fails(s.play, d, at, static_cast<size_t>(hub.way))
                            : signs::errors(s.play, d, at, s.chance().between(11, 30), true);
  }
  std::set<std::string> parts = as_seen(s.host(), hub);
  parts.insert(phy);
  s.is("hub", std::move(parts), s.cast.onset);
}

// The loss takes everything behind its expanders with it.
void shelf_without_power(Stage& s) {
  Host& host = s.host();
  const std::string& box = s.one(host.shelves);
  const auto inside = [&](const std::string& fmri) { return fmri.starts_with(box + "/"); };
  const auto first = std::find_if(host.disks.begin(), host.disks.end(),
                                  [&](const Disk& d) { return inside(d.bay); });
  const Hub& own = host.hubs[static_cast<size_t>(first->hubs.front())];
  int64_t off = s.cast.onset;
  if (s.word("told") == "supplies") {  // the supplies report lost input while their capacitors last
    off += s.time("holds");
    for (const std::string& psu : host.supplies) {
      if (!inside(psu)) continue;
      s.play.at(s.cast.onset,
                [&host, psu] { host.set(Teller::enclosure, psu, "feed", text("all")); });
      s.play.set(s.cast.onset, Teller::enclosure, psu, "ac", text("lost"));
    }
    s.play.set(s.cast.onset, Teller::enclosure, box, "input", text("none"));
  }
  const bool with_supplies = s.word("told") == "supplies";
  for (const int n : own.disks) {
    const Disk& d = host.disks[static_cast<size_t>(n)];
    if (with_supplies && !inside(d.bay)) continue;
    signs::leaves(s.play, d, off + s.time("spread"));
  }
  s.play.event(off + 6 * kSec, Teller::enclosure, "ereport.enclosure.gone", box,
               {{"label", text("Shelf")}});
  std::set<std::string> parts{box};
  if (!with_supplies) parts.merge(as_seen(host, own, Ways::both));
  s.is("shelf", std::move(parts), s.cast.onset);
}

void phy_errors(Stage& s) {
  const std::string& phy = s.one(s.host().phys);
  for (int i = 1; i <= 6; ++i)
    s.play.reading(s.cast.onset + i * kMin, Teller::system, phy, "invalid_dword_count",
                   i * s.count("words"));
  s.is("phy", {phy, phy.substr(0, phy.find("/phy="))}, s.cast.onset);
}

void pci_link(Stage& s) {
  std::vector<const Hub*> controllers;
  for (const Hub& hub : s.host().hubs)
    if (hub.above < 0) controllers.push_back(&hub);
  const Hub& hub = *s.one(controllers);
  const int times = s.count("times");
  const int64_t every = s.time("every");
  const char* severity = s.word("severity").c_str();
  for (int i = 0; i < times; ++i)
    s.play.event(s.cast.onset + i * every, Teller::cpu, "ereport.io.pci.link", hub.fmri,
                 {{"device", text("0000:01:00.0")},
                  {"port", text("0000:00:01.0")},
                  {"severity", text(severity)},
                  {"text", text("bad TLP")}});
  s.is("slot", {hub.fmri, "dev://pci=0000:00:01.0"}, s.cast.onset);
}

bool has_phys(const Host& host) {
  return !host.phys.empty();
}

}  // namespace

std::vector<Generator> path_generators() {
  return {
      {"path",
       {"hub", "disk"},
       {word("at", {"outermost", "controller", "expander", "first expander", "last expander"}),
        word("sign", {"transfers and errors", "errors", "leaves", "hangs", "resets"}),
        word("way", {"either", "fails", "vanishes"}), count("times", 2, 30),
        time("spread", 0, 30 * kSec), count("idle", 0, 0), time("back", 0, 0), count("stay", 0, 0),
        count("repeats", 1, 1), time("every", 5 * kMin, 5 * kMin), count("elsewhere", 0, 0),
        time("later", 0, 5 * kMin)},
       has_hub,
       path},
      {"shelf without power",
       {"shelf"},
       {word("told", {"shelf", "supplies"}), time("holds", 8 * kSec, 40 * kSec),
        time("spread", 0, 5 * kSec)},
       has_hub,
       shelf_without_power},
      {"phy", {"phy"}, {count("words", 300, 3000)}, has_phys, phy_errors},
      {"PCIe link",
       {"slot"},
       {count("times", 9, 20), time("every", kMin, kMin),
        word("severity", {"corrected", "uncorrected", "fatal"})},
       any,
       pci_link},
      {"spoils",
       {"hub", "machine"},
       {word("at", {"controller", "machine"}), count("times", 14, 40),
        time("over", 2 * kMin, 8 * kMin), time("spread", 0, 30 * kSec), count("share", 100, 100)},
       has_hub,
       spoils},
      {"bad link",
       {"hub"},
       {word("at", {"outermost", "first expander", "last expander"}), count("words", 300, 3000),
        time("after", 3 * kMin, 6 * kMin), time("spread", 0, 30 * kSec), count("idle", 0, 0)},
       has_phys,
       bad_link},
  };
}

}  // namespace fmd::score
