#include "fmd/bus/holders.h"

#include <cerrno>
#include <utility>

namespace fmd::bus {
namespace {

// The id belongs to the bus, not the connection, and so survives a restart of fmd.
std::string id_of(sd_bus* bus) {
  sd_id128_t id;
  char text[SD_ID128_STRING_MAX];
  if (sd_bus_get_bus_id(bus, &id) < 0) return {};
  return sd_id128_to_string(id, text);
}

}  // namespace

std::string Holders::name_of(sd_bus_message* message) {
  const char* sender = sd_bus_message_get_sender(message);
  const std::string bus = id_of(sd_bus_message_get_bus(message));
  return sender && !bus.empty() ? bus + sender : "";
}

int Holders::watch(sd_bus* bus, const std::string& holder) {
  const std::string id = id_of(bus);
  if (id.empty() || !holder.starts_with(id + ':')) {
    left_(holder);
    return 0;
  }
  const auto [it, fresh] = watches_.try_emplace(holder, Watch{this, holder, {}, {}});
  if (!fresh) return 0;
  Watch& watch = it->second;
  const std::string name = holder.substr(id.size());
  const std::string rule =
      "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
      "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" +
      name + "'";
  sd_bus_slot* slot = nullptr;
  int r =
      sd_bus_add_match_async(bus, &slot, rule.c_str(), on_owner_changed, on_match_added, &watch);
  if (r >= 0) {
    watch.match.reset(slot);
    // After adding the match, so that the caller cannot leave unnoticed in between.
    r = sd_bus_call_method_async(bus, &slot, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                 "org.freedesktop.DBus", "NameHasOwner", on_has_owner, &watch, "s",
                                 name.c_str());
  }
  if (r >= 0)
    watch.question.reset(slot);
  else
    forget(holder);
  return r;
}

void Holders::forget(const std::string& holder) {
  watches_.erase(holder);
}

void Holders::forget_all() {
  watches_.clear();
}

// Copies the name, since it may belong to the watch, which is deleted first.
void Holders::left(const std::string& holder) {
  const std::string name = holder;
  forget(name);
  left_(name);
}

int Holders::on_owner_changed(sd_bus_message* signal, void* watch, sd_bus_error*) {
  const auto& one = *static_cast<Watch*>(watch);
  const char *name = nullptr, *before = nullptr, *now = nullptr;
  if (sd_bus_message_read(signal, "sss", &name, &before, &now) >= 0 && *now == '\0')
    one.owner->left(one.holder);
  return 0;
}

// A caller that cannot be watched is treated as gone, so that no light stays on by mistake.
int Holders::on_match_added(sd_bus_message* reply, void* watch, sd_bus_error*) {
  const auto& one = *static_cast<Watch*>(watch);
  if (sd_bus_message_is_method_error(reply, nullptr) > 0) one.owner->left(one.holder);
  return 0;
}

int Holders::on_has_owner(sd_bus_message* reply, void* watch, sd_bus_error*) {
  const auto& one = *static_cast<Watch*>(watch);
  int has = 0;
  if (sd_bus_message_is_method_error(reply, nullptr) > 0 ||
      sd_bus_message_read(reply, "b", &has) < 0 || has == 0)
    one.owner->left(one.holder);
  return 0;
}

}  // namespace fmd::bus
