"""fmadm replay --why: the reasoning of each case in the rules' own tests: accused parts, excuses, the deciding numbers."""
import pathlib
import tempfile
import unittest

import stage

import shipped


def why(path, *more):
    done = stage.run("fmadm", "replay", str(path), "--why", "--run-out", "15min", *shipped.options(), *more, FMD_BUS_ADDRESS="unix:path=/nonexistent")
    if done.returncode != 0:
        raise AssertionError(f"{path}: {done.stderr}")
    return done.stdout


class Why(unittest.TestCase):
    def assertTold(self, name, *parts):
        text = " ".join(why(shipped.recording(name)).split())
        for part in parts:
            with self.subTest(name, part=part):
                self.assertIn(part, text)

    def test_eighty_columns(self):
        names = [pathlib.Path(path) for path in shipped.recordings()]
        for name in names[::5] + [n for n in names if n.name.startswith(("common", "feed", "fan", "fault", "controller", "shelf", "memory"))]:
            for line in why(name).splitlines():
                self.assertLessEqual(len(line), 80, f"{name.name}: {line}")

    def test_a_cable(self):
        self.assertTold("common-path", "parts that hang on it failed within", "elsewhere none did", "Explained by it, and not accused:")

    def test_faulted_together(self):
        self.assertTold("faulted-together", "4 of 8 parts that hang on it failed within a second", "Explained by it, and not accused:",
                        "rule zfs-unusable suspects sdb")

    def test_a_feed(self):
        self.assertTold("feed-of-two-shelves", "2 parts that hang on it failed within 4s: Shelf A, Shelf B", "explained by case",
                        "does not explain it any more", "% the power feed: upset.power.feed", "Seen:", "Shelf A: input is none")
        self.assertNotIn("in-common", why(shipped.recording("feed-of-two-shelves")))

    def test_heat_of_a_fan(self):
        self.assertTold("fan-then-heat", "A fan has failed", "Seen:", "rule shelf-hot", "Critical now: it leads to An enclosure is too hot",
                        "Major again: what it led to is over")

    def test_disks_that_were_faulted_when_fmd_came(self):
        self.assertTold("faulted-at-install", "fault.fs.zfs.device, faulty", "it was so when fmd first saw it")

    def test_the_least_value_that_is_too_high(self):
        self.assertTold("smart-temperature", "its value was 60, a fault from 60 on")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "own.toml").write_text('[[override]]\nrule = "smart-temperature-disk"\nabove_at_most = 50\n', encoding="utf-8")
            text = " ".join(why(shipped.recording("smart-temperature-ceiling"), "--rules", folder).split())
        self.assertIn("its value was 60, a fault from 50 on", text)

    def test_resets_of_a_controller(self):
        self.assertTold("controller-resets", "8 of 8 parts that hang on it failed within a second; there are no others")

    def test_modules_of_a_channel(self):
        self.assertTold("memory-common", "2 of 2 parts that hang on it failed within")


if __name__ == "__main__":
    unittest.main()
