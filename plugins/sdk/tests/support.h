// For the tests of all plugins: a loop that runs until a condition is true, a temporary folder tree
// (a host's /sys), and an in-process core that answers on a real socket.
#pragma once
#include <sys/stat.h>
#include <systemd/sd-event.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/protocol/lines.h"
#include "plugins/sdk/timer.h"

namespace fmd::sdk::testing {

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  operator sd_event*() const { return event_; }
  // Runs until holds() is true; false after the deadline.
  bool until(const std::function<bool()>& holds,
             std::chrono::milliseconds deadline = std::chrono::seconds(60));
  // Runs everything that is due now, without waiting.
  void drain();

 private:
  sd_event* event_ = nullptr;
};

class TempTree {
 public:
  TempTree();
  ~TempTree();
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  const std::string& root() const { return root_; }
  // Absolute paths inside the tree; parent folders are created.
  void file(const std::string& path, std::string_view text, mode_t mode = 0644) const;
  void link(const std::string& path, const std::string& target) const;
  void folder(const std::string& path) const;
  void remove(const std::string& path) const;  // recursively
  std::string read(const std::string& path) const;

 private:
  std::string root_;
};

class FakeCore {
 public:
  FakeCore(sd_event* loop, std::string path);
  ~FakeCore();
  FakeCore(const FakeCore&) = delete;
  FakeCore& operator=(const FakeCore&) = delete;

  // Behaviour.
  std::string cursor;     // committed; sent in hello's answer, set by each acknowledged batch
  std::string in_memory;  // the cursor of events not yet on disk; "" none
  bool commit = true;     // false: events are neither committed nor acked
  bool ack = true;        // false: committed, but the ack is not sent
  void ack_held();        // sends the acks held back, and all later ones
  bool refuse_hello = false;

  // Recorded.
  std::vector<nlohmann::json> messages;                           // all, in order
  std::vector<nlohmann::json> events;                             // from committed batches
  std::vector<nlohmann::json> of(std::string_view method) const;  // params
  size_t count(std::string_view method) const { return of(method).size(); }
  std::map<std::string, nlohmann::json> resources;  // the core's current inventory, by FMRI
  std::map<std::string, std::string> gone;          // fmri → reason
  nlohmann::json property(const std::string& fmri, const std::string& name) const;
  std::map<uint64_t, nlohmann::json> answers;  // answers to our commands, by id
  size_t connections = 0;
  bool connected() const { return fd_ >= 0; }

  uint64_t command(std::string_view name, const std::string& key, const std::string& resource,
                   nlohmann::json args = nlohmann::json::object());
  void send(std::string_view text);  // raw
  void disconnect();
  void listen();  // again after stop()
  void stop();    // closes socket and connection, as if the core had ended

 private:
  static int on_accept(sd_event_source*, int, uint32_t, void*);
  static int on_data(sd_event_source*, int, uint32_t, void*);
  void flush();
  void on_message(const nlohmann::json& message);
  void on_inventory(const nlohmann::json& params);
  sd_event* loop_;
  std::string path_;
  int listener_ = -1, fd_ = -1;
  Source accept_, data_;
  std::unique_ptr<wire::LineBuffer> in_;
  std::string out_;
  std::vector<std::string> held_acks_;
  uint64_t next_id_ = 1000;
};

}  // namespace fmd::sdk::testing
