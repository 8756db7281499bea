#!/usr/bin/python3
"""Broken rules, event classes and configuration: each error has its file and line, and fmd does not start with them."""
import contextlib
import os
import sqlite3

from daemon_case import NOW_CLASS, DaemonCase, disk, event, main

NEW_RULE = """
[[rule]]
name = "test-new"
kind = "immediate"
events = ["ereport.test.disk.error"]
fault = "fault.test.disk.errors"
"""


class Config(DaemonCase):
    start = False

    def write(self, path, text, mode="w"):
        with open(path, mode, encoding="utf-8") as file:
            file.write(text)
        return path

    def break_everything(self):
        """Puts one mistake into each kind of file; returns their places, file:line."""
        config = self.write(self.daemon.config_file, "[daemon]\n\n[action]\nmax_retird = 3\n[notify.mail]\nevents = [\"diagnosd\"]\n")
        rules = self.write(os.path.join(self.daemon.rules, "a.toml"),
                           '[[rule]]\nname = "x"\nkind = "serd"\nevents = ["ereport.test.disk.eror"]\ncount = 10\nwithn = "10min"\n'
                           'fault = "fault.test.disk.errors"\n')
        syntax = self.write(os.path.join(self.daemon.rules, "b.toml"), '[[rule]]\nname = "unclosed\n')
        events = self.write(os.path.join(self.daemon.events, "c.toml"), '[class."ereport.test.more"]\n\ndescripton = "x"\n')
        return [f"{config}:4: ", f"{config}:6: ", f"{rules}:4: ", f"{rules}:6: ", f"{syntax}:2: ", f"{events}:3: "]

    def test_all_errors_are_listed_with_file_and_line(self):
        places = self.break_everything()
        for arguments, status in (((), 78), (("--check",), 1)):
            with self.subTest(arguments=arguments):
                code, printed = self.daemon.run_to_end(*arguments)
                self.assertEqual(code, status, printed)
                for place in places:
                    self.assertIn(place, printed)
                for meant in ("max_retired", "diagnosed", "ereport.test.disk.error", "within", "description"):
                    self.assertIn(f'"{meant}"', printed)
        self.assertEqual(os.listdir(self.daemon.state), [], "nothing was begun")

    def test_check_of_what_is_in_order(self):
        code, printed = self.daemon.run_to_end("--check")
        self.assertEqual(code, 0, printed)
        self.assertIn("in order", printed)

    def test_missing_files(self):
        code, printed = self.daemon.run_to_end("--rules", "/nonexistent/rules", "--check")
        self.assertEqual(code, 0, "a second folder may be missing: " + printed)
        os.unlink(self.daemon.config_file)
        code, printed = self.daemon.run_to_end("--check")
        self.assertEqual(code, 1)
        self.assertIn(self.daemon.config_file, printed)

    def test_a_database_of_a_newer_version(self):
        self.daemon.start()
        self.daemon.stop()
        file = os.path.join(self.daemon.state, "fmd.db")
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.executescript("CREATE TABLE of_later (x); PRAGMA user_version = 1000")
        with open(file, "rb") as before:
            content = before.read()
        code, printed = self.daemon.run_to_end()
        self.assertEqual(code, 78, printed)
        self.assertIn("a newer fmd wrote this database", printed)
        with open(file, "rb") as after:
            self.assertEqual(after.read(), content)

    def test_wrong_command_line(self):
        code, printed = self.daemon.run_to_end("--no-such-option")
        self.assertEqual(code, 64, printed)
        code, printed = self.daemon.run_to_end("--version")
        self.assertEqual(code, 0)
        self.assertRegex(printed, r"^fmd \d+\.\d+")

    def test_reload_with_errors_keeps_the_last_good_set(self):
        self.daemon.start()
        places = self.break_everything()
        self.daemon.hang_up()
        self.daemon.wait_log("stay in force")
        for place in places:
            self.assertIn(place, self.daemon.log_text())
        notifier = self.daemon.notifier()
        self.daemon.plugin("source").events([event(NOW_CLASS, disk(1))])
        self.assertEqual(notifier.deliver_next()["event"], "diagnosed")

        for name in ("a.toml", "b.toml"):
            os.unlink(os.path.join(self.daemon.rules, name))
        os.unlink(os.path.join(self.daemon.events, "c.toml"))
        self.write(self.daemon.config_file, "")
        self.write(os.path.join(self.daemon.rules, "a.toml"), NEW_RULE)
        self.daemon.hang_up()
        self.daemon.wait_log("read again")
        self.daemon.plugin("source").events([event("ereport.test.disk.error", disk(2))])
        self.assertEqual(notifier.deliver_next()["case"]["rules"], ["test-new"])

    def test_a_second_daemon_does_not_start_on_the_same_state(self):
        self.daemon.start()
        code, printed = self.daemon.run_to_end()
        self.assertEqual(code, 1, printed)
        self.daemon.plugin("source").events([])


if __name__ == "__main__":
    main()
