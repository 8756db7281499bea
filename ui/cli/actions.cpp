// fmadm actions, retire, restore: lists fmd's actions, and does or reverses them by hand.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "fmd/base/capacity.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "ui/cli/arguments.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/waiting_line.h"

namespace fmd::cli {
namespace {

std::string what_words(std::string_view kind, std::string_view level) {
  if (kind == "retire")
    return level == "degraded" ? "degraded" : level == "removed" ? "removed" : "out of service";
  if (kind == "spare") return "hot spare in";
  if (kind == "replace") return "new disk taken in";
  if (kind == "fault-led") return "fault LED on";
  if (kind == "locate-led") return "locate LED on";
  if (kind == "kept") return "kept in service";
  return clean(kind);
}

std::string state_words(std::string_view state) {
  if (state == "in-force") return "in force";
  if (state == "intended") return "intended, not seen yet";
  if (state == "undoing") return "being undone";
  return clean(state);
}

std::string owner_words(const nlohmann::json& action) {
  const auto owner = action.find("owner");
  if (owner == action.end() || !owner->is_object()) return "for nobody known";
  if (const std::string uuid = fmd::json_text(*owner, "case"); !uuid.empty())
    return "for case " + clean(uuid) +
           (json_bool(*owner, "forgotten") ? ", which fmd no longer knows" : "");
  return "by " + clean(fmd::json_text(*owner, "person"));
}

std::string action_text(const nlohmann::json& action) {
  const auto text = [&action](const char* key) { return fmd::json_text(action, key); };
  const std::string name = text("name").empty() ? text("part") : text("name");
  std::string head = clean(name) + ": " + what_words(text("kind"), text("level"));
  if (const int64_t since = json_int(action, "since"); since > 0)
    head += ", since " + format_time_fma(since);
  std::string out = wrapped("", head, 4);
  out += wrapped("    ", owner_words(action) + ", " + state_words(text("state")), 4);
  const std::string undo = clean_prose(text("undo"));
  if (!undo.empty())
    out += wrapped("    ", undo.starts_with("fmadm ") ? "undo it with: " + undo : undo, 4);
  return out;
}

// A note that actions from before the database was created or salvaged are missing.
std::string without_memory(Client& client, bool nothing) {
  const auto config = client.query("GetConfig");
  const auto store = config ? config->find("store") : nlohmann::json::const_iterator();
  const int64_t begins = config && store != config->end() ? json_int(*store, "begins") : 0;
  const std::string none = "no part is retired, no spare in, no light on";
  if (begins <= 0) return nothing ? "fmd has changed nothing: " + none + "\n" : "";
  const std::string since = format_time_fma(begins);
  if (!nothing)
    return wrapped("",
                   fmt::format("fmd's database begins {}. Earlier actions are listed only if "
                               "a plugin has recorded them.",
                               since),
                   0);
  return wrapped("",
                 fmt::format("fmd has changed nothing since {}, when its database begins: {}. "
                             "It does not know what was done before.",
                             since, none),
                 0);
}

// An order without an answer may still have been carried out.
Error unanswered(const Client& client, const Error& error) {
  if (!client.away()) return error;
  return {error.message + "; what has been done meanwhile: fmadm actions", {}, 0};
}

}  // namespace

Result<void> actions(Client& client, bool json) {
  const auto list = client.query("ListActions");
  if (!list) return tl::unexpected(list.error());
  if (json) return print(json_text(*list));
  std::string out;
  for (const nlohmann::json& action : *list)
    if (action.is_object()) out += action_text(action);
  return print(out + without_memory(client, out.empty()));
}

namespace {

struct Ordered {
  std::string part, with;
};

// All words are one part, or for `replace` two.
Result<Ordered> ordered_parts(Client& client, const OrderOptions& options) {
  if (options.what != OrderOptions::What::replace) return Ordered{joined(options.words), ""};
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  const std::vector<std::string> parts = parts_meant(*inventory, options.words);
  if (parts.size() == 2) return Ordered{parts[0], parts[1]};
  return fail(
      "name the part and the disk that takes its place, each in quotes where it has blanks: "
      "fmadm replace \"SLOT 06\" \"SLOT 08\"");
}

// "SLOT 05 (serial Z1Y0DD05, 3.2 TB) is not blank: it holds ext4, label PAYROLL"
std::string overwritten_words(const Resource& disk) {
  std::string about = "serial " + clean(disk.get("serial"));
  if (const auto bytes = std::strtoull(disk.get("size_bytes").c_str(), nullptr, 10); bytes > 0)
    about += ", " + format_capacity(bytes);
  const std::string reason = clean(disk.get("content_reason"));
  const std::string is = disk.is("content", "blank")  ? "is blank"
                         : disk.is("content", "used") ? "is not blank"
                                                      : "may not be blank";
  return fmt::format("{} ({}) {}{}", clean(disk.get("path")), about, is,
                     reason.empty() ? "" : ": " + reason);
}

// Prints what will be overwritten, and on a terminal asks for confirmation. An unknown disk is left
// to the daemon, which refuses it.
Result<void> confirm_overwriting(Client& client, const std::string& name) {
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  bool found = false;
  for (const Resource* part : inventory->lookup(name))  // a disk's or a bay's name
    if (const Resource* disk = inventory->descend(part->fmri, Relation::contains, "dev")) {
      fmt::print(stderr, "{}\n", overwritten_words(*disk));
      found = true;
    }
  if (!found || isatty(STDIN_FILENO) == 0) return {};
  fmt::print(stderr, "Overwrite it? [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "yes") return {};
  return fail("nothing was overwritten");
}

}  // namespace

Result<void> order(Client& client, const OrderOptions& options) {
  const auto named = ordered_parts(client, options);
  if (!named) return tl::unexpected(named.error());
  if (options.what == OrderOptions::What::replace && options.force)
    if (auto may = confirm_overwriting(client, named->with); !may) return may;
  const auto answer = [&] {
    WaitingLine line("waiting for the part's plugin");
    const Client::Waiting waiting = [&](int64_t seconds) { line.show(seconds); };
    switch (options.what) {
      case OrderOptions::What::restore:
        return client.restore(named->part, waiting);
      case OrderOptions::What::replace:
        return client.replace(named->part, named->with, options.force, waiting);
      case OrderOptions::What::retire:
        break;
    }
    return client.retire(named->part, options.level, waiting);
  }();
  if (!answer) return tl::unexpected(unanswered(client, answer.error()));
  if (!options.json) return print(wrapped("", clean_prose(*answer), 4));
  nlohmann::json doc{{"part", named->part}, {"text", *answer}};
  if (!options.level.empty()) doc["level"] = options.level;
  if (!named->with.empty()) doc["with"] = named->with;
  return print(json_text(doc));
}

}  // namespace fmd::cli
