// Stage: a generator's context: the play, the scenario's values (knobs), and the cast, which
// assigns parts to the roles that the scenario's truth names.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "play.h"

namespace fmd::score {

struct Part {                   // a part with a role
  std::set<std::string> fmris;  // naming any of them is right
  int64_t since;                // when it begins to fail; steady
};

struct Cast {
  std::map<std::string, std::vector<Part>> roles;
  int64_t onset = 0, until = 0;  // of the play
};

// One number or word for a generator, with its default: "times = [11, 40]", "sign = \"leaves\"".
struct Knob {
  enum class Kind { count, time, word } kind;
  std::string name;
  int64_t low, high;  // range for each play; times in ns
  std::vector<std::string> words = {};
  std::string word = {};
};
Knob count(const char* name, int64_t low, int64_t high);
Knob time(const char* name, int64_t low, int64_t high);
Knob word(const char* name, std::vector<std::string> words);  // the default is the first

struct Stage {
  Play& play;
  const std::vector<Knob>& knobs;
  double spread = 1;         // factor of the time "spread"
  bool log_uniform = false;  // that time: most are early, the last ones late
  Cast cast = {};

  Host& host() { return play.host; }
  histories::Chance& chance() { return play.chance; }
  int count(const char* name);
  int64_t time(const char* name);
  int64_t latest_spread() const;  // beyond what the scenario says; 0 if it has no such time
  const std::string& word(const char* name) const;
  void is(const char* role, std::set<std::string> fmris, int64_t since);
  template <class T>
  const T& one(const std::vector<T>& of) {
    return of.at(static_cast<size_t>(chance().below(static_cast<int>(of.size()))));
  }
  const Disk& disk();  // one with data

 private:
  const Knob& knob(const char* name) const;
};

struct Generator {
  const char* name;
  std::vector<std::string> roles;
  std::vector<Knob> knobs;
  bool (*fits)(const Host& host);  // whether this machine allows it
  void (*run)(Stage& stage);
};
bool any(const Host&);
bool has_hub(const Host& host);  // several disks behind each controller
bool one_way(const Host& host);  // and no second path to them
bool has_expander(const Host& host);

const std::vector<Generator>& generators();  // all, from the files below
std::vector<Generator> disk_generators();
std::vector<Generator> path_generators();
std::vector<Generator> shelf_generators();
std::vector<Generator> board_generators();
std::vector<Generator> bmc_generators();
std::vector<Generator> people_generators();

}  // namespace fmd::score
