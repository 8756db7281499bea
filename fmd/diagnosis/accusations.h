// Accusations: which parts are accused at a given time, for each rule of kind common. Parts are
// accused by waiting or explained findings and by convictions. There are also signs: errors that
// are still being counted, and absences without an explanation yet.
//
// Updated with the changes since the last query, and counted by what the parts hang on (crowd.h),
// so the ten-thousandth disk costs no more than the tenth. A part is placed again when the
// inventory changes what it hangs on. Pure, single thread; part of Engine.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/change_log.h"
#include "fmd/diagnosis/context.h"
#include "fmd/diagnosis/crowd.h"
#include "fmd/diagnosis/hold_bank.h"
#include "fmd/diagnosis/serd_bank.h"

namespace fmd {

// A part convicted by a rule whose fault another rule compares, while its case is open.
struct Conviction {
  std::string part, resource, fault, rule;
  int64_t time_ns = 0;        // steady
  bool beside_signs = false;  // kBesideSigns
};
// The parts that this rule compares.
std::vector<Conviction> convictions_in(const Context& context, const Rule& common, const Case& c);

class Accusations {
 public:
  enum class With { findings, begun, gone };  // each includes the previous ones

  Accusations(const Context& context, CaseBook& book, HoldBank& holds, SerdBank& serds)
      : context_(context), book_(book), holds_(holds), serds_(serds) {}

  // The accused parts within the rule's time of since_ns. Valid until the next change; a caller must remove
  // what it added.
  Crowd& at(const Rule& common, int64_t since_ns, With with);
  std::shared_ptr<Hanging> hanging(const Rule& common);
  // Incremented when the topology or the state of paths may have changed; numbers from before are
  // then invalid.
  uint64_t structure();
  // Parts below the ancestor that findings accuse about that time: those new since the last call,
  // at another time, or too far from it then. Nothing: it may be any of them.
  std::optional<std::vector<std::string>> newcomers(const Rule& common, const std::string& ancestor,
                                                    int64_t since_ns, int64_t last_since_ns);
  // From the first to the last of all of them, by when each was found first.
  int64_t span(const Rule& common, int64_t since_ns, const std::string& ancestor);
  // For each part that a finding accuses about that time: the time of the first one.
  std::vector<int64_t> firsts(const Rule& common, int64_t since_ns,
                              const std::vector<std::string>& parts);
  std::vector<std::string> convicting(
      const Rule& common);  // the cases that have such convictions, by uuid

  // Maximum distance in time of the convictions that are compared with this one.
  static int64_t within(const Rule& common, const Conviction& one);

 private:
  static constexpr size_t kWindows = 2;  // of each kind: of present and of waiting findings
  enum Kind { near, for_long, begun, gone, kKinds };
  struct Charge {
    Crowd::Id part;
    Crowd::Ways ways;
  };
  using Charges =
      std::multimap<int64_t, Charge>;  // by time; for begun counts, the time at which they end
  using Range = std::pair<int64_t, int64_t>;  // of times, both included
  using Filed = std::vector<std::pair<Kind, Charges::iterator>>;
  struct Window {
    With with;
    std::array<Range, kKinds> ranges;
    int64_t since_ns;
    Crowd crowd;
  };
  struct Book {  // of a rule
    const Rule& common;
    std::shared_ptr<Hanging> hanging;
    std::array<Charges, kKinds> charges = {};
    std::unordered_map<Crowd::Id, std::vector<std::pair<Kind, int64_t>>> found = {};  // findings
    std::map<RuleKey, Filed> of_holds = {};
    std::map<std::string, Filed, std::less<>> of_cases = {};
    std::map<SerdBank::Counted, Filed> of_engines = {};
    std::vector<std::unique_ptr<Window>> windows = {};
    ChangeLog<Crowd::Id> newcomers = {};
    size_t on_ways = 0;  // charges
  };

  void catch_up();
  Book& book(const Rule& common);
  void look_at(Book& book, const RuleKey& key);
  void look_at(Book& book, const std::string& uuid);
  void look_at(Book& book, const SerdBank::Counted& engine);
  void look_at_gone(Book& book);
  std::optional<int64_t> first_of(const Book& book, Crowd::Id part, int64_t since_ns) const;
  void file(Book& book, Filed& filed, Kind kind, int64_t time_ns, const std::string& part,
            const Crowd::Ways& ways = {});
  void take_out(Book& book, Filed& filed);
  Window& window(Book& book, int64_t since_ns, With with);
  void move(Book& book, Window& window, int64_t since_ns);
  static Range range_of(const Rule& common, Kind kind, With with, int64_t since_ns,
                        int64_t wall_ns);
  static void count(Window& window, Kind kind, const Charge& charge, bool in);
  const std::string& part_of(const SerdBank::Counted& engine);

  const Context& context_;
  CaseBook& book_;
  HoldBank& holds_;
  SerdBank& serds_;
  std::shared_ptr<const RuleSet> rules_;  // that the books are of
  uint64_t structure_ = 0, paths_ = 0, left_ = 0, generation_ = 0, made_ = 0;
  std::map<const Rule*, Book> books_;
  std::map<SerdBank::Counted, std::string> parts_;  // of engines
  std::set<std::string, std::less<>> by_ways_;      // cases whose paths the inventory may change
};

}  // namespace fmd
