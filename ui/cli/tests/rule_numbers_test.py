"""Tests each counting rule (serd, growth) about disks, ZFS, md, file systems and their links at its number: it must fire with that many,
but not with one fewer, nor with as many that come too slowly.
The stories are generated from the rule files; NUMBERS repeats the numbers, so that a rule that was lost, added or made more sensitive is
noticed, and one whose number the engine ignores."""
import json
import pathlib
import tempfile
import tomllib
import unittest

import stage

import shipped

FILES = ("disk", "fabric", "md", "smart", "volumes", "zfs", "zfs-autoreplace", "zfs-pools", "zfs-slow")
START = 1_795_228_920
UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
DISK = "dev://wwn=5000c500a0000001"
FMRIS = {"zfs-vdev": "zfs://pool=7/vdev=1", "zfs-pool": "zfs://pool=7", "disk": DISK, "path": "dev://path=pci-1", "phy": "sas://phy=0:1",
         "filesystem": "fs://uuid=1", "md-member": "md://uuid=1/disk=2", "btrfs-device": "btrfs://fsid=1/dev=1"}
CHOSEN = 4  # the administrator's value, for a rule whose number is a setting

# Rule: count (serd) or growth, window, and the first value that must be exceeded. "" and None: it has none.
NUMBERS = {
    "controller-interrupts": (10, "24h"), "disk-errors": (10, "10min"), "disk-flapping": (3, "24h"), "disk-hardware": (3, "24h"), "disk-medium-failing": (10, "24h"), "disk-medium-places": (2, "7d"),
    "filesystem-errors": (1, "", 0), "path-errors-counted": (200, "1h"), "path-resets": (5, "1h"), "path-timeouts": (3, "1h"),
    "path-timeouts-counted": (3, "1h"), "path-transport": (10, "1h"),
    "phy-disparity": (1000, "1d"), "phy-invalid-dwords": (1000, "1d"), "phy-loss-of-sync": (10, "1d"), "phy-resets": (5, "1d"),
    "md-read-errors": (10, "1d"),
    "nvme-error-log": (3, "24h"), "nvme-internal-error": (5, "24h"), "nvme-media-before": (None, "", 0), "nvme-media-errors": (2, "7d"),
    "nvme-media-slow": (1, "90d"), "sas-grown-defects": (10, "30d"), "sas-grown-defects-before": (None, "", 99),
    "sas-grown-defects-slow": (10, "180d"), "sas-uncorrected-read": (2, "7d"), "sas-uncorrected-read-before": (None, "", 0),
    "sas-uncorrected-read-slow": (1, "90d"), "sas-uncorrected-verify": (2, "7d"), "sas-uncorrected-verify-before": (None, "", 0),
    "sas-uncorrected-verify-slow": (1, "90d"), "sas-uncorrected-write": (2, "7d"), "sas-uncorrected-write-before": (None, "", 99),
    "sas-uncorrected-write-slow": (1, "90d"), "smart-crc": (10, "7d"), "smart-end-to-end": (1, "", 0), "smart-pending": (2, "7d"),
    "smart-pending-before": (None, "", 0), "smart-pending-slow": (1, "90d"), "smart-reallocated": (2, "7d"),
    "smart-reallocated-before": (None, "", 12), "smart-reallocated-before-other": (None, "", 99), "smart-reallocated-slow": (1, "90d"),
    "smart-reallocated-ssd": (10, "30d"), "smart-reallocated-ssd-slow": (10, "180d"), "smart-reported": (2, "7d"),
    "smart-reported-before": (None, "", 0), "smart-reported-before-ssd": (None, "", 9), "smart-reported-slow": (1, "90d"),
    "smart-uncorrectable": (2, "7d"), "smart-uncorrectable-before": (None, "", 0), "smart-uncorrectable-slow": (1, "90d"),
    "btrfs-corruption": (1, "", 0), "btrfs-corruption-failing": (10, "1d"), "btrfs-io-errors": (1, "", 0), "btrfs-io-failing": (10, "1d"),
    "zfs-checksum": (10, "10min"), "zfs-checksum-few": (1, "35d"), "zfs-checksum-io": (10, "10min"), "zfs-checksum-slow": (50, "35d", 99),
    "zfs-data-errors": (1, "", 0), "zfs-flapping": (3, "24h"), "zfs-hung-io": (1, "1h"), "zfs-io": (10, "10min"),
    "zfs-read-slow": (20, "35d", 99), "zfs-sit-out": (3, "6h"), "zfs-slow-io": (10, "1h"), "zfs-slow-io-chosen": (None, "30s"),
    "zfs-write-slow": (20, "35d", 99),
}


def counting():
    """(rule, type of part) for all counting rules."""
    for name in FILES:
        for rule in tomllib.loads(pathlib.Path(shipped.rule_file(f"{name}.toml")).read_text(encoding="utf-8"))["rule"]:
            if rule["kind"] in ("serd", "growth"):
                yield rule


def numbers(rule):
    found = (rule.get("count", rule.get("by")), rule.get("within", ""))
    return found + ((rule["first_above"],) if "first_above" in rule else ())


def seconds(text):
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) * UNITS[text[len(digits):]]


def kind_of(rule):
    """The type of part that the rule is about."""
    if rule["kind"] == "growth":
        return rule["type"]
    name = rule["events"][0]
    return "zfs-vdev" if ".fs.zfs." in name else "path" if ".disk.path." in name else "disk"


def where(rule):
    return {member: values[0] for member, values in rule.get("where", {}).items()}


class Story:
    def __init__(self, rule):
        self.rule, self.lines, self.errors = rule, [], 0
        self.fmri = FMRIS[kind_of(rule)]

    def look(self, at, properties):
        resources = [self.resource(self.fmri, kind_of(self.rule), properties)]
        if self.fmri != DISK:
            resources.append(self.resource(DISK, "disk", {}))
            resources[0]["edges"] = [{"relation": "redundancy", "to": DISK}]
        self.line(at, "inventory", {"complete": False, "resources": resources, "gone": []})

    @staticmethod
    def resource(fmri, kind, properties):
        return {"fmri": fmri, "type": kind, "properties": properties, "edges": [], "present": True}

    def event(self, at):
        self.errors += 1
        one = {"class": self.rule["events"][0], "resource": self.fmri, "time": int((START + at) * 1e9), "ena": self.errors,
               "payload": ({"context": "none"} if ".fs.zfs." in self.rule["events"][0] else {}) | where(self.rule) | self.distinct()}
        self.line(at, "events", {"events": [one]})

    def distinct(self):
        """A unique value, if the rule counts distinct ones."""
        return {self.rule["count_distinct"]: self.errors} if "count_distinct" in self.rule else {}

    def line(self, at, method, params):
        self.lines.append({"at": int((START + at) * 1e9), "plugin": "t", "method": method, "params": params})

    def end(self, at):
        """Advances the time beyond the rule's hold."""
        self.lines.append({"at": int((START + at + seconds(self.rule.get("hold", "0s")) + 1) * 1e9), "method": "time"})
        return self


def errors(rule, count, apart=1):
    story = Story(rule)
    story.look(0, {rule["count_property"]: CHOSEN} if "count" not in rule else {})
    for number in range(count):
        story.event(1 + number * apart)
    return story.end(1 + count * apart)


def looks(rule, *values, apart=60):
    """One look per value."""
    story = Story(rule)
    for number, value in enumerate(values):
        story.look(number * apart, {**where(rule), rule["property"]: value})
    return story.end(len(values) * apart)


class RuleNumbers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "story.jsonl"

    def finds(self, story):
        """Whether the rule is among those that fired; others may fire as well."""
        self.file.write_text("".join(json.dumps(line) + "\n" for line in story.lines))
        done = stage.run("fmadm", "replay", str(self.file), *shipped.options(), "--json",
                         FMD_BUS_ADDRESS="unix:path=/nonexistent")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return story.rule["name"] in [rule for case in json.loads(done.stdout) for rule in case["rules"]]

    def test_the_numbers(self):
        now = {rule["name"]: numbers(rule) for rule in counting()}
        for name in sorted(now.keys() | NUMBERS.keys()):
            self.assertEqual(now.get(name), NUMBERS.get(name), f"rule {name}: if the rules are right, correct NUMBERS of this file")

    def test_events(self):
        for rule in counting():
            if rule["kind"] != "serd":
                continue
            with self.subTest(rule["name"]):
                count = rule.get("count", CHOSEN)
                self.assertFalse(self.finds(errors(rule, count - 1)), "one fewer")
                self.assertTrue(self.finds(errors(rule, count)))
                if count > 1:
                    self.assertFalse(self.finds(errors(rule, count, seconds(rule["within"]) // (count - 1) + 1)), "too slowly")

    def test_growth(self):
        for rule in counting():
            if rule["kind"] != "growth" or "by" not in rule:
                continue
            with self.subTest(rule["name"]):
                by = rule["by"]
                self.assertFalse(self.finds(looks(rule, 0, by - 1)), "one fewer")
                # Slow enough that a more severe rule with a shorter window does not fire.
                calm = seconds(rule["within"]) // 3 if "unless_fault" in rule else 60
                self.assertTrue(self.finds(looks(rule, 0, by - 1, by, apart=calm)))
                if by > 1 and "within" in rule:
                    self.assertFalse(self.finds(looks(rule, 0, by - 1, by, apart=seconds(rule["within"]))), "too slowly")

    def test_first_values(self):
        for rule in counting():
            if "first_above" not in rule:
                if rule["kind"] == "growth":
                    with self.subTest(rule["name"]):
                        self.assertFalse(self.finds(looks(rule, 100_000)), "what was there before is not reported")
                continue
            with self.subTest(rule["name"]):
                self.assertFalse(self.finds(looks(rule, rule["first_above"])))
                self.assertTrue(self.finds(looks(rule, rule["first_above"] + 1)))


if __name__ == "__main__":
    unittest.main()
