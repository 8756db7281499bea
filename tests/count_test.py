#!/usr/bin/python3
"""Tests of count.py on results in meson 1.0's form: that nothing that went wrong passes for right."""
import contextlib
import io
import json
import os
import tempfile
import unittest

import count


def write(folder, base, suites, programs):
    with open(os.path.join(folder, f"{base}.junit.xml"), "w", encoding="utf-8") as file:
        file.write(f"<?xml version='1.0' encoding='utf8'?>\n<testsuites>{suites}</testsuites>")
    with open(os.path.join(folder, f"{base}.json"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"name": name, "result": result}) + "\n" for name, result in programs.items())


def counted(first, *again):
    """first, again: (suites, programs) of a run."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
        write(folder, "testlog", *first)
        if again:
            write(folder, "again", *again[0])
        return count.of_meson(folder), said.getvalue().splitlines()


def cases(*inside):
    return "".join(f'<testcase name="{name}" classname="Store">{failure}</testcase>' for name, failure in inside)


def of_gtest(*inside):
    return f'<testsuite name="fmd.fmd:unit / store.Store">{cases(*inside)}</testsuite>'


def of_programs(*names):
    return f'<testsuite name="fmd">{cases(*((name, "") for name in names))}</testsuite>'


class Count(unittest.TestCase):
    def test_all_is_well(self):
        self.assertEqual(counted((of_gtest(("A", ""), ("B", "")) + of_programs("fmd:unit / man"),
                                  {"fmd:unit / store": "OK", "fmd:unit / man": "OK"})), ((3, 0), []))

    def test_a_case_that_fails(self):
        self.assertEqual(counted((of_gtest(("A", "<failure/>"), ("B", "")), {"fmd:unit / store": "FAIL"})),
                         ((1, 1), ["FAILED fmd:unit / store A"]))

    def test_a_program_of_cases_that_comes_to_no_end(self):
        for end in ("TIMEOUT", "FAIL", "ERROR", "INTERRUPT"):  # the file has nothing of it
            self.assertEqual(counted((of_programs("fmd:unit / man"), {"fmd:unit / store": end, "fmd:unit / man": "OK"})),
                             ((1, 1), [f"FAILED fmd:unit / store {end}"]))

    def test_a_program_that_comes_to_no_end(self):
        self.assertEqual(counted((of_programs("fmd:unit / man"), {"fmd:unit / man": "TIMEOUT"})),
                         ((0, 1), ["FAILED fmd:unit / man TIMEOUT"]))

    def test_a_skip_is_not_a_pass(self):
        self.assertEqual(counted((of_programs("fmd:unit / man"), {"fmd:unit / man": "SKIP"}))[0], (0, 1))

    def test_what_was_run_once_more_counts_as_it_ended_then(self):
        first = (of_gtest(("A", "<failure/>"), ("B", "")) + of_programs("fmd:unit / man"),
                 {"fmd:unit / store": "FAIL", "fmd:unit / man": "OK"})
        told = "FAILED, and run once more: fmd:unit / store A"
        self.assertEqual(counted(first, (of_gtest(("A", ""), ("B", "")), {"fmd:unit / store": "OK"})), ((3, 0), [told]))
        self.assertEqual(counted(first, (of_gtest(("A", ""), ("B", "<failure/>")), {"fmd:unit / store": "FAIL"})),
                         ((2, 1), [told, "FAILED again: fmd:unit / store B"]))
        self.assertEqual(counted(first, ("", {"fmd:unit / store": "TIMEOUT"})),
                         ((1, 1), [told, "FAILED again: fmd:unit / store TIMEOUT"]))

    def test_what_was_not_run_once_more_stays_failed(self):
        first = (of_programs(), {"fmd:unit / store": "FAIL", "fmd:unit / tray": "FAIL"})
        self.assertEqual(counted(first, (of_gtest(("A", "")), {"fmd:unit / store": "OK"}))[0], (1, 1))

    def test_no_results(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(count.of_meson(folder), (0, 1))


if __name__ == "__main__":
    unittest.main()
