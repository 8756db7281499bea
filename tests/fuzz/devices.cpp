// Data from devices, read through tools and the kernel: disks, shelves, firmware, the BMC.
#include <algorithm>
#include <cmath>

#include "corpus.h"
#include "fmd/base/json.h"
#include "plugins/enclosure/ses_pages.h"
#include "plugins/enclosure/tests/ses_bytes.h"
#include "plugins/hardware/smbios.h"
#include "plugins/hardware/vpd.h"
#include "plugins/ipmi/fru_text.h"
#include "plugins/ipmi/news.h"
#include "plugins/ipmi/raw.h"
#include "plugins/ipmi/sel.h"
#include "plugins/sdk/messages.h"
#include "plugins/smart/disk_record.h"
#include "plugins/smart/news.h"
#include "plugins/volumes/btrfs.h"
#include "plugins/volumes/dm_status.h"
#include "targets.h"

namespace fmd::fuzz {
namespace {

// What is sent must be valid UTF-8, or it cannot be serialised as JSON.
void must_be_sendable(const nlohmann::json& doc) {
  (void)doc.dump(-1, ' ', false, nlohmann::json::error_handler_t::strict);
}

void read_smartctl(std::string_view text) {
  for (const int status : {0, 2}) {
    const auto report = smart::parse_report(text, status);
    for (const auto& [name, reading] : report.readings)
      must(!name.empty() && name.size() <= 64 && std::isfinite(reading.value),
           "a reading that is none");
    smart::DiskRecord record;
    record.observed(report);
    must_be_sendable(record.resource("dev://wwn=1", true));
    must_be_sendable(record.readings("dev://wwn=1", 1));
    smart::News news, again;
    news.of_report("dev://wwn=1", report, 1);
    again.restore(news.cursor());
    for (const auto& event : again.of_report("dev://wwn=1", report, 2))
      must(event.event_class.starts_with("sysevent."), "told twice");
  }
  (void)smart::message_of(text);
  (void)smart::with_error_counters(std::string(text), text);
  (void)smart::with_error_counters(R"({"smartctl":{}})", text);
}

// --- the BMC ---------------------------------------------------------------------------------

// The next answer of a conversation: a length byte, then its bytes. Length 0: refused.
ipmi::Answer next_answer(std::string_view& bytes) {
  if (bytes.empty()) return {};
  const auto length = static_cast<size_t>(static_cast<uint8_t>(bytes[0]));
  const std::string_view data = bytes.substr(1, length);
  bytes.remove_prefix(1 + data.size());
  if (length == 0) return {std::nullopt, 0xCB};
  return {ipmi::Bytes(data.begin(), data.end()), 0};
}

std::string said(std::initializer_list<std::string_view> answers) {
  std::string out;
  for (const std::string_view answer : answers) (out += static_cast<char>(answer.size())) += answer;
  return out;
}

std::string record(char id, char next, char sensor, char offset) {
  const char bytes[] = {next, 0, id, 0, 2,      0,   0,      0,      0x69,
                        0x20, 0, 4,  8, sensor, 'o', offset, '\xFF', '\xFF'};
  return {bytes, sizeof bytes};
}

std::vector<std::string> conversations() {
  const std::string info("Q\2\0\x30\x0c\0\0\0\x69\0\0\0\0\x0a", 14);
  return {said({info, record(2, '\xFF', 'a', 1), record(1, 2, 'a', 1)}),
          said({info, record(1, 2, 'a', 1), record(2, 3, 'a', 0), record(3, '\xFF', 'A', 2)}),
          said({info, "", record(1, '\xFF', 'a', 1)})};
}

struct Bmc {
  std::string system = "f9";
  ipmi::Sdr sdr;
  ipmi::Meaning meaning;
  ipmi::Owners owners;
};

// Reads a log twice, the second time after a restart.
void read_log(const Bmc& bmc, std::string_view bytes) {
  constexpr int kMostQuestions = 70'000;  // record ids are 16 bits wide
  std::string cursor;
  for (int look = 0; look < 2; ++look) {
    const auto told = next_answer(bytes);
    const auto info = told.data ? ipmi::SelInfo::parse(*told.data) : std::nullopt;
    if (!info) return;
    ipmi::Sel sel;
    sel.restore(cursor);
    sel.begin(*info, 0x69000000);
    ipmi::News news;
    ipmi::Watch watch;
    int questions = 0;
    for (auto requests = sel.ask(); !requests.empty(); requests = sel.ask()) {
      must(++questions < kMostQuestions, "a log without an end");
      std::vector<ipmi::Answer> answers;
      for (size_t i = 0; i < requests.size(); ++i) answers.push_back(next_answer(bytes));
      for (const auto& entry : sel.take(answers))
        for (const auto& event :
             news.of(entry, {bmc.system, bmc.sdr, watch, bmc.meaning, bmc.owners, 0x69000000,
                             1'800'000'000'000'000'000}))
          must_be_sendable(event.payload);
    }
    cursor = sel.cursor();
    ipmi::Sel again;
    again.restore(cursor);
    must(again.cursor() == cursor, "a cursor comes back otherwise");
  }
}

void read_sensors(const Bmc& bmc, std::string_view dump) {
  const auto sdr = ipmi::parse_sdr(dump);
  must(sdr.sensors.size() <= ipmi::Sdr::kMostSensors, "more sensors than are allowed");
  std::string_view answers = dump.substr(dump.size() - std::min<size_t>(dump.size(), 400));
  for (const auto& sensor : sdr.sensors) {
    const auto reading = ipmi::parse_reading(sensor, next_answer(answers));
    (void)ipmi::judge(sensor, reading, bmc.meaning);
    if (const auto value = sensor.value(reading.raw))
      must(std::isfinite(*value), "a sensor without a finite value");
  }
}

// --- shelves -----------------------------------------------------------------------------------

// Three pages in one input, each preceded by its length.
std::string three(const std::string& a, const std::string& b, const std::string& c) {
  std::string out;
  for (const std::string* page : {&a, &b, &c}) {
    out += static_cast<char>(page->size() >> 8);
    out += static_cast<char>(page->size());
    out += *page;
  }
  return out;
}

void read_pages(std::string_view input) {
  std::string_view pages[3];
  for (std::string_view& page : pages) {
    if (input.size() < 2) break;
    const size_t size = static_cast<uint8_t>(input[0]) << 8 | static_cast<uint8_t>(input[1]);
    page = input.substr(2, size);
    input.remove_prefix(2 + page.size());
  }
  (void)enclosure::decode_slots(pages[0], pages[1], pages[2]);
  (void)enclosure::decode_elements(pages[0], pages[1], pages[2]);
}

// --- on-disk data --------------------------------------------------------------------------------

std::string btrfs_super() {
  std::string bytes(4096, '\0');
  bytes.replace(32, 16, "0123456789abcdef");
  bytes.replace(64, 8, "_BHRfS_M");
  bytes[201] = 2;
  return bytes;
}

constexpr const char* kMaps =
    "vg0-root: 0 8388608 linear \n"
    "mpath a: b: 0 131072 multipath 2 0 0 0 2 1 A 0 1 2 8:16 A 0 0 1 E 0 1 2 8:32 F 2 0 1 \n"
    "vg0-data: 0 524288 raid raid1 2 AD 524288/524288 idle 0 0 -\n"
    "vg0-fresh: 0 524288 raid raid5_ls 3 AAa 1024/262144 recover 0 0 -\n";

constexpr const char* kFrus =
    "FRU Device Description : Builtin FRU Device (ID 0)\n Device not present\n\n"
    "FRU Device Description : PSU1 (ID 7)\n Product Manufacturer  : ACME\n Product Serial        : "
    "0000\n Product Name : X: Y\n Board Mfg : B\n Chassis Serial : C\n: \nProduct Name\n";

}  // namespace

std::vector<Target> device_targets(const std::string& tree) {
  const auto bmc = std::make_shared<Bmc>();
  const std::string sensors = tree + "/plugins/ipmi/sensor_types.toml";
  bmc->sdr = ipmi::parse_sdr(file(tree + "/simulator/bmc/small-server.sdr"));
  bmc->meaning = ipmi::Meaning::parse({{sensors, file(sensors)}}, {}).value();
  const std::vector<ipmi::Request> requests = {
      ipmi::request::sel_info(), ipmi::request::sensor_reading(0x41), ipmi::request::sel_entry(0)};
  using enclosure::testing::kConfiguration, enclosure::testing::kDescriptors,
      enclosure::testing::kStatus;
  std::vector<Target> all{
      {"smartctl", "smartctl -j", files({tree + "/plugins/smart/tests/fixtures"}, ".json"),
       read_smartctl},
      {"sel", "a BMC's event log", conversations(),
       [bmc](std::string_view bytes) { read_log(*bmc, bytes); }},
      {"sdr",
       "its sensors' records",
       {file(tree + "/simulator/bmc/small-server.sdr")},
       [bmc](std::string_view dump) { read_sensors(*bmc, dump); }},
      {"ipmitool",
       "ipmitool -v exec",
       {" 51 05 00 30 0c 16 3d 00 00 00 00 00 00 0a\n 02 c0 07 00\n 02 00 01 00 02 16 3d 00 00 20 "
        "00 "
        "04 0c 90 6f a0\n 03 01\nRAW REQ (channel=0x0 netfn=0xa lun=0x0 cmd=0x40 data_len=0)\nRAW "
        "RSP "
        "(14 bytes)\nRAW REQ (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d data_len=1)\nRAW REQUEST (1 "
        "bytes)\n 41\nUnable to send RAW command (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d "
        "rsp=0xcc): "
        "Invalid data field in request\n"},
       [requests](std::string_view text) {
         must(ipmi::parse_answers(requests, text, text).size() == requests.size(),
              "an answer too many or too few");
       }},
      {"fru",
       "ipmitool fru print",
       {kFrus},
       [](std::string_view text) {
         must(ipmi::parse_frus(text).size() <= 256, "too many memories");
       }},
      {"ses",
       "pages of an enclosure",
       {three(kConfiguration, kStatus, kDescriptors), three(kConfiguration, kStatus, "")},
       read_pages},
      {"smbios", "the firmware's table",
       files({tree + "/plugins/system/tests/fixtures/smbios"}, ""),
       [](std::string_view table) {
         must(hardware::parse_smbios(table).modules.size() * 6 <= table.size(),
              "more modules than there is room for");
       }},
      {"vpd",
       "a disk's VPD page 80h",
       {std::string("\0\x80\0\x14        S3Z1NB0K1234", 24), std::string("\0\x80\0\4ABCD", 8),
        std::string("\0\x80\xff\xff A\0 B", 9)},
       [](std::string_view page) {
         const std::string serial = hardware::vpd_serial(page);
         must(serial.size() + 4 <= std::max<size_t>(page.size(), 4),
              "more serial number than there is page");
         must(serial == hardware::trim_padding(serial), "padding is left");
       }},
      {"dmsetup",
       "dmsetup status",
       {kMaps},
       [](std::string_view text) { (void)volumes::parse_dm_status(text); }},
      {"btrfs-super", "a btrfs superblock", {btrfs_super()}, [](std::string_view bytes) {
         (void)volumes::read_btrfs_super(bytes);
       }}};
  return all;
}

}  // namespace fmd::fuzz
