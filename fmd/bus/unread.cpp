#include "fmd/bus/unread.h"

#include <algorithm>
#include <utility>

namespace fmd::bus {
namespace {

constexpr size_t kMostOfUser = size_t{32} << 20, kMost = size_t{80} << 20;
constexpr size_t kLeast = 2048;  // size of the smallest reply on the bus
constexpr size_t kRefusalsOfUser = size_t{8} << 20, kRefusals = size_t{16} << 20;  // in addition
constexpr size_t kMostOfUnknown = 64 * kLeast;  // per connection, until its uid is known
constexpr size_t kPingFrom = size_t{256} << 10;
// dbus-daemon allows 128 pending replies per connection (max_replies_per_connection), including
// polkit's. Each user gets a quarter of the remaining Pings, so that some are left for other users.
constexpr size_t kPings = 48, kShare = 4;

}  // namespace

bool Unread::room(sd_bus* bus, uint32_t uid) {
  const auto user = users_.find(uid);
  if (bytes_ < kMost && (user == users_.end() || user->second.bytes < kMostOfUser)) return true;
  ping_all(bus, uid);
  return false;
}

bool Unread::room_for_least(sd_bus_message* call, std::optional<uint32_t> uid) {
  const char* sender = sd_bus_message_get_sender(call);
  sd_bus* bus = sd_bus_message_get_bus(call);
  if (!sender || !bus || sd_bus_message_get_expect_reply(call) <= 0) return true;
  const Reader& reader = reader_of(sender, uid.value_or(kNobody));
  const size_t lies = uid ? users_[*uid].bytes : reader.bytes;
  const size_t most = uid ? kMostOfUser + kRefusalsOfUser : kMostOfUnknown;
  if (lies >= most || bytes_ >= kMost + kRefusals) {
    ping_all(bus, reader.uid);
    return false;
  }
  sent(call, reader.uid, kLeast);
  return true;
}

// The connection's entry. Bytes sent before its uid was known are moved to that user.
Unread::Reader& Unread::reader_of(const char* sender, uint32_t uid) {
  const auto [at, fresh] = readers_.try_emplace(sender);
  if (fresh) at->second = std::make_unique<Reader>(Reader{this, sender, uid, 0, 0, {}});
  Reader& reader = *at->second;
  if (reader.uid != uid) {
    for (const auto& [user, sign] : {std::pair{reader.uid, -1}, std::pair{uid, 1}}) {
      users_[user].bytes += sign * reader.bytes;
      users_[user].pings += reader.ping ? sign : 0;
    }
    reader.uid = uid;
  }
  return reader;
}

void Unread::sent(sd_bus_message* request, uint32_t uid, size_t bytes) {
  const char* sender = sd_bus_message_get_sender(request);
  sd_bus* bus = sd_bus_message_get_bus(request);
  if (!sender || !bus) return;
  Reader& reader = reader_of(sender, uid);
  reader.bytes += bytes;
  if (reader.ping) reader.behind_ping += bytes;
  bytes_ += bytes;
  users_[uid].bytes += bytes;
  if (reader.bytes >= kPingFrom) ping(bus, reader);
  // Many small replies: most of those callers have left.
  if (users_[uid].bytes >= kMostOfUser / 2 || bytes_ >= kMost / 2) ping_all(bus, uid);
}

void Unread::ping_all(sd_bus* bus, uint32_t uid) {
  for (const auto& [name, reader] : readers_)
    if (reader->uid == uid) ping(bus, *reader);
}

void Unread::ping(sd_bus* bus, Reader& reader) {
  size_t pings = 0;
  for (const auto& [uid, user] : users_) pings += user.pings;
  User& user = users_[reader.uid];
  const size_t others = pings - user.pings;
  const size_t share = others < kPings ? std::max<size_t>(1, (kPings - others) / kShare) : 0;
  if (reader.ping || user.pings >= share || pings >= kPings) return;
  sd_bus_message* raw = nullptr;
  int r = sd_bus_message_new_method_call(bus, &raw, reader.name.c_str(), "/",
                                         "org.freedesktop.DBus.Peer", "Ping");
  const MessagePtr message(raw);
  if (r >= 0) r = sd_bus_message_set_auto_start(raw, 0);
  sd_bus_slot* slot = nullptr;
  // Without a timeout: until the Ping is answered, nothing counts as read.
  if (r >= 0) r = sd_bus_call_async(bus, &slot, raw, on_pong, &reader, UINT64_MAX);
  if (r < 0) return;
  reader.ping.reset(slot);
  reader.behind_ping = 0;
  ++user.pings;
}

// An error also counts: the caller has left, or reads but does not support Ping. Two errors come
// from the bus: no room for the Ping, or its policy forbids it. Then it is unknown what was read.
int Unread::on_pong(sd_bus_message* reply, void* userdata, sd_bus_error*) {
  auto& reader = *static_cast<Reader*>(userdata);
  Unread& self = *reader.owner;
  const SlotPtr finished = std::move(reader.ping);
  User& user = self.users_[reader.uid];
  const size_t read = reader.bytes - reader.behind_ping;
  const uint32_t uid = reader.uid;
  --user.pings;
  const sd_bus_error* error = sd_bus_message_get_error(reply);
  if (error && (sd_bus_error_has_name(error, SD_BUS_ERROR_LIMITS_EXCEEDED) ||
                sd_bus_error_has_name(error, SD_BUS_ERROR_ACCESS_DENIED)))
    return 0;
  user.bytes -= read;
  self.bytes_ -= read;
  reader.bytes = std::exchange(reader.behind_ping, 0);
  sd_bus* bus = sd_bus_message_get_bus(reply);
  if (reader.bytes == 0)
    self.readers_.erase(self.readers_.find(reader.name));
  else
    self.ping(bus, reader);
  if (user.bytes >= kMostOfUser / 2) self.ping_all(bus, uid);
  if (user.bytes == 0 && user.pings == 0) self.users_.erase(uid);
  return 0;
}

void Unread::forget_all() {
  readers_.clear();
  users_.clear();
  bytes_ = 0;
}

}  // namespace fmd::bus
