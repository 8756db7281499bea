#!/usr/bin/python3
"""Tests of plugins.py: the template is complete, and each missing piece is found."""
import pathlib
import shutil
import tempfile
import unittest

import plugins

TREE = pathlib.Path(__file__).resolve().parents[1]


class Whole(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.folder = self.tree / "plugins/sample"
        shutil.copytree(TREE / "plugins/sample", self.folder)
        (self.tree / "plugins/list").write_text("", encoding="ascii")

    def found(self):
        return list(plugins.offences(self.tree))

    def append(self, name, text):
        with open(self.folder / name, "a", encoding="utf-8") as file:
            file.write(text)

    def test_the_template(self):
        self.assertEqual(self.found(), [])

    def test_what_is_missing(self):
        for name in ("README.md", "grant.toml", "fmd-sample.8"):
            (self.folder / name).unlink()
        self.assertEqual(self.found(), [f"plugins/sample/{name} is missing" for name in ("README.md", "grant.toml", "fmd-sample.8")] +
                         ["plugins/sample/grant.toml: its user or group is not fmd-sample"])

    def test_a_plugin_that_is_not_listed(self):
        (self.tree / "plugins/other").mkdir()
        (self.tree / "plugins/other/meson.build").touch()
        self.assertEqual(self.found(), ["plugins/other is not in plugins/list"])

    def test_rules_that_nobody_installs(self):
        (self.folder / "rules/more.toml").touch()
        self.assertEqual(self.found(), ["plugins/sample/meson.build does not install rules/more.toml"])

    def test_rules_without_a_link(self):
        shutil.copytree(self.folder, self.tree / "plugins/probe")
        (self.tree / "plugins/list").write_text("probe\n", encoding="ascii")
        for folder in ("diagnosis-rules", "schemas/events"):
            (self.tree / folder).mkdir(parents=True)
        links = ["diagnosis-rules has no link to plugins/probe/rules/sample.toml; make it with: ln -s ../plugins/probe/rules/sample.toml diagnosis-rules/",
                 "schemas/events has no link to plugins/probe/events/sample.toml; make it with: "
                 "ln -s ../../plugins/probe/events/sample.toml schemas/events/"]
        self.assertEqual([one for one in self.found() if " link " in one], links)
        for command in (one.split("ln -s ")[1].split() for one in links):
            (self.tree / command[1] / "sample.toml").symlink_to(command[0])
        (self.tree / "schemas/events/old.toml").symlink_to("gone.toml")
        self.assertEqual([one for one in self.found() if " link " in one], ["schemas/events/old.toml is a link to no file of a listed plugin"])

    def test_the_users_of_others(self):
        self.append("sysusers.conf", "m fmd-sample disk\n")
        self.assertEqual(self.found(), ["plugins/sample/sysusers.conf: not its own user or group, or a colon in the description: m fmd-sample disk"])

    def test_a_description_that_systemd_sysusers_rejects(self):
        path = self.folder / "sysusers.conf"
        path.write_text(path.read_text(encoding="utf-8").replace("management sample", "management: sample"), encoding="utf-8")
        self.assertIn("a colon in the description: u fmd-sample", self.found()[0])

    def test_secrets_that_are_not_checked(self):
        with open(self.folder / "options.cpp", "w", encoding="utf-8") as file:
            file.write('o.file = config.text("lan.password_file", "");\nstd::ifstream in(o.password_file);\n')
        self.assertEqual(self.found(), ["plugins/sample/options.cpp does not check password_file with sdk::read_secret()",
                                        "plugins/sample/options.cpp reads a secret without sdk::read_secret()",
                                        "plugins/sample/fmd-sample.service.in lacks LimitCORE=0, and the plugin has secrets"])

    def test_the_name_of_another(self):
        self.append("grant.toml", 'group = "fmd-zfs"\n')
        self.assertEqual(self.found(), ["plugins/sample/grant.toml: its user or group is not fmd-sample"])


if __name__ == "__main__":
    unittest.main()
