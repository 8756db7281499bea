#include "plugins/ipmi/identify.h"

#include <cstdio>

#include "fmd/base/json.h"

namespace fmd::ipmi {
namespace {

constexpr size_t kMiscState = 2;  // byte 4 of the answer, including the completion code
constexpr int kTellsIdentify = 0x40, kState = 0x30;  // bits 6, and 5:4: off, timed, on
// Completion codes of a request that the BMC does not support in that form (table 5-2).
constexpr int kNoPrivilege = 0xD4;
constexpr int kWrongLength = 0xC7, kTooLong = 0xC8, kWrongField = 0xCC, kOutOfRange = 0xC9;

std::optional<bool> shown(const Answer& status) {
  if (!status.data || status.data->size() <= kMiscState) return {};
  const int state = (*status.data)[kMiscState];
  if (!(state & kTellsIdentify) || (state & kState) == kState) return {};  // 11b is reserved
  return (state & kState) != 0;
}

}  // namespace

void Identify::seen(const Answer& chassis_status) {
  if (!chassis_status.data) return;
  spoken_ = true;
  shown_ = shown(chassis_status);
  if (failed_ && shown_ && *shown_ == *failed_) failed_.reset();  // the BMC was slow
}

std::vector<Request> Identify::order(bool on) const {
  const Request light = !on      ? request::identify(0, false)
                        : timed_ ? request::identify(0xFF, false)
                                 : request::identify(0, true);
  return {light, request::chassis_status()};
}

std::string Identify::take(bool on, const std::vector<Answer>& answers, bool& again) {
  again = false;
  const Answer& order = answers.at(0);
  const bool other_form = order.completion == kWrongLength || order.completion == kTooLong ||
                          order.completion == kWrongField || order.completion == kOutOfRange;
  if (on && !timed_ && other_form) {
    timed_ = again = true;
    return {};
  }
  if (!order.data) {
    char text[64];
    snprintf(text, sizeof text, "the BMC refuses it (completion code 0x%02x)",
             static_cast<unsigned>(order.completion & 0xFF));
    reason_ = order.completion != 0 ? text : "the BMC does not answer";
    if (order.completion == kNoPrivilege)
      reason_ = "the BMC's user may not: it takes privilege = \"operator\" in ipmi.toml's [lan]";
  } else {
    reason_.clear();
    believed_ = on;
    seen(answers.at(1));
    if (shown_ && *shown_ != on)
      reason_ = on ? "the BMC says that it is dark" : "the BMC says that it is lit";
  }
  failed_ = reason_.empty() ? std::nullopt : std::optional<bool>(on);
  return reason_;
}

std::vector<Request> Identify::renewal() const {
  if (!timed_ || !believed_) return {};
  return {request::identify(0xFF, false)};
}

void Identify::add_properties(nlohmann::json& properties) const {
  if (!spoken_) return;
  properties["led.method"] = "ipmi";
  properties["led.reads_back"] = shown_.has_value();
  properties["led.locate"] = failed_ ? "cannot-drive" : shown_.value_or(believed_) ? "on" : "off";
  if (failed_) properties["led.reason"] = "the machine's locate light cannot be driven: " + reason_;
}

}  // namespace fmd::ipmi
