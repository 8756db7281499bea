// Connection: the bus on which fmd is queried, with the calls and answers. Errors are sentences for
// the user. One thread.
#pragma once
#include <systemd/sd-bus.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "ui/client/pages.h"
#include "ui/client/ssh_line.h"
#include "ui/client/target.h"

namespace fmd::ui {

inline constexpr const char* kName = "org.fmd.FaultManager1";
inline constexpr const char* kPath = "/org/fmd/FaultManager1";
inline constexpr uint64_t kQueryTimeoutUs = 60'000'000;

// Parses fmd's answer.
Result<nlohmann::json> parse_answer(std::string_view text);

struct BusCloser {
  void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
};
struct SlotUnref {
  void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
};
struct MessageUnref {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using MessagePtr = std::unique_ptr<sd_bus_message, MessageUnref>;

struct Connection {
  // A query sent ahead. Its address must not change, since the bus holds it.
  struct Asked {
    Question question;
    MessagePtr reply;
    std::unique_ptr<sd_bus_slot, SlotUnref> slot;  // destroyed before the reply it fills
    int sent = 0;                                  // < 0: -errno; sending failed
  };

  Target target;
  SshLine line;  // for a desktop, which has no terminal for ssh's messages; outlives the bus
  std::unique_ptr<sd_bus, BusCloser> bus;
  uint64_t patience_us = kQueryTimeoutUs;  // per query
  mutable bool away = false;               // the last call got no answer
  mutable bool has_left = false;           // because fmd left the bus meanwhile

  Result<void> open();  // opens a new connection; drops queries sent ahead
  Error explain(const sd_bus_error& error, int r) const;
  Result<MessagePtr> new_call(const std::string& method) const;
  Result<MessagePtr> call(const MessagePtr& message, uint64_t timeout_us) const;
  std::unique_ptr<Asked> ask(const MessagePtr& message, uint64_t timeout_us) const;
  // waiting, if set, is called once a second with the time waited so far.
  Result<MessagePtr> await(Asked& asked, const std::function<void(int64_t seconds)>& waiting) const;

  // The JSON document that answers a query.
  Result<nlohmann::json> answer(const Question& question);
  // Sends the query now; the next answer() to the same question returns its result.
  void ask_ahead(Question question);

 private:
  int start();  // < 0: -errno
  Result<nlohmann::json> answer_once(const Question& question);
  Result<MessagePtr> new_call(const Question& question) const;

  std::vector<std::unique_ptr<Asked>> ahead_;  // destroyed before the bus
};

}  // namespace fmd::ui
