#!/usr/bin/python3
"""A thousand Critical cases within seconds: at most six mails, and each case in one of them."""
import time

import daemon_case
from daemon_case import NOW_CLASS, disk, event
from daemon_mail import DaemonMailCase
from process import wait_for

CASES = 1000
ALONE = 5  # two of any severity, three more that are Critical


class Storm(DaemonMailCase):
    config = '[digest]\nquiet = "3s"\n'

    def waiting(self):
        return [row for row in self.daemon.stored()["outbox"].values() if row["notifier"] == "mail" and not row["delivered"]]

    def test_a_thousand_critical_cases_are_six_mails_at_most(self):
        source = self.daemon.plugin("source", transient=True)
        for first in range(0, CASES, 100):
            source.events([event(NOW_CLASS, disk(number)) for number in range(first, first + 100)])
        begun = time.monotonic()
        wait_for(lambda: any(str(CASES - ALONE) in mail["Subject"] for mail in self.sink.mails), 120,
                 lambda: f"a mail about the other cases; there are {[m['Subject'] for m in self.sink.mails]}\n" + self.mail.tail())
        told = [mail["Subject"] for mail in self.sink.mails]
        print(f"\n{CASES} cases, {len(told)} mails after {time.monotonic() - begun:.0f} s: {told}")
        self.assertLessEqual(len(told), ALONE + 1, told)
        # The server had the mail before fmd learned of it.
        wait_for(lambda: not self.waiting(), 20, lambda: f"nothing more to be sent; there is {str(self.waiting())[:500]}")
        self.daemon.stop()
        self.assertEqual(len(self.sink.mails), len(told))
        digest = self.sink.mails[-1].get_body(("plain",)).get_content()
        self.assertIn("fmadm faulty", digest)


if __name__ == "__main__":
    daemon_case.main()
