// Simulates a disk, to record smartctl's output for states that no virtual disk can have: an NVMe
// error log with entries, failed self-tests, a SAS disk that predicts its failure. It is preloaded
// into a real smartctl (record.sh) and answers the kernel's two pass-through calls with log pages.
//   FAKE_DISK=nvme | nvme-testing | sas | sas-hot | sas-pending | sas-environment | sas-standby |
//             sas-stopped
#include <asm/ioctl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <stdarg.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<uint8_t>;

bool is(const char* what) {
  const char* disk = getenv("FAKE_DISK");
  return disk && std::string(disk) == what;
}

void little(Bytes& page, size_t at, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) page[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

Bytes big(uint64_t value, size_t bytes) {
  Bytes out;
  for (size_t i = bytes; i-- > 0;) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
  return out;
}

void add(Bytes& page, const Bytes& more) {
  page.insert(page.end(), more.begin(), more.end());
}

void text(Bytes& page, size_t at, const char* words, size_t width) {
  for (size_t i = 0; i < width; ++i)
    page[at + i] = i < strlen(words) ? static_cast<uint8_t>(words[i]) : ' ';
}

// --- NVMe: NVM Express base specification, Identify and log pages 01h, 02h, 06h
// --------------------

Bytes identify_controller() {
  Bytes page(4096);
  little(page, 0, 0x1b36, 2);
  little(page, 2, 0x1af4, 2);
  text(page, 4, "NVME0002", 20);
  text(page, 24, "Fake NVMe", 40);
  text(page, 64, "1.0", 8);
  little(page, 80, 0x10400, 4);  // 1.4
  little(page, 256, 0x10, 2);    // supports self-tests
  page[262] = 63;                // error log entries - 1
  little(page, 266, 343, 2);     // warning and critical temperature, kelvin
  little(page, 268, 373, 2);
  little(page, 516, 1, 4);
  return page;
}

Bytes identify_namespace() {
  Bytes page(4096);
  for (const size_t at : {0, 8, 16}) little(page, at, 2097152, 8);
  page[130] = 9;
  return page;
}

Bytes health() {
  Bytes page(512);
  little(page, 1, 323, 2);  // kelvin
  page[3] = 100;
  page[4] = 10;
  page[5] = 7;
  little(page, 128, 1234, 8);
  little(page, 144, 3, 8);
  little(page, 160, 1, 8);
  little(page, 176, 16, 8);
  return page;
}

// status: type and code as in the completion queue entry, without the phase bit.
void error_entry(Bytes& log, size_t index, uint64_t count, unsigned queue, unsigned status,
                 uint64_t lba) {
  const size_t at = index * 64;
  little(log, at, count, 8);
  little(log, at + 8, queue, 2);
  little(log, at + 10, 8, 2);
  little(log, at + 12, status << 1 | 1, 2);
  little(log, at + 14, 0xffff, 2);
  little(log, at + 16, lba, 8);
  little(log, at + 24, queue ? 1 : 0xffffffff, 4);
}

Bytes error_log() {
  constexpr uint64_t kNoLba = UINT64_MAX;
  Bytes log(64 * 64);
  error_entry(log, 0, 16, 0, 0x2002, kNoLba);  // invalid field, do not retry
  error_entry(log, 1, 15, 1, 0x0281, 123456);  // unrecovered read
  error_entry(log, 2, 14, 0, 0x2109, kNoLba);  // invalid log page
  error_entry(log, 4, 13, 0, 0x0006, kNoLba);  // internal error; the entry before it is unused
  error_entry(log, 5, 12, 1, 0x4180, 42);      // conflicting attributes
  error_entry(log, 6, 11, 0, 0x0007, kNoLba);  // abort requested
  error_entry(log, 7, 10, 0, 0x7fff, kNoLba);  // no status
  return log;
}

Bytes self_test_log() {
  Bytes log(564);
  const auto result = [&](size_t index, int code, int outcome, uint64_t hours) {
    const size_t at = 4 + index * 28;
    log[at] = static_cast<uint8_t>(code << 4 | outcome);
    little(log, at + 4, hours, 8);
    if (outcome != 7) return;
    log[at + 1] = 2;  // segment
    log[at + 2] = 3;  // namespace and LBA are valid
    little(log, at + 12, 1, 4);
    little(log, at + 16, 123456, 8);
  };
  if (is("nvme-testing")) {
    log[0] = 2;
    log[1] = 40;
  }
  result(0, 1, 1, 1230);  // short, aborted
  result(1, 2, 7, 1200);  // long, failed
  result(2, 0, 15, 0);    // unused
  result(3, 1, 0, 1000);  // short, passed
  return log;
}

int nvme(nvme_passthru_cmd* cmd) {
  Bytes answer;
  if (cmd->opcode == 0x06) answer = cmd->cdw10 == 1 ? identify_controller() : identify_namespace();
  if (cmd->opcode == 0x02) {
    const unsigned log = cmd->cdw10 & 0xff;
    if (log == 1) answer = error_log();
    if (log == 2) answer = health();
    if (log == 6) answer = self_test_log();
  }
  if (answer.empty()) return 0x2002;
  const uint64_t offset = cmd->cdw12;
  for (size_t i = 0; i < cmd->data_len; ++i)
    reinterpret_cast<uint8_t*>(cmd->addr)[i] = offset + i < answer.size() ? answer[offset + i] : 0;
  return 0;
}

// --- SAS: SPC-5 and SBC-4
// --------------------------------------------------------------------------

Bytes parameter(unsigned code, const Bytes& value) {
  Bytes out = big(code, 2);
  out.push_back(3);
  out.push_back(static_cast<uint8_t>(value.size()));
  add(out, value);
  return out;
}

Bytes log_page(unsigned page, unsigned subpage, const std::vector<Bytes>& parameters) {
  Bytes all;
  for (const Bytes& one : parameters) add(all, one);
  Bytes out{static_cast<uint8_t>(page | (subpage ? 0x40 : 0)), static_cast<uint8_t>(subpage)};
  add(out, big(all.size(), 2));
  add(out, all);
  return out;
}

Bytes error_counters(unsigned page, uint64_t uncorrected) {
  std::vector<Bytes> list;
  for (unsigned code = 0; code < 7; ++code)
    list.push_back(parameter(code, big(code == 6 ? uncorrected : 100 + code, 8)));
  return log_page(page, 0, list);
}

Bytes test_result(unsigned number, int code, int result, unsigned hours) {
  Bytes value(16);
  value[0] = static_cast<uint8_t>(code << 5 | result);
  value[2] = static_cast<uint8_t>(hours >> 8);
  value[3] = static_cast<uint8_t>(hours);
  const bool failed = result >= 3 && result <= 7;
  for (size_t i = 4; i < 12; ++i) value[i] = failed ? 0 : 0xff;
  if (failed) {
    value[10] = 0x30;
    value[12] = 3;  // medium error, unrecovered read
    value[13] = 0x11;
  }
  return parameter(number, value);
}

Bytes self_test_results() {
  std::vector<Bytes> list{test_result(1, 2, 2, 31010),
                          test_result(2, 2, is("sas-hot") ? 0 : 5, 31000),
                          test_result(3, 1, 0, 30000)};
  for (unsigned i = 4; i <= 20; ++i) list.push_back(parameter(i, Bytes(16)));
  return log_page(0x10, 0, list);
}

Bytes log_sense(unsigned page, unsigned subpage) {
  const bool pending = is("sas-pending"), environment = is("sas-environment");
  switch (page << 8 | subpage) {
    case 0x0000:
      return {0x00, 0, 0, 8, 0x00, 0x02, 0x03, 0x05, 0x0d, 0x10, 0x11, 0x2f};
    case 0x00ff: {
      Bytes list{0, 0, 2, 0, 3, 0, 5, 0, 0x0d, 0, 0x10, 0, 0x11, 0, 0x2f, 0};
      if (pending) add(list, {0x15, 1});
      if (environment) add(list, {0x0d, 1});
      Bytes out{0x40, 0xff, 0, static_cast<uint8_t>(list.size())};
      add(out, list);
      return out;
    }
    case 0x0200:
      return error_counters(2, 0);
    case 0x0300:
      return error_counters(3, 5);
    case 0x0500:
      return error_counters(5, 1);
    case 0x0d00:
      return log_page(0x0d, 0,
                      {parameter(0, {0, uint8_t(is("sas-hot") ? 66 : 41)}), parameter(1, {0, 65})});
    case 0x0d01:
      return log_page(0x0d, 1,
                      {parameter(0, {0, 43, 50, 20, 45, 30, 0, 0}), parameter(0x100, Bytes(8))});
    case 0x1000:
      return self_test_results();
    case 0x1100:
      return log_page(0x11, 0, {parameter(1, {0, 0, 0, 12})});
    case 0x1501:
      return log_page(0x15, 1,
                      {parameter(0, {0, 0, 0, 2}),
                       parameter(1, {0, 0, 0x79, 0x18, 0, 0, 0, 0, 0, 0, 0x30, 0x39}),
                       parameter(2, {0, 0, 0x79, 0x19, 0, 0, 0, 0, 0, 0, 0x30, 0x3a})});
    case 0x2f00:
      if (is("sas-hot")) return log_page(0x2f, 0, {parameter(0, {0x0b, 0x01, 66, 65})});
      return environment ? log_page(0x2f, 0, {parameter(0, {0x0b, 0x0c, 43, 65})})
                         : log_page(0x2f, 0, {parameter(0, {0x5d, 0x10, 41, 65})});
    default:
      return {};
  }
}

Bytes inquiry(const uint8_t* cdb) {
  if (cdb[1] & 1) {
    if (cdb[2] == 0x00) return {0, 0x00, 0, 4, 0x00, 0x80, 0x83, 0xb1};
    if (cdb[2] == 0x80) return {0, 0x80, 0, 8, 'Z', 'A', '1', '0', '0', '0', '9', '9'};
    if (cdb[2] == 0x83) {
      Bytes out{0, 0x83, 0, 12, 0x61, 0x03, 0, 8};
      add(out, big(0x5000c500a0000001, 8));
      return out;
    }
    if (cdb[2] == 0xb1) {
      Bytes out(64);
      out[1] = 0xb1;
      out[3] = 60;
      out[4] = 0x1c;  // 7200 rpm
      out[5] = 0x20;
      return out;
    }
    return {};
  }
  Bytes out(96);
  out[2] = 6;  // SPC-4
  out[3] = 2;
  out[4] = 91;
  text(out, 8, "SEAGATE", 8);
  text(out, 16, "ST4000NM0034", 16);
  text(out, 32, "E005", 4);
  return out;
}

// Empty: not supported.
Bytes scsi(const uint8_t* cdb) {
  switch (cdb[0]) {
    case 0x12:
      return inquiry(cdb);
    case 0x25: {  // read capacity
      Bytes out = big(0xd1c0beaf, 4);
      add(out, big(512, 4));
      return out;
    }
    case 0x1a:    // mode sense
    case 0x5a: {  // informational exceptions, enabled
      if ((cdb[2] & 0x3f) != 0x1c) return {};
      Bytes out = cdb[0] == 0x1a ? Bytes{15, 0, 0, 0} : Bytes{0, 18, 0, 0, 0, 0, 0, 0};
      add(out, {0x1c, 0x0a, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1});
      return out;
    }
    case 0x4d:
      return log_sense(cdb[2] & 0x3f, cdb[3]);
    case 0xb7:  // read defect data (12): 37 entries of 8 bytes
      return {0, 0x0c, 0, 0, 0, 0, 1, 0x28};
    case 0x03: {  // request sense
      Bytes out(18);
      out[0] = 0x70;
      out[7] = 10;
      if (is("sas-standby")) out[12] = 0x5e, out[13] = 0x02;  // standby condition, by timer
      if (is("sas-stopped")) out[2] = 2, out[12] = 0x04, out[13] = 0x02;
      return out;
    }
    default:
      return {};
  }
}

int check_condition(sg_io_hdr* io, uint8_t key, uint8_t asc, uint8_t ascq) {
  const uint8_t sense[18] = {0x70, 0, key, 0, 0, 0, 0, 10, 0, 0, 0, 0, asc, ascq};
  io->status = 2;
  io->driver_status = 8;
  io->sb_len_wr = std::min<unsigned char>(io->mx_sb_len, sizeof sense);
  memcpy(io->sbp, sense, io->sb_len_wr);
  return 0;
}

int sg_io(sg_io_hdr* io) {
  io->status = io->host_status = io->driver_status = 0;
  io->sb_len_wr = 0;
  io->resid = static_cast<int>(io->dxfer_len);
  if (io->cmdp[0] == 0x00)  // test unit ready: "initializing command required" if stopped
    return is("sas-stopped") ? check_condition(io, 2, 0x04, 0x02) : 0;
  const Bytes answer = scsi(io->cmdp);
  if (answer.empty()) {  // illegal request, invalid field or opcode
    const bool known = io->cmdp[0] == 0x12 || io->cmdp[0] == 0x1a || io->cmdp[0] == 0x4d;
    return check_condition(io, 5, known ? 0x24 : 0x20, 0);
  }
  const size_t sent = std::min<size_t>(answer.size(), io->dxfer_len);
  memcpy(io->dxferp, answer.data(), sent);
  io->resid = static_cast<int>(io->dxfer_len - sent);
  return 0;
}

int open_instead(const char* path, int flags) {
  static const auto real =
      reinterpret_cast<int (*)(const char*, int, ...)>(dlsym(RTLD_NEXT, "open"));
  return real(std::string(path).starts_with("/dev/") ? "/dev/null" : path, flags & ~O_CREAT);
}

}  // namespace

extern "C" {
int open(const char* path, int flags, ...) {
  return open_instead(path, flags);
}
int open64(const char* path, int flags, ...) {
  return open_instead(path, flags);
}
int __open_2(const char* path, int flags) {
  return open_instead(path, flags);
}
int __open64_2(const char* path, int flags) {
  return open_instead(path, flags);
}
int ioctl(int fd, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void* data = va_arg(list, void*);
  va_end(list);
  if (request == NVME_IOCTL_ID) return 1;
  if (request == NVME_IOCTL_ADMIN_CMD) return nvme(static_cast<nvme_passthru_cmd*>(data));
  if (request == SG_IO) return sg_io(static_cast<sg_io_hdr*>(data));
  static const auto real =
      reinterpret_cast<int (*)(int, unsigned long, ...)>(dlsym(RTLD_NEXT, "ioctl"));
  return real(fd, request, data);
}
}
