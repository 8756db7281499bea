// Stage: what a generator of the corpus works with: the play, the numbers that its scenario gives it, and the
// cast, which says what in this play has the roles that the scenario's truth names.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "play.h"

namespace fmd::score {

struct Part {                   // that has a role
  std::set<std::string> fmris;  // whoever is told of any of them looks at the right place
  int64_t since;                // when it begins to fail; steady
};

struct Cast {
  std::map<std::string, std::vector<Part>> roles;
  int64_t onset = 0, until = 0;  // of the play
};

// One number or word that a generator takes, "times = [11, 40]" or "sign = \"leaves\"", and what it is when a
// scenario does not say.
struct Knob {
  enum class Kind { count, time, word } kind;
  std::string name;
  int64_t low, high;  // each play draws one of them; of a time ns
  std::vector<std::string> words = {};
  std::string word = {};
};
Knob count(const char* name, int64_t low, int64_t high);
Knob time(const char* name, int64_t low, int64_t high);
Knob word(const char* name, std::vector<std::string> words);  // the first of them unless said

struct Stage {
  Play& play;
  const std::vector<Knob>& knobs;
  Cast cast = {};

  Host& host() { return play.host; }
  histories::Chance& chance() { return play.chance; }
  int count(const char* name);
  int64_t time(const char* name);
  const std::string& word(const char* name) const;
  void is(const char* role, std::set<std::string> fmris, int64_t since);
  template <class T>
  const T& one(const std::vector<T>& of) {
    return of.at(static_cast<size_t>(chance().below(static_cast<int>(of.size()))));
  }
  const Disk& disk();  // with data on it

 private:
  const Knob& knob(const char* name) const;
};

struct Generator {
  const char* name;
  std::vector<std::string> roles;
  std::vector<Knob> knobs;
  bool (*fits)(const Host& host);  // whether it can happen on such a machine
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
