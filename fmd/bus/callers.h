// Callers: the uid behind a connection. Queries the bus once per connection (unique names are never
// reused) and never blocks. Single thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fmd/bus/sd_handles.h"

namespace fmd::bus {

class Callers {
 public:
  // uid: nothing if the bus does not know it.
  using Learned = std::function<void(sd_bus_message* message, std::optional<uint32_t> uid)>;

  // Calls `learned` now or later, in the order of the requests; or answers the message with
  // LimitsExceeded itself if too many of that connection wait. Returns what an sd-bus method
  // handler returns.
  int learn(sd_bus_message* message, Learned learned);
  // Returns the uid if it is known already, otherwise starts a query.
  std::optional<uint32_t> known(sd_bus_message* message);
  // The connection to the bus is lost: no request can be answered any more.
  void forget_all();

 private:
  struct Waiting {
    MessagePtr message;
    Learned learned;
  };
  struct Question {
    Callers* owner;
    std::string sender;
    std::vector<Waiting> waiting;
    SlotPtr slot;
  };
  Question* question(sd_bus_message* message, const char* sender);
  static int on_uid(sd_bus_message* reply, void* question, sd_bus_error* error);

  std::map<std::string, uint32_t, std::less<>> known_;
  std::map<std::string, std::unique_ptr<Question>, std::less<>> questions_;
};

}  // namespace fmd::bus
