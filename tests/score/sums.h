// Sums: totals of the marks of many plays, by family and judge, and their output.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "judge.h"

namespace fmd::score {

class Sum {
 public:
  void add(const Mark& mark);
  int plays = 0, localised = 0, in_the_end = 0, right_class = 0, in_time = 0, musts = 0, done = 0,
      retired = 0, spares = 0, lit = 0, messages = 0, incidents = 0;

  double percent(int of) const { return plays ? 100.0 * of / plays : 100; }
  double percent_done() const { return musts ? 100.0 * done / musts : 100; }
  double messages_each() const;
  double seconds(double quantile) const;  // from the first sign to the case

 private:
  std::vector<int64_t> times_;
};

class Sums {
 public:
  explicit Sums(std::vector<size_t> judges) : judges_(std::move(judges)) {}  // their numbers
  void add(const Scenario& scenario, const Result& result);
  const Sum& own() const { return all_[0]; }
  const Sum& limited() const { return limited_; }  // without those that are known to go wrong
  int other() const { return other_; }
  void print(bool lossy) const;
  nlohmann::json json(bool lossy) const;

 private:
  void print_judges() const;
  void print_known() const;

  struct Family {
    std::string name;
    Sum by[kJudges];
  };
  std::vector<Family> families_;  // in the corpus's order
  std::vector<size_t> judges_;
  Sum all_[kJudges], limited_;
  int other_ = 0;
};

}  // namespace fmd::score
