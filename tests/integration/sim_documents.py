#!/usr/bin/python3
"""The commands and outputs that documents show, on simulated hosts.

docs/quickstart.md is run from its first command to its last. The commands of all other documents and manual pages are run at the moment
that the page describes, and print what the page shows. Each file in TOML that a page shows is checked.
"""
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TREE / "tests/lib"), str(TREE / "simulator")]

import examples  # noqa: E402  (the path has to be set before)
import play  # noqa: E402
import shipped  # noqa: E402
from example_host import CHANGES, ExampleHost  # noqa: E402
from example_files import files  # noqa: E402
from examples import as_shown, masked  # noqa: E402
from host import scans  # noqa: E402
from process import TimeUp, patience, wait_for  # noqa: E402
from stage import Stage  # noqa: E402

BUILD = os.environ.get("FMD_BUILD", str(TREE / "build"))
QUICKSTART = "docs/quickstart.md"
# Commands of the first hour that may be repeated until they print what the page shows.
LOOKS = ("fmadm status", "fmadm faulty", "fmadm resilver", "fmdump")
# The moment at which a page's command is run; the first line that fits (page, command) counts.
MOMENTS = (
    (r"fmd-volumes\.8", r"resilver", "rebuild"),
    (r"fmd-volumes\.8", r"", "array"),
    (r"", r"notify test (snmp|webhook|alertmanager)$", "array"),
    (r"fmd-cpu\.8", r"", "core"),
    (r"", r"smart refresh SLOT 06", "sectors"),
    (r"", r"fmadm replace", "replace"),
    (r"fmadm\.8|fmd-zfs\.8", r"fmadm (resilver$|history)", "replacing"),
    (r"fmadm-notify\.8", r"notify explain|notify events", "over"),
    (r"", r"maintenance|(retire|restore) SLOT 05", "over"),
    (r"", r"smart test", "self-test"),
    (r"\.8$", r"^fmstat$|^fmadm ipmi|^fmtopo|chassis|readings", "idle"),
    (r"fmadm\.8", r"fmadm smart$", "idle"),
    (r"\.[58]$", r"^fmadm (rules|explain|config)|^fmd |chassis check|rules/tests", "idle"),
    (r"", r"", "spare"),
)
# (page, command): the reason why it is not run.
NOT_RUN = {
    ("man/fmadm-chassis.8", "fmadm chassis map"): "a dialogue, which sim-map plays",
    ("plugins/zfs/fmd-zfs.8", "fmadm replace"): "the command of fmadm(8), with the same blank disk",
    ("plugins/sample/fmd-sample.8", "fmtopo sample://device=0"): "the sample is not installed; it is an example for authors of plugins",
}
# Other channels than the first host's mail.
CHANNELS = ["snmp", "webhook", "alertmanager"]
# Pages about the rules of the sample plugin.
WITH_SAMPLE = re.compile(r"fmd-sample|dev/testing")
# Resilvers last long enough for all commands that show them, and are then cut short.
HOST = {**play.HOST, "hostname": "storage1", "speed": {"scrub": 3.0, "resilver": 300.0}, "seed": 1}


class Masks(unittest.TestCase):
    def test_masks(self):
        self.assertTrue(as_shown("a: 1 problem: 1 Major\n...\nlast 5c1be4a2\n", "vm: 1 problem: 1 Major\nmore\nlast 117d465f\n"))
        self.assertTrue(as_shown("scrub 61 %, 3 s left", "scrub 9.5 %, 12 s\n left"))
        self.assertFalse(as_shown("Safe to pull: yes\n...\n", "Safe to pull: no\nmore\n"))
        self.assertFalse(as_shown("all\n", "all\nand more\n"))

    def test_what_a_page_shows(self):
        page = "```console\n$ sudo fmadm a\nb\n```\n```\nsudo fmadm c   # d\n```\n```text\nfmadm e\n```\n"
        self.assertEqual([(one.command, one.shown) for one in examples.of_document("x.md", page)], [("fmadm a", "b\n"), ("fmadm c", None)])
        page = ".Sh A\n.Dl $ fmadm no\n.Sh EXAMPLES\n.Bd -literal -offset indent\n# fmadm a \\e\n    b\nc\\(aqs\n\\&...\n.Ed\n.Dl $ fmdump\n.Sh SEE ALSO\n"
        self.assertEqual([(one.command, one.shown) for one in examples.of_manual("x.8", page)], [("fmadm a b", "c's\n...\n"), ("fmdump", None)])


def first_hour():
    """Runs in the shell of simulator/play.py."""
    found = [one for one in examples.examples(TREE) if one.page == QUICKSTART]
    for example in found:
        printed = ""

        def prints_that(example=example):
            nonlocal printed
            done = subprocess.run(["/bin/bash", "-c", example.command], capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "80"})
            printed = done.stdout + done.stderr
            return as_shown(example.shown, printed)

        try:
            if example.command in LOOKS:
                wait_for(prints_that, 90, example.command)
            elif not prints_that():
                raise TimeUp
        except TimeUp:
            sys.exit(f"$ {example.command}\nprinted:\n{masked(printed)}\nand the page shows:\n{masked(example.shown)}")
    print(f"{len(found)} commands")


class Quickstart(unittest.TestCase):
    def test_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, str(TREE / "simulator/play.py"), "--build", BUILD, "-c",
                                   f"exec {sys.executable} {__file__} --first-hour"], capture_output=True, text=True, timeout=550, check=False,
                                  env={**os.environ, "TMPDIR": folder, "HOME": folder})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(int(done.stdout.split()[-2]), 10)


class Files(unittest.TestCase):
    """The files in TOML that pages show."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("etc", "programs", "rules", "events"):
            (self.folder / name).mkdir()
        for name, path in (("fmd", "fmd/fmd"), ("fmd-mail", "plugins/mail/fmd-mail")):
            (self.folder / "programs" / name).symlink_to(pathlib.Path(BUILD, path).resolve())
        for path in shipped.rule_files():
            (self.folder / "rules" / os.path.basename(path)).symlink_to(path)

    def fmadm(self, *words):
        done = subprocess.run([os.path.join(BUILD, "ui/cli/fmadm"), *words], capture_output=True, text=True, check=False, cwd=self.folder, timeout=patience())
        return done.returncode, done.stdout + done.stderr

    def rules_problems(self, *more):
        """A page may quote an installed rule; its duplicate name is then no error of the page."""
        status, printed = self.fmadm("rules", "check", "rules", *more, *shipped.event_options(),
                                     *["--events", "events"] * any((self.folder / "events").iterdir()))
        if status and not (found := [line for line in printed.splitlines() if not re.search(r" already$|^fmadm: \d+ errors?$", line)]):
            return 0, printed
        return status, "\n".join(found) if status else printed

    def check(self, text):
        """(exit status, output) of the command that checks such a file."""
        tables = set(re.findall(r"^\[\[?(\w+)", text, re.M))
        if "chassis" in tables:
            (self.folder / "page.toml").write_text(text, encoding="utf-8")
            return self.fmadm("chassis", "check", "page.toml")
        if tables & {"rule", "override", "fault"}:
            (self.folder / "page.toml").write_text(text, encoding="utf-8")
            return self.rules_problems("page.toml")
        if "resource" in tables:
            (self.folder / "events/page.toml").write_text(text, encoding="utf-8")
            try:
                return self.rules_problems()
            finally:
                (self.folder / "events/page.toml").unlink()
        installed = f"[daemon]\nrules = {json.dumps(shipped.rule_folders())}\nevents = {json.dumps(shipped.event_folders())}\n"
        (self.folder / "etc/fmd.toml").write_text((text if tables else "") + installed, encoding="utf-8")
        (self.folder / "etc/mail.password").touch(mode=0o600)
        (self.folder / "etc/mail.password").write_text("secret\n", encoding="ascii")
        (self.folder / "etc/mail.toml").write_text(text.replace("/etc/fmd", f"{self.folder}/etc") if not tables else "", encoding="utf-8")
        return self.fmadm("config", "check", "--config", "etc", "--programs", "programs")

    def test_each(self):
        seen = 0
        for page, text in examples.pages(TREE).items():
            for block in examples.toml_blocks(page, text):
                seen += 1
                with self.subTest(page=page, block=block.partition("\n")[0]):
                    status, printed = self.check(block)
                    self.assertEqual(status, 0, printed)
                    # The checker finds an error in it.
                    self.assertNotEqual(self.check(re.sub(r"^(\w+) = ", r"\1x = ", block, count=1, flags=re.M))[0], 0)
        self.assertGreater(seen, 10)


class Accepts(http.server.BaseHTTPRequestHandler):
    """A web server that accepts every alert."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


class Pages(unittest.TestCase):
    def setUp(self):
        self.due = {}
        self.files = files({page: examples.toml_blocks(page, text) for page, text in examples.pages(TREE).items()})
        skipped = set()
        for example in examples.examples(TREE):
            if reason := next((key for key in NOT_RUN if key[0] == example.page and example.command.startswith(key[1])), None):
                skipped.add(reason)
            elif example.page != QUICKSTART:
                moment = next(moment for page, command, moment in MOMENTS if re.search(page, example.page) and re.search(command, example.command))
                self.due.setdefault(moment, []).append(example)
        self.assertEqual(skipped, set(NOT_RUN), "each exception is still needed")
        self.seen = 0

    def begin(self, host, plugins, **options):
        self.stage = Stage(BUILD, host, plugins=plugins, **options)
        self.addCleanup(self.stage.stop)
        self.stage.host.bmc([])
        self.stage.start()
        self.host = ExampleHost(self.stage)
        self.addCleanup(self.host.close)
        # The sample plugin's rules and recordings, for commands that are run in its folder.
        for name in ("events", "rules"):
            shutil.copytree(TREE / "plugins/sample" / name, os.path.join(self.host.work, name))
        shutil.copytree(TREE / "plugins/sample/rules", os.path.join(self.host.work, "plugins/NAME/rules"))

    def wait(self, condition, what):
        return self.stage.wait(lambda: self.stage.host.look() and condition(), 60, lambda: f"{what}: {self.stage.cases(True)}\n{self.stage.logs()}")

    def moment(self, name):
        """Runs all commands of this moment."""
        deadline = time.monotonic() + patience() / 2
        for example in sorted(self.due.pop(name, []), key=lambda one: bool(CHANGES.search(one.command))):
            needed = self.files.get((example.page, example.command), {})
            self.host.reset(needed.pop(0) if isinstance(needed, list) else needed)
            self.seen += 1
            with self.subTest(example):
                if problem := self.host.problem(example, deadline, WITH_SAMPLE.search(example.page)):
                    self.fail(problem)

    def end_scan(self):
        """The scan of the pool is over now."""
        with self.stage.host.change() as state:
            state.at(0, scans.finish, pool="tank", scan=state.data["pools"]["tank"]["scan"]["id"])

    def status(self):
        return self.stage.run("fmadm", "status").stdout

    def reported(self, event_class):
        return sum(event["class"] == event_class for event in self.stage.ask("fmdump", "-e"))

    def resolved(self):
        return all(case["state"] == "RESOLVED" for case in self.stage.cases(True))

    def test_a_disk_and_a_core_fail(self):
        self.begin(HOST, play.PLUGINS, files={"fmd.toml": play.CHANNELS})
        self.wait(lambda: self.stage.resources("zfs-pool") and self.stage.resources("cpu") and self.stage.resources("psu"), "all parts")
        self.moment("idle")
        self.stage.host.corrupt(4)
        self.stage.host.scrub()
        self.wait(lambda: "resilver" in self.status() and "delivered" in self.status(), "the spare being filled")
        self.moment("spare")
        self.end_scan()
        self.wait(lambda: "Safe to pull: yes" in self.stage.run("fmadm", "faulty").stdout, "the spare filled")
        case = self.stage.cases()[0]["uuid"]
        self.wait(lambda: "updated by mail: delivered" in self.stage.run("fmadm", "notify", "explain", case).stdout, "the mail about that")
        self.stage.host.pull(4)
        self.wait(lambda: "a new one is awaited" in self.status(), "the empty bay")
        self.stage.host.insert(4)
        self.wait(lambda: "is being replaced" in self.stage.run("fmadm", "resilver").stdout, "the new disk being filled")
        self.moment("replacing")
        self.end_scan()
        self.wait(self.resolved, "the case resolved")
        self.moment("over")
        # Wait until each error is reported: two within a second would be one.
        for number, kind in enumerate(("cache", "cache", "cache", "uncorrected"), 1):
            self.stage.host.check(2, kind)
            self.wait(lambda number=number: self.reported("ereport.cpu.cache") == number, f"{number} errors")
        self.wait(lambda: "core 2 of CPU1" in self.stage.run("fmadm", "actions").stdout, "the core out of service")
        self.moment("core")
        self.stage.host.smart(6, [("pending", "8")])
        self.moment("sectors")
        self.stage.host.insert(8)
        self.wait(lambda: re.search("SLOT 08 .* DISK08N", self.stage.run("fmadm", "chassis", "show", "-v").stdout), "the blank disk")
        self.moment("replace")
        self.end_scan()
        self.wait(lambda: "in progress" not in self.status() and "resilver" not in self.status(), "the end of that")
        self.moment("self-test")
        self.assertGreater(self.seen, 80)
        self.assertEqual(set(self.due), {"array", "rebuild"})

    def test_an_array_and_other_channels(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Accepts)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        self.begin({"pools": (), "arrays": ("md0=raid1:5,6+7",), "speed": {"resilver": 60.0}}, ("disk", "enclosure", "volumes", *CHANNELS),
                   files={"fmd.toml": f'[[notify]]\nname = "cases"\nchannels = {json.dumps(CHANNELS)}\n', "webhook.toml": f'url = "{url}/"\n',
                          "alertmanager.toml": f'urls = ["{url}"]\n'})
        self.wait(lambda: len(self.stage.resources("md-member")) == 3, "the array")
        self.moment("array")
        self.moment("rebuild")
        self.assertGreater(self.seen, 5)


if __name__ == "__main__":
    if sys.argv[1:] == ["--first-hour"]:
        first_hour()
    else:
        unittest.main()
