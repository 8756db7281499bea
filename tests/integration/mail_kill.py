#!/usr/bin/python3
"""kill -9 of fmd or fmd-mail during delivery, a hundred times: each message arrives once, or at most twice, with the
same Message-ID, if the server's reply was lost with fmd-mail. None is missing."""
import collections
import os
import random
import time

import daemon_case
from daemon_case import NOW_CLASS, disk, event
from daemon_mail import DaemonMailCase
from process import wait_for

ROUNDS = int(os.environ.get("ROUNDS", "100"))
STAGES = ("MAIL", "RCPT", "TAKEN", "ANSWERED")


class KillNine(DaemonMailCase):
    config = "[digest]\nchannels = []\n"

    def known_keys(self):
        """What fmd-mail has recorded as delivered."""
        try:
            with open(os.path.join(self.state, "delivered"), encoding="utf-8") as file:
                return set(file.read().splitlines())
        except FileNotFoundError:
            return set()

    def count_lost(self):
        """fmd-mail is gone: for mail that the server took and fmd-mail has not recorded, the reply was lost."""
        wait_for(lambda: not self.sink.busy(), 20, "the server to be done with the connections that broke")
        known = self.known_keys()
        for message_id, times in self.sink.taken.items():
            if message_id.strip("<>").split("@")[0].replace("/", ":") not in known:
                self.lost[message_id] = times

    def test_a_hundred_times(self):
        chance, begun = random.Random(4), time.monotonic()
        self.lost = collections.Counter()
        for number in range(ROUNDS):
            stage = STAGES[number // 2 % len(STAGES)]
            self.sink.arm(stage)
            self.daemon.plugin("source", transient=True).events([event(NOW_CLASS, disk(number))])
            self.assertTrue(self.sink.reached.wait(30), f"round {number}: nothing came as far as {stage}")
            if stage == "ANSWERED":
                time.sleep(chance.random() * 0.004)  # somewhere on the way from the reply to the next message
            if number % 2:
                self.daemon.kill()
                self.sink.release()
                self.daemon.start()
            else:
                self.mail.kill()
                self.sink.release()
                self.count_lost()
                self.mail.start()
        def heard():
            return {m: times - self.lost[m] for m, times in self.sink.taken.items()}
        # Lost messages come again, at the latest after fmd's retry interval.
        wait_for(lambda: len(heard()) >= ROUNDS and min(heard().values()) >= 1 and not self.sink.busy(), 90,
                 lambda: f"{ROUNDS} messages; {collections.Counter(heard().values())}\n" + self.mail.tail())
        print(f"\n{ROUNDS} kills in {time.monotonic() - begun:.0f} s; {sum(self.lost.values())} replies lost")
        self.assertEqual(len(self.sink.taken), ROUNDS)
        self.assertEqual(heard(), dict.fromkeys(self.sink.taken, 1), "each once, but for those whose reply was lost")


if __name__ == "__main__":
    daemon_case.main()
