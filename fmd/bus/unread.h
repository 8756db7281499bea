// Unread: limits how many bytes of unread replies the bus holds for a user. dbus-daemon keeps them,
// counts them against fmd, and accepts nothing more from fmd at about 127 MiB (max_incoming_bytes,
// dbus-daemon(1)): one caller that never reads would silence fmd for all. A reply counts as read
// when the caller has left or has answered a later Ping (every D-Bus library does that itself).
// Single thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fmd/bus/sd_handles.h"

namespace fmd::bus {

inline constexpr uint32_t kNobody = 65534;  // stands for an unknown uid

class Unread {
 public:
  // Whether there is room for another reply to that user. If not, sends Pings to update the count.
  bool room(sd_bus* bus, uint32_t uid);
  // Whether there is room for the smallest reply, an error or "done"; counts it. If not, the call
  // gets no reply at all, because unread refusals also fill the bus. uid: nothing while unknown.
  bool room_for_least(sd_bus_message* call, std::optional<uint32_t> uid);
  // Counts a reply of that size to the sender of the request.
  void sent(sd_bus_message* request, uint32_t uid, size_t bytes);
  void forget_all();  // the connection to the bus is lost

 private:
  struct Reader {  // one connection
    Unread* owner;
    std::string name;
    uint32_t uid;
    size_t bytes = 0, behind_ping = 0;  // unread; those sent after the pending Ping
    SlotPtr ping;
  };
  struct User {
    size_t bytes = 0, pings = 0;
  };
  Reader& reader_of(const char* sender, uint32_t uid);
  void ping(sd_bus* bus, Reader& reader);
  void ping_all(sd_bus* bus, uint32_t uid);
  static int on_pong(sd_bus_message* reply, void* reader, sd_bus_error* error);

  std::map<std::string, std::unique_ptr<Reader>, std::less<>> readers_;
  std::map<uint32_t, User> users_;
  size_t bytes_ = 0;
};

}  // namespace fmd::bus
