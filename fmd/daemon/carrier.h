// Carrier: carries out the consequences of commits in one place, in the order of the commits. A
// recipient may commit in turn; the consequences of that commit follow after the rest of this one.
// Single thread.
#pragma once
#include <deque>

#include "fmd/daemon/pipeline.h"

namespace fmd {

// Where it goes.
class Outlets {
 public:
  virtual ~Outlets() = default;
  virtual void log(const LogLine& line) = 0;
  virtual void set_flow(Flow flow) = 0;
  virtual void keep_lights(const std::vector<StateRow>& rows) = 0;
  virtual void send(const Command& command) = 0;
  virtual void ordered(const OrderResult& result) = 0;
  virtual void changed(const Changes& changes) = 0;
  virtual void start_again() = 0;
};

class Carrier {
 public:
  explicit Carrier(Outlets& outlets) : outlets_(outlets) {}

  // Returns the outcome of the commit. From within an answer: the rest is carried out later.
  Result<void> carry_out(Committed committed);

 private:
  void carry(const Committed& committed);
  Outlets& outlets_;
  std::deque<Committed> waiting_;
  bool carrying_ = false;
};

}  // namespace fmd
