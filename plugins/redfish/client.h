// Client: HTTPS to a Redfish service (DSP0266) with libcurl, in a forked child because it blocks.
// One request at a time, one connection, one session. The session's token and address are kept in a
// file, so that later polls and restarts reuse it until end_session(). Unchanged documents are not
// sent again (ETag). Compressed answers are neither requested nor accepted, and a Budget limits the
// poll.
#pragma once
#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fmd/base/result.h"
#include "plugins/redfish/budget.h"
#include "plugins/redfish/documents.h"
#include "plugins/redfish/options.h"

namespace fmd::redfish {

class Client {
 public:
  // known: documents of the previous poll. session_file: "" keeps no session.
  Client(const Options& options, Documents known, std::string session_file);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // nullptr on failure or if it is not JSON: see trouble(). Valid while the client lives.
  const nlohmann::json* get(const std::string& uri);
  Result<void> patch(const std::string& uri, const nlohmann::json& change);
  // The poll should end: no answer, or login refused.
  bool lost() const { return lost_; }
  bool refused() const { return refused_; }  // login refused: retrying soon may lock the account
  bool spent() const { return budget_.spent(); }
  // The limit that a document exceeded, as a sentence; "" none.
  std::string limit() const { return spent() ? budget_.complaint() : limit_; }
  const std::string& trouble() const { return trouble_; }
  const Documents& documents() const { return documents_; }
  size_t requests() const { return requests_; }
  void end_session();

  // The plugin is stopping: no poll may open a session, and a running poll ends with its request.
  static void announce_end(const std::string& session_file, bool on);
  static bool end_announced(const std::string& session_file);
  // Waits until no poll uses the session.
  static void wait_until_free(const std::string& session_file, std::chrono::milliseconds at_most);

 private:
  struct Answer {
    long status = 0;  // 0: no answer
    std::string body, etag, token, location;
    std::string limit;  // "" if complete; else why not: "is larger than 8 MiB"
  };
  struct Receiver;
  Answer ask(const char* method, const std::string& uri, const std::string* body,
             const std::string& etag);
  Answer in_session(const char* method, const std::string& uri, const std::string* body,
                    const std::string& etag);
  bool log_in();
  const nlohmann::json* keep(const std::string& uri, Document document);
  const nlohmann::json* beyond(const std::string& uri, const std::string& limit);
  void forget_session();

  struct Impl;
  std::unique_ptr<Impl> impl_;
  const Options& options_;
  Documents known_, documents_;
  std::string file_, token_, session_;
  std::string trouble_, limit_;
  Budget budget_;
  bool lost_ = false, refused_ = false, logged_in_ = false;
  int lock_ = -1;  // held while the client lives
  size_t requests_ = 0;
};

}  // namespace fmd::redfish
