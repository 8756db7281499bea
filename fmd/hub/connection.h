// Connection: one peer on the plugin socket. Reads whole lines, writes lines, never blocks: unread
// output is buffered up to a limit, then the peer is disconnected. Single thread, on the given
// sd-event loop.
#pragma once
#include <systemd/sd-event.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/base/clock.h"
#include "fmd/hub/peer.h"
#include "fmd/protocol/lines.h"

namespace fmd {

using PeerId = uint64_t;  // one connection; never used again

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  static constexpr size_t kMaxOutput = 8 << 20;  // bytes kept for a peer that does not read
  static constexpr int64_t kMaxStallNs =
      30LL * 1000000000;  // output waiting without any of it taken

  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void line(Connection& connection, std::string_view text) = 0;
    // Called once, after which the connection is silent. violation: it was cut off for what
    // `reason` says; else it went by itself.
    virtual void closed(Connection& connection, const std::string& reason, bool violation) = 0;
  };

  // Takes the socket over. Call start() once it is held by a shared_ptr.
  Connection(sd_event* loop, int fd, PeerId id, Peer peer, const Clock& clock, Owner& owner);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  void start();

  PeerId id() const { return id_; }
  const Peer& peer() const { return peer_; }
  bool open() const { return fd_ >= 0; }

  // line: with its newline. The loop closes connections that read too slowly, never this call.
  void send(std::string line);
  // While held nothing is read nor handed out: back-pressure. Calls do not nest.
  void hold(bool on);
  void close(const std::string& reason);    // quietly: it is being replaced, or the daemon stops
  void cut_off(const std::string& reason);  // one error notification where possible, then the end
  void check_stall(int64_t boot_ns);        // cuts off a peer that takes nothing
  std::optional<int64_t> stall_deadline_ns() const;  // when check_stall() would
  void give_room_back() { input_.give_room_back(); }

 private:
  static int on_io(sd_event_source*, int, uint32_t revents, void* self);
  static int on_resume(sd_event_source*, void* self);
  void readable();
  void writable();
  void hand_out();
  void watch();
  void end(const std::string& reason, bool violation);

  sd_event* loop_;
  int fd_;
  PeerId id_;
  Peer peer_;
  const Clock& clock_;
  Owner& owner_;
  sd_event_source* io_ = nullptr;
  sd_event_source* resume_ = nullptr;
  wire::LineBuffer input_;
  std::deque<std::string> output_;
  size_t output_bytes_ = 0;
  size_t sent_of_first_ = 0;
  int64_t stalled_since_ns_ = 0;
  bool held_ = false;
  bool deaf_ = false;  // about to be cut off: it does not read
};

}  // namespace fmd
