// Generators of BMC reports: fans, heat, voltages, the BMC's own state, and false reports.
#include "bmc_text.h"
#include "stage.h"

namespace fmd::score {
namespace {

using ipmi::Verdict;

// Sets all properties in one step.
void tell(Stage& s, int64_t at, const std::string& fmri, Properties is) {
  const auto [name, value] = *is.begin();
  s.play.at(at, [&host = s.host(), fmri, is = std::move(is)] {
    for (const auto& [property, said] : is) host.set(Teller::ipmi, fmri, property, said);
  });
  s.play.set(at, Teller::ipmi, fmri, name, value);
}

void level(Stage& s, const std::string& sensor, int64_t from, int64_t to, Verdict is) {
  const Resource& one = s.host().told(Teller::ipmi, sensor);
  const auto said = [&](Verdict verdict) {
    return BmcText::recorded().sensor(one.get("label"), one.get("kind"), verdict);
  };
  tell(s, from, sensor, said(is));
  tell(s, to, sensor, said(Verdict::nominal));
}

void fan_is(Stage& s, const std::string& fan, int64_t at, Verdict is) {
  const std::string label = s.host().told(Teller::ipmi, fan).get("label");
  tell(s, at, fan, BmcText::recorded().fan(label, is));
}

std::vector<std::string> of_kind(const Host& host, const char* kind) {
  std::vector<std::string> out;
  for (const std::string& sensor : host.board_sensors)
    if (host.told(Teller::ipmi, sensor).is("kind", kind)) out.push_back(sensor);
  return out;
}

// A lasting state of a board part.
void board_state(Stage& s) {
  const std::string what = s.word("what");
  std::string part;
  if (what == "fan") {
    part = s.one(s.host().board_fans);
    fan_is(s, part, s.cast.onset, Verdict::critical);
  } else {
    part = s.one(of_kind(s.host(), what == "voltage" ? "voltage" : "temperature"));
    level(s, part, s.cast.onset, s.cast.until,
          what == "warm" ? Verdict::warning : Verdict::critical);
  }
  s.is("part", {part}, s.cast.onset);
}

// The BMC itself: unresponsive for a while, or its log is full.
void bmc(Stage& s) {
  const std::string& it = s.host().bmc;
  if (s.word("what") == "log full") {
    tell(s, s.cast.onset, it, BmcText::recorded().log(s.count("percent")));
  } else {
    s.play.at(s.cast.onset, [&host = s.host(), it] {
      host.set(Teller::ipmi, it, "reason", text("it did not answer in time"));
    });
    s.play.set(s.cast.onset, Teller::ipmi, it, "state", text("silent"));
    s.play.set(s.cast.onset + s.time("lasts"), Teller::ipmi, it, "state", text("observed"));
  }
  s.is("bmc", {it}, s.cast.onset);
}

// False reports for a while, about one part at a time or about all at once.
void bmc_lies(Stage& s) {
  const int times = s.count("times");
  const bool all = s.word("of") == "all at once";
  for (int i = 0; i < times; ++i) {
    const int64_t at = s.cast.onset + i * 4 * kMin, to = at + s.time("lasts");
    const auto fan = [&](const std::string& part) {
      fan_is(s, part, at, Verdict::critical);
      fan_is(s, part, to, Verdict::nominal);
    };
    if (all) {
      for (const std::string& part : s.host().board_fans) fan(part);
      for (const std::string& sensor : s.host().board_sensors)
        level(s, sensor, at, to, Verdict::critical);
    } else if (s.word("of") == "fans") {
      fan(s.one(s.host().board_fans));
    } else if (s.word("of") == "voltages") {
      level(s, s.one(of_kind(s.host(), "voltage")), at, to, Verdict::critical);
    } else {
      level(s, s.one(of_kind(s.host(), "temperature")), at, to, Verdict::warning);
    }
  }
  s.is("bmc", {s.host().bmc}, s.cast.onset);
}

}  // namespace

std::vector<Generator> bmc_generators() {
  return {
      {"board", {"part"}, {word("what", {"fan", "voltage", "hot", "warm"})}, any, board_state},
      {"BMC",
       {"bmc"},
       {word("what", {"silent", "log full"}), time("lasts", 10 * kMin, 20 * kMin),
        count("percent", 82, 100)},
       any,
       bmc},
      {"BMC lies",
       {"bmc"},
       {word("of", {"fans", "voltages", "warmth", "all at once"}), count("times", 2, 6),
        time("lasts", 5 * kSec, 25 * kSec)},
       any,
       bmc_lies},
  };
}

}  // namespace fmd::score
