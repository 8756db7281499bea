#include "ui/client/advice.h"

#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "ui/client/words.h"

namespace fmd::ui {
namespace {

using nlohmann::json;

const json& member(const json& doc, const char* key) {
  static const json kNone;
  const auto at = doc.is_object() ? doc.find(key) : doc.end();
  return doc.is_object() && at != doc.end() ? *at : kNone;
}

std::vector<std::string> texts(const json& doc, const char* key) {
  std::vector<std::string> out;
  const json& list = member(doc, key);
  if (list.is_array())
    for (const json& one : list)
      if (one.is_string()) out.push_back(one.get<std::string>());
  return out;
}

PoolNow pool_now(const json& doc) {
  PoolNow out;
  out.fmri = json_text(doc, "fmri");
  out.name = json_text(doc, "name");
  out.state = json_text(doc, "state");
  out.redundancy = json_text(doc, "redundancy");
  out.scan = json_text(doc, "scan");
  out.well = json_bool(doc, "well");
  out.expected = texts(doc, "expected");
  return out;
}

}  // namespace

std::string Advice::needs_words() const {
  if (needs == "you") return "needs you";
  return needs == "fmd" ? "working" : "done";
}

std::optional<Advice> advice_in(const json& case_document) {
  const json& doc = member(case_document, "say");
  if (!doc.is_object()) return {};
  Advice out;
  out.state = json_text(doc, "state");
  out.needs = json_text(doc, "needs");
  out.headline = json_text(doc, "headline");
  out.do_now = json_text(doc, "do_now");
  out.steps = texts(doc, "steps");
  const json& safe = member(doc, "safe_to_pull");
  if (safe.is_object()) {
    out.safe_to_pull = json_text(safe, "answer");
    out.why_safe = json_text(safe, "why");
  }
  out.redundancy = json_text(doc, "redundancy");
  out.light = json_text(doc, "light");
  out.done = texts(doc, "done");
  out.next = texts(doc, "next");
  out.disagree = texts(doc, "disagree");
  return out;
}

std::string pools_words(const MachineNow& now) {
  std::string out;
  for (const PoolNow& pool : now.pools)
    if (!pool.well)
      out += fmt::format("{}pool {} is {}", out.empty() ? "" : ", ", clean(pool.name),
                         clean(pool.state));
  return out;
}

std::string held_words(const MachineNow& now) {
  if (now.held.empty()) return {};
  if (now.held.size() == 1) return clean(now.held.front().name) + " is suspected";
  return fmt::format("{} parts are suspected", now.held.size());
}

MachineNow machine_now_in(const json& document) {
  MachineNow out;
  const auto each = [&](const char* key, auto take) {
    const json& list = member(document, key);
    if (list.is_array())
      for (const json& one : list)
        if (one.is_object()) take(one);
  };
  each("pools", [&](const json& one) { out.pools.push_back(pool_now(one)); });
  each("held", [&](const json& one) {
    out.held.push_back({json_text(one, "resource"), json_text(one, "name"), json_text(one, "text"),
                        json_int(one, "decided_by_ns")});
  });
  each("unanswering", [&](const json& one) { out.unanswering.push_back(json_text(one, "text")); });
  each("pull_order", [&](const json& one) {
    out.pull_order.push_back(json_text(one, "text"));
    out.pull_disks.push_back(texts(one, "disks"));
  });
  each("old_disks", [&](const json& one) { out.old_disks.push_back(json_text(one, "text")); });
  const json& window = member(document, "maintenance");
  if (window.is_object()) {
    out.maintenance = json_text(window, "text");
    out.maintenance_end = json_text(window, "end");
  }
  return out;
}

}  // namespace fmd::ui
