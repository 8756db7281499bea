#include "ui/cli/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmd/model/fmri.h"
#include "ui/cli/arguments.h"
#include "ui/cli/commands.h"
#include "ui/cli/event_log.h"
#include "ui/cli/layout.h"
#include "ui/cli/program.h"
#include "ui/cli/time_arg.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

struct RecordOptions {
  DumpOptions log;
  bool mask = false;
};

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool is_wordy(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Serial numbers and the like, by others that are the same throughout the recording: in what is text, and where a
// whole number is one (a pool's). Times, counts and sizes stay, whatever digits they have.
class Mask {
 public:
  void learn(const Inventory& inventory) {
    constexpr std::array kSecret{"serial", "wwn", "chassis_id", "uuid", "guid"};
    constexpr size_t kShortest = 4;  // what is shorter stands in other words
    std::set<std::string> secrets;
    for (const auto& [fmri, resource] : inventory.all()) {
      for (const char* name : kSecret) secrets.insert(resource.get(name));
      if (const auto parsed = Fmri::parse(fmri))
        for (const char* name : {"wwn", "serial", "chassis", "system", "pool", "vdev"})
          secrets.insert(parsed->get(name));
    }
    size_t number = 0;
    for (const std::string& secret : secrets) {
      if (secret.size() < kShortest) continue;
      // As many digits as it had: a pool's and a vdev's are numbers.
      const bool digits = secret.find_first_not_of("0123456789") == std::string::npos;
      const std::string shown =
          digits ? std::to_string(900000000 + ++number) : fmt::format("MASKED{:04}", ++number);
      words_.emplace_back(secret, shown);
      // In an FMRI it may be written with %XX.
      const std::string escaped = make_fmri("x", {{"y", secret}}).substr(6);
      if (escaped != secret) words_.emplace_back(escaped, shown);
    }
    std::stable_sort(words_.begin(), words_.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  }
  json hide(json doc) const {
    if (words_.empty()) return doc;
    if (doc.is_structured()) {
      for (json& one : doc) one = hide(std::move(one));
    } else if (doc.is_string()) {
      doc = hide_in(doc.get<std::string>());
    } else if (doc.is_number_integer()) {
      const std::string digits = doc.dump();
      for (const auto& [secret, shown] : words_)
        if (secret == digits && digits.size() >= kUnlikely) return json::parse(shown);
    }
    return doc;
  }

 private:
  static constexpr size_t kUnlikely = 8;  // what is as long stands nowhere by chance; "sdb1" may

  std::string hide_in(std::string text) const {
    for (const auto& [secret, shown] : words_)
      for (size_t at = text.find(secret); at != text.npos; at = text.find(secret, at)) {
        const size_t end = at + secret.size();
        const bool part_of_a_word =
            (at > 0 && is_wordy(text[at - 1])) || (end < text.size() && is_wordy(text[end]));
        if (part_of_a_word && secret.size() < kUnlikely) {
          at = end;
          continue;
        }
        text.replace(at, secret.size(), shown);
        at += shown.size();
      }
    return text;
  }

  std::vector<std::pair<std::string, std::string>> words_;
};

json message(int64_t at_ns, const std::string& plugin, const char* method, json params) {
  return {{"at", at_ns}, {"plugin", plugin}, {"method", method}, {"params", std::move(params)}};
}

// As it is now: the journal does not hold what it was then.
json inventory_message(const Inventory& inventory, int64_t at_ns) {
  json resources = json::array();
  for (const auto& [fmri, resource] : inventory.all()) {
    json doc = Inventory::to_json(resource);
    doc.erase("sources");
    if (resource.type != "plugin") resources.push_back(std::move(doc));
  }
  return message(
      at_ns, "recorded", "inventory",
      {{"complete", true}, {"resources", std::move(resources)}, {"gone", json::array()}});
}

json event_message(const json& event) {
  json told;
  for (const char* member : {"class", "resource", "time", "ena", "payload"})
    if (const auto at = event.find(member); at != event.end()) told[member] = *at;
  return message(event.value("received", int64_t{0}), event.value("source", std::string()),
                 "events", {{"events", json::array({std::move(told)})}});
}

Result<void> record(Client& client, RecordOptions options) {
  if (!options.log.uuid.empty()) {
    auto id = case_id(client, options.log.uuid);
    if (!id) return tl::unexpected(id.error());
    options.log.uuid = std::move(*id);
  }
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  Mask mask;
  if (options.mask) mask.learn(*inventory);
  std::vector<json> events;
  auto kept = collect_events(client, options.log, events);
  if (!kept) return kept;
  std::stable_sort(events.begin(), events.end(), [](const json& a, const json& b) {
    return a.value("received", int64_t{0}) < b.value("received", int64_t{0});
  });
  const int64_t begin_ns = events.empty() ? now_ns() : events.front().value("received", int64_t{0});
  if (auto said = print(json_line(mask.hide(inventory_message(*inventory, begin_ns)))); !said)
    return said;
  for (const json& event : events)
    if (auto said = print(json_line(mask.hide(event_message(event)))); !said) return said;
  return {};
}

}  // namespace

void add_record(Program& program) {
  static RecordOptions options;
  auto* sub = program.app.add_subcommand("record", "Events and inventory, for fmadm replay");
  for (auto [names, text, time] : {std::tuple{"-t,--since", "Not before", &options.log.from_ns},
                                   {"-T,--until", "Not after", &options.log.to_ns}})
    sub->add_option_function<std::string>(
           names,
           [time = time](const std::string& given) {
             const auto parsed = parse_time(given, now_ns());
             if (!parsed) throw CLI::ValidationError(parsed.error().text());
             *time = *parsed;
           },
           text)
        ->type_name("TIME");
  sub->add_option("-u,--uuid", options.log.uuid, "The evidence of this case only")
      ->type_name("UUID");
  sub->add_flag("--mask", options.mask,
                "Other serial numbers, WWNs and ids in place of the real ones");
  sub->callback([&program] {
    program.then(program.with_client([](Client& client) { return record(client, options); }));
  });
}

}  // namespace fmd::cli
