#include "plugins/sdk/notifier.h"

#include <syslog.h>

#include <utility>

#include "fmd/base/json_value.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/notice.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::sdk {

Result<Notice> Notice::from_args(const nlohmann::json& args) {
  Notice notice;
  notice.key = json_text(args, "key");
  if (notice.key.empty()) return fail("deliver has no key");
  notice.event = json_text(args, "event");
  notice.subject = json_text(args, "subject");
  notice.body = json_text(args, "body");
  notice.host = json_text(args, "host");
  if (const auto time = args.find("time"); time != args.end() && time->is_number_integer())
    notice.time_ns = time->get<int64_t>();
  if (const auto to = args.find("to"); to != args.end() && to->is_array())
    for (const auto& recipient : *to)
      if (recipient.is_string()) notice.to.push_back(recipient.get<std::string>());
  for (const auto& [name, into] :
       {std::pair{"sections", &notice.sections}, {"picture", &notice.picture}})
    if (const auto found = args.find(name); found != args.end()) *into = *found;
  const auto object = [&args](const char* name) {
    const auto found = args.find(name);
    return found != args.end() && found->is_object() ? *found : nlohmann::json::object();
  };
  notice.fault_case = object("case");
  notice.happening = object("happening");
  return notice;
}

std::string Notice::of_case(const char* member) const {
  return json_text(fault_case, member);
}

std::string Notice::of_say(const char* member) const {
  const auto say = fault_case.find("say");
  if (say == fault_case.end() || !say->is_object()) return "";
  const auto list = say->find(member);
  if (list == say->end() || !list->is_array()) return json_text(*say, member);
  std::string out;
  for (const auto& one : *list)
    if (one.is_string()) out += (out.empty() ? "" : " ") + one.get<std::string>();
  return out;
}

std::string Notice::of_suspect(const char* member) const {
  const auto suspects = fault_case.find("suspects");
  if (suspects == fault_case.end() || !suspects->is_array() || suspects->empty()) return "";
  return json_text(suspects->front(), member);
}

std::string Notice::of_happening(const char* member) const {
  return json_text(happening, member);
}

Result<std::unique_ptr<Notifier>> Notifier::create(sd_event* loop, const std::string& name,
                                                   const std::string& socket, Send send,
                                                   bool with_picture) {
  const auto folder = state_directory();
  if (!folder) return tl::unexpected(folder.error());
  auto delivered = DeliveredKeys::open(*folder);
  if (!delivered) return tl::unexpected(delivered.error());
  return std::unique_ptr<Notifier>(
      new Notifier(loop, name, socket, std::move(*delivered), std::move(send), with_picture));
}

Notifier::Notifier(sd_event* loop, const std::string& name, const std::string& socket,
                   DeliveredKeys delivered, Send send, bool with_picture)
    : delivered_(std::move(delivered)),
      send_(std::move(send)),
      plugin_(loop,
              {.name = name,
               .observes = {},
               .commands = with_picture ? std::vector<std::string>{"deliver", "picture"}
                                        : std::vector<std::string>{"deliver"},
               .handles = {"outbox:" + name}},
              socket) {
  plugin_.on_command([this](const CommandRequest& request, const Plugin::Reply& reply) {
    deliver(request, reply);
  });
}

void Notifier::deliver(const CommandRequest& request, const Plugin::Reply& reply) {
  auto notice = Notice::from_args(request.args);
  if (!notice) return reply(failed(notice.error().text()));
  notice->deadline_ms = request.deadline_ms;
  if (delivered_.contains(notice->key))
    return reply({"done", "it was delivered before", nlohmann::json::object()});
  send_(*notice, [this, reply, key = notice->key](CommandReply answer) {
    if (answer.status == "done") {
      if (const auto kept = delivered_.add(key); !kept) {
        // The message has been sent: "failed" would make fmd send it again.
        log(LOG_ERR, kept.error().text());
        answer.reason += (answer.reason.empty() ? "" : "; ") + kept.error().text();
      }
    } else {
      log(LOG_WARNING, key + " was not delivered: " + answer.reason);
    }
    reply(std::move(answer));
  });
}

}  // namespace fmd::sdk
