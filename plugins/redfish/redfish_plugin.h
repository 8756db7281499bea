// RedfishPlugin: polls the machine's management controller by Redfish, one request at a time, and
// reports changes to fmd.
//
//   listener: an event ─▶ hasten(): the next poll comes sooner
//   watcher_ ─▶ look(): if no order uses the child ─▶ crawl(): a child reads ─▶ documents
//       ─▶ resources, confirmed by a second poll; log entries ─▶ publish()
// Single thread.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/redfish/documents.h"
#include "plugins/redfish/listener.h"
#include "plugins/redfish/log.h"
#include "plugins/redfish/options.h"
#include "plugins/redfish/parts.h"
#include "plugins/sdk/inventory_diff.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/watcher.h"

namespace fmd::redfish {

class RedfishPlugin {
 public:
  RedfishPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  ~RedfishPlugin();  // ends the session
  RedfishPlugin(const RedfishPlugin&) = delete;
  RedfishPlugin& operator=(const RedfishPlugin&) = delete;

 private:
  struct Order {
    std::string bay;
    bool on;
    sdk::Plugin::Reply reply;
  };
  void connected(const std::string& cursor);
  void look(bool asked);
  void crawl();
  void hasten();
  void looked(const sdk::CommandOutput& output);
  void not_answered(const std::string& why, bool refused);
  void take(nlohmann::json report);
  bool confirm(Told told);
  void publish();
  void command(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply);
  void carry_out();
  void carried_out(const Order& order, const std::string& uri, const sdk::CommandOutput& output);
  void run(std::function<std::string()> work, std::chrono::milliseconds deadline,
           std::function<void(const sdk::CommandOutput&)> done);
  std::string session_file() const { return folder_.empty() ? "" : folder_ + "/session"; }

  sdk::Host& host_;
  Options options_;
  sdk::Plugin plugin_;
  sdk::InventoryDiff inventory_;
  sdk::Watcher watcher_;
  Listener listener_;
  Service service_;
  std::string folder_;
  hardware::FmriMemory parts_;
  hardware::FailedFan failed_fan_;
  bool own_folder_ = false;
  Documents documents_;
  Log log_;
  Resources last_, confirmed_;
  std::map<std::string, std::string> drives_;  // bay → drive
  nlohmann::json readings_ = nlohmann::json::array();
  std::vector<sdk::OutEvent> events_;
  std::vector<Order> orders_;
  size_t failures_ = 0, looks_ = 0;  // consecutive ones
  // Consecutive polls triggered by the listener that found no change.
  size_t in_vain_ = 0;
  std::chrono::steady_clock::time_point looked_;         // end of the last successful poll
  std::chrono::steady_clock::time_point refused_until_;  // no poll before: see not_answered()
  bool heard_ = false, hastened_ = false;
  bool busy_ = false, stuck_ = false;  // the child is running; beyond its deadline
  bool started_ = false;
};

}  // namespace fmd::redfish
