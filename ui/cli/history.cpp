// fmadm history: which disk sat in which bay, from when to when.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "fmd/model/fmri.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/time_arg.h"

namespace fmd::cli {
namespace {

constexpr const char* kNote =
    "\n~ it had happened by then; fmd was not watching when it happened\n";

// An end of a stay: "2026-11-21 14:30", with a "~" when it is only known to be no later.
std::string end_text(const nlohmann::json& stay, const std::string& which, bool& noted) {
  const int64_t ns = stay.value(which, int64_t{0});
  if (ns == 0) return "now";
  const bool exact = stay.value(which + "_exact", false);
  noted = noted || !exact;
  return (exact ? "" : "~") + format_minute(ns);
}

std::string either(const nlohmann::json& stay, const char* first, const char* second) {
  const std::string text = stay.value(first, "");
  return text.empty() ? stay.value(second, "") : text;
}

using Bays = std::map<std::string, std::set<std::string>>;  // by what is printed beside them

// "SLOT 06", or where several shelves have one "5000c500fa0e5e50/SLOT 06", which names it too.
std::string bay_name(const nlohmann::json& stay, const Bays& bays) {
  std::string name = either(stay, "label", "bay");
  if (bays.at(name).size() < 2) return name;
  const auto fmri = Fmri::parse(stay.value("bay", ""));
  const std::string chassis = fmri ? fmri->get("chassis") : "";
  return chassis.empty() ? stay.value("bay", "") : chassis + "/" + name;
}

}  // namespace

Result<void> history(Client& client, const std::string& part, bool json_wanted) {
  nlohmann::json filter = nlohmann::json::object();
  if (!part.empty()) filter["part"] = part;
  const auto list = client.query("ListBayHistory", filter);
  if (!list) return tl::unexpected(list.error());
  if (json_wanted) return print(json_text(*list));
  Table table({"BAY", "FROM", "TO", "SERIAL", "MODEL"});
  Bays bays;
  for (const nlohmann::json& stay : *list)
    bays[either(stay, "label", "bay")].insert(stay.value("bay", ""));
  bool noted = false;
  for (const nlohmann::json& stay : *list)
    table.add({bay_name(stay, bays), end_text(stay, "from", noted), end_text(stay, "to", noted),
               either(stay, "serial", "disk"), stay.value("model", "")});
  if (table.empty())
    return print(part.empty() ? "No disk has been seen in a bay yet.\n"
                              : clean(part) + ": no disk has been seen in a bay there yet\n");
  return print(table.text() + (noted ? kNote : ""));
}

}  // namespace fmd::cli
