"""fmadm rules catalog, parsed by systemd itself: one entry per fault, found by the ids that fmd writes."""
import os
import pathlib
import re
import subprocess
import tempfile
import tomllib
import unittest

import stage

import shipped



def journalctl(root, *words):
    done = subprocess.run(["journalctl", f"--root={root}", "--no-pager", *words], capture_output=True, text=True, timeout=stage.patience(), check=False,
                          env=dict(os.environ, LC_ALL="C.UTF-8"))
    assert done.returncode == 0, done.stderr
    return done.stdout


class Catalog(unittest.TestCase):
    def catalog(self, *paths):
        done = stage.run("fmadm", "rules", "catalog", *shipped.event_options(), *paths)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_systemd_takes_it_and_each_fault_has_an_entry(self):
        faults = [f for file in shipped.rule_files() for f in tomllib.loads(pathlib.Path(file).read_text(encoding="utf-8")).get("fault", [])]
        self.assertGreater(len(faults), 100)
        with tempfile.TemporaryDirectory() as root:
            folder = pathlib.Path(root, "usr/lib/systemd/catalog")
            folder.mkdir(parents=True)
            pathlib.Path(root, "var/lib/systemd/catalog").mkdir(parents=True)
            (folder / "fmd.catalog").write_text(self.catalog(*shipped.rule_folders()), encoding="utf-8")
            journalctl(root, "--update-catalog")
            listed = journalctl(root, "--list-catalog").splitlines()
            self.assertEqual(len(listed), len(faults) + 3 + 8, "one a fault; updated, repaired, resolved; each kind of event")
            self.assertEqual(len({line.split()[0] for line in listed}), len(listed))
            said = "\n".join(listed)
            for fault in faults:
                self.assertIn(f"fmd: {re.sub('{[^}]*}', '…', fault['title'])} (", said)
            dumped = journalctl(root, "--dump-catalog")
            for fault in faults:
                self.assertIn(fault["class"], dumped)

    def test_a_title_is_for_every_case_of_its_fault(self):
        for line in self.catalog(*shipped.rule_folders()).splitlines():
            if line.startswith("Subject:"):
                self.assertNotIn("{", line)

    def test_broken_rules_have_none(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "bad.toml").write_text("[[rule]]\nname = 1\n", encoding="utf-8")
            done = stage.run("fmadm", "rules", "catalog", *shipped.event_options(), folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, "")
            self.assertIn("bad.toml:2:", done.stderr)


if __name__ == "__main__":
    unittest.main()
