// Connection: the plugin's end of the Unix stream socket. Non-blocking, line by line; reconnects
// with a back-off of 100 ms, doubling to 5 s. Does not interpret the JSON. Single thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fmd/protocol/lines.h"
#include "plugins/sdk/timer.h"

namespace fmd::sdk {

class Connection {
 public:
  static constexpr size_t kMaxUnsent =
      16 << 20;  // bytes; above that, reconnects: the core is not reading
  static constexpr std::chrono::milliseconds kFirstWait{100}, kLongestWait{5000};

  struct Callbacks {
    std::function<void()> opened;
    std::function<void(std::string_view line)> line;
    std::function<void(const std::string& why)> closed;  // also after a failed attempt
  };

  Connection(sd_event* loop, std::string path, Callbacks callbacks);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();                           // the first attempt is made from the loop
  void send(std::string_view line);       // line ends with a newline; dropped while not open
  void close(const std::string& why);     // reconnects after the back-off
  void settled() { wait_ = kFirstWait; }  // resets the back-off
  bool open() const { return fd_ >= 0; }
  size_t unsent() const { return out_.size() - out_sent_; }
  void give_room_back();  // frees buffers that grew for a long line

 private:
  static int on_io(sd_event_source*, int fd, uint32_t revents, void* self);
  void attempt();
  void read_lines();
  void write_out();
  void want_write(bool on);

  sd_event* loop_;
  std::string path_;
  Callbacks callbacks_;
  int fd_ = -1;
  Source io_;
  Timer retry_, overflow_;
  std::chrono::milliseconds wait_ = kFirstWait;
  std::unique_ptr<wire::LineBuffer> in_;
  std::string out_;
  size_t out_sent_ = 0;
  uint64_t generation_ = 0;  // of the connection: detects that a callback has closed it
};

}  // namespace fmd::sdk
