// MCi_STATUS values built from the manuals' tables for both vendors, and values recorded in a VM.
#include "plugins/cpu/mca.h"

#include <gtest/gtest.h>

namespace fmd::cpu::mca_test {
namespace {

constexpr uint64_t kVal = uint64_t{1} << 63, kOver = uint64_t{1} << 62, kUc = uint64_t{1} << 61,
                   kEn = uint64_t{1} << 60, kMisc = uint64_t{1} << 59, kAddr = uint64_t{1} << 58,
                   kPcc = uint64_t{1} << 57, kS = uint64_t{1} << 56, kAr = uint64_t{1} << 55;
constexpr uint64_t kGreen = uint64_t{1} << 53, kYellow = uint64_t{2} << 53;
constexpr uint64_t kTes = 1 << 11, kCmci = 1 << 10, kSer = 1 << 24;
constexpr uint64_t kAmdDeferred = uint64_t{1} << 44, kAmdPoison = uint64_t{1} << 43;

struct Row {
  const char* name;
  Vendor vendor;
  uint64_t status, mcg_cap, ipid;
  const char *kind, *severity, *level, *content, *operation;
};

uint64_t ipid(uint64_t hardware, uint64_t type, uint64_t instance = 0) {
  return type << 48 | hardware << 32 | instance;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows{
      // SDM 3B, compound codes: 000F 0001 RRRR TTLL.
      {"L0 data read", Vendor::intel, kVal | kEn | 0x0134, 0, 0, "cache", "corrected", "L0", "data",
       "data read"},
      {"L1 data", Vendor::intel, kVal | 0x0135, 0, 0, "cache", "corrected", "L1", "data",
       "data read"},
      {"L2 evict", Vendor::intel, kVal | 0x017a, 0, 0, "cache", "corrected", "L2", "generic",
       "evict"},
      {"L1 instruction fetch", Vendor::intel, kVal | 0x0151, 0, 0, "cache", "corrected", "L1",
       "instruction", "instruction fetch"},
      {"level unknown", Vendor::intel, kVal | 0x010b, 0, 0, "cache", "corrected", "unknown",
       "generic", ""},
      {"snoop", Vendor::intel, kVal | 0x0186, 0, 0, "cache", "corrected", "L2", "data", "snoop"},
      {"filtered", Vendor::intel, kVal | 0x1135, 0, 0, "cache", "corrected", "L1", "data",
       "data read"},
      {"generic hierarchy", Vendor::intel, kVal | 0x000e, 0, 0, "cache", "corrected", "L2", "", ""},
      // 000F 0000 0001 TTLL.
      {"TLB", Vendor::intel, kVal | 0x0015, 0, 0, "tlb", "corrected", "L1", "data", ""},
      {"TLB, uncorrected", Vendor::intel, kVal | kUc | kPcc | 0x0011, 0, 0, "tlb", "fatal", "L1",
       "instruction", ""},
      // 000F 0000 1MMM CCCC, and with memory as a cache 000F 0010 1MMM CCCC.
      {"memory read", Vendor::intel, kVal | kAddr | 0x0091, 0, 0, "memory", "corrected", "", "",
       "read"},
      {"memory scrub", Vendor::intel, kVal | kAddr | kUc | kS | 0x00c2, kSer, 0, "memory",
       "uncorrected", "", "", "scrub"},
      {"memory write, 2LM", Vendor::intel, kVal | 0x02a3, 0, 0, "memory", "corrected", "", "",
       "write"},
      {"UCNA", Vendor::intel, kVal | kAddr | kUc | 0x009f, kSer, 0, "memory", "deferred", "", "",
       "read"},
      // 000F 1PPT RRRR IILL.
      {"bus", Vendor::intel, kVal | 0x0c0f, 0, 0, "bus", "corrected", "", "", ""},
      {"bus read", Vendor::intel, kVal | 0x0811, 0, 0, "bus", "corrected", "", "", "read"},
      {"bus, fatal", Vendor::intel, kVal | kUc | kPcc | 0x0e0f, 0, 0, "bus", "fatal", "", "", ""},
      // Simple codes.
      {"unclassified", Vendor::intel, kVal | 0x0001, 0, 0, "unclassified", "corrected", "", "", ""},
      {"microcode ROM parity", Vendor::intel, kVal | kUc | kPcc | 0x0002, 0, 0, "internal", "fatal",
       "", "", ""},
      {"external", Vendor::intel, kVal | kUc | kPcc | 0x0003, 0, 0, "external", "fatal", "", "",
       ""},
      {"internal parity", Vendor::intel, kVal | 0x0005, 0, 0, "internal", "corrected", "", "", ""},
      {"internal timer", Vendor::intel, kVal | kUc | kPcc | 0x0400, 0, 0, "internal", "fatal", "",
       "", ""},
      {"internal unclassified", Vendor::intel, kVal | 0x0412, 0, 0, "internal", "corrected", "", "",
       ""},
      // Recoverable: the cache only received data that memory had lost.
      {"SRAR data load", Vendor::intel, kVal | kUc | kEn | kMisc | kAddr | kS | kAr | 0x0134, kSer,
       0, "poison", "uncorrected", "L0", "data", "data read"},
      {"SRAR fetch", Vendor::intel, kVal | kUc | kEn | kMisc | kAddr | kS | kAr | 0x0150, kSer, 0,
       "poison", "uncorrected", "L0", "instruction", "instruction fetch"},
      {"SRAO write-back", Vendor::intel, kVal | kUc | kEn | kMisc | kAddr | kS | 0x017a, kSer, 0,
       "poison", "uncorrected", "L2", "generic", "evict"},
      {"uncorrected, context corrupt", Vendor::intel, kVal | kUc | kEn | kS | kPcc | 0x0134, kSer,
       0, "cache", "fatal", "L0", "data", "data read"},
      // AMD without SMCA.
      {"the VM's L1 data cache", Vendor::amd, 0x9c00004000010135, 0x100010a, 0, "cache",
       "corrected", "L1", "data", "data read"},
      {"the VM's instruction fetch", Vendor::amd, 0x9c00004000010151, 0x100010a, 0, "cache",
       "corrected", "L1", "instruction", "instruction fetch"},
      // SMCA: MCA_IPID gives the type of the bank.
      {"load-store", Vendor::amd, kVal | 0x0135, 0, ipid(0xb0, 0x10), "cache", "corrected", "L1",
       "data", "data read"},
      {"load-store, level not told", Vendor::amd, kVal | 0x0107, 0, ipid(0xb0, 0), "cache",
       "corrected", "L1", "data", ""},
      {"L2", Vendor::amd, kVal | 0x0166, 0, ipid(0xb0, 2), "cache", "corrected", "L2", "data",
       "prefetch"},
      {"L3", Vendor::amd, kVal | 0x010b, 0, ipid(0xb0, 7), "cache", "corrected", "L3", "generic",
       ""},
      {"execution unit", Vendor::amd, kVal | kUc | kPcc | 0x0800, 0, ipid(0xb0, 5), "internal",
       "fatal", "", "", ""},
      {"UMC", Vendor::amd, kVal | kAddr | 0x011b, 0, ipid(0x96, 0, 0x250f00), "memory", "corrected",
       "", "generic", "read"},
      {"UMC, deferred", Vendor::amd, kVal | kAddr | kAmdDeferred | 0x011b, 0, ipid(0x96, 1),
       "memory", "deferred", "", "generic", "read"},
      {"load of poison", Vendor::amd, kVal | kUc | kAmdPoison | 0x0135, 0, ipid(0xb0, 0x10),
       "poison", "uncorrected", "L1", "data", "data read"},
      {"fabric", Vendor::amd, kVal | 0x0859, 0, ipid(0x2e, 2), "uncore", "corrected", "", "",
       "instruction fetch"},
      // Any core may read the bank of such a unit, so the core is no suspect.
      {"unknown unit", Vendor::amd, kVal | 0x0015, 0, ipid(0x777, 3), "uncore", "corrected", "",
       "data", ""},
      {"link between sockets", Vendor::amd, kVal | kUc | kPcc | 0x0400, 0, ipid(0x50, 0), "uncore",
       "fatal", "", "", ""},
      {"link between dies", Vendor::amd, kVal | kUc | 0x0405, 0, ipid(0x269, 0), "uncore",
       "uncorrected", "", "", ""},
      {"DMA processor", Vendor::amd, kVal | kAmdDeferred | 0x0400, 0, ipid(0x01, 3), "uncore",
       "deferred", "", "", ""},
      {"memory-attached cache", Vendor::amd, kVal | 0x010e, 0, ipid(0x2e, 4), "uncore", "corrected",
       "", "", ""},
      {"a later block of a core", Vendor::amd, kVal | kUc | 0x0400, 0, ipid(0xb0, 0x21), "internal",
       "uncorrected", "", "", ""},
      // Reserved encodings have no name.
      {"reserved request", Vendor::intel, kVal | 0x01f5, 0, 0, "cache", "corrected", "L1", "data",
       ""},
      {"reserved code", Vendor::intel, kVal | 0x2000, 0, 0, "unclassified", "corrected", "", "",
       ""},
  };
  return kRows;
}

MceRecord record(Vendor vendor, uint64_t status, uint64_t mcg_cap = 0, uint64_t of_ipid = 0) {
  MceRecord r;
  r.vendor = vendor;
  r.status = status;
  r.mcg_cap = mcg_cap;
  r.ipid = of_ipid;
  return r;
}

TEST(Mca, TheManualsTables) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const auto error = decode(record(row.vendor, row.status, row.mcg_cap, row.ipid));
    ASSERT_TRUE(error);
    EXPECT_EQ(kind_name(error->kind), row.kind);
    EXPECT_EQ(severity_name(error->severity), row.severity);
    EXPECT_EQ(error->level, row.level);
    EXPECT_EQ(error->content, row.content);
    EXPECT_EQ(error->operation, row.operation);
    EXPECT_FALSE(error->text().empty());
  }
}

TEST(Mca, WhatHoldsNoErrorSaysNothing) {
  EXPECT_FALSE(decode(record(Vendor::intel, 0)));
  EXPECT_FALSE(decode(record(Vendor::intel, 0x0135)));  // not valid
  EXPECT_FALSE(decode(record(Vendor::intel, kVal)));    // "no error"
}

// SDM 3B: [54:53] is the threshold status only with MCG_CAP[11], and only for corrected errors.
TEST(Mca, YellowIsTheProcessorsOwnWord) {
  const auto word = [](uint64_t status, uint64_t cap) {
    return cache_word_name(decode(record(Vendor::intel, kVal | status, cap))->word);
  };
  EXPECT_EQ(word(kYellow | 0x0136, kTes), "yellow");
  EXPECT_EQ(word(kGreen | 0x0136, kTes), "green");
  EXPECT_EQ(word(0x0136, kTes), "none");
  EXPECT_EQ(word(kYellow | kGreen | 0x0136, kTes), "none");  // reserved
  EXPECT_EQ(word(kYellow | 0x0136, 0), "none");              // the processor tracks no status
  EXPECT_EQ(word(kYellow | kUc | 0x0136, kTes), "none");
  EXPECT_EQ(word(kYellow | 0x0091, kTes), "none");  // not a cache error
  EXPECT_EQ(cache_word_name(decode(record(Vendor::amd, kVal | kYellow | 0x0136, kTes))->word),
            "none");
}

TEST(Mca, CountsOnlyWhereTheBankCounts) {
  const uint64_t seven = uint64_t{7} << 38;
  EXPECT_EQ(decode(record(Vendor::intel, kVal | seven | 0x0136, kCmci))->count, 7u);
  EXPECT_EQ(decode(record(Vendor::intel, kVal | seven | 0x0136, 0))->count, 1u);
  EXPECT_EQ(decode(record(Vendor::intel, kVal | kUc | seven | 0x0136, kCmci))->count, 1u);
}

TEST(Mca, Channels) {
  EXPECT_EQ(decode(record(Vendor::intel, kVal | 0x0093))->channel, 3u);
  EXPECT_FALSE(decode(record(Vendor::intel, kVal | 0x009f))->channel);
  EXPECT_EQ(decode(record(Vendor::amd, kVal | 0x011b, 0, ipid(0x96, 0, 0x250f00)))->channel, 2u);
  EXPECT_FALSE(decode(record(Vendor::amd, kVal | 0x0135, 0, ipid(0xb0, 0)))->channel);
}

TEST(Mca, TellsInWords) {
  EXPECT_EQ(decode(record(Vendor::intel, kVal | 0x0135))->text(),
            "corrected error in the L1 data cache (data read)");
  EXPECT_EQ(decode(record(Vendor::intel, kVal | 0x0092))->text(),
            "corrected memory error on channel 2 (read)");
  EXPECT_EQ(decode(record(Vendor::amd, kVal | kUc | kPcc | 0x0800, 0, ipid(0xb0, 5)))->text(),
            "fatal internal error of the core, execution");
}

// Broken hardware may return any 64 bits.
TEST(Mca, AnyBitsAreTaken) {
  uint64_t x = 88172645463325252ull;
  for (int i = 0; i < 200000; ++i) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    const auto error =
        decode(record(static_cast<Vendor>(x % 3), x | kVal, x * 3, i % 2 ? x * 7 : 0));
    if (!error) continue;
    EXPECT_FALSE(error->text().empty());
    EXPECT_NE(error->kind, ErrorKind::nothing);
    const bool has_level = error->kind == ErrorKind::cache || error->kind == ErrorKind::tlb;
    EXPECT_TRUE(!has_level || !error->level.empty());
  }
}

}  // namespace
}  // namespace fmd::cpu::mca_test
