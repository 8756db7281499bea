"""Checks schemas/FMD-*MIB.txt with libsmi and net-snmp."""
import os
import re
import subprocess
import tempfile
import unittest

import mibs



def smilint(*modules, folders=mibs.FOLDERS):
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "smi.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write(f"path {':'.join(folders)}\n")
        ran = subprocess.run(["smilint", "-c", config, "-l", "6", *modules], capture_output=True, text=True, timeout=300, check=True)
    return ran.stdout + ran.stderr


class Mib(unittest.TestCase):
    def test_clean_at_level_6(self):
        self.assertEqual(smilint(*mibs.MODULES), "")

    def test_a_mistake_would_be_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for module in mibs.MODULES:
                with open(os.path.join(mibs.TREE, "schemas", f"{module}.txt"), encoding="ascii") as file:
                    text = file.read()
                with open(os.path.join(folder, f"{module}.txt"), "w", encoding="ascii") as file:
                    file.write(text.replace("MAX-ACCESS read-only", "MAX-ACCESS read-onyl", 1))
            found = smilint(*mibs.MODULES, folders=(mibs.FOLDERS[0], folder, mibs.FOLDERS[2]))
        self.assertIn("read-onyl", found)

    def test_the_numbers_are_those_that_are_sent(self):
        base = mibs.base()
        names = ["fmdProblemDiagnosed", "fmdProblemUpdated", "fmdProblemRepaired", "fmdProblemResolved", "fmdProblemReminder", "fmdTest",
                 "fmdResilverFinished"]
        for number, name in enumerate(names, 1):
            self.assertEqual(mibs.translate("-On", f"FMD-MIB::{name}"), f"{base}.0.{number}")
        objects = ["fmdCaseUuid", "fmdCaseCode", "fmdCaseSeverity", "fmdFaultClass", "fmdFru", "fmdLocation", "fmdSerial",
                   "fmdDescription", "fmdEvent", "fmdTime", "fmdNotificationKey", "fmdPool", "fmdPoolHealth", "fmdScanResult"]
        for number, name in enumerate(objects, 1):
            self.assertEqual(mibs.translate(f"{base}.1.{number}.0"), f"FMD-MIB::{name}.0")
        for name in names:
            listed = re.search(r"OBJECTS\s*{([^}]*)}", mibs.translate("-Td", f"FMD-MIB::{name}"))
            carried = objects[11:] + ["fmdDescription", "fmdEvent", "fmdTime", "fmdNotificationKey"] if name == names[-1] else objects[:11]
            self.assertEqual([one.strip() for one in listed.group(1).split(",")], carried)

    def test_who_repeats_the_root_repeats_it_right(self):
        for name in ("data/snmp/fmd.conf", "docs/snmp.md"):
            with open(os.path.join(mibs.TREE, name), encoding="utf-8") as file:
                self.assertIn(mibs.base()[1:], file.read(), name)

    def test_sun_fm_mib_has_the_same_columns(self):
        """In docs/snmp.md's table each column of SUN-FM-MIB (below its root) has the same number as ours (below fmdStatusMIB)."""
        with open(os.path.join(mibs.TREE, "docs", "snmp.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| `(sunFm\w+)` \| `(fmd\w+)` \| `([\d.]+)` \|", file.read(), re.M)
        # All readable columns of SUN-FM-MIB: 6 + 8 + 4 + 1 + 3.
        self.assertEqual(len(rows), 22)
        for _, name, number in rows:
            self.assertEqual(mibs.translate("-On", f"FMD-STATUS-MIB::{name}"), f"{mibs.base()}.3.{number}")


if __name__ == "__main__":
    unittest.main()
