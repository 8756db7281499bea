// fmd's own database as a failing disk returns it, and requests that any local user may send over
// D-Bus.
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "corpus.h"
#include "fmd/base/json.h"
#include "fmd/control/queries.h"
#include "fmd/protocol/parse.h"
#include "fmd/store/store.h"
#include "targets.h"
#include "tests/lib/shipped_rules.h"
#include "ui/client/connection.h"
#include "ui/client/documents.h"

namespace fmd::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kNow = 1'800'000'000'000'000'000;
constexpr size_t kHeader = 8;  // bytes of the length field before each file
constexpr const char* kNames[] = {"fmd.db", "fmd.db-wal", "fmd.db-shm"};

class Folder {
 public:
  Folder() {
    std::string name =
        (fs::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/fmd-fuzz-XXXXXX");
    must(mkdtemp(name.data()) != nullptr, "no temporary folder");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  void empty() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Event event_of(uint64_t seq) {
  Event event;
  event.seq = seq;
  event.event_class = "ereport.fs.zfs.checksum";
  event.resource = fmt::format("zfs://pool=1/vdev={}", seq % 7);
  event.time_ns = kNow + static_cast<int64_t>(seq);
  event.source = "zfs";
  event.payload_json = R"({"pool":"tank","vdev_guid":9})";
  return event;
}

Batch batch_of(uint64_t first, uint64_t count) {
  Batch batch;
  for (uint64_t seq = first; seq < first + count; ++seq) batch.events.push_back(event_of(seq));
  for (uint64_t i = 0; i < count; ++i)
    batch.rows.push_back({"case", fmt::format("case-{}", first + i), R"({"uuid":"x"})"});
  batch.readings.push_back({"dev://wwn=1", "temperature_celsius", "celsius", 30.5, kNow});
  return batch;
}

// The three files of a running daemon, as kill -9 leaves them.
std::string database(const Folder& folder, uint64_t events) {
  folder.empty();
  auto store = Store::open(folder.path(), kNow);
  must(store.has_value(), "no database can be made");
  for (uint64_t seq = 1; seq <= events; seq += 20)
    must((*store)->commit(batch_of(seq, 20)).has_value(), "nothing is committed");
  std::string all;
  for (const char* name : kNames) {
    std::ifstream in(fs::path(folder.path()) / name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    all += fmt::format("{:08}", bytes.size()) + bytes;
  }
  return all;
}

// Whatever happened to its files, fmd starts or says why not; once started it accepts events.
void open_database(const Folder& folder, std::string_view input) {
  folder.empty();
  for (const char* name : kNames) {
    if (input.size() < kHeader) break;
    const size_t size = strtoul(std::string(input.substr(0, kHeader)).c_str(), nullptr, 10);
    input.remove_prefix(kHeader);
    std::ofstream(fs::path(folder.path()) / name, std::ios::binary) << input.substr(0, size);
    input.remove_prefix(std::min(size, input.size()));
  }
  auto store = Store::open(folder.path(), kNow);
  if (!store) return must(!store.error().text().empty(), "it does not start, and does not say why");
  (void)(*store)->load_state();
  (void)(*store)->each_event({}, [](const Event&) { return true; });
  (void)(*store)->readings({.resource = "dev://wwn=1"});
  if ((*store)->unopened()) return;
  const uint64_t next = (*store)->last_seq() + 1;
  if (next == 0 || next > INT64_MAX - 100) return;
  must((*store)->commit(batch_of(next, 1)).has_value(), "a database that was opened takes nothing");
}

// --- requests -----------------------------------------------------------------------------------

struct Machine {
  explicit Machine(const Folder& folder)
      : engine(shipped_rules(), [this] { return fmt::format("uuid-{}", ++cases); }) {
    const auto update = protocol::parse_inventory(
        R"({"complete":true,"resources":[{"fmri":"hc://chassis=1/bay=4","type":"bay","properties":{"label":"SLOT 04"},"edges":[{"relation":"contains","to":"dev://wwn=1"}]},{"fmri":"dev://wwn=1","type":"disk","properties":{"serial":"S1"},"edges":[]}],"gone":[]})");
    must(update.has_value(), "no inventory");
    engine.on_inventory(*update, {kNow, 1});
    auto opened = Store::open(folder.path(), kNow);
    must(opened && (*opened)->commit(batch_of(1, 40)), "no database can be made");
    store = std::move(*opened);
  }
  int cases = 0;
  Engine engine;
  BayHistory bays;
  Maintenance maintenance;
  std::unique_ptr<Store> store;
};

void ask_store(const Machine& machine, const Result<StoreQuery>& query) {
  if (query) (void)(*query)(*machine.store);
}

// Passes this filter to every list that takes one, in whole and by page.
void ask(const Machine& machine, std::string_view filter) {
  const PartIndex index(machine.engine.inventory());
  for (const Paging paging : {Paging::whole, Paging::page}) {
    (void)query_cases(machine.engine, {index, machine.maintenance, false, kNow}, filter, paging);
    (void)query_resources(machine.engine, kNow, filter, paging);
    (void)query_bay_history(machine.engine.inventory(), machine.bays, filter, paging);
    (void)query_serd(machine.engine, filter, paging);
  }
  ask_store(machine, query_events(machine.engine, {"ereport.fs.zfs.checksum"}, filter));
  ask_store(machine, query_readings(machine.engine.inventory(), kNow, filter));
}

const std::vector<std::string> kFilters = {
    R"({"all":true,"uuid":"","fru":"SLOT 04","summary":true,"after":"1 x"})",
    R"({"class":"ereport.*","resource":"zfs://pool=1","from":1,"to":9223372036854775807,"after":3,"limit":10})",
    R"({"type":"disk","fmri":"dev://wwn=1","text":"S1","after":"dev://"})",
    R"({"part":"SLOT 04","names":["temperature*"],"from":1,"to":2,"points":100})",
    R"({"part":"hc://chassis=1/bay=4"})"};

// Answers that fmadm and the desktop read, also from another machine's fmd.
void read_answer(std::string_view text) {
  const auto document = ui::parse_answer(text);
  if (!document) return;
  (void)ui::stays_in(*document);
  (void)ui::readings_in(*document);
  (void)case_from_json(*document);
  (void)Inventory::resource_from_json(*document);
}

const std::vector<std::string> kAnswers = {
    R"([{"bay":"hc://chassis=1/bay=3","label":"SLOT 03","disk":"dev://wwn=1","serial":"S","model":"M","from":1,"to":0,"from_exact":true,"to_exact":false}])",
    R"({"resource":"dev://wwn=1","label":"SLOT 03","serial":"S","from":1,"to":2,"series":[{"name":"t","unit":"celsius","last":1,"min":0,"max":2,"mean":1.5,"points":[[1,2,3,4]]}],"damage":""})",
    R"({"uuid":"1","code":"ZFS-8000-AA","class":"fault.fs.zfs.vdev.checksum","state":"SOLVED","severity":"Major","opened":1,"suspects":[{"resource":"dev://wwn=1","certainty":100,"status":"faulty"}],"evidence":[{"class":"ereport.x","time":1}],"timeline":[{"time":1,"what":"x"}]})",
    R"({"fmri":"hc://chassis=1/bay=4","type":"bay","properties":{"label":"SLOT 04","slot":4},"edges":[{"relation":"contains","to":"dev://wwn=1"}],"present":true})"};

}  // namespace

std::vector<Target> daemon_targets() {
  const auto folder = std::make_shared<Folder>(), kept = std::make_shared<Folder>();
  const auto machine = std::make_shared<Machine>(*kept);
  return {{"database",
           "fmd.db with its -wal and -shm",
           {database(*folder, 60), database(*folder, 20)},
           [folder](std::string_view input) { open_database(*folder, input); }},
          {"requests", "filters of D-Bus requests", kFilters,
           [kept, machine](std::string_view filter) { ask(*machine, filter); }},
          {"answers", "fmd's answers, as fmadm and the desktop read them", kAnswers, read_answer}};
}

}  // namespace fmd::fuzz
