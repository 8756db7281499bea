// Authorizer: decides whether the sender of a message may change things. Queries the bus for the
// sender's uid, and polkit unless that uid is privileged. Asynchronous, so a polkit agent that
// waits for a password delays no other caller. Single thread.
#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/bus/callers.h"
#include "fmd/bus/sd_handles.h"

namespace fmd::bus {

inline constexpr const char* kErrorFailed = "org.fmd.FaultManager1.Error.Failed";

// Text that can be sent as a D-Bus string: valid UTF-8 without NUL is unchanged, all else escaped.
std::string wire_text(std::string_view raw);

class Authorizer {
 public:
  // `who` names the caller in a case's timeline: "root" or "uid 1000".
  using Granted = std::function<void(sd_bus_message* message, const std::string& who)>;
  // Details for polkit's dialogue: "polkit.message" replaces the action's message, in which $(key)
  // stands for the value of that key.
  using Details = std::vector<std::pair<std::string, std::string>>;

  // callers must outlive it.
  Authorizer(Callers& callers, std::set<uint32_t> privileged_uids);
  ~Authorizer();

  bool privileged(uint32_t uid) const { return privileged_.contains(uid); }

  // Calls `granted` later, or answers the message with AccessDenied,
  // InteractiveAuthorizationRequired or LimitsExceeded itself. Calls `details` only if polkit is
  // asked. Returns what an sd-bus method handler returns.
  int authorize(sd_bus_message* message, std::string_view action, Granted granted,
                std::function<Details()> details = {});
  // The connection is lost: no request can be answered any more.
  void cancel_all();

 private:
  struct Request;
  Callers& callers_;
  std::set<uint32_t> privileged_;
  std::list<Request> requests_;

  static int on_polkit(sd_bus_message* reply, void* userdata, sd_bus_error* error);
  void ask_polkit(sd_bus_message* message, uint32_t uid, std::string_view action, Granted granted,
                  const std::function<Details()>& details);
  int ask_polkit(Request& request, const Details& details);
  void grant(Request& request);
  void refuse(Request& request, const char* name, const std::string& text);
  void drop(const Request& request);
};

}  // namespace fmd::bus
