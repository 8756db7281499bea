#!/usr/bin/python3
"""./dev and its sourced files stay small; a copied or moved build folder is set up again; each long test has a command; each check in
tests/ explains itself."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parent.parent
DEV = (TREE / "dev").read_text(encoding="utf-8")
# A stand-in for the part of Meson that ./dev relies on: a build folder that records where it was set up.
MESON = '''#!/usr/bin/python3
import json, os, sys
with open(os.environ["ASKED"], "a") as asked:
    print(*sys.argv[1:], file=asked)
if sys.argv[1] == "setup":
    folder = next(word for word in sys.argv[2:] if not word.startswith("-"))
    os.makedirs(folder + "/meson-info", exist_ok=True)
    open(folder + "/build.ninja", "w").close()
    with open(folder + "/meson-info/meson-info.json", "w") as info:
        json.dump({"directories": {"source": os.getcwd(), "build": os.path.realpath(folder), "info": ""}}, info)
'''
# Records its arguments, and reports an up-to-date build.ninja as Ninja does even with --quiet.
NINJA = '''#!/bin/sh
echo "$*" >>"${ASKED%asked}compiled"
case $* in *build.ninja) echo "ninja: no work to do." ;; *" -n"*) cat "${ASKED%asked}planned" ;; esac
'''


class Dev(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(os.path.realpath(folder.name))
        self.asked = self.top / "asked"
        bin_ = self.top / "bin"
        bin_.mkdir()
        for name, text in {"meson": MESON, "ninja": NINJA}.items():
            (bin_ / name).write_text(text, encoding="utf-8")
            (bin_ / name).chmod(0o755)
        (self.top / "planned").touch()
        self.tree = self.top / "tree"
        (self.tree / "tests/debian").mkdir(parents=True)
        shutil.copy(TREE / "dev", self.tree)
        (self.tree / "tests/debian/setup").write_text("#!/bin/sh\n", encoding="utf-8")
        (self.tree / "tests/debian/setup").chmod(0o755)

    def build(self, tree):
        """Returns the arguments that Meson was called with. Sets self.said to what was printed."""
        self.asked.write_text("", encoding="utf-8")
        done = subprocess.run([tree / "dev", "build"], env={"PATH": f"{self.top}/bin:/usr/bin:/bin", "ASKED": str(self.asked)},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.said = done.stdout + done.stderr
        return self.asked.read_text(encoding="utf-8").splitlines()

    def test_a_wait_is_announced_only_if_there_is_work(self):
        for planned, announced in (("ninja: no work to do.\n", False), ("[1/2] Compiling C++ object\n", True)):
            (self.top / "planned").write_text(planned, encoding="utf-8")
            self.build(self.tree)
            self.assertEqual("this may take minutes" in self.said, announced, self.said)

    def test_is_set_up_once(self):
        self.assertEqual(len(self.build(self.tree)), 1)
        self.assertEqual(self.build(self.tree), [])

    def test_without_a_terminal_it_announces_the_wait(self):
        self.build(self.tree)
        self.assertIn("prints nothing until it ends", self.said)
        self.assertNotIn("no work to do", self.said)
        self.assertIn("no work to do", (self.tree / "build/setup.log").read_text(encoding="utf-8"))

    def test_a_copied_or_moved_build_folder_is_set_up_again(self):
        self.build(self.tree)
        copy = self.top / "copy"
        shutil.copytree(self.tree, copy)
        self.assertEqual(self.build(copy), [f"setup --wipe {copy}/build"])
        self.assertEqual(self.build(copy), [])
        self.tree.rename(self.top / "moved")
        self.assertEqual(self.build(self.top / "moved"), [f"setup --wipe {self.top}/moved/build"])

    def test_the_list_of_tests_compiles_nothing(self):
        env = {"PATH": f"{self.top}/bin:/usr/bin:/bin", "ASKED": str(self.asked)}
        subprocess.run([self.tree / "dev", "test", "--list"], env=env, capture_output=True, text=True, check=True)
        folder = f"{self.tree}/build-demo"
        self.assertEqual((self.top / "compiled").read_text(encoding="utf-8"), f"-C {folder} --quiet build.ninja\n")
        self.assertEqual(self.asked.read_text(encoding="utf-8").splitlines()[-1], f"test -C {folder} --no-rebuild --setup everything --list")

    def test_is_small(self):
        sourced = re.findall(r"^\s*(?:\.|source) (\S+)", DEV, re.M)
        lines = DEV.count("\n") + sum((TREE / path).read_text(encoding="utf-8").count("\n") for path in sourced)
        self.assertLess(lines, 200)

    def test_help_fits_a_screen(self):
        said = subprocess.run([TREE / "dev", "--help"], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertLessEqual(len(said), 24)
        self.assertLessEqual(max(map(len, said)), 80)

    def test_each_check_has_help(self):
        checks = [path for path in sorted((TREE / "tests").glob("*.py")) if not path.name.endswith("_test.py") and "__main__" in path.read_text(encoding="utf-8")]
        self.assertGreater(len(checks), 12)
        for path in checks:
            with self.subTest(path.name):
                done = subprocess.run([sys.executable, path, "--help"], capture_output=True, text=True, check=False)
                said = done.stdout + done.stderr
                self.assertEqual(done.returncode, 0, said)
                self.assertIn(path.read_text(encoding="utf-8").split('"""')[1].splitlines()[0], said)

    def test_completion(self):
        def offered(*words):
            script = '. tests/completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fmd_dev; printf "%s\\n" "${COMPREPLY[@]}"'
            return subprocess.run(["bash", "-c", script, "bash", "./dev", *words], cwd=TREE, capture_output=True, text=True, check=True).stdout.split()

        self.assertEqual(offered("pack"), ["packages"])
        self.assertEqual(offered("tor"), ["torture"])
        self.assertLessEqual({"demo", "packages", "nightly", "first-hour"}, set(offered("")))
        self.assertNotIn("on", offered(""), "a word of a description")
        self.assertEqual(offered("packages", "--re"), ["--repository"])
        self.assertEqual(offered("packages", "--debian", ""), ["12", "13"])

    def test_each_command_of_the_help_exists(self):
        said = subprocess.run([TREE / "dev", "--help"], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^  ([a-z-]+)\b.* {2,}\S", said, re.M)
        long_ones = re.search(r"commands of their own.*?:\s*([a-z, -]+)", said, re.S)[1].replace("\n", " ").split(", ")
        self.assertGreater(len(commands) + len(long_ones), 12)
        for command in commands + long_ones:
            command = command.strip()
            self.assertTrue(re.search(rf"^(?:.*\| )?{command}(?: \|.*)?\)(?: |$)", DEV, re.M) or re.search(rf"^{command}\)$", DEV, re.M)
                            or os.access(TREE / "tests" / command / "run", os.X_OK), command)


if __name__ == "__main__":
    unittest.main()
