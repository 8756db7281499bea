#!/usr/bin/python3
"""Whenever fmd is killed: acknowledged events are on disk, and no event is counted twice."""
from daemon_case import NOW_CLASS, SERD_CLASS, DaemonCase, disk, event, main

START_NS = 1_790_000_000_000_000_000


def nth_error(number, of=1):
    return event(SERD_CLASS, disk(of), time_ns=START_NS + number * 1_000_000_000, number=number)


class Source:
    """A source like a real one: keeps unacknowledged events, and continues from fmd's cursor."""

    def __init__(self, daemon):
        self.daemon, self.plugin, self.sent = daemon, None, 0

    def connect(self):
        self.plugin = self.daemon.plugin("source", hello=False)
        cursor = self.plugin.hello()["cursor"]
        self.sent = int(cursor or 0)
        return self.sent

    def send(self, number):
        """Sends event `number` without waiting for the ack; returns its request id."""
        return self.plugin.send_events([nth_error(number)], cursor=str(number))

    def send_until(self, last):
        while self.sent < last:
            self.plugin.result(self.send(self.sent + 1))
            self.sent += 1


class Acks(DaemonCase):
    def test_ack_carries_the_cursor_and_what_was_rejected(self):
        plugin = self.daemon.plugin("source")
        ack = plugin.events([event(NOW_CLASS, disk(1)), event("ereport.no.such.thing", disk(1)),
                             event(NOW_CLASS, disk(2))], cursor="17")
        self.assertEqual(ack["cursor"], "17")
        self.assertEqual([r["index"] for r in ack["rejected"]], [1])
        self.assertIn("ereport.no.such.thing", ack["rejected"][0]["reason"])
        self.assertEqual(len(self.cases()), 2)

    def test_a_script_without_a_cursor_is_acked_too(self):
        plugin = self.daemon.plugin("script", transient=True)
        self.assertEqual(plugin.events([event(NOW_CLASS, disk(1))])["rejected"], [])
        self.assertEqual(len(self.cases()), 1)

    def test_what_is_acked_survives_kill_9_at_once(self):
        for number in range(1, 21):
            plugin = self.daemon.plugin("source", hello=False)
            self.assertEqual(plugin.hello()["cursor"], "" if number == 1 else str(number - 1))
            plugin.events([event(NOW_CLASS, disk(number))], cursor=str(number))
            self.restart()
        cases = self.cases()
        self.assertEqual(sorted(c["suspects"][0]["resource"] for c in cases), sorted(disk(n) for n in range(1, 21)))

    def test_cursor_says_whether_a_batch_in_flight_was_taken(self):
        """Killed before, while or after the batch is committed: the batch is sent again only if it was not committed."""
        source = Source(self.daemon)
        for number in range(1, 10):
            source.connect()
            source.send(number)
            # Wait longer for the answer each time, so that the kill comes between no work and all work done.
            source.plugin.pump((number - 1) * 0.002)
            self.restart()
            self.assertIn(source.connect(), (number - 1, number))
            source.send_until(number)
        source.send_until(9)
        self.assertEqual(self.cases(), [], "nine errors are no fault")
        self.daemon.start()
        source.connect()
        source.send_until(10)
        cases = self.cases()
        self.assertEqual(len(cases), 1)
        self.assertEqual(cases[0]["evidence_count"], 10)
        self.assertEqual(len({e["seq"] for e in cases[0]["evidence"]}), 10)

    def test_serd_engine_fires_after_a_crash_at_any_count(self):
        for kill_after in range(1, 10):
            with self.subTest(kill_after=kill_after):
                plugin = self.daemon.plugin("source")
                of = 100 + kill_after
                for number in range(1, kill_after + 1):
                    plugin.events([nth_error(number, of)])
                self.restart()
                plugin = self.daemon.plugin("source")
                notifier = self.daemon.notifier()
                for number in range(kill_after + 1, 11):
                    self.assertEqual(notifier.commands, [])
                    plugin.events([nth_error(number, of)])
                case = notifier.deliver_next()["case"]
                self.assertEqual(case["suspects"][0]["resource"], disk(of))
                self.assertEqual(case["evidence_count"], 10)
        self.assertEqual(len(self.cases()), 9)

    def test_back_pressure_holds_more_than_eight_batches_back_and_loses_none(self):
        plugin = self.daemon.plugin("source")
        ids = [plugin.send_events([event(NOW_CLASS, disk(n))], cursor=str(n)) for n in range(1, 101)]
        for number, request in enumerate(ids, 1):
            self.assertEqual(plugin.result(request)["cursor"], str(number))
        self.assertEqual(len(self.cases()), 100)

    def test_second_hello_of_a_name_takes_over_and_nothing_is_lost(self):
        first = self.daemon.plugin("source")
        first.send_events([event(NOW_CLASS, disk(1))], cursor="1")
        second = self.daemon.plugin("source", hello=False)
        cursor = second.hello()["cursor"]
        first.cut_off()
        self.assertIn(cursor, ("", "1"))
        if not cursor:
            second.events([event(NOW_CLASS, disk(1))], cursor="1")
        self.assertEqual(len(self.cases()), 1)


if __name__ == "__main__":
    main()
