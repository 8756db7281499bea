#!/usr/bin/python3
"""Waiting for an effect of a program that has already ended."""
import os
import signal
import sys
import tempfile
import unittest
from unittest import mock

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "simulator"))
sys.dont_write_bytecode = True

from process import Ended, Program, TimeUp, wait_for  # noqa: E402

FOR_EVER = ["/bin/sleep", "600"]


class Waiting(unittest.TestCase):
    def program(self, *command):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        program = Program("played", command, os.path.join(folder, "log")).start()
        self.addCleanup(program.kill)
        return program

    def ended(self, program):
        """The error raised when waiting, without a time limit, for a program that has ended."""
        with self.assertRaises(Ended) as caught:
            wait_for(lambda: False, 600, "the answer", programs=[program])
        return str(caught.exception)

    def test_a_program_that_gave_up_is_told_at_once_with_its_last_words(self):
        text = self.ended(self.program("/bin/sh", "-c", "echo no such option >&2; exit 3"))
        self.assertIn("played ended with status 3, and the answer will not come", text)
        self.assertIn("no such option", text)

    def test_so_is_one_that_was_killed(self):
        self.assertIn("played was ended by SIGABRT", self.ended(self.program("/bin/sh", "-c", "kill -ABRT $$")))

    def test_who_was_told_to_end_is_no_surprise(self):
        for end in (Program.kill, Program.stop):
            program = self.program(*FOR_EVER)
            end(program)
            with self.assertRaises(TimeUp) as caught, mock.patch("process.PATIENCE", 0):
                wait_for(lambda: False, 0, "the answer", programs=[program])
            self.assertNotIsInstance(caught.exception, Ended)

    def test_once_started_again_it_counts_again(self):
        program = self.program(*FOR_EVER)
        program.kill()
        program.start()
        os.kill(program.process.pid, signal.SIGTERM)  # killed by someone else
        self.assertIn("SIGTERM", self.ended(program))

    def test_what_was_waited_for_counts_more_than_its_end(self):
        program = self.program("/bin/true")
        program.process.wait()
        self.assertEqual(wait_for(lambda: 7, 1, "it", programs=[program]), 7)


if __name__ == "__main__":
    unittest.main()
