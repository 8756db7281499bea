// Notifier: the part that all plugins which tell people have in common. Takes `deliver` for
// "outbox:NAME", answers at once what was delivered before, and remembers what was delivered before
// it says so. Single thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/base/result.h"
#include "plugins/sdk/delivered_keys.h"
#include "plugins/sdk/plugin.h"

namespace fmd::sdk {

// What is to be told: deliver's arguments (schemas/plugin-protocol.md).
struct Notice {
  std::string key, event, subject, body, host;
  int64_t time_ns = 0;  // since the epoch
  std::vector<std::string>
      to;                     // recipients; {} and "default": whom the plugin's configuration names
  nlohmann::json fault_case;  // an object, as `fmadm faulty --json` prints it
  // What happened beside the cases: an object, empty when it is about a case (deliver args, "happening").
  nlohmann::json happening;
  nlohmann::json
      sections;  // what body says, for whoever makes more of it than plain text; else null
  nlohmann::json picture;  // {"drawing","alt"} for whoever asked for it, else null
  int64_t deadline_ms = 60000;

  static Result<Notice> from_args(const nlohmann::json& args);
  // A member of the case, of its first suspect; "" when absent or no text.
  std::string of_case(const char* member) const;
  std::string of_say(const char* member) const;  // what to tell people about the case
  std::string of_suspect(const char* member) const;
  std::string of_happening(const char* member) const;
  bool is_happening() const { return !happening.empty(); }
};

class Notifier {
 public:
  // Answer once, from the loop: done, or failed with the reason; fmd tries again later.
  using Answer = std::function<void(CommandReply)>;
  using Send = std::function<void(const Notice&, Answer)>;

  // Uses $STATE_DIRECTORY. with_picture: notices come with the picture of the chassis, where there is one.
  static Result<std::unique_ptr<Notifier>> create(sd_event* loop, const std::string& name,
                                                  const std::string& socket, Send send,
                                                  bool with_picture = false);
  DeliveredKeys& delivered() { return delivered_; }
  Plugin& plugin() { return plugin_; }

 private:
  Notifier(sd_event* loop, const std::string& name, const std::string& socket,
           DeliveredKeys delivered, Send send, bool with_picture);
  void deliver(const CommandRequest& request, const Plugin::Reply& reply);

  DeliveredKeys delivered_;
  Send send_;
  Plugin plugin_;  // last: it calls into the others
};

}  // namespace fmd::sdk
