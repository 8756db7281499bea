#include "tests/reports/array_play.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fmd/base/json.h"

namespace fmd::reports {
namespace {

std::string name_of(int n) {
  return fmt::format("sd{}", static_cast<char>('a' + n));
}

std::string with_names(std::string text) {
  for (int n = 1; n <= 20; ++n) {
    const std::string mark = fmt::format("@DEV{}@", n);
    for (size_t at = 0; (at = text.find(mark, at)) != text.npos;)
      text.replace(at, mark.size(), name_of(n));
  }
  return text;
}

}  // namespace

ArrayPlay::ArrayPlay(int disks) : machine(disks) {
  tree_.folder("/sys/block");
  for (int n = 1; n <= disks; ++n) plug(n);
}

void ArrayPlay::plug(int n, const std::string& host) {
  const std::string name = name_of(n);
  const std::string device = fmt::format("{}/0:0:{}:0", host, n);
  for (const char* folder : {"/sys/block/", "/sys/class/block/"}) tree_.remove(folder + name);
  tree_.file(device + "/wwid", "naa." + Machine::wwn(n) + "\n");
  tree_.file(device + "/block/" + name + "/size", "524288\n");
  tree_.link(device + "/block/" + name + "/device", "../..");
  tree_.link("/sys/block/" + name, device + "/block/" + name);
  tree_.link("/sys/class/block/" + name, device + "/block/" + name);
}

void ArrayPlay::make_array(const std::string& name, const std::string& level,
                           const std::vector<int>& disks) {
  const std::string md = "/sys/block/" + name + "/md/";
  const auto set = [&](const char* file, const std::string& text) {
    tree_.file(md + file, text + "\n");
  };
  set("array_state", "clean");
  set("level", level);
  set("raid_disks", std::to_string(disks.size()));
  set("degraded", "0");
  set("sync_action", "idle");
  set("last_sync_action", "none");
  set("layout", "0");
  const size_t made_of =
      std::hash<std::string>()(fmt::format("{}:{}", level, fmt::join(disks, ",")));
  set("uuid", fmt::format("6f1c2d35-decc-9a8d-4e08-{:012x}", made_of >> 20));
  for (size_t slot = 0; slot < disks.size(); ++slot) {
    const std::string folder = "dev-" + name_of(disks[slot]);
    set((folder + "/state").c_str(), "in_sync");
    set((folder + "/slot").c_str(), std::to_string(slot));
    set((folder + "/errors").c_str(), "0");
    set((folder + "/bad_blocks").c_str(), "");
  }
}

void ArrayPlay::line(const std::string& text) {
  std::istringstream words(with_names(text));
  std::string verb, what, value;
  words >> verb >> what;
  std::getline(words >> std::ws, value);
  if (verb == "array") {
    const size_t equals = what.find('='), colon = what.find(':');
    std::vector<int> disks;
    std::istringstream list(what.substr(colon + 1));
    for (std::string one; std::getline(list, one, ',');) disks.push_back(std::stoi(one));
    make_array(what.substr(0, equals), what.substr(equals + 1, colon - equals - 1), disks);
  } else if (verb == "usb") {
    std::istringstream list(what);
    for (std::string one; std::getline(list, one, ',');)
      plug(std::stoi(one), "/sys/devices/pci0000:00/usb2/2-1/2-1:1.0/host6");
  } else if (verb == "set") {
    tree_.file("/" + what, value + "\n");
  } else if (verb == "link") {
    tree_.link("/" + what, value);
  } else if (verb == "rm") {
    tree_.remove("/" + what);
  } else if (verb == "start" || verb == "sleep") {
    look();
    if (verb == "sleep") machine.pass(std::stoi(what));
  }
}

void ArrayPlay::report(const std::string& file) {
  std::ifstream lines(fmt::format("{}/field/{}", FIXTURES, file));
  ASSERT_TRUE(lines) << file;
  for (std::string text; std::getline(lines, text);)
    if (!text.empty() && text[0] != '#') line(text);
}

void ArrayPlay::look() {
  scan_ = volumes::md_from_json(volumes::to_json(volumes::scan_md(host_, scan_.arrays)));
  volumes::recognise(scan_, memory_);
  volumes::note(scan_, std::to_string(boot_), memory_);
  std::vector<std::string> members;
  for (const volumes::MdArray& array : scan_.arrays)
    for (const volumes::MdMember& member : array.members) members.push_back(member.device);
  const volumes::Needs needs =
      volumes::needs_from_json(volumes::to_json(volumes::read_needs(host_, members)));
  volumes::note_needs(scan_, needs, memory_);
  machine.take("volumes", volumes::md_resources(scan_, memory_, needs));
}

void ArrayPlay::reboot() {
  ++boot_;
  scan_ = {};
  memory_ = volumes::md_memory_from_json(volumes::to_json(memory_));
}

void ArrayPlay::settle() {
  look();
  machine.pass(3600);
}

}  // namespace fmd::reports
