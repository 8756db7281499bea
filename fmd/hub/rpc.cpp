#include "fmd/hub/rpc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/on_demand.h"
#include "fmd/base/text.h"
#include "fmd/protocol/room.h"

namespace fmd {
namespace {

using nlohmann::json;
namespace ondemand = simdjson::ondemand;

constexpr int kProtocol = 1;
constexpr int64_t kShortestBeatMs = 100, kLongestBeatMs = 3600000;
constexpr size_t kMostPrefixes = 64, kLongestText = 500;
constexpr int kDeepestAnswer = 32;

// What is said of a message that is none.
tl::unexpected<Error> malformed(std::string_view what) {
  return fail(fmt::format("malformed message: {}", what));
}

std::string_view trimmed(std::string_view raw) {
  while (!raw.empty() &&
         (raw.back() == ' ' || raw.back() == '\t' || raw.back() == '\r' || raw.back() == '\n'))
    raw.remove_suffix(1);
  return raw;
}

bool is_object(std::string_view raw) {
  return !raw.empty() && raw.front() == '{';
}

// JSON writers, ours and those of later readers, recurse once per level.
bool too_deep(std::string_view raw) {
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (in_text && c == '\\')
      ++i;
    else if (c == '"')
      in_text = !in_text;
    else if (!in_text && (c == '{' || c == '['))
      ++depth;
    else if (!in_text && (c == '}' || c == ']'))
      --depth;
    if (depth > kDeepestAnswer) return true;
  }
  return false;
}

struct Fields {
  RpcMessage message;
  bool version = false, has_method = false, has_answer = false;
};

simdjson::error_code take_field(ondemand::field& field, Fields& out) {
  std::string_view key, text;
  if (auto error = field.unescaped_key().get(key)) return error;
  ondemand::value value = field.value();
  if (key == "jsonrpc") {
    if (auto error = value.get_string().get(text)) return error;
    out.version = text == "2.0";
  } else if (key == "method") {
    if (auto error = value.get_string().get(text)) return error;
    out.message.method = text;
    out.has_method = true;
  } else if (key == "id") {
    bool null = false;
    if (auto error = value.is_null().get(null)) return error;
    if (null) return simdjson::SUCCESS;
    uint64_t id = 0;
    if (auto error = value.get_uint64().get(id)) return error;
    out.message.id = id;
  } else {
    std::string_view raw = simdjson::to_json_string(value).value_unsafe();
    if (raw.data() == nullptr) return simdjson::TAPE_ERROR;
    raw = trimmed(raw);
    if (key == "params") out.message.params = raw;
    if (key == "result") out.message.result = raw;
    if (key == "error") out.message.error = raw;
    if (key == "result" || key == "error") out.has_answer = true;
  }
  return simdjson::SUCCESS;
}

std::vector<std::string> texts(const json& doc, const char* name, std::string& wrong) {
  std::vector<std::string> out;
  const auto member = doc.find(name);
  if (member == doc.end()) return out;
  if (!member->is_array() || member->size() > kMostPrefixes) {
    wrong = fmt::format("\"{}\" must be a list of at most {} texts", name, kMostPrefixes);
    return out;
  }
  for (const json& item : *member) {
    const auto* text = item.get_ptr<const std::string*>();
    if (!text || text->empty() || text->size() > kLongestText) {
      wrong = fmt::format("\"{}\" must hold texts only", name);
      return out;
    }
    out.push_back(*text);
  }
  return out;
}

std::string text_of(const json& doc, const char* name) {
  const auto member = doc.find(name);
  const auto* text = member == doc.end() ? nullptr : member->get_ptr<const std::string*>();
  return text ? whole_utf8(*text, kLongestText) : std::string();
}

}  // namespace

Result<RpcMessage> parse_rpc(std::string_view line) {
  protocol::JsonRoom& room = protocol::json_room();
  ondemand::document document;
  ondemand::object object;
  if (room.parser.iterate(room.padded(line)).get(document) || document.get_object().get(object))
    return malformed("it is not a JSON object");
  Fields fields;
  for (auto&& item : object) {
    ondemand::field field;
    auto error = std::move(item).get(field);
    if (!error) error = take_field(field, fields);
    if (error) return malformed(simdjson::error_message(error));
  }
  const char* rest = nullptr;
  if (document.current_location().get(rest) != simdjson::OUT_OF_BOUNDS)
    return malformed("something follows the JSON object");
  if (!fields.version) return malformed("it does not say \"jsonrpc\":\"2.0\"");
  if (fields.has_method == fields.has_answer)
    return malformed("it is neither a request nor an answer");
  RpcMessage& message = fields.message;
  if (message.params.empty()) message.params = "{}";
  if (fields.has_method && !is_object(message.params)) return malformed("params must be an object");
  for (const std::string_view answer :
       {std::string_view(message.result), std::string_view(message.error)})
    if (too_deep(answer))
      return malformed(fmt::format("an answer is nested more than {} deep", kDeepestAnswer));
  return message;
}

Result<PluginHello> parse_hello(std::string_view params) {
  const json doc = json::parse(params, nullptr, false);
  if (!doc.is_object()) return malformed("hello's params are not a JSON object");
  PluginHello hello;
  hello.name = text_of(doc, "name");
  hello.version = text_of(doc, "version");
  if (hello.name.empty() || hello.name.size() > 32 ||
      hello.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
    return fail("hello: \"name\" must be 1 to 32 of a-z, 0-9 and -");
  if (!doc.contains("protocol") || doc["protocol"] != kProtocol)
    return fail(
        fmt::format("hello: \"protocol\" must be {}, the version this fmd speaks", kProtocol));
  std::string wrong;
  hello.observes = texts(doc, "observes", wrong);
  hello.commands = texts(doc, "commands", wrong);
  hello.handles = texts(doc, "handles", wrong);
  if (!wrong.empty()) return fail("hello: " + wrong);
  const auto beat = doc.find("heartbeat_ms");
  if (beat != doc.end()) {
    if (!beat->is_number_integer() || *beat < kShortestBeatMs || *beat > kLongestBeatMs)
      return fail(fmt::format("hello: \"heartbeat_ms\" must be from {} to {}", kShortestBeatMs,
                              kLongestBeatMs));
    hello.heartbeat_ms = beat->get<int64_t>();
  }
  hello.transient = doc.contains("transient") && doc["transient"] == true;
  hello.kept = doc.contains("kept") && doc["kept"] == true;
  return hello;
}

Result<PluginStatus> parse_plugin_status(std::string_view params) {
  const json doc = json::parse(params, nullptr, false);
  if (!doc.is_object()) return malformed("status' params are not a JSON object");
  PluginStatus status{text_of(doc, "state"), text_of(doc, "reason")};
  if (status.state != "ok" && status.state != "not-observed" && status.state != "degraded")
    return fail("status: \"state\" must be ok, not-observed or degraded");
  return status;
}

PluginAnswer parse_answer(const RpcMessage& message) {
  if (!message.error.empty()) {
    const json doc = json::parse(message.error, nullptr, false);
    const std::string text = doc.is_object() ? text_of(doc, "message") : std::string();
    return {"failed", text.empty() ? "the plugin answered with an error" : text, "{}"};
  }
  const json doc = json::parse(message.result, nullptr, false);
  if (!doc.is_object()) return {"failed", "the plugin's answer is not understood", "{}"};
  PluginAnswer answer{text_of(doc, "status"), text_of(doc, "reason"), "{}"};
  if (answer.status != "done" && answer.status != "refused" && answer.status != "failed")
    return {"failed", "the plugin's answer says neither done, refused nor failed", "{}"};
  if (doc.contains("detail") && doc["detail"].is_object()) answer.detail = dump_json(doc["detail"]);
  return answer;
}

}  // namespace fmd
