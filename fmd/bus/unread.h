// Unread: limits how many bytes of unread replies the bus holds for a user. dbus-daemon keeps them,
// counts them against fmd, and accepts nothing more from fmd at about 127 MiB (max_incoming_bytes,
// dbus-daemon(1)): one caller that never reads would silence fmd for all. A reply counts as read
// when the caller has answered a Ping that was sent after it (every D-Bus library does so by
// itself), or has left. Single thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fmd/bus/sd_handles.h"

namespace fmd::bus {

inline constexpr uint32_t kNobody = 65534;  // whose request the bus does not say

class Unread {
 public:
  // For another answer, to whom that user's requests come from. Where there is none, asks anew what has
  // been read meanwhile.
  bool room(sd_bus* bus, uint32_t uid);
  // For what any call is answered at the least, an error or "done", which is counted from then on.
  // Where there is none, the call gets no answer at all: refusals that nobody reads fill the bus, too.
  // uid: nothing while the bus has not said it yet.
  bool room_for_least(sd_bus_message* call, std::optional<uint32_t> uid);
  // An answer of that many bytes was sent to the sender of this message.
  void sent(sd_bus_message* request, uint32_t uid, size_t bytes);
  void forget_all();  // the connection to the bus is gone

 private:
  struct Reader {  // one connection
    Unread* owner;
    std::string name;
    uint32_t uid;
    size_t bytes = 0, behind_ping = 0;  // unread; of them sent since the Ping under way
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
