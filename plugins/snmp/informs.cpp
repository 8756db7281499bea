#include "plugins/snmp/informs.h"

#include <memory>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"

namespace fmd::snmp {
namespace {

using nlohmann::json;

constexpr int kTries = 3;  // the first attempt and two more
constexpr std::chrono::milliseconds kSlack{
    5000};  // for starting the program and discovering the manager's engine

Result<Oid> oid_from(const json& list) {
  Oid oid;
  if (!list.is_array()) return fail("an object identifier is not a list of numbers");
  for (const json& arc : list) {
    if (!arc.is_number_unsigned()) return fail("an object identifier is not a list of numbers");
    oid.push_back(arc.get<unsigned long>());
  }
  return oid;
}

struct Round {
  int open = 1;  // pending answers, plus one while the round is being started
  std::string problems;
  Informs::Done done;
  void close(const std::string& problem) {
    if (!problem.empty()) problems += (problems.empty() ? "" : "; ") + problem;
    if (--open == 0) done(problems);
  }
};

}  // namespace

std::string to_argument(const Notification& notification) {
  json objects = json::array();
  for (const auto& [name, value] : notification.objects) objects.push_back({name, value});
  return dump_json({{"trap", notification.trap}, {"objects", objects}});
}

Result<Notification> notification_from_argument(const std::string& argument) {
  const json doc = json::parse(argument, nullptr, false);
  if (!doc.is_object() || !doc.contains("trap") || !doc.contains("objects"))
    return fail("the notification is not what fmd-snmp hands over");
  Notification notification;
  auto trap = oid_from(doc["trap"]);
  if (!trap) return tl::unexpected(trap.error());
  notification.trap = std::move(*trap);
  for (const json& object : doc["objects"]) {
    if (!object.is_array() || object.size() != 2 || !object[1].is_string())
      return fail("the notification is not what fmd-snmp hands over");
    auto name = oid_from(object[0]);
    if (!name) return tl::unexpected(name.error());
    notification.objects.emplace_back(std::move(*name), object[1].get<std::string>());
  }
  return notification;
}

void Informs::send(const Notification& notification, const std::string& key, Done done) {
  const auto round = std::make_shared<Round>();
  round->done = std::move(done);
  const std::string argument = to_argument(notification);
  for (const std::string& manager : options_.inform.managers) {
    // Managers that have confirmed do not get it again because another has not.
    const std::string own_key = key + "@" + manager;
    if (delivered_.contains(own_key)) continue;
    ++round->open;
    host_.run({program_, "--config", options_.path, "--to", manager, argument},
              options_.inform.timeout * kTries * 2 + kSlack,
              [this, round, manager, own_key](const sdk::CommandOutput& output) {
                if (!output.ok()) {
                  std::string why = display(output.err.substr(0, output.err.find('\n')));
                  if (why.empty()) why = output.explain("fmd-snmp-inform");
                  return round->close(manager + ": " + why);
                }
                const auto kept = delivered_.add(own_key);
                round->close(kept ? "" : manager + ": " + kept.error().text());
              });
  }
  round->close("");
}

}  // namespace fmd::snmp
