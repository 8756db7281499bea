// SnmpPlugin: passes each notice as a notification to the AgentX master, or, without a master,
// sends it directly to the managers; and serves the tables. Single thread, except for the reader's.
#pragma once
#include <memory>
#include <string>

#include "plugins/sdk/notifier.h"
#include "plugins/snmp/informs.h"
#include "plugins/snmp/options.h"
#include "plugins/snmp/reader.h"
#include "plugins/snmp/subagent.h"

namespace fmd::snmp {

class SnmpPlugin {
 public:
  static Result<std::unique_ptr<SnmpPlugin>> create(sdk::Context& context, Options options);

 private:
  SnmpPlugin(sdk::Context& context, Options options);
  Result<void> start(PartNumbers numbers);
  void say();
  void deliver(const sdk::Notice& notice, const sdk::Notifier::Answer& answer);
  void send(const Notification& notification, const std::string& key, Informs::Done done);

  sdk::Context& context_;
  Options options_;
  std::unique_ptr<sdk::Notifier> notifier_;
  std::unique_ptr<Informs> informs_;
  std::unique_ptr<Subagent> subagent_;  // pending notifications end before the rest
  std::unique_ptr<Reader> reader_;
};

}  // namespace fmd::snmp
