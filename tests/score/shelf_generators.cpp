// Generators of a shelf's own parts (supplies, fans, sensors) and of its false reports.
#include "stage.h"

namespace fmd::score {
namespace {

void status(Stage& s, const std::string& part, int64_t at, const char* to) {
  s.play.set(at, Teller::enclosure, part, "status", text(to));
}

void over_its_limit(Stage& s, const std::string& sensor, int64_t from, int64_t to) {
  Host& host = s.host();
  s.play.at(from, [&host, sensor] {
    host.set(Teller::enclosure, sensor, "reason", text("over its limit"));
  });
  status(s, sensor, from, "failed");
  s.play.at(to, [&host, sensor] { host.set(Teller::enclosure, sensor, "reason", text("")); });
  status(s, sensor, to, "ok");
}

void supply(Stage& s) {
  const std::string& psu = s.one(s.host().supplies);
  const std::string& how = s.word("how");
  if (how == "no input") {
    s.play.at(s.cast.onset,
              [&host = s.host(), psu] { host.set(Teller::enclosure, psu, "ac", text("lost")); });
    status(s, psu, s.cast.onset, "critical");
  } else if (how == "taken out") {
    s.play.at(s.cast.onset, [&host = s.host(), psu] {
      host.set(Teller::enclosure, psu, "was_installed", Value(true));
    });
    status(s, psu, s.cast.onset, "not installed");
  } else {
    status(s, psu, s.cast.onset, how.c_str());
  }
  s.is("supply", {psu}, s.cast.onset);
}

// A feed fails: one supply of each shelf has no input. Each is named; no rule combines them.
void feed(Stage& s) {
  Host& host = s.host();
  for (const std::string& psu : host.supplies) {
    if (psu.ends_with("psu=1")) continue;
    const int64_t at = s.cast.onset + s.time("spread");
    s.play.at(at, [&host, psu] { host.set(Teller::enclosure, psu, "ac", text("lost")); });
    status(s, psu, at, "critical");
    s.is("supply", {psu}, at);
  }
}

// The shelf's sensors become too warm, each after a random delay.
void hot_shelf(Stage& s, const std::string& box, int64_t from) {
  for (const std::string& sensor : s.host().sensors)
    if (sensor.starts_with(box + "/"))
      over_its_limit(s, sensor, from + s.time("spread"), s.cast.until);
}

// A fan fails; the shelf may then become too warm.
void fan(Stage& s) {
  const std::string& fan = s.one(s.host().fans);
  status(s, fan, s.cast.onset, "critical");
  s.is("fan", {fan}, s.cast.onset);
  const std::string box = fan.substr(0, fan.find("/fan="));
  if (s.count("heat") > 0) hot_shelf(s, box, s.cast.onset + s.time("after"));
  s.is("shelf", {box}, s.cast.onset);
}

// Warm air at all shelves or at one: each is too hot, and no fan is at fault.
void heat(Stage& s) {
  const std::string& where = s.word("where");
  if (where == "sensor") {
    const std::string& sensor = s.one(s.host().sensors);
    over_its_limit(s, sensor, s.cast.onset, s.cast.until);
    return s.is("sensor", {sensor}, s.cast.onset);
  }
  const std::string& one = s.one(s.host().shelves);
  for (const std::string& box : s.host().shelves) {
    if (where == "shelf" && box != one) continue;
    hot_shelf(s, box, s.cast.onset);
    s.is("shelf", {box}, s.cast.onset);
  }
}

// A shelf's processor reports something false for seconds, then takes it back.
void lies(Stage& s) {
  const int times = s.count("times");
  for (int i = 0; i < times; ++i) {
    const int64_t at = s.cast.onset + i * 3 * kMin;
    over_its_limit(s, s.one(s.host().sensors), at, at + s.time("hot"));
    const std::string& part = s.one(s.chance().percent(50) ? s.host().fans : s.host().supplies);
    status(s, part, at, "critical");
    status(s, part, at + s.time("broken"), "OK");
  }
}

}  // namespace

std::vector<Generator> shelf_generators() {
  return {
      {"supply",
       {"supply"},
       {word("how", {"critical", "unrecoverable", "no input", "taken out"})},
       any,
       supply},
      {"feed", {"supply"}, {time("spread", 0, 12 * kSec)}, any, feed},
      {"fan",
       {"fan", "shelf"},
       {count("heat", 0, 0), time("after", 2 * kMin, 5 * kMin), time("spread", 0, 60 * kSec)},
       any,
       fan},
      {"heat",
       {"shelf", "sensor"},
       {word("where", {"room", "shelf", "sensor"}), time("spread", 0, 90 * kSec)},
       any,
       heat},
      {"shelf lies",
       {},
       {count("times", 2, 6), time("hot", 10 * kSec, 90 * kSec),
        time("broken", 5 * kSec, 25 * kSec)},
       any,
       lies},
  };
}

}  // namespace fmd::score
