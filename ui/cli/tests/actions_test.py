"""fmadm actions, retire and restore: lists fmd's actions, and does or reverses them by hand."""
import json
import os
import subprocess
import sys
import unittest

import stage

sys.path.insert(0, str(stage.ROOT / "tests/lib"))
import terminal  # noqa: E402  (the path has to be set before)

UUID = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"
WHO = "root" if os.geteuid() == 0 else f"uid {os.geteuid()}"


class Actions(stage.Case):
    def test_what_is_in_force(self):
        text = self.ok("fmadm", "actions")
        self.assertEqual(text, f"""\
SLOT 06 (serial Z1Y0DD06): degraded, since Nov 21 02:42:10
    for case {UUID}, in force
    undone by fmd when the case is repaired
SLOT 06 (serial Z1Y0DD06): hot spare in, since Nov 21 02:42:11
    for case {UUID}, intended, not seen yet
    undone by fmd when the case is repaired
zfs://pool=11/vdev=33: kept in service, since Nov 21 02:42:12
    by uid 1000, in force
    undo it with: fmadm retire sdc
""")
        self.assertPlain(text)

    def test_every_kind_has_its_words(self):
        for action, words in (({"kind": "retire", "level": "out-of-service"}, "out of service"), ({"kind": "replace"}, "new disk taken in"),
                              ({"kind": "fault-led"}, "fault LED on"), ({"kind": "locate-led"}, "locate LED on"),
                              ({"kind": "of-the-future"}, "of-the-future")):
            with self.subTest(action):
                self.daemon.order(actions=[{"part": "x", "state": "undoing", "owner": {"person": "root"}, **action}])
                self.assertEqual(self.ok("fmadm", "actions"), f"x: {words}\n    by root, being undone\n")

    def test_nothing(self):
        self.daemon.order(actions=[])
        self.assertEqual(self.ok("fmadm", "actions"), "fmd has changed nothing: no part is retired, no spare in, no light on\n")
        self.assertEqual(self.json("fmadm", "actions"), [])

    def test_json_is_the_document(self):
        self.assertEqual(self.json("fmadm", "actions"), json.loads(stage.FIXTURE.read_text())["actions"])


class Orders(stage.Case):
    def test_retire_and_restore(self):
        self.assertEqual(self.ok("fmadm", "retire", "SLOT 06"), "SLOT 06 is out-of-service now\n")
        self.assertEqual(self.ok("fmadm", "retire", "--degraded", "sdf"), "sdf is degraded now\n")
        self.assertEqual(self.ok("fmadm", "restore", "SLOT 06"), "SLOT 06 is in service now\n")
        self.assertEqual(self.daemon.changes(), [f"retire [SLOT 06] out-of-service by {WHO}", f"retire [sdf] degraded by {WHO}",
                                                 f"restore [SLOT 06] by {WHO}"])
        self.assertEqual(self.json("fmadm", "retire", "sdf"),
                         {"part": "sdf", "level": "out-of-service", "text": "sdf is out-of-service now"})
        self.assertEqual(self.json("fmadm", "restore", "sdf"), {"part": "sdf", "text": "sdf is in service now"})

    def test_replace(self):
        self.assertEqual(self.ok("fmadm", "replace", "SLOT 06", "SLOT 07"), "SLOT 06 is being replaced now\n")
        self.assertEqual(self.json("fmadm", "replace", "--force", "sdf", "Z1"),
                         {"part": "sdf", "with": "Z1", "text": "sdf is being replaced now"})
        self.assertEqual(self.daemon.changes(), [f"replace [SLOT 06] [SLOT 07] by {WHO}", f"replace [sdf] [Z1] forced by {WHO}"])
        self.fails(2, "fmadm", "replace", "SLOT 06")

    def test_force_says_what_is_lost_and_asks_on_a_terminal(self):
        for word, status, changes in (("n", 1, []), ("y", 0, [f"replace [SLOT 06] [SLOT 03] forced by {WHO}"])):
            shown = terminal.Terminal(self, [stage.program("fmadm"), "replace", "--force", "SLOT 06", "SLOT 03"], stage.environment(self.bus))
            shown.hear(("may not be blank", word))
            self.assertEqual(shown.end(), status)
            self.assertEqual(self.daemon.changes(), changes)

    def test_a_refusal_is_an_error_with_its_reason(self):
        self.assertEqual(self.fails(1, "fmadm", "retire", "nowhere"), "fmadm: no part is called nowhere\n")
        self.daemon.order(order_text="!the last copy of data is on \x1b[2Jit")
        for verb in ("retire", "restore"):
            self.assertEqual(self.fails(1, "fmadm", verb, "SLOT 06"), "fmadm: the last copy of data is on \\x1b[2Jit\n")
        self.fails(2, "fmadm", "retire")
        self.fails(2, "fmadm", "restore", "SLOT 06", "--degraded")

    def test_a_long_answer_fits(self):
        self.daemon.order(order_text="words of an answer " * 9)
        self.assertPlain(self.ok("fmadm", "retire", "SLOT 06"))

    def test_the_wait_is_shown_on_a_terminal(self):
        self.daemon.order(orders_answer=False)
        # As root, since other users may be asked for a password on the same line.
        shown = terminal.Terminal(self, [stage.program("fmadm"), "retire", "SLOT 06"], stage.environment(self.bus))
        if os.geteuid() == 0:
            shown.until("waiting for the part's plugin, 1 s")
        else:
            shown.read_until(self.daemon.changes, "the order", 30)
        self.daemon.order(orders_answer=True)
        shown.until("SLOT 06 is out-of-service now\n")
        self.assertEqual(shown.end(), 0)

    def test_elsewhere_nothing_is_drawn(self):
        self.daemon.order(orders_answer=False)
        waiting = subprocess.Popen([stage.program("fmadm"), "restore", "SLOT 06"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, text=True, env=stage.environment(self.bus))
        while not self.daemon.changes():
            self.assertIsNone(waiting.poll())
        self.daemon.order(orders_answer=True)
        self.assertEqual(waiting.communicate(timeout=stage.patience()), ("SLOT 06 is in service now\n", ""))
        self.assertEqual(waiting.returncode, 0)

    def test_a_daemon_that_ends_meanwhile(self):
        self.daemon.order(orders_answer=False)
        waiting = subprocess.Popen([stage.program("fmadm"), "retire", "SLOT 06"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, text=True, env=stage.environment(self.bus))
        while not self.daemon.changes():
            self.assertIsNone(waiting.poll())
        self.daemon.process.kill()
        out, error = waiting.communicate(timeout=stage.patience())
        self.assertEqual((waiting.returncode, out), (1, ""))
        self.assertTrue(error.endswith("; what has been done meanwhile: fmadm actions\n"), error)

    def test_completion_offers_parts(self):
        script = f"""source {stage.ROOT}/data/completions/fmd.bash
            COMP_WORDS=("$@" "") COMP_CWORD=$#; _fmd fmadm; echo "${{COMPREPLY[*]}}" """

        def offered(*words):
            return subprocess.run(["bash", "-c", script, "bash", "fmadm", *words], capture_output=True, text=True, check=True,
                                  env={"PATH": f"{os.path.dirname(stage.program('fmtopo'))}:{os.environ['PATH']}",
                                       "FMD_BUS_ADDRESS": self.bus.address}).stdout.split("\n")[0]
        self.assertLessEqual({"actions", "retire", "restore", "replace"}, set(offered().split()))
        for words in (("retire",), ("restore",), ("retire", "--degraded"), ("replace",), ("replace", "SLOT 06")):
            self.assertEqual(offered(*words), r"SLOT\ 03 SLOT\ 06 SLOT\ 07 SLOT\ 08 Shelf", words)
        self.assertEqual(offered("actions"), "--json --help")


class NotAllowed(stage.Case):
    daemon_words = ("--polkit-for-all", "--polkit", "refuse")

    def test_looking_is_for_everybody_and_ordering_is_not(self):
        for verb, *parts in (("retire", "SLOT 06"), ("restore", "SLOT 06"), ("replace", "SLOT 06", "SLOT 07")):
            self.assertIn(f"Access denied: polkit does not allow you org.fmd.faultmanager1.{verb}; do this as root",
                          self.fails(1, "fmadm", verb, *parts))
        self.assertEqual(self.daemon.changes(), [])
        self.ok("fmadm", "actions")


if __name__ == "__main__":
    unittest.main()
