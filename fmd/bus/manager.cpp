#include "fmd/bus/manager.h"

#include <memory>
#include <string>
#include <vector>

#include "fmd/base/text.h"
#include "fmd/bus/answers.h"
#include "fmd/bus/objects.h"

namespace fmd::bus {
namespace {

constexpr size_t kMaxArgument = 16384;
constexpr size_t kLongestLevel = 40;  // of a query's argument

Manager& manager_of(void* userdata) {
  return *static_cast<Manager*>(userdata);
}

// Reads the next n strings; refuses oversized ones before they cost anything.
Result<std::vector<std::string>> read_texts(sd_bus_message* message, size_t n) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < n; ++i) {
    const char* text = nullptr;
    if (sd_bus_message_read(message, "s", &text) < 0) return fail("An argument cannot be read");
    texts.emplace_back(text);
    if (texts.back().size() > kMaxArgument)
      return fail("An argument is longer than " + std::to_string(kMaxArgument) + " bytes");
  }
  return texts;
}

int reply_invalid(sd_bus_message* message, const Error& error) {
  return reply_error(message, SD_BUS_ERROR_INVALID_ARGS, error.text());
}

template <auto Query>
int on_query(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  return answer_query(
      manager, manager.from_memory, message,
      [&manager](const Control::Ordered& done) { done((manager.control.*Query)()); });
}

template <auto Query>
int on_filtered_query(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 1);
  if (!texts) return reply_invalid(message, texts.error());
  return answer_query(manager, manager.from_memory, message,
                      [&manager, filter = texts->at(0)](const Control::Ordered& done) {
                        done((manager.control.*Query)(filter));
                      });
}

int on_list_page(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 2);
  if (!texts) return reply_invalid(message, texts.error());
  return answer_query(manager, manager.from_memory, message,
                      [&manager, t = *texts](const Control::Ordered& done) {
                        done(manager.control.list_page(t[0], t[1]));
                      });
}

// A query that reads the disk.
template <auto Query>
int on_stored_query(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 1);
  if (!texts) return reply_invalid(message, texts.error());
  return answer_query(manager, manager.from_disk, message,
                      [&manager, filter = texts->at(0)](Control::Ordered done) {
                        (manager.control.*Query)(filter, std::move(done));
                      });
}

int on_judge(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 3);
  int force = 0;
  if (!texts) return reply_invalid(message, texts.error());
  if (const int r = sd_bus_message_read(message, "b", &force); r < 0) return r;
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.judge",
      [&manager, t = *texts, force](sd_bus_message* m, const std::string& who) {
        const auto uuids = manager.control.judge(t[0], t[1], t[2], force != 0, who);
        if (uuids)
          reply_list(m, *uuids);
        else
          reply_error(m, kErrorFailed, uuids.error().text());
      });
}

int on_acknowledge(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 2);
  if (!texts) return reply_invalid(message, texts.error());
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.acknowledge",
      [&manager, t = *texts](sd_bus_message* m, const std::string& who) {
        reply_done(m, manager.control.acknowledge(t[0], t[1], who));
      });
}

int on_locate(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 1);
  int on = 0;
  if (!texts) return reply_invalid(message, texts.error());
  if (const int r = sd_bus_message_read(message, "b", &on); r < 0) return r;
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.locate",
      [&manager, part = texts->at(0), on](sd_bus_message* m, const std::string& who) {
        reply_text(m, manager.control.locate(part, on != 0, who));
      });
}

// Starts the watch after the request is registered: a holder that has left by then is noticed.
void hold_locate(Manager& manager, sd_bus_message* m, const std::string& part,
                 const std::string& who) {
  const std::string holder = Holders::name_of(m);
  auto bay = manager.control.hold_locate(part, holder, who);
  if (bay && manager.holders.watch(sd_bus_message_get_bus(m), holder) < 0) {
    (void)manager.control.release_locate(holder);
    bay = fail("the bus does not tell when its callers leave");
  }
  reply_text(m, bay);
}

int on_hold_locate(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 1);
  if (!texts) return reply_invalid(message, texts.error());
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.locate",
      [&manager, part = texts->at(0)](sd_bus_message* m, const std::string& who) {
        hold_locate(manager, m, part, who);
      });
}

// Releases the caller's own request, so no authorization is needed.
int on_release_locate(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const std::string holder = Holders::name_of(message);
  manager.holders.forget(holder);
  return reply_done(message, manager.control.release_locate(holder));
}

// Disks and plugins answer later while the loop continues; the message is kept until then. A caller
// that has left by then gets no answer.
Control::DiskAsked answer_later(sd_bus_message* message) {
  const std::shared_ptr<sd_bus_message> kept(sd_bus_message_ref(message), sd_bus_message_unref);
  return [kept](const Result<DiskAnswer>& answer) {
    if (!answer)
      reply_error(kept.get(), kErrorFailed, answer.error().text());
    else
      sd_bus_reply_method_return(kept.get(), "ss", wire_text(answer->disk).c_str(),
                                 wire_text(answer->note).c_str());
  };
}

int on_refresh_disk(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 1);
  if (!texts) return reply_invalid(message, texts.error());
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.test",
      [&manager, part = texts->at(0)](sd_bus_message* m, const std::string& who) {
        manager.control.refresh_disk(part, who, answer_later(m));
      });
}

int on_self_test(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 2);
  int force = 0;
  if (!texts) return reply_invalid(message, texts.error());
  if (const int r = sd_bus_message_read(message, "b", &force); r < 0) return r;
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.test",
      [&manager, t = *texts, force](sd_bus_message* m, const std::string& who) {
        manager.control.self_test(t[0], t[1], force != 0, who, answer_later(m));
      });
}

Control::Ordered say_later(sd_bus_message* message) {
  const std::shared_ptr<sd_bus_message> kept(sd_bus_message_ref(message), sd_bus_message_unref);
  return [kept](const Result<std::string>& text) { reply_text(kept.get(), text); };
}

int on_retire(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 2);
  if (!texts) return reply_invalid(message, texts.error());
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.retire",
      [&manager, t = *texts](sd_bus_message* m, const std::string& who) {
        manager.control.retire(t[0], t[1], who, say_later(m));
      },
      [&manager, t = *texts] {
        return Authorizer::Details{
            {"polkit.message",
             "Authentication is required to take $(part) out of service (level: $(level))"},
            {"part", manager.control.name_part(t[0])},
            {"level", display(t[1], kLongestLevel)}};
      });
}

int on_restore(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 1);
  if (!texts) return reply_invalid(message, texts.error());
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.restore",
      [&manager, part = texts->at(0)](sd_bus_message* m, const std::string& who) {
        manager.control.restore(part, who, say_later(m));
      });
}

int on_replace(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 2);
  int force = 0;
  if (!texts) return reply_invalid(message, texts.error());
  if (const int r = sd_bus_message_read(message, "b", &force); r < 0) return r;
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.replace",
      [&manager, t = *texts, force](sd_bus_message* m, const std::string& who) {
        manager.control.replace(t[0], t[1], force != 0, who, say_later(m));
      },
      [&manager, t = *texts, force] {
        return Authorizer::Details{
            {"polkit.message",
             force ? "Authentication is required to replace $(part) by $(replacement) and to "
                     "overwrite what is on $(replacement)"
                   : "Authentication is required to replace $(part) by $(replacement)"},
            {"part", manager.control.name_part(t[0])},
            {"replacement", manager.control.name_part(t[1])}};
      });
}

int on_add_maintenance(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 1);
  if (!texts) return reply_invalid(message, texts.error());
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.maintain",
      [&manager, spec = texts->at(0)](sd_bus_message* m, const std::string& who) {
        reply_text(m, manager.control.add_maintenance(spec, who));
      });
}

int on_end_maintenance(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 1);
  if (!texts) return reply_invalid(message, texts.error());
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.maintain",
      [&manager, id = texts->at(0)](sd_bus_message* m, const std::string& who) {
        reply_done(m, manager.control.end_maintenance(id, who));
      });
}

int on_test_notify(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  const auto texts = read_texts(message, 1);
  if (!texts) return reply_invalid(message, texts.error());
  return manager.authorizer.authorize(
      message, "org.fmd.faultmanager1.configure",
      [&manager, channel = texts->at(0)](sd_bus_message* m, const std::string& who) {
        manager.control.test_notify(channel, who, say_later(m));
      });
}

int on_set_dry_run(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  int on = 0;
  if (const int r = sd_bus_message_read(message, "b", &on); r < 0) return r;
  return manager.authorizer.authorize(message, "org.fmd.faultmanager1.configure",
                                      [&manager, on](sd_bus_message* m, const std::string& who) {
                                        reply_done(m, manager.control.set_dry_run(on != 0, who));
                                      });
}

int on_reload(sd_bus_message* message, void* userdata, sd_bus_error*) {
  Manager& manager = manager_of(userdata);
  return manager.authorizer.authorize(message, "org.fmd.faultmanager1.configure",
                                      [&manager](sd_bus_message* m, const std::string& who) {
                                        reply_list(m, manager.control.reload(who));
                                      });
}

int get_version(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                void* userdata, sd_bus_error*) {
  return sd_bus_message_append(reply, "s",
                               wire_text(manager_of(userdata).control.version()).c_str());
}

int get_dry_run(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                void* userdata, sd_bus_error*) {
  return sd_bus_message_append(reply, "b", manager_of(userdata).control.dry_run() ? 1 : 0);
}

int get_open_cases(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply,
                   void* userdata, sd_bus_error*) {
  return sd_bus_message_append(reply, "u", open_cases(manager_of(userdata).control));
}

// Unprivileged: sd-bus must not check capabilities; the Authorizer decides.
constexpr uint64_t kOpen = SD_BUS_VTABLE_UNPRIVILEGED;

const sd_bus_vtable kVtable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Version", "s", get_version, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("DryRun", "b", get_dry_run, 0, kEmits),
    SD_BUS_PROPERTY("OpenCases", "u", get_open_cases, 0, kEmits),
    SD_BUS_METHOD_WITH_NAMES("ListCases", "s", SD_BUS_PARAM(filter), "s", SD_BUS_PARAM(cases),
                             on_filtered_query<&Control::list_cases>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListEvents", "s", SD_BUS_PARAM(query), "s", SD_BUS_PARAM(events),
                             on_stored_query<&Control::list_events>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListResources", "s", SD_BUS_PARAM(filter), "s",
                             SD_BUS_PARAM(resources), on_filtered_query<&Control::list_resources>,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListBayHistory", "s", SD_BUS_PARAM(filter), "s",
                             SD_BUS_PARAM(tenancies), on_filtered_query<&Control::list_bay_history>,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListReadings", "s", SD_BUS_PARAM(query), "s", SD_BUS_PARAM(readings),
                             on_stored_query<&Control::list_readings>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListPlugins", nullptr, "", "s", SD_BUS_PARAM(plugins),
                             on_query<&Control::list_plugins>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListSerd", nullptr, "", "s", SD_BUS_PARAM(engines),
                             on_query<&Control::list_serd>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListOutbox", nullptr, "", "s", SD_BUS_PARAM(entries),
                             on_query<&Control::list_outbox>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListPage", "ss", SD_BUS_PARAM(list) SD_BUS_PARAM(filter), "s",
                             SD_BUS_PARAM(page), on_list_page, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListHappenings", nullptr, "", "s", SD_BUS_PARAM(happenings),
                             on_query<&Control::list_happenings>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListActions", nullptr, "", "s", SD_BUS_PARAM(actions),
                             on_query<&Control::list_actions>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("GetConfig", nullptr, "", "s", SD_BUS_PARAM(config),
                             on_query<&Control::get_config>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("GetStatus", nullptr, "", "s", SD_BUS_PARAM(status),
                             on_query<&Control::get_status>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("Judge", "sssb",
                             SD_BUS_PARAM(verdict) SD_BUS_PARAM(uuid) SD_BUS_PARAM(part)
                                 SD_BUS_PARAM(force),
                             "as", SD_BUS_PARAM(uuids), on_judge, kOpen),
    SD_BUS_METHOD_WITH_NAMES("Acknowledge", "ss", SD_BUS_PARAM(uuid) SD_BUS_PARAM(comment), nullptr,
                             "", on_acknowledge, kOpen),
    SD_BUS_METHOD_WITH_NAMES("Locate", "sb", SD_BUS_PARAM(part) SD_BUS_PARAM(on), "s",
                             SD_BUS_PARAM(bay), on_locate, kOpen),
    SD_BUS_METHOD_WITH_NAMES("HoldLocate", "s", SD_BUS_PARAM(part), "s", SD_BUS_PARAM(bay),
                             on_hold_locate, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ReleaseLocate", nullptr, "", nullptr, "", on_release_locate, kOpen),
    SD_BUS_METHOD_WITH_NAMES("RefreshDisk", "s", SD_BUS_PARAM(part), "ss",
                             SD_BUS_PARAM(disk) SD_BUS_PARAM(note), on_refresh_disk, kOpen),
    SD_BUS_METHOD_WITH_NAMES("SelfTest", "ssb",
                             SD_BUS_PARAM(part) SD_BUS_PARAM(type) SD_BUS_PARAM(force), "ss",
                             SD_BUS_PARAM(disk) SD_BUS_PARAM(note), on_self_test, kOpen),
    SD_BUS_METHOD_WITH_NAMES("Retire", "ss", SD_BUS_PARAM(part) SD_BUS_PARAM(level), "s",
                             SD_BUS_PARAM(text), on_retire, kOpen),
    SD_BUS_METHOD_WITH_NAMES("Restore", "s", SD_BUS_PARAM(part), "s", SD_BUS_PARAM(text),
                             on_restore, kOpen),
    SD_BUS_METHOD_WITH_NAMES("Replace", "ssb",
                             SD_BUS_PARAM(part) SD_BUS_PARAM(with) SD_BUS_PARAM(force), "s",
                             SD_BUS_PARAM(text), on_replace, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ListMaintenance", nullptr, "", "s", SD_BUS_PARAM(windows),
                             on_query<&Control::list_maintenance>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("AddMaintenance", "s", SD_BUS_PARAM(window), "s", SD_BUS_PARAM(id),
                             on_add_maintenance, kOpen),
    SD_BUS_METHOD_WITH_NAMES("EndMaintenance", "s", SD_BUS_PARAM(id), nullptr, "",
                             on_end_maintenance, kOpen),
    SD_BUS_METHOD_WITH_NAMES("ExplainNotify", "s", SD_BUS_PARAM(filter), "s", SD_BUS_PARAM(notices),
                             on_filtered_query<&Control::explain_notify>, kOpen),
    SD_BUS_METHOD_WITH_NAMES("TestNotify", "s", SD_BUS_PARAM(channel), "s", SD_BUS_PARAM(answers),
                             on_test_notify, kOpen),
    SD_BUS_METHOD_WITH_NAMES("SetDryRun", "b", SD_BUS_PARAM(on), nullptr, "", on_set_dry_run,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("Reload", nullptr, "", "as", SD_BUS_PARAM(errors), on_reload, kOpen),
    SD_BUS_SIGNAL_WITH_NAMES("CaseChanged", "ss", SD_BUS_PARAM(uuid) SD_BUS_PARAM(event), 0),
    SD_BUS_SIGNAL_WITH_NAMES("ResourceChanged", "ss", SD_BUS_PARAM(fmri) SD_BUS_PARAM(kind), 0),
    SD_BUS_SIGNAL_WITH_NAMES("EventsLogged", "t", SD_BUS_PARAM(last_seq), 0),
    SD_BUS_VTABLE_END};

}  // namespace

uint32_t open_cases(const Control& control) {
  return static_cast<uint32_t>(control.engine().open_cases_by_age().size());
}

int export_manager(sd_bus* bus, Manager& manager) {
  int r = sd_bus_add_filter(bus, nullptr, on_call, &manager);
  if (r >= 0) r = sd_bus_add_object_manager(bus, nullptr, kPath);
  if (r < 0) return r;
  return sd_bus_add_object_vtable(bus, nullptr, kPath, kName, kVtable, &manager);
}

}  // namespace fmd::bus
