#!/usr/bin/python3
"""Each message about a case is delivered exactly once, whenever fmd is killed and however long delivery takes."""
from daemon_case import FINE_CLASS, NOW_CLASS, DaemonCase, disk, event, main


class OutboxTests(DaemonCase):
    config = '[notify.snmp]\nevents = []\n[digest]\nchannels = []\n'

    def open_case(self, number):
        self.daemon.plugin("source", transient=True).events([event(NOW_CLASS, disk(number))])

    def close_case(self, number):
        self.daemon.plugin("source", transient=True).events([event(FINE_CLASS, disk(number))])

    def test_message_says_what_people_need(self):
        notifier = self.daemon.notifier()
        self.open_case(1)
        message = notifier.deliver_next()
        self.assertEqual(message["event"], "diagnosed")
        self.assertIn("Critical", message["subject"])
        self.assertIn("disk is broken", message["subject"])
        self.assertIn("fmadm faulty -u " + message["case"]["uuid"], message["body"])
        self.assertTrue(all(len(line) <= 78 for line in message["body"].splitlines()), message["body"])
        self.assertTrue(message["key"].startswith(message["case"]["uuid"] + ":diagnosed:"))

    def test_exactly_once_whenever_fmd_is_killed(self):
        delivered, number = {}, 0

        def not_there():  # killed before any notifier has connected
            self.restart()

        def asked():  # killed when the notifier has received the message and done nothing yet
            self.daemon.notifier(delivered=delivered).command(name="deliver")
            self.restart()

        def sent():  # killed when the message is sent, before the answer
            notifier = self.daemon.notifier(delivered=delivered)
            args = notifier.command(name="deliver")["params"]["args"]
            delivered[args["key"]] = args
            self.restart()

        def told():  # killed at the answer, before or while fmd stores it
            self.daemon.notifier(delivered=delivered).deliver_next()
            self.restart()

        def done():  # killed after it
            notifier = self.daemon.notifier(delivered=delivered)
            notifier.deliver_next()
            self.daemon.plugin("other").events([])
            self.restart()

        for kill in (not_there, asked, sent, told, done, sent, told):
            number += 1
            self.open_case(number)
            kill()
            notifier = self.daemon.notifier(delivered=delivered)
            while len({d["case"]["suspects"][0]["resource"] for d in delivered.values()}) < number:
                notifier.deliver_next()
        for _ in range(number):
            self.restart()
        self.daemon.notifier(delivered=delivered)
        self.assertEqual(len(delivered), number, "one message a case")
        outbox = self.stored_outbox()
        self.assertEqual(len(outbox), number)
        self.assertEqual({entry["key"] for entry in outbox.values()}, set(delivered))

    def stored_outbox(self):
        self.daemon.stop()
        return self.daemon.stored()["outbox"]

    def test_failed_delivery_is_tried_again_under_the_same_key(self):
        notifier = self.daemon.notifier()
        self.open_case(1)
        first = notifier.command(name="deliver")
        notifier.reply(first, "failed", "connection refused")
        second = notifier.command(name="deliver")
        self.assertEqual(second["params"]["args"]["key"], first["params"]["args"]["key"])
        notifier.reply(second, "done")
        self.open_case(2)
        notifier.deliver_next()

    def test_order_within_a_case(self):
        notifier = self.daemon.notifier()
        self.open_case(1)
        first = notifier.command(name="deliver")
        self.assertEqual(first["params"]["args"]["event"], "diagnosed")
        self.close_case(1)
        self.open_case(2)
        other = notifier.command(name="deliver")
        self.assertNotEqual(other["params"]["args"]["case"]["uuid"], first["params"]["args"]["case"]["uuid"],
                            "the end of the first case waits for the answer about its beginning")
        notifier.reply(first, "done")
        self.assertEqual(notifier.deliver_next()["event"], "resolved")

    def test_the_delivery_is_on_the_case(self):
        notifier = self.daemon.notifier()
        self.open_case(1)
        notifier.deliver_next()
        case = self.wait_stored_note()
        self.assertTrue(any("mail delivered (diagnosed)" in t["text"] for t in case["timeline"]), case["timeline"])

    def test_while_it_fails_the_case_says_so_once(self):
        notifier = self.daemon.notifier()
        self.open_case(1)
        for _ in range(2):
            notifier.reply(notifier.command(name="deliver"), "failed", "connection refused")
        notifier.command(name="deliver")
        notes = [t["text"] for t in self.wait_stored_note()["timeline"] if t["kind"] == "notify"]
        self.assertEqual(notes, ["mail not delivered yet (diagnosed): connection refused"])

    def wait_stored_note(self):
        self.daemon.plugin("other").events([])  # acknowledged once everything before it is on disk
        return self.cases()[0]


if __name__ == "__main__":
    main()
