"""The shipped rules with counters of real disks, and with years of looks at one disk; docs/smart.md has the figures."""
import collections
import json
import pathlib
import re
import shutil
import tempfile
import unittest

import stage

import shipped

FIELD = stage.ROOT / "plugins/smart/rules/tests/field"
START = 1_700_000_000
HOUR, DAY = 3600, 86400


def disk(number):
    return f"dev://wwn=5000c500{number:08x}"


def look(at, number, properties, protocol="ata", said="passed"):
    properties = {"smart.state": "observed", "smart.protocol": protocol, "smart.status": said, **properties}
    resource = {"fmri": disk(number), "type": "disk", "properties": properties, "edges": [], "present": True}
    return {"at": int((START + at) * 1e9), "plugin": "smart", "method": "inventory",
            "params": {"complete": False, "resources": [resource], "gone": []}}


def pause(at):
    return {"at": int((START + at) * 1e9), "method": "time"}


def table(name):
    lines = (FIELD / name).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else text


class Field(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def replay(self, lines):
        story = self.folder / "story.jsonl"
        story.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = stage.run("fmadm", "replay", str(story), *shipped.options(), "--json",
                         FMD_BUS_ADDRESS="unix:path=/nonexistent")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def tells(self, lines, news):
        """Checks that exactly these messages are sent, in this order."""
        for path in shipped.rule_files():
            shutil.copy(path, self.folder)
        (self.folder / "tests").mkdir(exist_ok=True)
        (self.folder / "tests/a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (self.folder / "tests/a.expect.json").write_text(json.dumps({"news": [{"event": event} for event in news]}))
        done = stage.run("fmadm", "rules", "test", str(self.folder), *shipped.event_options(),
                         FMD_BUS_ADDRESS="unix:path=/nonexistent")
        self.assertEqual((done.returncode, done.stdout), (0, "a: as expected\n"))


class Scored(Field):
    def test_what_disks_had_when_fmd_came(self):
        told, of = collections.Counter(), collections.Counter()
        rows = table("disks.tsv")
        lines = []
        for i, (truth, protocol, said, counters) in enumerate(rows):
            of[truth] += 1
            properties = {key: number(value) for key, value in (pair.split("=") for pair in counters.split())}
            lines.append(look(60 + i, i, properties, protocol, said))
        lines += [pause(2 * HOUR + i) for i in range(60, 120)]
        for case in self.replay(lines):
            row = rows[[disk(i) for i in range(len(rows))].index(case["suspects"][0]["resource"])]
            told[row[0]] += 1
            graver = row[2] == "failed"
            self.assertEqual((case["severity"], case["led"]), ("Major", True) if graver else ("Minor", False), row)
        score = {truth: (told[truth], count) for truth, count in of.items()}
        printed = {words: (int(yes), int(all_)) for words, yes, all_ in
                   re.findall(r"^\| ([a-z-]+) \| (\d+) of (\d+) ", (stage.ROOT / "docs/smart.md").read_text(), re.M)}
        self.assertEqual(printed, score, "docs/smart.md and the rules agree")
        self.assertEqual(score["plainly-bad"][0], score["plainly-bad"][1])
        self.assertEqual(score["well"][0], 0)

    def test_how_counters_went_on(self):
        for expected, counter, points in table("series.tsv"):
            points = [(float(at), int(value)) for at, value in (point.split(":") for point in points.split())]
            lines = [look(at * HOUR, 1, {counter: value}) for at, value in points]
            lines += [pause(points[-1][0] * HOUR + wait) for wait in (3 * HOUR, 8 * DAY)]
            cases = self.replay(lines)
            wanted = "Minor" if expected == "Minor" else "Major"
            self.assertEqual([case["severity"] for case in cases], [wanted], (counter, points))


class OneMessage(Field):
    """For the same problem, smartd -M daily sends a message every day."""

    def year(self, value_on, counter="smart.pending", days=365, **more):
        lines = []
        for day in range(days):
            lines += [look(day * DAY, 1, {counter: value_on(day), **more}), pause(day * DAY + 12 * HOUR)]
        return lines

    def test_one_bad_sector_that_was_there(self):
        for counter in ("smart.pending", "smart.uncorrectable"):
            self.tells(self.year(lambda day: 1, counter), ["diagnosed"])

    def test_one_bad_sector_that_comes(self):
        for counter in ("smart.pending", "smart.uncorrectable"):
            self.tells(self.year(lambda day: int(day > 3), counter), ["diagnosed"])

    def test_one_more_each_day(self):
        self.tells(self.year(lambda day: day, days=120), ["diagnosed"])

    def test_one_more_each_fortnight(self):
        self.tells(self.year(lambda day: day // 14, "smart.reported_uncorrectable"), ["diagnosed"])

    def test_nine_more_each_month(self):
        for counter in ("smart.reallocated", "smart.grown_defects"):
            self.tells(self.year(lambda day: 50 + 9 * (day // 30), counter, **{"smart.medium": "solid-state"}), ["diagnosed"])

    def test_two_more_each_month_in_half_a_year(self):
        ssd = {"smart.medium": "solid-state"}
        self.tells(self.year(lambda day: 2 * (day // 30), "smart.reallocated", 140, **ssd), [])
        self.tells(self.year(lambda day: 2 * (day // 30), "smart.reallocated", **ssd), ["diagnosed"])

    def test_what_each_weekly_scrub_heals_is_none(self):
        self.tells(self.year(lambda day: int(day % 7 > 0)), [])


if __name__ == "__main__":
    unittest.main()
