#include "fmd/hub/connection.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fmd/base/json.h"

namespace fmd {
namespace {

constexpr size_t kLeastRead = 256, kReadBytes = 256 << 10;
constexpr int kDrainReads = 16;
constexpr int kInvalidRequest = -32600;  // JSON-RPC's word for it

// Unread input would make close() a reset, in which the peer loses the error notification it was
// sent.
void drain(int fd) {
  char bytes[65536];
  for (int i = 0; i < kDrainReads; ++i)
    if (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) <= 0) return;
}

}  // namespace

Connection::Connection(sd_event* loop, int fd, PeerId id, Peer peer, const Clock& clock,
                       Owner& owner)
    : loop_(loop), fd_(fd), id_(id), peer_(std::move(peer)), clock_(clock), owner_(owner) {}

Connection::~Connection() {
  sd_event_source_disable_unref(io_);
  sd_event_source_disable_unref(resume_);
  if (fd_ >= 0) ::close(fd_);
}

void Connection::start() {
  if (sd_event_add_io(loop_, &io_, fd_, EPOLLIN, on_io, this) < 0 ||
      sd_event_add_defer(loop_, &resume_, on_resume, this) < 0 ||
      sd_event_source_set_enabled(resume_, SD_EVENT_OFF) < 0)
    end("the event loop takes no more connections", false);
}

int Connection::on_io(sd_event_source*, int, uint32_t revents, void* self) {
  const auto connection = static_cast<Connection*>(self)->shared_from_this();
  if ((revents & EPOLLOUT) && connection->open()) connection->writable();
  if ((revents & (EPOLLIN | EPOLLHUP | EPOLLERR)) && connection->open()) connection->readable();
  return 0;
}

int Connection::on_resume(sd_event_source*, void* self) {
  const auto connection = static_cast<Connection*>(self)->shared_from_this();
  if (connection->deaf_)
    connection->cut_off("it does not read what it is sent");
  else if (connection->open())
    connection->hand_out();
  return 0;
}

void Connection::readable() {
  if (held_) {
    // Only a hang-up wakes a paused connection; its earlier input stays in the socket until it is
    // resumed.
    sd_event_source_set_enabled(io_, SD_EVENT_OFF);
    return;
  }
  // Allocates only the requested room: each connection keeps its own, and most need little.
  int waiting = 0;
  if (ioctl(fd_, FIONREAD, &waiting) < 0) waiting = 0;
  const size_t most = std::clamp(static_cast<size_t>(waiting), kLeastRead, kReadBytes);
  const ssize_t got = recv(fd_, input_.room(most), most, MSG_DONTWAIT);
  if (got < 0) {
    if (errno == EAGAIN || errno == EINTR) return;
    return end(fmt::format("read: {}", std::strerror(errno)), false);
  }
  if (got == 0) return end("the peer closed the connection", false);
  const bool fits = input_.filled(static_cast<size_t>(got));
  hand_out();
  if (!fits && open()) cut_off(fmt::format("a line of more than {} bytes", wire::kMaxLine));
}

void Connection::hand_out() {
  while (open() && !held_ && !deaf_) {
    const auto line = input_.next();
    if (!line) return;
    owner_.line(*this, *line);
  }
}

void Connection::hold(bool on) {
  if (held_ == on || !open()) return;
  held_ = on;
  sd_event_source_set_enabled(io_, SD_EVENT_ON);
  watch();
  if (!on) sd_event_source_set_enabled(resume_, SD_EVENT_ONESHOT);
}

void Connection::watch() {
  if (!open()) return;
  const uint32_t events = (held_ ? 0u : EPOLLIN) | (output_.empty() ? 0u : EPOLLOUT);
  sd_event_source_set_io_events(io_, events);
}

void Connection::send(std::string line) {
  if (!open() || deaf_) return;
  output_bytes_ += line.size();
  output_.push_back(std::move(line));
  if (output_.size() == 1) {
    stalled_since_ns_ = clock_.boot_ns();
    writable();
  }
  if (output_bytes_ <= kMaxOutput) return;
  deaf_ = true;
  sd_event_source_set_enabled(resume_, SD_EVENT_ONESHOT);
}

void Connection::writable() {
  while (!output_.empty()) {
    const std::string& first = output_.front();
    const ssize_t sent = ::send(fd_, first.data() + sent_of_first_, first.size() - sent_of_first_,
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EAGAIN || errno == EINTR) break;
      // Its last output may still be in the socket: read until the end.
      output_.clear();
      output_bytes_ = sent_of_first_ = 0;
      break;
    }
    stalled_since_ns_ = clock_.boot_ns();
    output_bytes_ -= static_cast<size_t>(sent);
    sent_of_first_ += static_cast<size_t>(sent);
    if (sent_of_first_ < first.size()) continue;
    output_.pop_front();
    sent_of_first_ = 0;
  }
  watch();
}

void Connection::check_stall(int64_t boot_ns) {
  if (open() && !output_.empty() && boot_ns - stalled_since_ns_ >= kMaxStallNs)
    cut_off(fmt::format("it has not read what it is sent for {} s", kMaxStallNs / 1000000000));
}

std::optional<int64_t> Connection::stall_deadline_ns() const {
  if (output_.empty()) return {};
  return stalled_since_ns_ + kMaxStallNs;
}

void Connection::close(const std::string& reason) {
  if (open()) end(reason, false);
}

void Connection::cut_off(const std::string& reason) {
  if (!open()) return;
  if (sent_of_first_ == 0) {  // not into the middle of another line
    const std::string line = wire::error(std::nullopt, kInvalidRequest, reason);
    (void)!::send(fd_, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  end(reason, true);
}

void Connection::end(const std::string& reason, bool violation) {
  if (!open()) return;
  const auto self = shared_from_this();
  sd_event_source_set_enabled(io_, SD_EVENT_OFF);
  sd_event_source_set_enabled(resume_, SD_EVENT_OFF);
  sd_event_source_disable_unref(io_);
  io_ = nullptr;
  drain(fd_);
  ::close(fd_);
  fd_ = -1;
  output_.clear();
  output_bytes_ = 0;
  owner_.closed(*this, reason, violation);
}

}  // namespace fmd
