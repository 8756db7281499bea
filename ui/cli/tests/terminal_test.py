"""The command lines on real terminals: 80x24, 120x40, 200 columns, C and UTF-8; colours, the pager, and mistyped words."""
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import unittest

import stage

UUID = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"
SIZES = ((80, 24), (120, 40), (200, 60))
SCREENS = (["fmadm"], ["fmadm", "faulty"], ["fmadm", "faulty", "-v"], ["fmadm", "faulty", "-a", "-s"], ["fmadm", "faulty", "-f"], ["fmadm", "faulty", "-r"],
           ["fmadm", "why", UUID], ["fmadm", "actions"], ["fmadm", "resilver"], ["fmadm", "history"], ["fmadm", "readings", "SLOT 03"],
           ["fmadm", "smart", "show"], ["fmadm", "config"], ["fmadm", "notify"], ["fmadm", "notify", "events"], ["fmadm", "maintenance", "list"],
           ["fmadm", "chassis", "show"], ["fmadm", "--help"], ["fmadm", "notify", "--help"], ["fmtopo"], ["fmtopo", "-V"], ["fmtopo", "--why", "SLOT 03"],
           ["fmdump"], ["fmdump", "-v"], ["fmdump", "-V"], ["fmdump", "-e"], ["fmdump", "-e", "-V"], ["fmstat"], ["fmstat", "-s"])
# A name that cannot be wrapped, alone on its line or after its label.
ONE_LONG_WORD = re.compile(r" *([\w. -]+ *[:=] *)?[\"(]?\S{41,}")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(stage.Case):
    def shown(self, *words, size=(80, 24), keys=b"", **more):
        """The output on a terminal of that size."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        env = stage.environment(self.bus, **{"TERM": "xterm", "PAGER": "cat", **more})
        done = subprocess.Popen([stage.program(words[0]), *words[1:]], stdin=slave, stdout=slave, stderr=slave, env=env,
                                start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.addCleanup(done.wait)
        os.write(master, keys)
        text = b""
        while select.select([master], [], [], 60)[0]:
            try:
                part = os.read(master, 65536)
            except OSError:  # closed by all writers
                break
            if not part:
                break
            text += part
        self.status = done.wait(60)
        return text.decode().replace("\r\n", "\n")

    def test_lines_fit_and_use_the_width(self):
        widest = {}
        for columns, rows in SIZES:
            for locale in ("C", "C.UTF-8"):
                for words in SCREENS:
                    with self.subTest(columns=columns, locale=locale, words=words):
                        text = COLOUR.sub("", self.shown(*words, size=(columns, rows), LC_ALL=locale))
                        self.assertTrue(text)
                        self.assertTrue(text.isascii() or locale != "C", text)
                        for line in text.splitlines():
                            self.assertTrue(len(line.expandtabs()) <= columns or ONE_LONG_WORD.fullmatch(line), line)
                            widest[columns] = max(widest.get(columns, 0), len(line))
        self.assertGreater(widest[200], widest[80])

    def test_a_terminal_without_utf8_gets_ascii(self):
        case = self.json("fmadm", "faulty")[0]
        case["evidence"] = [{"seq": n, "time": 1795228920000000000 + n * 1000000000, "class": "ereport.fs.zfs.checksum"} for n in range(5)]
        case["evidence_count"] = 5
        case["description"] = "Die Platte im Einschub \u00dc\u20ac1 ist defekt."
        self.daemon.order(case=case)
        self.assertIn("5 x ereport.fs.zfs.checksum", said := self.shown("fmadm", "faulty", "-v", LC_ALL="C"))
        self.assertIn("Einschub ??1 ist", said)
        self.assertIn("5 \u00d7 ereport.fs.zfs.checksum", self.shown("fmadm", "faulty", "-v", LC_ALL="de_DE.UTF-8"))
        document = self.shown("fmadm", "faulty", "--json", LC_ALL="C", NO_COLOR="1")
        self.assertTrue(document.isascii())
        self.assertEqual(json.loads(document)[0]["description"], case["description"])
        self.assertIn("\u00d7", stage.run("fmadm", "faulty", "-v", bus=self.bus, LC_ALL="C").stdout, "a file is UTF-8")

    def test_severity_has_a_colour_where_it_is_seen(self):
        red = "\x1b[1;31mMajor\x1b[0m"
        self.assertIn(red, self.shown("fmadm", "faulty"))
        self.assertIn(red, self.shown("fmadm", "faulty", "-s"))
        self.assertIn("\x1b[1;31m/dev/sdf  FAULTY\x1b[0m", self.shown("fmtopo"))
        self.assertNotIn("\x1b", self.shown("fmadm", "faulty", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.shown("fmadm", "faulty", TERM="dumb"))
        self.assertNotIn("\x1b", self.shown("fmadm", "faulty", "--color", "never"))
        self.assertIn(red, self.shown("fmadm", "faulty", "--color", "always", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.ok("fmadm", "faulty"), "no terminal")
        self.assertIn(red, self.ok("fmadm", "--color=always", "faulty"))
        self.assertEqual(stage.run("fmadm", "--color=blue", bus=self.bus).returncode, 2)

    def test_long_output_goes_through_a_pager(self):
        said = self.shown("fmadm", "faulty", PAGER="sed s/^/page:/")
        self.assertTrue(all(line.startswith("page:") for line in said.splitlines()), said)
        self.assertEqual(self.status, 0)
        self.assertNotIn("page:", self.shown("fmadm", "faulty", "--no-pager", PAGER="sed s/^/page:/"))
        self.assertNotIn("page:", self.shown("fmadm", "faulty", PAGER="sed s/^/page:/", FMD_PAGER=""))
        self.assertNotIn("page:", self.shown("fmadm", "dry-run", "on", PAGER="sed s/^/page:/"), "short by nature")
        self.assertIn("ZFS-8000-GH", self.shown("fmadm", "faulty", PAGER="no-such-pager -x"))
        self.assertNotIn("page:", self.ok("fmadm", "faulty"))

    def test_who_leaves_the_pager_early_is_no_error(self):
        said = self.shown("fmtopo", "-V", PAGER="head -n 2")
        self.assertEqual((len(said.splitlines()), self.status), (2, 0), said)


class Slips(stage.Case):
    def test_an_unknown_command(self):
        said = self.fails(2, "fmadm", "fualty")
        self.assertTrue(said.startswith("fmadm: there is no command \"fualty\"; did you mean \"faulty\"?\nCommands: status, faulty,"), said)
        self.assertIn("fmadm chassis: there is no command \"drwa\"; did you mean \"draw\"?", self.fails(2, "fmadm", "chassis", "drwa"))
        self.assertNotIn("did you mean", self.fails(2, "fmadm", "--bus", "x", "zzzzzz"))
        self.assertIn("\\x1b", self.fails(2, "fmadm", "\x1b[2J"))

    def test_a_command_that_fma_has(self):
        self.assertEqual(self.fails(2, "fmadm", "rotate", "errlog"),
                         'fmadm: there is no command "rotate": not needed; [retention] in fmd.toml limits the logs\n')
        for word in ("flush", "load", "unload", "reset"):
            self.assertNotIn("Commands:", self.fails(2, "fmadm", word, "x"))
        self.assertIn("Commands:", self.fails(2, "fmadm", "chassis", "rotate"))

    def test_an_unknown_option(self):
        self.assertEqual(self.fails(2, "fmadm", "faulty", "--sumary"),
                         'fmadm faulty: there is no option "--sumary"; did you mean "--summary"?\nSee fmadm faulty --help\n')
        self.assertEqual(self.fails(2, "fmadm", "chassis", "draw", "--jsn=1"),
                         'fmadm chassis draw: there is no option "--jsn=1"; did you mean "--json"?\nSee fmadm chassis draw --help\n')
        self.assertEqual(self.fails(2, "fmtopo", "--zzzzzzzz"), 'fmtopo: there is no option "--zzzzzzzz"\nSee fmtopo --help\n')
        self.assertIn("\\x1b", self.fails(2, "fmadm", "faulty", "--\x1b[2J"))

    def test_a_word_too_many_or_too_few(self):
        self.assertTrue(self.fails(2, "fmadm", "notify", "explain", UUID, "SLOT", "06").startswith(
            'fmadm notify explain: unexpected argument "SLOT"; a name with blanks needs quotes\n'))
        self.assertTrue(self.fails(2, "fmadm", "notify", "explain", UUID, "SLOT 06").startswith('fmadm notify explain: unexpected argument "SLOT 06"\n'), "it is quoted")
        self.assertEqual(self.fails(2, "fmadm", "notify", "explain"), "fmadm notify explain: UUID is required\nSee fmadm notify explain --help\n")
        self.assertTrue(self.fails(2, "fmadm", "locate", "SLOT", "06").startswith("fmadm locate: say on or off, and a part\n"))
        self.assertTrue(self.fails(2, "fmadm", "maintenance", "add", "--reason", "x").startswith("fmadm maintenance add: it needs an end: --for or --until\n"))

    def test_a_command_of_several_alone(self):
        said = self.fails(2, "fmadm", "rules")
        self.assertTrue(said.startswith("fmadm rules: do what?\nCommands: "), said)
        self.assertIn("catalog", said)
        for alone, default in (("chassis", "show"), ("smart", "show"), ("maintenance", "list"), ("notify", "list")):
            self.assertEqual(self.ok("fmadm", alone), self.ok("fmadm", alone, default))
            self.assertEqual(self.json("fmadm", alone), self.json("fmadm", alone, default))

    def test_the_beginning_of_an_id_is_enough(self):
        self.assertEqual(self.ok("fmadm", "faulty", "-u", "d482"), self.ok("fmadm", "faulty", "-u", UUID))
        self.assertEqual(self.ok("fmadm", "faulty", "-u", "D482F935-5C"), self.ok("fmadm", "faulty", "-u", UUID))
        self.assertEqual(self.ok("fmdump", "-u", "d482"), self.ok("fmdump", "-u", UUID))
        self.assertIn("There is no case d483", self.fails(1, "fmadm", "faulty", "-u", "d483"))
        self.assertIn("four or more characters", self.fails(1, "fmadm", "faulty", "-u", "d48"))
        self.assertEqual(self.ok("fmadm", "ack", "d482f9", "ordered one"), f"case {UUID}: acknowledged\n")
        self.assertEqual(self.ok("fmadm", "repaired", "d482f9"), f"SLOT 06: repaired in case {UUID}\n")

    def test_several_cases_that_begin_alike(self):
        twin = "d482ffff-5c8f-4b9a-9f25-d0aaafec1e6c"
        self.daemon.order(case={"uuid": twin, "code": "", "severity": "", "state": "UNSOLVED", "opened": 1, "suspects": []})
        said = self.fails(1, "fmadm", "ack", "d482f")
        self.assertIn("Several cases begin with d482f: ", said)
        self.assertIn(UUID, said)
        self.assertIn(twin, said.replace("\n", " "))

    def test_a_label_with_blanks_needs_no_quotes(self):
        self.assertEqual(self.ok("fmadm", "locate", "on", "SLOT", "06", "--wait", "0"), self.ok("fmadm", "locate", "on", "SLOT 06", "--wait", "0"))
        self.ok("fmadm", "locate", "SLOT", "06", "off", "--wait", "0")
        self.assertEqual(self.ok("fmadm", "repaired", "SLOT", "06"), f"SLOT 06: repaired in case {UUID}\n")
        self.assertIn("in quotes", self.fails(1, "fmadm", "replace", "SLOT", "06"))
        self.ok("fmadm", "replace", "SLOT", "06", "SLOT", "07")
        done = self.daemon.changes()
        self.assertTrue(any("SLOT 06" in str(one) and "SLOT 07" in str(one) for one in done), done)

    def test_an_unknown_reading(self):
        said = self.fails(1, "fmadm", "readings", "SLOT", "06", "temprature_celsius")
        self.assertIn("this part has no reading \"temprature_celsius\"; did you mean \"temperature_celsius\"?", said)
        self.ok("fmadm", "readings", "SLOT", "06", "temperature_celsius")
        self.ok("fmadm", "readings", "SLOT", "06", "smart.*")

    def test_numbers_in_words(self):
        self.assertIn("\"301\" is not a number from 0 to 300", self.fails(2, "fmadm", "locate", "on", "x", "--wait", "301"))
        self.assertIn("\"0\" is not a whole number, 1 or more", self.fails(2, "fmadm", "faulty", "-n", "0"))
        self.assertIn("\"many\" is not a whole number, 1 or more", self.fails(2, "fmdump", "-n", "many"))


class Cases(stage.Case):
    def test_the_summary_names_part_and_title(self):
        lines = self.ok("fmadm", "faulty", "-a", "-s").splitlines()[3:]
        self.assertRegex(lines[1], r"^ {16}resolved; SLOT 03 \(serial \w+\): Too many I/O errors\.$")
        self.assertIn("                open; SLOT 06 (serial Z1Y0DD06): ", lines[3])
        self.assertEqual(lines[-1].strip(), "suspected")

    def test_the_state_says_who_is_waited_for(self):
        self.assertIn("State       : SOLVED, waiting for the spare to hold all data, and for the repair\n              of SLOT 06 (serial Z1Y0DD06)\n",
                      self.ok("fmadm", "faulty"))

    def test_alike_evidence_is_folded(self):
        case = self.json("fmadm", "faulty")[0]
        case["evidence"] = [{"seq": n, "time": 1795228920000000000 + n * 1000000000, "class": "ereport.fs.zfs." + ("io" if n == 4 else "checksum")}
                            for n in range(10)]
        case["evidence_count"] = 10
        self.daemon.order(case=case)
        text = self.ok("fmadm", "faulty", "-v")
        self.assertIn("              4 × ereport.fs.zfs.checksum from Nov 21 02:42:00 to Nov 21 02:42:03\n"
                      "              Nov 21 02:42:04  ereport.fs.zfs.io\n"
                      "              5 × ereport.fs.zfs.checksum from Nov 21 02:42:05 to Nov 21 02:42:09\n", text)

    def test_what_was_said_when_it_was_acknowledged(self):
        case = self.json("fmadm", "faulty")[0]
        case.update({"acknowledged": True, "acknowledged_by": "root", "acknowledged_count": 12})
        case["timeline"].append({"time": 1795228935000000000, "kind": "acknowledged", "text": "acknowledged by root: a new one is ordered"})
        self.daemon.order(case=case)
        self.assertIn("Acknowledged: by root: a new one is ordered (Nov 21 02:42:15)\n", self.ok("fmadm", "faulty"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
