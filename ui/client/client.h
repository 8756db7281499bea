// Client: the calls of org.fmd.FaultManager1 as the command lines need them. Synchronous; one
// thread. Errors are sentences for the person at the terminal.
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

  // A query's JSON document: ListPlugins, ListSerd, ListOutbox, ListActions, GetConfig. What fmd gives in
  // pages is put together (but for ListEvents).
  void set_patience(std::chrono::milliseconds patience);  // with each query from now on (a minute)
  Result<nlohmann::json> query(const char* method);
  // The same with a filter: ListCases, ListResources, ListEvents, ListBayHistory, ListReadings.
  Result<nlohmann::json> query(const char* method, const nlohmann::json& filter);
  // Asks now what the next query() of the same is answered with (of pages the first): answers are not waited for one
  // after the other. What is not fetched is lost.
  void ask_ahead(const char* method);
  void ask_ahead(const char* method, const nlohmann::json& filter);

  Result<std::vector<std::string>> judge(const std::string& verdict, const std::string& uuid,
                                         const std::string& part, bool force);
  Result<void> acknowledge(const std::string& uuid, const std::string& comment);
  Result<std::string> locate(const std::string& part, bool on);
  // On while this connection lasts; release_locate() ends all that it holds.
  Result<void> hold_locate(const std::string& bay);
  Result<void> release_locate();
  // Called once a second with how long the answer has been waited for; not where a password may be
  // asked for.
  using Waiting = std::function<void(int64_t seconds)>;
  struct DiskAnswer {
    std::string disk;  // FMRI
    std::string note;
  };
  // Return when the disk has answered: minutes, if it hangs.
  Result<DiskAnswer> refresh_disk(const std::string& part, const Waiting& waiting = {});
  Result<DiskAnswer> self_test(const std::string& part, const std::string& type, bool force);
  // Return when the part's plugin has answered: minutes, perhaps. A sentence.
  Result<std::string> retire(const std::string& part, const std::string& level,
                             const Waiting& waiting);
  Result<std::string> restore(const std::string& part, const Waiting& waiting);
  Result<std::string> replace(const std::string& part, const std::string& with, bool force,
                              const Waiting& waiting);
  // Messages wait (ListMaintenance lists the windows). Returns its id.
  Result<std::string> add_maintenance(const nlohmann::json& window);
  Result<void> end_maintenance(const std::string& id);
  // Through that channel, "" each. What each said, as JSON text; a minute, when one hangs.
  Result<std::string> test_notify(const std::string& channel);
  Result<void> set_dry_run(bool on);
  Result<std::vector<std::string>> reload();

  // Signals arrive from now on: each is handed to wait()'s caller.
  struct News {
    // "CaseChanged", "ResourceChanged", "EventsLogged", "Gone" when fmd left the bus, "" when time is
    // up.
    std::string signal;
    std::string subject;  // uuid or FMRI
    std::string what;
    uint64_t last_seq = 0;
  };
  Result<void> subscribe();
  // The next signal, or an empty one after timeout_ms without any, or when
  // `wake`, a file descriptor, can be read. An error: the connection is lost.
  static constexpr uint64_t kForeverMs = UINT64_MAX;
  Result<News> wait(uint64_t timeout_ms, int wake = -1);

  // Whether fmd is there and answers, within that time.
  Result<void> ping(uint64_t timeout_ms);
  // The connection's; another thread may shut it down (shutdown(2)) to end a call or wait() at once. -1: there is none.
  int descriptor() const;
  // Whether the last call failed for want of an answer: it may have been done all the same.
  bool away() const;
  bool connected() const;
  Result<void> reconnect();

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd::ui
