#include "fmd/notify/happening_message.h"

#include <fmt/format.h>

#include "fmd/base/capacity.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/message_id.h"
#include "fmd/model/scan_noun.h"
#include "fmd/notify/body.h"
#include "fmd/notify/phrases.h"

namespace fmd {
namespace {

constexpr size_t kLongestName = 60;

std::string shown(const std::string& text) {
  return display(text, kLongestName);
}

std::string or_else(const std::string& text, const char* otherwise) {
  return text.empty() ? otherwise : shown(text);
}

// "bay SLOT 04, serial S", "serial S", "/dev/sdf".
std::string place_of(const Happening& h) {
  std::string out = h.location.empty() ? std::string() : bay_in_words(h.location);
  if (!h.serial.empty()) out += (out.empty() ? "serial " : ", serial ") + shown(h.serial);
  if (out.empty()) out = shown(h.name.empty() ? h.part : h.name);
  return out;
}

std::string in_or_dash(const Happening& h) {
  return (h.location.empty()                      ? ": "
          : h.kind == HappeningKind::disk_removed ? " from "
                                                  : " in ") +
         place_of(h);
}

std::string_view fill_noun(const Happening& h) {
  return scan_noun(h.part, "resilver");
}

// What happened, in sentences.
std::string story_of(const Happening& h, const std::string& host) {
  const std::string pool = or_else(h.pool, "a pool");
  switch (h.kind) {
    case HappeningKind::spare_activated:
      return fmt::format("A hot spare{} has taken the place of {} in {} on {}.",
                         h.detail.empty() ? "" : " (" + shown(h.detail) + ")", place_of(h), pool,
                         host);
    case HappeningKind::resilver_started:
      return fmt::format("The {} of {} on {} has begun.", fill_noun(h), pool, host);
    case HappeningKind::resilver_finished:
      return fmt::format("The {} of {} on {} has ended; its health is {}.", fill_noun(h), pool,
                         host, or_else(h.health, "not known"));
    case HappeningKind::disk_inserted:
      return fmt::format("A disk was put into {}: {}.", host, place_of(h));
    case HappeningKind::disk_removed:
      return fmt::format("A disk of {} was taken out, or is not seen any more: {}.", host,
                         place_of(h));
    case HappeningKind::scrub_errors:
      return fmt::format(
          "The {} of {} on {} has ended and found errors. If a part is to blame, fmd opens a "
          "case, and tells it by itself.",
          scan_noun(h.part, "scrub"), pool, host);
    case HappeningKind::plugin_silent:
      return fmt::format(
          "The plugin fmd-{} on {} does not respond: what it monitors is not monitored now.",
          shown(h.name), host);
    case HappeningKind::led_failed:
      return fmt::format("A light of {} on {} cannot be switched: look for the part by its bay.",
                         place_of(h), host);
  }
  return {};
}

std::string chassis_of(const Happening& h, const Inventory& inventory) {
  const size_t end = h.bay.find("/bay=");
  if (end == h.bay.npos) return {};
  const Resource* box = inventory.find(h.bay.substr(0, end));
  const std::string label = box ? box->get("label") : std::string();
  return shown(label.empty() ? h.bay.substr(0, end) : label);
}

std::string size_of(const Happening& h, const Inventory& inventory) {
  const Resource* part = inventory.find(h.part);
  if (!part || part->get("size_bytes").empty()) return {};
  const auto size = part->properties.find("size_bytes");
  return format_capacity(json_uint({{"size", value_to_json(size->second)}}, "size"));
}

}  // namespace

std::string headline_of(const Happening& h) {
  const std::string pool = or_else(h.pool, "a pool");
  switch (h.kind) {
    case HappeningKind::spare_activated:
      return fmt::format("hot spare in for {} of {}", place_of(h), pool);
    case HappeningKind::resilver_started:
      return fmt::format("the {} of {} has begun", fill_noun(h), pool);
    case HappeningKind::resilver_finished:
      return fmt::format("the {} of {} has ended, {}", fill_noun(h), pool,
                         or_else(h.health, "health not known"));
    case HappeningKind::disk_inserted:
      return "disk inserted" + in_or_dash(h);
    case HappeningKind::disk_removed:
      return "disk removed" + in_or_dash(h);
    case HappeningKind::scrub_errors:
      return fmt::format("the {} of {} has ended and found errors", scan_noun(h.part, "scrub"),
                         pool);
    case HappeningKind::plugin_silent:
      return fmt::format("plugin {} is silent", shown(h.name));
    case HappeningKind::led_failed:
      return fmt::format("the LED of {} cannot be driven", place_of(h));
  }
  return {};
}

OutboxMessage compose_happening(const Happening& h, const std::string& host,
                                const Inventory& inventory) {
  const std::string on = display(host, 64);
  Body body;
  body.lead(story_of(h, on));
  body.blank();
  body.field("Host", host);
  body.field("Event", happening_name(h.kind));
  body.field("Time", format_time_fma(h.time_ns));
  body.field("Severity", h.severity);
  body.field("Bay", h.location);
  body.field("Serial", h.serial);
  body.field("Model", h.model);
  body.field("Size", size_of(h, inventory));
  body.field("Pool", h.pool);
  body.field("Health", h.health);
  body.field("Result", h.result);
  body.field("Part", h.part);
  body.field("Spare", h.by);
  body.section("Details", h.kind == HappeningKind::spare_activated ? std::string() : h.detail);
  body.heading("More:");
  body.command("fmadm notify explain " + display(h.uuid));
  OutboxMessage message;
  message.host = host;
  message.subject = fmt::format("[fmd] {}: {}", on, headline_of(h));
  BodyText text = body.take();
  message.body = std::move(text.plain);
  message.sections = std::move(text.sections);
  message.case_json = "{}";
  message.happening = dump_json(to_json(h));
  return message;
}

DigestItem digest_item(const Happening& h, const Inventory& inventory) {
  return {h.uuid,
          std::string(happening_name(h.kind)),
          h.severity,
          "",
          headline_of(h),
          place_of(h),
          chassis_of(h, inventory),
          shown(h.pool),
          h.time_ns};
}

std::vector<std::pair<std::string, std::string>> journal_fields(const Happening& h) {
  const std::string event(happening_name(h.kind));
  std::vector<std::pair<std::string, std::string>> fields = {
      {"MESSAGE_ID", happening_message_id(event)},
      {"FMD_UUID", h.uuid},
      {"FMD_EVENT", event},
      {"FMD_SEVERITY", h.severity},
      {"FMD_PART", h.part},
      {"FMD_BAY", h.location},
      {"FMD_SERIAL", h.serial},
      {"FMD_POOL", h.pool},
      {"FMD_HEALTH", h.health},
      {"FMD_RESULT", h.result},
      {"FMD_DETAIL", h.detail}};
  std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
  return fields;
}

}  // namespace fmd
