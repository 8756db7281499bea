// Client: calls org.fmd.FaultManager1 for the command lines. Synchronous; one thread. Error texts
// are sentences for the user.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "ui/client/target.h"

namespace fmd::ui {

class Client {
 public:
  static Result<Client> connect(const Target& target);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // A query's JSON document: ListPlugins, ListSerd, ListOutbox, ListActions, GetConfig. Pages are
  // joined (except for ListEvents).
  void set_patience(std::chrono::milliseconds patience);  // of later queries; default 1 min
  Result<nlohmann::json> query(const char* method);
  // The same with a filter: ListCases, ListResources, ListEvents, ListBayHistory, ListReadings.
  Result<nlohmann::json> query(const char* method, const nlohmann::json& filter);
  // Sends a query whose answer the next equal query() takes (if paged, its first page), so that
  // several answers are computed at once. The answer is lost unless it is fetched.
  void ask_ahead(const char* method);
  void ask_ahead(const char* method, const nlohmann::json& filter);

  Result<std::vector<std::string>> judge(const std::string& verdict, const std::string& uuid,
                                         const std::string& part, bool force);
  Result<void> acknowledge(const std::string& uuid, const std::string& comment);
  Result<std::string> locate(const std::string& part, bool on);
  // The LED blinks while this connection lasts; release_locate() switches off all that it holds.
  Result<void> hold_locate(const std::string& bay);
  Result<void> release_locate();
  // Called once a second with the time waited so far; not for calls that may ask for a password.
  using Waiting = std::function<void(int64_t seconds)>;
  struct DiskAnswer {
    std::string disk;  // FMRI
    std::string note;
  };
  // Return when the disk has answered, which takes minutes if it hangs.
  Result<DiskAnswer> refresh_disk(const std::string& part, const Waiting& waiting = {});
  Result<DiskAnswer> self_test(const std::string& part, const std::string& type, bool force);
  // Return fmd's sentence when the part's plugin has answered, possibly after minutes.
  Result<std::string> retire(const std::string& part, const std::string& level,
                             const Waiting& waiting);
  Result<std::string> restore(const std::string& part, const Waiting& waiting);
  Result<std::string> replace(const std::string& part, const std::string& with, bool force,
                              const Waiting& waiting);
  // Adds a window in which messages wait (ListMaintenance lists them). Returns its id.
  Result<std::string> add_maintenance(const nlohmann::json& window);
  Result<void> end_maintenance(const std::string& id);
  // Sends a test through that channel, or "" for each. Returns the results as JSON text; takes up
  // to a minute if a channel hangs.
  Result<std::string> test_notify(const std::string& channel);
  Result<void> set_dry_run(bool on);
  Result<std::vector<std::string>> reload();

  // Subscribes to signals; wait() returns them.
  struct News {
    // "CaseChanged", "ResourceChanged", "EventsLogged"; "Gone": fmd left the bus; "": no signal
    // within the time.
    std::string signal;
    std::string subject;  // uuid or FMRI
    std::string what;
    uint64_t last_seq = 0;
  };
  Result<void> subscribe();
  // The next signal, or an empty one after timeout_ms or when `wake`, a file descriptor, becomes
  // readable. An error: the connection is lost.
  static constexpr uint64_t kForeverMs = UINT64_MAX;
  Result<News> wait(uint64_t timeout_ms, int wake = -1);

  // Whether fmd answers within that time.
  Result<void> ping(uint64_t timeout_ms);
  // The connection's socket, or -1. Another thread may shut it down (shutdown(2)) to end a call or
  // wait() immediately.
  int descriptor() const;
  // Whether the last call got no answer: fmd may have carried it out nevertheless.
  bool away() const;
  bool connected() const;
  Result<void> reconnect();

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd::ui
