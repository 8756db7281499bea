#!/usr/bin/python3
"""The simulated smartctl behaves like the real one: its document, its exit status, and how a disk sleeps or hangs."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "simulator"))

from host import smart  # noqa: E402  (the path has to be set before)
from host.tools import link_tools  # noqa: E402
from process import patience  # noqa: E402

SMARTCTL = ("-j", "-x", "-n", "standby,3")  # as fmd-smart runs it


class Smartctl(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fmsim-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        link_tools(self.folder, ("smartctl",))
        for kind in smart.KINDS:
            smart.install(self.folder, kind, kind, f"SN-{kind}", [f"sd-{kind}"], vendor="MAKER", model="MODEL", revision="R1",
                          size=10**9, wwn="5000c500a0000001")

    def start(self, kind, *arguments):
        return subprocess.Popen([os.path.join(self.folder, "bin/smartctl"), *(arguments or SMARTCTL), f"/x/dev/sd-{kind}"],
                                stdout=subprocess.PIPE, env={"FMD_HOST_ROOT": self.folder, "PATH": "/usr/bin:/bin"})

    def ask(self, kind, *arguments):
        """Returns (exit status, document)."""
        with self.start(kind, *arguments) as process:
            text = process.communicate(timeout=patience())[0]
        return process.returncode, json.loads(text)

    def change(self, kind, **changes):
        smart.change(self.folder, kind, [(name.replace("__", "."), str(value)) for name, value in changes.items()])

    def test_each_disk_has_its_own_names(self):
        for kind in smart.KINDS:
            status, document = self.ask(kind)
            self.assertEqual((status, document["smartctl"]["exit_status"]), (0, 0), kind)
            self.assertEqual((document["serial_number"], document["smart_status"]["passed"]), (f"SN-{kind}", True))
            self.assertEqual(document["user_capacity"]["bytes"], 10**9)

    def test_what_was_recorded_is_kept(self):
        """Everything but the disk's identity is as in the template."""
        own = {"serial_number", "user_capacity", "model_name", "firmware_version", "wwn", "logical_unit_id", "scsi_vendor",
               "scsi_product", "scsi_model_name", "scsi_revision"}
        for kind in smart.KINDS:
            document = self.ask(kind)[1]
            template = smart.read_json(os.path.join(smart.TEMPLATES, f"{kind}.json"))
            self.assertEqual({name: value for name, value in document.items() if name not in own},
                             {name: value for name, value in template.items() if name not in own})

    def test_values_are_set_where_each_kind_has_them(self):
        self.change("scsi", reallocated=12, uncorrectable=3, temperature=44)
        self.change("sata", reallocated=13, pending=2, attr__188=7)
        self.change("nvme", media_errors=4, wear=99)
        scsi, sata, nvme = (self.ask(kind)[1] for kind in smart.KINDS)
        self.assertEqual((scsi["scsi_grown_defect_list"], scsi["temperature"]["current"]), (12, 44))
        self.assertEqual(scsi["scsi_error_counter_log"]["read"]["total_uncorrected_errors"], 3)
        raw = {row["id"]: row["raw"]["value"] for row in sata["ata_smart_attributes"]["table"]}
        self.assertEqual((raw[5], raw[197], raw[188]), (13, 2, 7))
        log = nvme["nvme_smart_health_information_log"]
        self.assertEqual((log["media_errors"], log["percentage_used"]), (4, 99))

    def test_a_failing_disk_sets_bit_3(self):
        self.change("nvme", critical_warning=4)
        for kind in ("scsi", "sata"):
            self.change(kind, health="failed")
        for kind in smart.KINDS:
            status, document = self.ask(kind)
            self.assertEqual((status, document["smart_status"]["passed"]), (8, False), kind)
        self.change("scsi", health="ok")
        self.assertEqual(self.ask("scsi")[0], 0)

    def test_a_sleeper_is_not_woken_unless_asked_to(self):
        self.change("sata", standby="on")
        status, document = self.ask("sata")
        self.assertEqual((status, document["smartctl"]["exit_status"]), (3, 3))
        self.assertIn("STANDBY", document["smartctl"]["messages"][0]["string"])
        self.assertEqual(self.ask("sata", "-n", "standby", "-j")[0], 2)
        self.assertEqual(self.ask("sata", "-j", "-a")[0], 0)
        self.assertEqual(self.ask("sata", "-j", "-a", "-n", "never")[0], 0)

    def test_a_hung_one_takes_no_sigterm(self):
        self.change("scsi", hang="on")
        with self.start("scsi") as process:
            for _ in range(2):
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(0.5)
                process.send_signal(signal.SIGTERM)
            process.kill()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.change("scsi", hang="off")
        self.assertEqual(self.ask("scsi")[0], 0)

    def test_no_such_device(self):
        status, document = self.ask("absent")
        self.assertEqual(status, 2)
        self.assertIn("No such device", document["smartctl"]["messages"][0]["string"])

    def test_a_disk_keeps_its_past_under_another_name(self):
        self.change("scsi", reallocated=5)
        smart.forget_name(self.folder, "sd-scsi")
        smart.name_it(self.folder, "scsi", "sd-moved")
        self.assertEqual(self.ask("scsi")[0], 2)
        self.assertEqual(self.ask("moved")[1]["scsi_grown_defect_list"], 5)

    def test_nonsense_is_refused(self):
        for kind, name, value in (("scsi", "crc", "1"), ("scsi", "hours", "many"), ("sata", "health", "so-so"),
                                  ("nvme", "hang", "1"), ("nvme", "slow", "a bit"), ("scsi", "attr.5", "1")):
            with self.assertRaises(SystemExit, msg=f"{kind} {name}={value}"):
                self.change(kind, **{name.replace(".", "__"): value})


if __name__ == "__main__":
    unittest.main()
