#!/usr/bin/python3
"""Tests of goldens.py: missing, owed and no longer owed."""
import pathlib
import tempfile
import unittest

import goldens


class Goldens(unittest.TestCase):
    def test_what_there_is(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "a.toml").write_text('[[rule]]\nname = "one"\n[[fault]]\nclass = "f.ends"\n[fault.repair]\nafter = "1d"\n', encoding="utf-8")
            (path / "b.toml").write_text('[[rule]]\nname = "two"\n[[fault]]\nclass = "f.stays"\n', encoding="utf-8")
            self.assertEqual(goldens.what_there_is([path]), {"fires one", "fires two", "ends f.ends"})

    def test_what_is_shown(self):
        tests = [{"fired": ["one"], "repaired": []}, {"fired": ["one", "two"], "repaired": ["f.ends"]}]
        self.assertEqual(goldens.what_is_shown(tests), {"fires one", "fires two", "ends f.ends"})

    def test_each_recording_is_played(self):
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder)
            (rules / "tests").mkdir()
            for name in ("fan.jsonl", "heat.jsonl", "heat.expect.json"):
                (rules / "tests" / name).touch()
            self.assertEqual(goldens.unplayed([rules], {"fan", "heat"}), [])
            self.assertEqual(goldens.unplayed([rules], {"fan"}), ["heat"])

    def test_offences(self):
        self.assertEqual(goldens.offences({"fires one", "ends f"}, {"fires one"}, {"ends f"}), [])
        self.assertEqual(goldens.offences({"fires one", "ends f"}, {"fires one"}, set()), ["no golden test shows: ends f"])
        self.assertEqual(goldens.offences({"fires one"}, {"fires one"}, {"fires one"}), ["owed, but shown by a test: fires one"])
        self.assertEqual(goldens.offences(set(), set(), {"fires old"}), ["owed, but no such rule or fault: fires old"])


if __name__ == "__main__":
    unittest.main()
