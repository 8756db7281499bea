// Notifier: the common part of all plugins that send messages to people. It receives the command
// `deliver` for "outbox:NAME", calls the plugin's Send once per message, stores the key of a
// delivered message, and only then answers done. A repeated command for a delivered message is
// answered without sending. Single thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/sdk/delivered_keys.h"
#include "plugins/sdk/plugin.h"

namespace fmd::sdk {

struct Notice;  // notice.h

class Notifier {
 public:
  // Call once, from the loop: done, or failed with the reason; fmd tries again later.
  using Answer = std::function<void(CommandReply)>;
  using Send = std::function<void(const Notice&, Answer)>;

  // Uses $STATE_DIRECTORY. with_picture: ask fmd for the picture of the chassis, if there is one.
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
