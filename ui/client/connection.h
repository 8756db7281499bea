// Connection: the bus that fmd is asked on, what goes out there and the answers. Errors are sentences for the person at the
// terminal. One thread.
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

// The document that fmd answered.
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
  // What has been asked, and is answered while something else is done. Stays where it is.
  struct Asked {
    Question question;
    MessagePtr reply;
    std::unique_ptr<sd_bus_slot, SlotUnref> slot;  // gone before the reply it fills
    int sent = 0;                                  // < 0: errno; it did not go out
  };

  Target target;
  SshLine
      line;  // of a desktop, which has no terminal where ssh's words would be read; outlives the bus
  std::unique_ptr<sd_bus, BusCloser> bus;
  uint64_t patience_us = kQueryTimeoutUs;  // with each query
  mutable bool away = false;               // the last call had no answer

  Result<void> open();  // anew; what was asked ahead is forgotten
  Error explain(const sd_bus_error& error, int r) const;
  Result<MessagePtr> new_call(const std::string& method) const;
  Result<MessagePtr> call(const MessagePtr& message, uint64_t timeout_us) const;
  std::unique_ptr<Asked> ask(const MessagePtr& message, uint64_t timeout_us) const;
  // waiting, unless it is empty: told how long it has been waited for, once a second.
  Result<MessagePtr> await(Asked& asked, const std::function<void(int64_t seconds)>& waiting) const;

  // A query's JSON document.
  Result<nlohmann::json> answer(const Question& question);
  // Asks now what the next answer() to the same question is: answers are not waited for one after the other.
  void ask_ahead(Question question);

 private:
  int start();  // < 0: errno
  Result<MessagePtr> new_call(const Question& question) const;

  std::vector<std::unique_ptr<Asked>> ahead_;  // gone before the bus
};

}  // namespace fmd::ui
