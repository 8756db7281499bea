#include "tests/reports/pool_play.h"

#include <fmt/format.h>

#include <sstream>

#include "fmd/base/json.h"
#include "plugins/zfs/command_plan.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/pool_history.h"
#include "plugins/zfs/pool_past.h"
#include "plugins/zfs/zpool_events.h"
#include "plugins/zfs/zpool_json.h"
#include "tests/reports/pool_json.h"

namespace fmd::reports {
namespace {

constexpr int kMostDisks = 40;
constexpr std::string_view kBoot = "boot-1";

std::string device(int n) {
  return fmt::format("/dev/disk/by-id/wwn-0x{}-part1", Machine::wwn(n));
}

// A partition of a disk that has others as well.
std::string partition_of(int n) {
  return fmt::format("/dev/disk/by-id/wwn-0x{}-part3", Machine::wwn(n));
}

bool is_on(const zfs::Vdev& vdev, int n) {
  return vdev.path == device(n) || vdev.path == partition_of(n);
}

std::string with_devices(std::string text) {
  for (int n = 1; n <= kMostDisks; ++n)
    for (const auto& [mark, name] : {std::pair(fmt::format("@DISK{}@", n), device(n)),
                                     {fmt::format("@PART{}@", n), partition_of(n)}})
      for (size_t at = 0; (at = text.find(mark, at)) != text.npos;)
        text.replace(at, mark.size(), name);
  return text;
}

// Such as "ereport.fs.zfs.io", "vdev" → "/dev/…", "zio_err" → "0x5".
struct PostedEvent {
  int times = 1;
  std::string event_class;
  std::map<std::string, std::string> members;
};

PostedEvent posted(const std::string& line) {
  std::istringstream words(with_devices(line));
  PostedEvent out;
  std::string word;
  words >> word;
  if (const size_t x = word.find('x');
      x != word.npos && isdigit(static_cast<unsigned char>(word[0]))) {
    out.times = std::stoi(word);
    words >> word;
  }
  out.event_class = word;
  while (words >> word) {
    const size_t equals = word.find('=');
    out.members[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return out;
}

}  // namespace

PoolPlay::PoolPlay(int disks, int controllers) : machine(disks, controllers) {
  machine.answer = [this](const sdk::CommandRequest& request) { return plan(request); };
}

std::string PoolPlay::disk_of(const zfs::Vdev& vdev) const {
  for (int n = 1; n <= kMostDisks; ++n)
    if (is_on(vdev, n)) return Machine::disk(n);
  return "";
}

void PoolPlay::look(std::string_view status) {
  const std::string text = with_devices(std::string(status));
  pool_ = by_json ? pool_by_json(text) : names_.pool(text);
  ASSERT_FALSE(pool_.vdevs.empty()) << text;
  std::vector<zfs::Pool> pools{pool_};
  zfs::mark_resilvered(pools, memory_, previous_ns_);
  zfs::note_changes(pools, memory_, {});
  zfs::note_pools(pools, memory_, kBoot, machine.now_ns());
  pair_errors_.note(pools);
  pool_ = pools.front();
  previous_ns_ = machine.now_ns();
  std::set<int> away;
  for (int n = 1; n <= kMostDisks; ++n)
    for (const auto* list : {&pool_.vdevs, &pool_.spares})
      for (const zfs::Vdev& vdev : *list)
        if (is_on(vdev, n) && (vdev.state == "UNAVAIL" || vdev.state == "REMOVED")) away.insert(n);
  machine.set_away(std::move(away));
  zfs::InventoryContext context;
  context.disk = [this](const zfs::Vdev& vdev) { return disk_of(vdev); };
  context.device_there = [](const zfs::Vdev& vdev) { return vdev.state != "UNAVAIL"; };
  context.is_mapped = [this](const zfs::Vdev&) { return mapped; };
  context.pair_errors = &pair_errors_;
  context.memory = &memory_;
  context.now_ns = machine.now_ns();
  machine.take("zfs", zfs::pool_resources(pool_, context));
}

zfs::Pool PoolPlay::pool_by_json(const std::string& text) {
  const auto rows = zfs::parse_status(text);
  EXPECT_TRUE(rows) << text;
  if (!rows) return {};
  const std::string json =
      as_json(rows->front(), [this](const std::string& name) { return names_.guid(name); });
  auto status = zfs::parse_status_json(json, machine.now_ns());
  EXPECT_TRUE(status) << (status ? "" : status.error().text()) << json;
  if (!status) return {};
  auto pools = zfs::build_pools({{status->pool.name, "ONLINE", zfs::test::kPool}}, {status->pool},
                                status->names);
  EXPECT_TRUE(pools) << json;
  return pools ? pools->front() : zfs::Pool();
}

void PoolPlay::event(const std::string& line) {
  PostedEvent post = posted(line);
  const auto vdev = post.members.find("vdev");
  std::string about;
  if (vdev != post.members.end())
    about = fmt::format("        vdev_guid = 0x{:x}\n        vdev_type = \"disk\"\n",
                        names_.guid(vdev->second));
  std::vector<sdk::OutEvent> events;
  for (int i = 0; i < post.times; ++i) {
    const int64_t now = machine.now_ns();
    std::string text = fmt::format(
        "Nov 28 2026 00:00:00.000000000 {0}\n        class = \"{0}\"\n        ena = 0x{1:x}\n"
        "        pool = \"{2}\"\n        pool_guid = 0x{3:x}\n        pool_context = 0x0\n"
        "        pool_failmode = \"{4}\"\n{5}",
        post.event_class, ena_ += 0x400, pool_.name, pool_.guid, failmode, about);
    for (const auto& [name, value] : post.members)
      if (name != "vdev" && name != "ena") text += fmt::format("        {} = {}\n", name, value);
    text += fmt::format("        time = 0x{:x} 0x{:x} \n        eid = 0x{:x}\n\n", now / kSecond,
                        now % kSecond, ++eid_);
    const auto read = zfs::parse_zpool_events(text);
    ASSERT_EQ(read.size(), 1u) << text;
    const zfs::EventContext context{.vdev_type =
                                        [this](uint64_t, uint64_t guid) {
                                          const zfs::Vdev* v = pool_.find(guid);
                                          return v ? v->type : std::string();
                                        },
                                    .resilvering =
                                        [this](uint64_t) {
                                          return pool_.scan.active() &&
                                                 pool_.scan.kind == zfs::Scan::Kind::resilver;
                                        },
                                    .read_leaf = {},
                                    .vdev_role =
                                        [this](uint64_t, uint64_t guid) {
                                          const zfs::Vdev* v = pool_.find(guid);
                                          return v ? v->role : std::string();
                                        }};
    auto said = zfs::to_event(read.front(), context);
    ASSERT_TRUE(said) << text;
    events.push_back(std::move(*said));
  }
  machine.take("zfs", events);
}

PoolPlay::Report PoolPlay::read(const std::string& file) {
  Report out;
  std::istringstream lines(zfs::test::fixture("field/" + file));
  std::string look;
  bool events = false;
  const auto end_look = [&] {
    if (!look.empty()) out.looks.push_back(std::exchange(look, {}));
  };
  for (std::string line; std::getline(lines, line);) {
    if (line == "#STEP" || line == "#EVENTS") {
      end_look();
      events = line == "#EVENTS";
    } else if (events) {
      if (!line.starts_with("sleep") && !line.empty()) out.events.push_back(line);
    } else {
      look += line + "\n";
    }
  }
  end_look();
  return out;
}

void PoolPlay::report(const std::string& file) {
  const Report played = read(file);
  ASSERT_FALSE(played.looks.empty()) << file;
  for (const std::string& one : played.looks) {
    machine.pass(60);
    look(one);
  }
  for (const std::string& one : played.events) event(one);
}

sdk::CommandReply PoolPlay::plan(const sdk::CommandRequest& request) {
  const size_t at = request.resource.find("/vdev=");
  if (at == std::string::npos) return sdk::failed("no vdev");
  const uint64_t guid = std::stoull(request.resource.substr(at + 6));
  const zfs::PlanFacts facts{
      .device = [](const zfs::Vdev&) { return zfs::DeviceFacts(); },
      .disk = [this](const zfs::Vdev& vdev) { return disk_of(vdev); },
      .present = [](const zfs::Vdev& vdev) { return vdev.state != "UNAVAIL"; },
      .bears_label = [](const zfs::Vdev&) { return true; },
      .at_path = [this](const zfs::Vdev& vdev) { return disk_of(vdev); },
      .labelled_path = [](const zfs::Vdev&, std::string_view) { return std::string(); },
      .is_mapped = [this](const zfs::Vdev&) { return mapped; },
      .stable_path = [](std::string_view, std::string_view path) -> Result<std::string> {
        return std::string(path);
      },
      .has_partitions = [](const std::string&) { return false; },
      .retired_by = [](uint64_t) { return std::string(); },
      .spare_key = [](uint64_t) { return std::string(); }};
  const zfs::Plan plan = zfs::plan_command(request, pool_, guid, facts);
  if (plan.answer) return *plan.answer;
  for (const auto& step : plan.steps) ran.push_back(fmt::format("{}", fmt::join(step, " ")));
  return sdk::failed("it was only planned");
}

}  // namespace fmd::reports
