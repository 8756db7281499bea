// Tail: the journal's events since the last checkpoint, which are counted again at a start
// (engine.h, take_decided). It decides when the next checkpoint is due, and keeps what counting
// needs and the journal lacks: the steady time at which events were received.
//
// A small checkpoint is written with each commit; in a storm, one every few seconds. Rows: "moment"
// (number of the first event received then). Pure, single thread; steady times.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/store/store.h"

namespace fmd {

class Tail {
 public:
  struct Limits {
    size_t rows = 16;          // this many are cheap to commit
    uint64_t events = 50'000;  // counted again in half a second
    int64_t ns = 5LL * 1000000000;
  };
  // Once, at start: the events that are to be counted again, out of the store. The error says what of
  // them cannot be read; the others are counted.
  static Engine::Journal read(const Store& store, const std::vector<StateRow>& rows, Error& error);
  void restore(const std::vector<StateRow>& rows);

  void took(uint64_t first_seq, uint64_t events, Moment now);
  void settle() { settle_ = true; }  // with the next commit, whatever it costs
  // Before a commit that is not a checkpoint.
  bool is_due(const Engine& engine, int64_t now_ns) const;
  std::optional<int64_t> next_deadline_ns() const;  // none: all is counted in
  bool waits() const { return events_ > 0 || settle_; }
  void set_limits(Limits limits) { limits_ = limits; }

  void take_rows(bool checkpoint, int64_t now_ns, std::vector<StateRow>& rows);

 private:
  Limits limits_;
  std::map<uint64_t, int64_t> fresh_;  // event number → steady; not in a row yet
  std::vector<uint64_t> written_;
  uint64_t events_ = 0;
  int64_t checkpoint_ns_ = INT64_MIN / 2;
  bool settle_ = false;
};

}  // namespace fmd
