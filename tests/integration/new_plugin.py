#!/usr/bin/python3
"""A new source from plugins/new, in a copy of the tree: it is built, tested and linted by its own files alone, its failing device becomes
a case of the real daemon, and after its removal nothing of it is left.

    new_plugin.py FMD FMADM
"""
import filecmp
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TREE / "tests/lib"), str(TREE / "simulator")]

import shipped  # noqa: E402  (the path has to be set before)
from daemon import Daemon  # noqa: E402
from process import Program, wait_for  # noqa: E402

NAME = "probe"
FMD, FMADM = (os.path.abspath(path) for path in sys.argv[1:3])
INSTALLED = {"/usr/libexec/fmd/fmd-probe", "/usr/lib/systemd/system/fmd-probe.service", "/usr/share/fmd/events/probe.toml",
             "/usr/share/fmd/examples/probe.toml", "/usr/share/fmd/rules/probe.toml", "/usr/share/man/man8/fmd-probe.8"}


def run(*command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-8000:]}")
    return done.stdout


def differences(one, other, folder=""):
    """Paths that only one of two trees has, or that differ."""
    compared = filecmp.dircmp(one, other, ignore=["__pycache__"])
    found = [os.path.join(folder, name) for name in compared.left_only + compared.right_only]
    found += [os.path.join(folder, name) for name in filecmp.cmpfiles(one, other, compared.common_files, shallow=False)[1]]
    for name in compared.common_dirs:
        found += differences(os.path.join(one, name), os.path.join(other, name), os.path.join(folder, name))
    return found


class NewPlugin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fmd-new-")
        self.addCleanup(folder.cleanup)
        self.tree, self.build, self.before = (pathlib.Path(folder.name, name) for name in ("tree", "build", "before"))
        skipped = shutil.ignore_patterns("build*", ".*", "__pycache__", "packages")
        shutil.copytree(TREE, self.tree, symlinks=True, ignore=lambda path, names: skipped(path, names) if path == str(TREE) else ())
        shutil.copytree(self.tree / "plugins", self.before, symlinks=True)

    def installed(self):
        plan = json.loads(run("meson", "introspect", "--installed", self.build, folder=self.tree))
        return {path for path in plan.values() if NAME in os.path.basename(path)}

    def test_from_the_template_to_a_case_and_away_again(self):
        run("plugins/new", NAME, folder=self.tree)
        self.assertEqual(sorted(differences(self.before, self.tree / "plugins")), ["list", NAME], "one folder and one list")
        self.assertNotIn("sample", "".join(path.read_text(encoding="utf-8") + str(path.relative_to(self.tree)) for path in
                                           (self.tree / "plugins" / NAME).rglob("*") if path.is_file()).lower())
        self.set_up_and_build()
        self.assertIn("all are whole", run(sys.executable, "tests/plugins.py", self.tree, folder=self.tree))
        self.check_what_is_put_together()
        self.make_a_case()
        self.remove()

    def set_up_and_build(self):
        run("meson", "setup", self.build, self.tree, "-Dprefix=/usr", "-Dsysconfdir=/etc", "-Dlibexecdir=libexec", "-Dunity=on",
            "-Dunity_size=24", "-Db_pch=false", "-Doptimization=0", "-Ddebug=false", folder=self.tree)
        run("ninja", "-C", self.build, f"plugins/{NAME}/fmd-{NAME}", f"plugins/{NAME}/{NAME}-test", folder=self.tree)
        run("meson", "test", "-C", self.build, "--no-rebuild", NAME, f"man keys {NAME}", f"man fmd-{NAME}.8", "units", "texts", "layering",
            folder=self.tree)
        run(sys.executable, "tests/style.py", "format", f"plugins/{NAME}", folder=self.tree)

    def check_what_is_put_together(self):
        self.assertEqual(self.installed(), INSTALLED)
        self.assertIn(f"u fmd-{NAME} ", (self.build / "data/sysusers/fmd.conf").read_text(encoding="utf-8"))
        self.assertIn(f"fmd-{NAME}.service", (self.build / "data/systemd/fmd.target").read_text(encoding="utf-8"))
        self.assertIn(f'[plugin.{NAME}]\n#user = "fmd-{NAME}"\n', (self.build / "data/fmd.toml").read_text(encoding="utf-8"))
        self.assertIn(f'[plugin.{NAME}]\nuser = "fmd-{NAME}"\n', (self.build / "fmd/daemon/shipped_grants.h").read_text(encoding="utf-8"))
        folder = self.tree / "plugins" / NAME
        run(FMADM, "rules", "test", folder / "rules", "--events", folder / "events", folder=self.tree)

    def make_a_case(self):
        folder, host = self.tree / "plugins" / NAME, self.build / "host"
        grant = (folder / "grant.toml").read_text(encoding="utf-8").replace(f"fmd-{NAME}", str(os.getuid()))
        with Daemon(FMD, config=f"[plugin.{NAME}]\n{grant}") as daemon:
            shutil.copy(folder / f"rules/{NAME}.toml", daemon.rules)
            for events in (folder / f"events/{NAME}.toml", shipped.event_file("resources.toml")):
                shutil.copy(events, daemon.events)
            daemon.start()
            (host / "run" / NAME).mkdir(parents=True)
            (host / "run" / NAME / "state").write_text("failed\n", encoding="ascii")
            plugin = Program(NAME, [str(self.build / f"plugins/{NAME}/fmd-{NAME}")], str(self.build / "log"),
                             environment={"FMD_SOCKET": daemon.socket, "FMD_HOST_ROOT": str(host)})
            self.addCleanup(plugin.kill)
            plugin.start()

            def cases():
                return [case for case in daemon.stored().get("case", {}).values() if case["suspects"]]
            wait_for(cases, 60, lambda: f"a case:\n{plugin.tail()}\n{daemon.program.tail()}", programs=[plugin, daemon.program])
            suspect = cases()[0]["suspects"][0]
            self.assertEqual((suspect["class"], suspect["resource"]), (f"fault.{NAME}.failed", f"{NAME}://device=0"))
            self.assertEqual(plugin.stop(20), 0)
            daemon.stop()

    def remove(self):
        shutil.rmtree(self.tree / "plugins" / NAME)
        for link in ("diagnosis-rules", "schemas/events"):
            (self.tree / link / f"{NAME}.toml").unlink()
        names = (self.tree / "plugins/list").read_text(encoding="ascii").split()
        (self.tree / "plugins/list").write_text("".join(f"{name}\n" for name in names if name != NAME), encoding="ascii")
        self.assertEqual(differences(self.before, self.tree / "plugins"), [])
        run("meson", "setup", "--reconfigure", self.build, folder=self.tree)
        self.assertEqual(self.installed(), set())
        for made in ("data/sysusers/fmd.conf", "data/systemd/fmd.target", "data/fmd.toml", "fmd/daemon/shipped_grants.h"):
            self.assertNotIn(NAME + "\n", (self.build / made).read_text(encoding="utf-8").replace("]", "\n").replace(".service", "\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
