#include "plugins/sdk/internal/connection.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <algorithm>

namespace fmd::sdk {

Connection::Connection(sd_event* loop, std::string path, Callbacks callbacks)
    : loop_(loop),
      path_(std::move(path)),
      callbacks_(std::move(callbacks)),
      retry_(loop),
      overflow_(loop) {}

Connection::~Connection() {
  io_.reset();
  if (fd_ >= 0) ::close(fd_);
}

void Connection::start() {
  retry_.start(std::chrono::milliseconds(0), [this] { attempt(); });
}

// A Unix socket connects at once or not at all (EAGAIN: its queue is full).
void Connection::attempt() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path)
    return close("the socket's path is longer than 107 bytes: " + path_);
  memcpy(address.sun_path, path_.data(), path_.size());
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return close(std::string("cannot make a socket: ") + strerror(errno));
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0)
    return close("cannot connect to " + path_ + ": " + strerror(errno));
  sd_event_source* source = nullptr;
  if (sd_event_add_io(loop_, &source, fd_, EPOLLIN, &Connection::on_io, this) < 0)
    return close("cannot watch the socket");
  io_.reset(source);
  in_ = std::make_unique<wire::LineBuffer>();
  ++generation_;
  callbacks_.opened();
}

void Connection::close(const std::string& why) {
  io_.reset();
  overflow_.stop();
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  ++generation_;
  out_.clear();
  out_sent_ = 0;
  retry_.start(wait_, [this] { attempt(); });
  wait_ = std::min(wait_ * 2, kLongestWait);
  callbacks_.closed(why);
}

void Connection::send(std::string_view line) {
  if (fd_ < 0 || overflow_.running()) return;
  if (unsent() + line.size() > kMaxUnsent) {
    overflow_.start(std::chrono::milliseconds(0),
                    [this] { close("fmd does not read what it is sent"); });
    return;
  }
  if (out_sent_ > 0 && out_sent_ >= out_.size() / 2) {
    out_.erase(0, out_sent_);
    out_sent_ = 0;
  }
  out_.append(line);
  want_write(true);  // the loop writes, so a send never calls back
}

void Connection::want_write(bool on) {
  if (io_) sd_event_source_set_io_events(io_.get(), EPOLLIN | (on ? EPOLLOUT : 0u));
}

int Connection::on_io(sd_event_source*, int, uint32_t revents, void* self) {
  auto* connection = static_cast<Connection*>(self);
  const uint64_t generation = connection->generation_;
  if (revents & EPOLLOUT) connection->write_out();
  if (connection->generation_ == generation && (revents & (EPOLLIN | EPOLLHUP | EPOLLERR)))
    connection->read_lines();
  return 0;
}

void Connection::write_out() {
  while (out_sent_ < out_.size()) {
    const ssize_t n = ::send(fd_, out_.data() + out_sent_, out_.size() - out_sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return close(std::string("cannot write to fmd: ") + strerror(errno));
    out_sent_ += static_cast<size_t>(n);
  }
  if (unsent() > 0) return;
  out_.clear();
  out_sent_ = 0;
  want_write(false);
}

void Connection::give_room_back() {
  if (in_) in_->give_room_back();
}

void Connection::read_lines() {
  char bytes[65536];
  const ssize_t n = recv(fd_, bytes, sizeof bytes, 0);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n < 0) return close(std::string("cannot read from fmd: ") + strerror(errno));
  if (n == 0) return close("fmd closed the connection");
  const uint64_t generation = generation_;
  const bool fits = in_->append({bytes, static_cast<size_t>(n)});
  while (generation_ == generation) {
    const auto line = in_->next();
    if (!line) break;
    callbacks_.line(std::string(*line));
  }
  if (generation_ == generation && !fits) close("fmd sent a line over 1 MiB");
}

}  // namespace fmd::sdk
