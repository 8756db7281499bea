#include "plugins/disk/kmsg_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "plugins/hardware/kernel_number.h"
#include "plugins/hardware/pci_address.h"

namespace fmd::disk {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The text after `before`, up to one of `ends`.
std::string_view after(std::string_view text, std::string_view before, std::string_view ends) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find_first_of(ends));
}

// Kernels without their names of SCSI codes (CONFIG_SCSI_CONSTANTS) print numbers: "UNKNOWN(0x2003) Result:
// hostbyte=0x07", "Sense Key : 0x3 [current]", "ASC=0x11 ASCQ=0x0".
std::optional<unsigned> hexadecimal(std::string_view word) {
  if (!word.starts_with("0x")) return std::nullopt;
  return hardware::number<unsigned>(word.substr(2), 16);
}

// In the order of enum scsi_host_status (include/scsi/scsi_status.h).
std::string_view host_byte_name(std::string_view word) {
  static constexpr std::array<std::string_view, 21> kNames{"DID_OK",
                                                           "DID_NO_CONNECT",
                                                           "DID_BUS_BUSY",
                                                           "DID_TIME_OUT",
                                                           "DID_BAD_TARGET",
                                                           "DID_ABORT",
                                                           "DID_PARITY",
                                                           "DID_ERROR",
                                                           "DID_RESET",
                                                           "DID_BAD_INTR",
                                                           "DID_PASSTHROUGH",
                                                           "DID_SOFT_ERROR",
                                                           "DID_IMM_RETRY",
                                                           "DID_REQUEUE",
                                                           "DID_TRANSPORT_DISRUPTED",
                                                           "DID_TRANSPORT_FAILFAST",
                                                           "DID_TARGET_FAILURE",
                                                           "DID_NEXUS_FAILURE",
                                                           "DID_ALLOC_FAILURE",
                                                           "DID_MEDIUM_ERROR",
                                                           "DID_TRANSPORT_MARGINAL"};
  const auto number = hexadecimal(word);
  return number && *number < kNames.size() ? kNames[*number] : word;
}

// The line has no sense key. These codes have one meaning with any.
Cause cause_of_additional(unsigned asc, unsigned ascq) {
  constexpr unsigned kIllegal = 5, kProtect = 7, kAborted = 11;
  for (const auto& [key, wanted] : {std::pair(kAborted, Cause::transport),
                                    {kIllegal, Cause::unmapped},
                                    {kProtect, Cause::no_space}})
    if (cause_of(Sense{key, asc, ascq}) == wanted) return wanted;
  return Cause::nothing;
}

// "sd 0:0:4:0: [sdc] tag#2 …", "sd 0:0:4:0: Power-on or device reset occurred" (sense 29h).
std::optional<Indication> scsi_disk(std::string_view text) {
  if (!text.starts_with("sd ")) return std::nullopt;
  Indication said;
  said.device.hctl = after(text, "sd ", " ");
  if (said.device.hctl.ends_with(':')) said.device.hctl.pop_back();
  if (has(text, "reset occurred") || has(text, "Device offlined")) {
    said.cause = has(text, "Device offlined") ? Cause::timeout : Cause::reset;
    said.text = after(text, said.device.hctl + ": ", "\n");
    return said;
  }
  if (has(text, "FAILED Result: hostbyte=") || has(text, "UNKNOWN(0x2003) Result: hostbyte=")) {
    const std::string_view host = host_byte_name(after(text, "hostbyte=", " "));
    said.cause = cause_of_host_byte(host);
    said.text = host;
  } else if (has(text, "Sense Key : ")) {
    const std::string_view key = after(text, "Sense Key : ", "[");
    const auto number = hexadecimal(key);
    said.cause = number                               ? cause_of(Sense{*number, 0, 0})
                 : key.starts_with("Medium Error")    ? Cause::medium
                 : key.starts_with("Hardware Error")  ? Cause::hardware
                 : key.starts_with("Aborted Command") ? Cause::unspecific
                 : key.starts_with("Recovered Error") ? Cause::nothing
                 : key.starts_with("No Sense")        ? Cause::nothing
                                                      : Cause::caller;
    said.text = key.substr(0, key.find_last_not_of(' ') + 1);
  } else if (has(text, "Add. Sense: ")) {
    const std::string_view sense = after(text, "Add. Sense: ", "\n");
    constexpr std::array<std::string_view, 8> kLink{"CRC",          "arity error",  "communication",
                                                    "ata phase",    "ck/nak",       "ak received",
                                                    "NAK received", "nnection lost"};
    const bool link = std::any_of(kLink.begin(), kLink.end(),
                                  [&](std::string_view word) { return has(sense, word); });
    said.cause = link                                              ? Cause::transport
                 : sense.starts_with("Logical unit not supported") ? Cause::unmapped
                 : sense.starts_with("Space allocation failed")    ? Cause::no_space
                                                                   : Cause::nothing;
    said.text = sense;
  } else if (const auto asc = hexadecimal(after(text, " ASC=", " "))) {
    said.cause = cause_of_additional(*asc, hexadecimal(after(text, " ASCQ=", " \n")).value_or(0));
    said.text = text.substr(text.find(" ASC=") + 1);
  }
  if (said.cause == Cause::nothing) return std::nullopt;
  return said;
}

// "critical medium error, dev sdc, sector 4656 op 0x0:(READ) flags …" (table in block/blk-core.c).
// Linux 4.18 (RHEL 8) prints no operation: "print_req_error: critical medium error, dev sdc, sector
// 4656 flags 80700". Two of its errors may then be those of a discard, which many devices only
// claim to support.
std::optional<Indication> block_layer(std::string_view text) {
  constexpr std::string_view kOlder[] = {
      "blk_update_request: ", "print_req_error: ", "end_request: "};
  for (const std::string_view by : kOlder)
    if (text.starts_with(by)) text.remove_prefix(by.size());
  static constexpr std::array<std::pair<std::string_view, Cause>, 7> kWords{{
      {"critical medium error, dev ", Cause::medium},
      {"critical target error, dev ", Cause::unspecific},
      {"critical space allocation error, dev ", Cause::no_space},
      {"recoverable transport error, dev ", Cause::transport},
      {"timeout error, dev ", Cause::timeout},
      {"protection error, dev ", Cause::transport},
      {"I/O error, dev ", Cause::unspecific},
  }};
  for (const auto& [words, cause] : kWords) {
    if (!text.starts_with(words)) continue;
    Indication said;
    said.device.name = after(text, words, ", ");
    const std::string_view op = after(text, ":(", ")");
    const bool known = op == "READ" || op == "WRITE" || op == "FLUSH";
    const bool refused = has(words, "target error") || cause == Cause::no_space;
    if (!known && (!op.empty() || has(text, " op 0x") || refused)) return std::nullopt;
    if (known) said.operation = op == "READ" ? "read" : "write";
    said.sector = hardware::number<uint64_t>(after(text, "sector ", " "));
    said.cause = cause;
    said.text = words.substr(0, words.find(','));
    return said;
  }
  return std::nullopt;
}

// "nvme nvme0: I/O 12 QID 3 timeout, aborting", and resets that follow.
std::optional<Indication> nvme(std::string_view text) {
  if (!text.starts_with("nvme nvme")) return std::nullopt;
  Indication said;
  said.device.nvme = after(text, "nvme ", ": ");
  const size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  text.remove_prefix(colon + 2);
  // The command completed and only its interrupt was lost: neither disk nor path failed.
  if (has(text, "completion polled")) {
    said.cause = Cause::interrupt;
    said.text = text;
    return said;
  }
  const bool timeout = has(text, " timeout, ");
  const bool reset = has(text, "will reset") || has(text, "resetting controller") ||
                     has(text, "reset controller") || has(text, "Device not ready; aborting");
  const bool gave_up = has(text, "Removing after probe failure") ||
                       has(text, "Disabling device after reset failure");  // the text since 6.1
  if (!timeout && !reset && !gave_up) return std::nullopt;
  // A timeout that ends in a reset is reported as a timeout.
  said.cause = gave_up ? Cause::gave_up : timeout ? Cause::timeout : Cause::reset;
  said.text = text;
  return said;
}

struct AdapterWords {
  std::string_view driver, words;
  Cause cause;
};

// Texts of drivers/scsi and drivers/message of several versions.
constexpr std::array kAdapterWords{
    AdapterWords{"mpt", "SAS host is non-operational", Cause::adapter_dead},
    AdapterWords{"mpt", "dead_ioc thread success", Cause::adapter_dead},
    AdapterWords{"mpt", "hard_reset_handler: FAILED", Cause::adapter_dead},
    AdapterWords{"mpt", "fault_state(0x", Cause::adapter_fault},
    AdapterWords{"mpt", "coredump_state(0x", Cause::adapter_fault},
    AdapterWords{"mpt", "IOC is in FAULT state", Cause::adapter_fault},
    AdapterWords{"leapioraid", "SAS host is non-operational", Cause::adapter_dead},
    AdapterWords{"leapioraid", "fault_state(0x", Cause::adapter_fault},
    AdapterWords{"mpi3mr", "unrecoverable", Cause::adapter_dead},
    AdapterWords{"mpi3mr", "fault code(0x", Cause::adapter_fault},
    AdapterWords{"megaraid_sas", "killing adapter", Cause::adapter_dead},
    AdapterWords{"megaraid_sas", "dapter is OFFLINE", Cause::adapter_dead},
    AdapterWords{"megaraid_sas", "FW in FAULT state", Cause::adapter_fault},
    AdapterWords{"megaraid_sas", "encountered a fatal error", Cause::adapter_fault},
    AdapterWords{"megaraid_sas", "encountered an fatal error", Cause::adapter_fault},
    AdapterWords{"megasas", "FW in FAULT state", Cause::adapter_fault},
    AdapterWords{"hpsa", "ontroller lockup detected", Cause::adapter_dead},
    AdapterWords{"smartpqi", "controller is offline", Cause::adapter_dead},
    AdapterWords{"smartpqi", "controller offline", Cause::adapter_dead},
    AdapterWords{"aac", "Host adapter dead", Cause::adapter_dead},
    AdapterWords{"aac", "dapter kernel panic'd", Cause::adapter_fault},
    AdapterWords{"aac", "dapter kernel failed", Cause::adapter_fault},
    AdapterWords{"aac", "Host adapter BLINK LED", Cause::adapter_fault},
    AdapterWords{"AAC", "Host adapter dead", Cause::adapter_dead},
    AdapterWords{"AAC", "dapter kernel panic'd", Cause::adapter_fault},
    AdapterWords{"AAC", "dapter kernel failed", Cause::adapter_fault},
    AdapterWords{"AAC", "Host adapter BLINK LED", Cause::adapter_fault},
    AdapterWords{"qla2xxx", "board disabled", Cause::adapter_dead},
    AdapterWords{"qla2xxx", "ISP System Error", Cause::adapter_fault},
    AdapterWords{"qla2xxx", "RISC paused", Cause::adapter_fault},
    AdapterWords{"lpfc", "Failing UE recovery", Cause::adapter_dead},
    AdapterWords{"lpfc", "Adapter Hardware Error", Cause::adapter_fault},
    AdapterWords{"ahci", "controller reset failed", Cause::adapter_dead},
};

// "mpt3sas_cm0: fault_state(0x5854)!", "megaraid_sas 0000:01:00.0: Found FW in FAULT state, …",
// "qla2xxx [0000:65:00.0]-5003:8: ISP System Error - …", "AAC: Host adapter dead -3", "mptbase: ioc0: …".
std::optional<Indication> host_adapter(std::string_view text) {
  const auto known =
      std::find_if(kAdapterWords.begin(), kAdapterWords.end(), [&](const AdapterWords& one) {
        return text.starts_with(one.driver) && has(text, one.words);
      });
  if (known == kAdapterWords.end()) return std::nullopt;
  Indication said;
  said.cause = known->cause;
  const std::string_view driver = text.substr(0, text.find_first_of(" :"));
  const size_t second = text.find_first_not_of(" :[", driver.size());
  if (second == text.npos) return std::nullopt;
  std::string_view word = text.substr(second, text.find_first_of(" ]", second) - second);
  if (word.ends_with(':')) word.remove_suffix(1);
  said.device.adapter = hardware::is_pci_address(word) || driver == "mptbase" ? word : driver;
  const size_t start = text.find(": ");
  said.text = start == text.npos ? text : text.substr(start + 2);
  return said;
}

// "nvme0n1: I/O Cmd(0x2) @ LBA 4656, 8 blocks, I/O Error (sct 0x0 / sc 0xb) DNR"; kernels with their own names of the codes print
// "Read(0x2) @ LBA 4656, 8 blocks, Invalid Namespace or Format (sct 0x0 / sc 0xb)".
std::optional<Indication> nvme_status(std::string_view text) {
  const size_t colon = text.find(": "), status = text.rfind(" (sct ");
  if (!text.starts_with("nvme") || colon == text.npos || status == text.npos || status < colon)
    return std::nullopt;
  const auto type = hardware::number<unsigned>(after(text.substr(status), " (sct 0x", " "), 16);
  const auto code = hardware::number<unsigned>(after(text.substr(status), "/ sc 0x", ") "), 16);
  Indication said;
  said.device.name = text.substr(0, colon);
  said.cause = type && code ? cause_of_nvme_status(*type, *code) : Cause::nothing;
  if (said.cause == Cause::nothing || !has(said.device.name.substr(4), "n")) return std::nullopt;
  const size_t blocks = text.find(" blocks, ");
  if (blocks < status) said.text = text.substr(blocks + 9);
  return said;
}

// "ata3: …", "ata3.00: …"; no port: something else.
DeviceName ata_device(std::string_view text) {
  DeviceName device;
  const size_t colon = text.find(": ");
  if (!text.starts_with("ata") || colon == text.npos) return device;
  device.ata_port = hardware::number<int>(text.substr(3)).value_or(0);
  if (const size_t dot = text.find('.'); dot < colon)
    device.ata_unit = hardware::number<int>(text.substr(dot + 1)).value_or(-1);
  return device;
}

// "res 40/00:10:… Emask 0x4 (timeout)", after "ata1.00: cmd …" or on its own line. Words of
// ata_err_string() in drivers/ata/libata-eh.c. The device's own error is on the line "error: {".
std::optional<Indication> ata_result(std::string_view text, const DeviceName& device) {
  const size_t result = text.starts_with("res ") ? 0 : text.find(" res ");
  if (device.ata_port <= 0 || result == text.npos) return std::nullopt;
  const std::string_view mask = after(text.substr(result), "Emask ", "\n");
  const std::string_view word = after(mask, "(", ")");
  Indication said;
  said.device = device;
  said.cause = word == "timeout"                                     ? Cause::timeout
               : word == "ATA bus error" || word == "host bus error" ? Cause::transport
               : word == "media error"                               ? Cause::medium
                                                                     : Cause::nothing;
  if (said.cause == Cause::nothing) return std::nullopt;
  said.text = word;
  return said;
}

// "ata3: hard resetting link", "ata3.00: error: { UNC }"; "ata3.00: qc timeout after 5000 msecs
// (cmd 0xec)" is about a command that libata itself sent.
std::optional<Indication> ata(std::string_view text) {
  Indication said;
  said.device = ata_device(text);
  if (said.device.ata_port <= 0) return std::nullopt;
  text.remove_prefix(text.find(": ") + 2);
  if (text.starts_with("hard resetting link"))
    said.cause = Cause::reset;
  else if (text.starts_with("reset failed, giving up"))
    said.cause = Cause::gave_up;
  else if (text.starts_with("qc timeout"))
    said.cause = Cause::timeout;
  else if (text.starts_with("error: {"))
    said.cause = has(text, "ICRC")  ? Cause::transport
                 : has(text, "UNC") ? Cause::medium
                                    : Cause::nothing;
  if (said.cause == Cause::nothing) return std::nullopt;
  said.text = text;
  return said;
}

// "BTRFS error (device sdb1 state EA): …" (older kernels: "sdb1: state EA"), "BTRFS: error (device …", "BTRFS critical (device …";
// if it was forced read-only, "BTRFS info (device sdb1 state EA): forced readonly".
std::string_view btrfs_device(std::string_view text) {
  const bool bad =
      text.starts_with("BTRFS error (device ") || text.starts_with("BTRFS: error (device ") ||
      text.starts_with("BTRFS critical (device ") || text.starts_with("BTRFS: critical (device ");
  const bool forced = text.starts_with("BTRFS") && has(text, "forced readonly");
  // Skips read and write errors, which btrfs counts per device (plugins/volumes), and corrected
  // errors, which are harmless.
  const bool counted = has(text, "bdev ") || has(text, "fixed up error");
  // A checksum that fits a damaged block: each copy is as damaged.
  const bool damaged = has(text, ": corrupt leaf: ") || has(text, ": corrupt node: ");
  return (bad && !counted && (has(text, "errno=") || has(text, "ransaction aborted") || damaged)) ||
                 forced
             ? after(text, "(device ", " :)")
             : std::string_view();
}

// Others that say so: "EXT4-fs (sdb1): Remounting filesystem read-only" (also f2fs, nilfs2), "ERROR:
// (device sdb1): remounting filesystem as read-only" (jfs), "FAT-fs (sdb1): Filesystem has been set
// read-only" (also exfat), "F2FS-fs (sdb1): Stopped filesystem due to reason: 7" or "…: inode
// (ino=5) has corrupted i_extra_isize: 20, max: 24, run fsck to fix.", "bcachefs (sdb1): fatal
// error - emergency read only", "REISERFS abort (device sdb1): …", "OCFS2: ERROR (device dm-1): …
// File system is now read-only".
std::string_view remounted_device(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kWords{"emounting filesystem read-only",
                                                          "emounting filesystem as read-only",
                                                          "emounting file system read-only",
                                                          "ilesystem has been set read-only",
                                                          ": Stopped filesystem due to reason",
                                                          "run fsck to fix",
                                                          "emergency read only",
                                                          "REISERFS abort (device",
                                                          "ile system is now read-only"};
  if (std::none_of(kWords.begin(), kWords.end(), [&](auto words) { return has(text, words); }))
    return {};
  const std::string_view named = after(text, "(device ", " ):");
  return named.empty() ? after(text, " (", " ):") : named;
}

// Data that was written to a file and is lost, on any device below it: a full thin pool, a volume
// that was removed, an unmapped unit. "Buffer I/O error on dev dm-5, logical block 130, lost async
// page write" (older kernels: "lost page write due to I/O error on dm-5"), "XFS (dm-5): writeback
// error on inode 133, offset 0, sector 264", "EXT4-fs warning (device dm-5): ext4_end_bio:343: I/O
// error 3 writing to inode 12 …", "EXT4-fs (dm-5): This should not happen!! Data will be lost" or
// "I/O error while writing superblock". btrfs counts its own.
std::string_view device_of_lost_write(std::string_view text) {
  constexpr std::string_view kBuffer = "Buffer I/O error on dev ",
                             kOlder = "lost page write due to I/O error on ";
  if (text.starts_with(kBuffer) && has(text, " page write") && has(text, "lost "))
    return after(text, kBuffer, ", ");
  if (text.starts_with(kOlder)) return after(text, kOlder, " \n");
  if (text.starts_with("XFS (") &&
      (has(text, "writeback error on ") || has(text, "page discard on ")))
    return after(text, "XFS (", ")");
  if (!text.starts_with("EXT4-fs ")) return {};
  if (has(text, "I/O error") && has(text, " writing to inode "))
    return after(text, "(device ", ")");
  return has(text, "Data will be lost") || has(text, "while writing superblock") ||
                 has(text, "I/O error to superblock detected")
             ? after(text, "EXT4-fs (", ")")
             : std::string_view();
}

// Of ext4's journal (inode 8), since ext4 itself logs only at its next write: "Aborting journal on
// device dm-0-8.", "JBD2: Detected IO errors while flushing file data on dm-0-8", "JBD2: I/O error
// when updating journal superblock for dm-0-8."
std::string_view device_of_journal(std::string_view text) {
  for (const std::string_view words :
       {"Aborting journal on device ", "JBD2: Detected IO errors while flushing file data on ",
        "JBD2: I/O error when updating journal superblock for "})
    if (text.starts_with(words)) {
      text.remove_prefix(words.size());
      if (text.ends_with('.')) text.remove_suffix(1);
      if (!text.ends_with("-8")) return {};
      text.remove_suffix(2);
      return text;
    }
  return {};
}

// "XFS (dm-0): Metadata I/O Error …", "Metadata CRC error detected at …", "Internal error
// XFS_WANT_CORRUPTED_GOTO at line …", "Corruption detected. Unmount and run xfs_repair", "Log I/O
// Error Detected. Shutting down filesystem".
bool is_xfs_error(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kWords{
      "shut down",          "Shutting down", "etadata I/O",     "etadata corruption",
      "etadata CRC error ", "log I/O error", "Internal error ", "run xfs_repair"};
  return text.starts_with("XFS (") && !has(text, "User initiated") &&  // xfs_io -c shutdown
         std::any_of(kWords.begin(), kWords.end(), [&](auto words) { return has(text, words); });
}

// "EXT4-fs error (device dm-0): …", "ntfs3: sdb1: Mark volume as dirty due to NTFS errors".
std::optional<Indication> file_system(std::string_view text) {
  Indication said;
  if (text.starts_with("EXT4-fs error (device "))
    said.device.file_system = after(text, "(device ", "):");
  else if (is_xfs_error(text))
    said.device.file_system = after(text, "XFS (", ")");
  else if (text.starts_with("ntfs3: ") && has(text, "dirty due to NTFS errors"))
    said.device.file_system = after(text, "ntfs3: ", ":");
  else if (const auto journal = device_of_journal(text); !journal.empty())
    said.device.file_system = journal;
  else if (const auto lost = device_of_lost_write(text); !lost.empty())
    said.device.file_system = lost;
  else if (const auto btrfs = btrfs_device(text); !btrfs.empty())
    said.device.file_system = btrfs;
  else
    said.device.file_system = remounted_device(text);
  if (said.device.file_system.empty()) return std::nullopt;
  said.cause = Cause::unspecific;
  const size_t colon = text.find("): ");
  said.text = colon == std::string_view::npos ? text : text.substr(colon + 3);
  return said;
}

}  // namespace

std::optional<KmsgRecord> parse_kmsg(std::string_view record) {
  const size_t semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  std::string_view head = record.substr(0, semicolon);
  KmsgRecord result;
  const auto next = [&]() -> std::optional<uint64_t> {
    const size_t comma = head.find(',');
    const auto value = hardware::number<uint64_t>(head.substr(0, comma));
    head.remove_prefix(comma == std::string_view::npos ? head.size() : comma + 1);
    return value;
  };
  const auto level = next(), sequence = next(), micros = next();
  if (!level || !sequence || !micros) return std::nullopt;
  // Bits 3 and up are the facility; 0 is the kernel. Root processes may write the others.
  if (*level >> 3 != 0) return std::nullopt;
  result.sequence = *sequence;
  result.uptime_ns = static_cast<int64_t>(*micros) * 1000;
  result.text = record.substr(semicolon + 1);
  result.text = result.text.substr(0, result.text.find('\n'));
  return result;
}

std::optional<Indication> LogText::said_in(const KmsgRecord& record) {
  const DeviceName command = std::exchange(ata_, {});
  const size_t first = record.text.find_first_not_of(' ');
  const std::string_view text = first == record.text.npos ? "" : record.text.substr(first);
  if (text.starts_with("ata") && has(text, ": cmd ")) ata_ = ata_device(text);
  const DeviceName& whose = ata_.ata_port > 0 ? ata_ : command;
  if (auto said = ata_result(text, whose)) {
    said->uptime_ns = record.uptime_ns;
    return said;
  }
  for (const auto parse :
       {scsi_disk, block_layer, nvme, nvme_status, ata, host_adapter, file_system})
    if (auto said = parse(record.text)) {
      said->uptime_ns = record.uptime_ns;
      return said;
    }
  return std::nullopt;
}

}  // namespace fmd::disk
