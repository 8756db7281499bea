#!/usr/bin/python3
"""Open cases cost nothing while nobody asks for them: a D-Bus call and a page of a list take as much work with many as with few.

The work is the processor time that fmd's main thread used (schedstat, in ns), the least of several tries: it does not depend on
what else the machine does, as the time on the clock does."""
import json

from daemon_bus import FMD, BusCase
from daemon_case import NOW_CLASS, disk, event, main

from process import wait_for

FEW, MANY = 150, 3000
TRIES = 12
MOST, NOISE_NS = 2.5, 50_000  # times as much work; a scan of all cases makes it twenty times as much


class ManyCases(BusCase):
    config = ""

    def work_ns(self):
        """The main thread's, which answers."""
        with open(f"/proc/{self.daemon.program.process.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0])

    def open_cases(self, upto):
        for first in range(self.opened, upto, 100):
            self.source.events([event(NOW_CLASS, disk(number)) for number in range(first, min(first + 100, upto))])
        self.opened = upto

        def settled():
            before = self.work_ns()
            self.call("Ping", interface="org.freedesktop.DBus.Peer")
            return self.work_ns() - before < 5_000_000
        wait_for(settled, 120, "fmd to be idle")

    def least_work(self, ask):
        def once():
            before = self.work_ns()
            ask()
            return self.work_ns() - before
        return min(once() for _ in range(TRIES))

    def questions(self):
        page, _ = self.ask("ListPage", "cases", "{}")
        uuid = page["items"][0]["uuid"]
        return {
            "Ping": lambda: self.call("Ping", interface="org.freedesktop.DBus.Peer"),
            "OpenCases": lambda: self.call("Get", FMD[2], "OpenCases", interface="org.freedesktop.DBus.Properties"),
            "first page of cases": lambda: self.ask("ListPage", "cases", "{}"),
            "next page of cases": lambda: self.ask("ListPage", "cases", json.dumps({"after": page["next"]})),
            "a page of summaries": lambda: self.ask("ListPage", "cases", '{"summary": true}'),
            "all cases, which are too many for one answer": lambda: self.call("ListCases", "{}"),
            "one case": lambda: self.ask("ListPage", "cases", json.dumps({"uuid": uuid})),
            "a case by the beginning of its id": lambda: self.ask("ListPage", "cases", json.dumps({"uuid_prefix": uuid[:8]})),
            "Acknowledge": lambda: self.call("Acknowledge", uuid, ""),
            "GetStatus": lambda: self.ask("GetStatus"),
            "GetConfig": lambda: self.ask("GetConfig"),
        }

    def test_many_cost_a_question_what_few_do(self):
        self.opened = 0
        self.source = self.daemon.plugin("source")
        self.open_cases(FEW)
        few = {name: self.least_work(ask) for name, ask in self.questions().items()}
        self.open_cases(MANY)
        # For some seconds after fmd's start a case may wait for its bay and serial number, and each change checks the waiting
        # ones.
        for name, ask in self.questions().items():
            with self.subTest(question=name):
                wait_for(lambda name=name, ask=ask: self.least_work(ask) < MOST * few[name] + NOISE_NS, 30,
                         lambda name=name, ask=ask: f"{few[name] / 1000:.0f} µs with few, and with many {self.least_work(ask) / 1000:.0f}")

    def test_pages_hold_each_case_once_and_in_order(self):
        self.opened = 0
        self.source = self.daemon.plugin("source")
        self.open_cases(FEW)
        whole, pages = self.pages("cases", {})
        self.assertGreater(pages, 1)
        self.assertEqual(len({case["uuid"] for case in whole}), FEW)
        self.assertEqual(whole, sorted(whole, key=lambda case: (case["opened"], case["uuid"])))
        short, _ = self.pages("cases", {"summary": True})
        self.assertEqual([case["uuid"] for case in short], [case["uuid"] for case in whole])
        for one, other in zip(short, whole):
            for member in ("code", "severity", "state", "opened", "solved", "title"):
                self.assertEqual(one[member], other[member])
            self.assertEqual(one["suspects"][0]["resource"], other["suspects"][0]["resource"])
            self.assertNotIn("timeline", one)


if __name__ == "__main__":
    main()
