// Controllers that fault, and disks that the kernel gives up, as drivers log them.
#include "plugins/disk/tests/field/disk_field.h"

namespace fmd::disk::testing {
namespace {

// A controller that does not recover is the drive's own, in the words of several kernel versions.
TEST_F(DiskField, AnNvmeControllerThatIsGivenUp) {
  for (const Lines& lines : std::initializer_list<Lines>{
           {"nvme nvme2: Removing after probe failure status: -19"},
           {"nvme nvme2: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10",
            "nvme nvme2: Device not ready; aborting reset, CSTS=0x1",
            "nvme nvme2: Removing after probe failure status: -19"},
           {"nvme nvme2: I/O 566 QID 7 timeout, aborting",
            "nvme nvme2: I/O 566 QID 7 timeout, reset controller",
            "nvme nvme2: Device not ready; aborting reset, CSTS=0x3",
            "nvme nvme2: Disabling device after reset failure: -19"}}) {
    core_.events.clear();
    core_.messages.clear();
    nvme("nvme2");
    begin();
    logged(lines);
    ASSERT_TRUE(told(1)) << lines.back();
    EXPECT_EQ(cases(), Cases{"Major fault.io.disk.gave-up dev://wwn=0025385b71b00001"})
        << lines.back();
    plugin_.reset();
    core_.cursor = "b007:1";
  }
}

// A dead SATA disk. A pulled one has no link: "SATA link down".
TEST_F(DiskField, ASataDiskThatIsGivenUp) {
  for (const bool dead : {true, false}) {
    core_.events.clear();
    core_.messages.clear();
    sata(3, "sdq");
    begin();
    Lines lines{"ata3.00: exception Emask 0x10 SAct 0x0 SErr 0x4050000 action 0xe frozen",
                "ata3: hard resetting link"};
    if (dead)
      lines.insert(lines.end(),
                   {"ata3: link is slow to respond, please be patient (ready=0)",
                    "ata3: COMRESET failed (errno=-16)", "ata3: hard resetting link",
                    "ata3: COMRESET failed (errno=-16)", "ata3: reset failed, giving up"});
    else
      lines.insert(lines.end(),
                   {"ata3: SATA link down (SStatus 0 SControl 300)", "ata3: hard resetting link",
                    "ata3: SATA link down (SStatus 0 SControl 300)"});
    lines.insert(lines.end(), {"ata3.00: disable device", "ata3: EH complete",
                               "ata3.00: detaching (SCSI 2:0:0:0)"});
    logged(lines);
    ASSERT_TRUE(told(1));
    EXPECT_EQ(cases(),
              dead ? Cases{"Major fault.io.disk.gave-up dev://wwn=5000c500a00000f3"} : Cases());
    plugin_.reset();
    core_.cursor = "b007:1";
  }
}

// One reset that succeeds.
TEST_F(DiskField, AnNvmeControllerThatRecovers) {
  nvme("nvme2");
  begin();
  logged({"nvme nvme2: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10",
          "nvme nvme2: 8/0/0 default/read/poll queues"});
  ASSERT_TRUE(told(1));
  EXPECT_EQ(cases(), Cases());
}

// The lines of drivers about their own adapter: its case, and no disk's.
TEST_F(DiskField, HostAdaptersThatFault) {
  for (const AdapterLines& row : std::initializer_list<AdapterLines>{
           {"mpt3sas",
            "0",
            {"mpt3sas_cm0: fault_state(0x5854)!", "mpt3sas_cm0: sending diag reset !!",
             "mpt3sas_cm0: diag reset: SUCCESS"}},
           {"mpt3sas", "12", {"mpt3sas_cm12: fault_state(0x2622)!"}},
           {"mpt2sas", "1", {"mpt2sas_cm1: fault_state(0x0d04)!"}},
           {"mpt2sas", "0", {"mpt2sas0: fault_state(0x265d)!"}},
           {"mpt3sas", "0", {"mpt3sas_cm0: coredump_state(0x5862)!"}},
           {"mptsas", "0", {"mptbase: ioc0: WARNING - IOC is in FAULT state (2667h)!!!"}},
           {"leapioraid", "0", {"leapioraid_cm0 fault_state(0x5854)!"}},
           {"mpi3mr",
            "0",
            {"mpi3mr0: fault code(0x0000F002): Additional code: "
             "(0x00000000:0x00000000:0x00000000)"}},
           {"megaraid_sas",
            "9",
            {"megaraid_sas 0000:00:02.0: Found FW in FAULT state, will reset adapter scsi0.",
             "megaraid_sas 0000:00:02.0: resetting fusion adapter scsi0."}},
           {"megaraid_sas",
            "9",
            {"megaraid_sas 0000:00:02.0: FW in FAULT state, Fault code:0x10000 subcode:0x0 "
             "func:megasas_wait_for_outstanding_fusion"}},
           {"megaraid_sas",
            "9",
            {"megaraid_sas 0000:00:02.0: 9313 (713374413s/0x0020/CRIT) - Controller encountered a "
             "fatal error and was reset"}},
           {"aacraid", "0", {"aacraid 0000:00:02.0: adapter kernel panic'd ef."}},
           {"aacraid", "0", {"aacraid0: adapter kernel panic'd."}},
           {"aacraid", "0", {"AAC: Host adapter BLINK LED 0xef"}},
           {"qla2xxx",
            "4",
            {"qla2xxx [0000:00:02.0]-5003:8: ISP System Error - mbx1=1ff5h mbx2=10h mbx3=0h "
             "mbx4=0h mbx5=191h mbx6=0h mbx7=0h."}},
           {"lpfc",
            "0",
            {"lpfc 0000:00:02.0: 0:0457 Adapter Hardware Error Data: x4000000 x1 x2"}}})
    adapter_is(row, "Major fault.io.hba.firmware dev://pci=0000:00:02.0");
}

TEST_F(DiskField, HostAdaptersThatAreGivenUp) {
  for (const AdapterLines& row : std::initializer_list<AdapterLines>{
           {"mpt3sas",
            "0",
            {"mpt3sas_cm0: SAS host is non-operational !!!!",
             "mpt3sas_cm0: SAS host is non-operational !!!!",
             "mpt3sas_cm0: _base_fault_reset_work: Running mpt3sas_dead_ioc thread success !!!!"}},
           {"mpt2sas", "0", {"mpt2sas_cm0: SAS host is non-operational !!!!"}},
           {"mpt3sas",
            "1",
            {"mpt3sas_cm1: fault_state(0x5854)!", "mpt3sas_cm1: sending diag reset !!",
             "mpt3sas_cm1: diag reset: FAILED",
             "mpt3sas_cm1: mpt3sas_base_hard_reset_handler: FAILED"}},
           {"megaraid_sas",
            "0",
            {"megaraid_sas 0000:00:02.0: FW in FAULT state, Fault code:0xfff0000 subcode:0xff00 "
             "func:megasas_fault_detect_work",
             "megaraid_sas 0000:00:02.0: Diag reset adapter never cleared megasas_adp_reset_fusion "
             "3977",
             "megaraid_sas 0000:00:02.0: Reset failed, killing adapter scsi0."}},
           {"megaraid_sas",
            "0",
            {"megaraid_sas 0000:00:02.0: Reset not supported, killing adapter scsi0."}},
           {"hpsa",
            "0",
            {"hpsa 0000:00:02.0: Controller lockup detected: 0x0015002f after 30",
             "hpsa 0000:00:02.0: controller lockup detected: LUN:0000004000000000 "
             "CDB:01040000000000000000000000000000"}},
           {"smartpqi",
            "0",
            {"smartpqi 0000:00:02.0: controller is offline: status code 0x6100c",
             "smartpqi 0000:00:02.0: controller offline"}},
           {"aacraid",
            "0",
            {"aacraid: Host adapter reset request. SCSI hang ?", "AAC: Host adapter dead -3"}},
           {"qla2xxx",
            "4",
            {"qla2xxx [0000:00:02.0]-8035:0: ISP error recover failed - board disabled."}},
           {"ahci", "0", {"ahci 0000:00:02.0: controller reset failed (0x80000001)"}}})
    adapter_is(row, "Critical fault.io.hba.dead dev://pci=0000:00:02.0");
}

TEST_F(DiskField, HostAdaptersThatOnlyReport) {
  adapter("mpt3sas", "0");
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  begin();
  logged({"mpt3sas_cm0: log_info(0x31110e05): originator(PL), code(0x11), sub_code(0x0e05)",
          "mpt3sas_cm0: LSISAS3008: FWVersion(16.00.12.00), ChipRevision(0x02)",
          "mpt3sas_cm7: fault_state(0x5854)!",
          "megaraid_sas 0000:00:02.0: 1881 (713374413s/0x0002/WARN) - PD 07(e0x08/s7) Path "
          "5000c500a0000009 reset (Type 03)",
          "megaraid_sas 0000:00:02.0: waiting for FW to come to ready state",
          "hpsa 0000:00:02.0: scsi 0:0:2:0: resetting logical Direct-Access",
          "smartpqi 0000:00:02.0: resetting scsi 0:1:0:0",
          "aacraid: Host adapter abort request (0,0,2,0)",
          "qla2xxx [0000:00:02.0]-500a:8: LOOP UP detected (16 Gbps).",
          "lpfc 0000:00:02.0: 0:1303 Link Up Event x1 received Data: x1 x0 x20 x0 x0 x0 0"});
  logged({"sd 0:0:2:0: [sde] tag#2 Sense Key : Medium Error [current] "});  // end of the input
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.io.medium");
  EXPECT_EQ(core_.events.size(), 1u);
}

// The driver removes the dead host with all its disks; after a boot they are there again.
TEST_F(DiskField, AHostAdapterThatServesAgainAfterABoot) {
  adapter("mpt3sas", "0");
  plug("sde", 2, "5000c500a0000003", "DISK03G0", 15);
  begin();
  logged({"mpt3sas_cm0: SAS host is non-operational !!!!"});
  ASSERT_TRUE(told(1));
  ASSERT_EQ(cases(), Cases{"Critical fault.io.hba.dead dev://pci=0000:00:02.0"});
  plugin_.reset();
  tree_.file("/proc/sys/kernel/random/boot_id", "b008\n");
  begin();
  ASSERT_TRUE(told(2));
  EXPECT_EQ(core_.events[1]["class"], "sysevent.hba.serves");
  EXPECT_EQ(core_.events[1]["resource"], "dev://pci=0000:00:02.0");
}

}  // namespace
}  // namespace fmd::disk::testing
