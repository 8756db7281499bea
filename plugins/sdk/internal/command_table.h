// CommandTable: runs each command once per idempotency key. Remembers the last 1000 answers; a
// repeated command waits for the answer of the pending one. Pure: the plugin sends what deliver()
// receives.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"

namespace fmd::sdk {

class CommandTable {
 public:
  static constexpr size_t kRemembered = 1000;
  using Deliver = std::function<void(uint64_t request_id, const CommandReply&)>;

  explicit CommandTable(Deliver deliver) : deliver_(std::move(deliver)) {}
  // True: the command is new; carry it out and call finish(). False: it is pending or was answered.
  // Commands with an empty key are always new.
  bool begin(const std::string& key, uint64_t request_id, uint64_t& ticket);
  // A second call is ignored. remember false: the next command with this key is new.
  void finish(uint64_t ticket, const CommandReply& reply, bool remember = true);
  void disconnected();  // forgets request ids: they belong to the old connection

 private:
  struct Running {
    std::string key;
    std::vector<uint64_t> waiting;
  };
  Deliver deliver_;
  uint64_t next_ticket_ = 0;
  std::map<uint64_t, Running> running_;  // by ticket
  std::map<std::string, CommandReply> finished_;
  std::deque<std::string> order_;  // of finished_, oldest first
};

}  // namespace fmd::sdk
