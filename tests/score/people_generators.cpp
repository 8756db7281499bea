// Generators of what people do, and of single errors that mean nothing.
#include <algorithm>

#include "signs.h"
#include "stage.h"

namespace fmd::score {
namespace {

// Disks are pulled, and put back or forgotten.
void pulled(Stage& s) {
  std::set<const Disk*> taken;
  const auto disks = static_cast<size_t>(s.count("disks"));
  while (taken.size() < disks) taken.insert(&s.disk());
  for (const Disk* d : taken) {
    const int64_t at = s.cast.onset + s.time("spread"), away = s.time("away");
    signs::leaves(s.play, *d, at, true);
    if (away > 0) signs::comes_back(s.play, *d, at + away);
    s.is("pulled", {d->fmri, d->vdev, d->bay}, at);
  }
}

// A person runs "zpool clear" or reseats the disk while its case is open; it may go on failing.
void attended(Stage& s) {
  const Disk& d = s.disk();
  signs::errors(s.play, d, s.cast.onset, s.count("times"), true);
  s.is("disk", {d.fmri, d.vdev, d.bay}, s.cast.onset);
  int64_t at = s.cast.onset + s.time("after");
  if (s.word("person") == "clears") {
    signs::cleared(s.play, d, at);
  } else if (s.word("person") == "reseats") {
    signs::leaves(s.play, d, at, true);
    at += kMin;
    signs::comes_back(s.play, d, at);
    signs::cleared(s.play, d, at + 30 * kSec);
  } else {  // pulls another one and puts it back
    const Disk* other = &s.disk();
    while (other == &d) other = &s.disk();
    signs::leaves(s.play, *other, at, true);
    signs::comes_back(s.play, *other, at + 2 * kMin);
    s.is("other", {other->fmri, other->vdev, other->bay}, at);
  }
  if (s.count("again") > 0) {
    at += s.time("well");
    signs::errors(s.play, d, at, s.count("times"), true);
    s.is("failing again", {d.fmri, d.vdev, d.bay}, at);
  }
}

// Single errors of some part, as every machine has: too few of each to mean anything.
void small_error(Stage& s, const std::string& of, int64_t at, std::map<std::string, int>& counted) {
  Host& host = s.host();
  Play& play = s.play;
  const auto reads = [&](const std::string& part, const char* counter, int by) {
    play.reading(at, Teller::system, part, counter, counted[part] += by);
  };
  if (of == "disks") return signs::errors(play, s.disk(), at, s.count("each"), false);
  if (of == "transfers") return signs::transport(play, s.disk(), at, 1);
  if (of == "links" && !host.phys.empty())
    return reads(s.one(host.phys), "invalid_dword_count", s.chance().between(1, 20));
  if (of == "memory") return reads(s.one(host.modules), "ce_count", 1);
  if (of == "caches" && ++counted["caches"] <= 3)
    play.event(at, Teller::cpu, "ereport.cpu.cache", s.one(host.cores),
               {{"level", text("L1")}, {"severity", text("corrected")}, {"text", text("L1")}});
}

void noise(Stage& s) {
  std::map<std::string, int> counted;
  std::vector<int64_t> times;
  for (int left = s.count("times"); left > 0; --left)
    times.push_back(s.cast.onset + s.time("over"));
  std::sort(times.begin(), times.end());  // counters only grow
  const std::vector<std::string> kinds = {"disks", "transfers", "links", "memory", "caches"};
  for (const int64_t at : times)
    small_error(s, s.word("of") == "all" ? s.one(kinds) : s.word("of"), at, counted);
}

}  // namespace

std::vector<Generator> people_generators() {
  return {
      {"pulled",
       {"pulled"},
       {count("disks", 1, 1), time("spread", 0, 0), time("away", 30 * kSec, 4 * kMin)},
       any,
       pulled},
      {"disk attended",
       {"disk", "other", "failing again"},
       {word("person", {"clears", "reseats", "pulls another"}), count("times", 11, 30),
        time("after", 2 * kMin, 6 * kMin), time("well", kMin, 5 * kMin), count("again", 0, 0)},
       any,
       attended},
      {"noise",
       {},
       {count("times", 3, 12), count("each", 1, 2), time("over", 0, 20 * kMin),
        word("of", {"disks", "transfers", "links", "memory", "caches", "all"})},
       any,
       noise},
  };
}

}  // namespace fmd::score
