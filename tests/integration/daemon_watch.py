#!/usr/bin/python3
"""A plugin that falls silent or dies becomes a case, which closes when it is back; scripts may come and go."""
import json
import threading
import time

from daemon_case import NOW_CLASS, DaemonCase, disk, event, main

GRACE = 30  # seconds until a plugin that went away counts as dead
BOOT = 300  # seconds after the machine's boot: until then a plugin that has not connected does not count as dead


class Watch(DaemonCase):
    def expect(self, notifier, news, fault, name, seconds=20):
        message = notifier.deliver_next(seconds)
        suspect = message["case"]["suspects"][0]
        self.assertEqual((message["event"], suspect["class"], suspect["resource"]),
                         (news, fault, f"fmd://plugin={name}"))
        return message

    def test_silent_plugin(self):
        notifier = self.daemon.notifier()
        mute = self.daemon.plugin("mute", heartbeat_ms=150)
        self.expect(notifier, "diagnosed", "fault.fmd.plugin.silent", "mute")
        mute.beat()
        self.expect(notifier, "resolved", "fault.fmd.plugin.silent", "mute")

    def test_heartbeats_keep_it_alive(self):
        beating = self.daemon.plugin("beating", heartbeat_ms=2000)
        stop = threading.Event()

        def beat():
            while not stop.wait(0.1):
                beating.beat()
        heart = threading.Thread(target=beat)
        heart.start()
        try:
            notifier = self.daemon.notifier()
            self.daemon.plugin("mute", heartbeat_ms=2500)  # its silence is noticed later than the other's would be
            self.expect(notifier, "diagnosed", "fault.fmd.plugin.silent", "mute")
            self.assertEqual(notifier.commands, [], "the one that beats is well")
        finally:
            stop.set()
            heart.join()

    def test_dead_plugin_and_its_return(self):
        notifier = self.daemon.notifier()
        self.daemon.plugin("script", transient=True).close()
        self.daemon.plugin("brief").close()
        self.daemon.plugin("brief")  # back in time
        mortal = self.daemon.plugin("mortal")
        mortal.close()
        self.expect(notifier, "diagnosed", "fault.fmd.plugin.dead", "mortal", GRACE + 20)
        self.assertEqual(notifier.commands, [], "a script's end is no fault, nor is a short absence")
        self.daemon.plugin("mortal")
        self.expect(notifier, "resolved", "fault.fmd.plugin.dead", "mortal")

    def test_plugin_that_does_not_come_back_after_a_restart(self):
        self.daemon.plugin("mortal")
        self.daemon.plugin("faithful")
        self.daemon.plugin("other").events([])
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        self.daemon.plugin("faithful")
        self.daemon.plugin("other")
        notifier = self.daemon.notifier()
        starting = max(0, BOOT - time.clock_gettime(time.CLOCK_MONOTONIC))
        self.expect(notifier, "diagnosed", "fault.fmd.plugin.dead", "mortal", max(GRACE, starting) + 20)
        self.assertEqual(notifier.commands, [])
        notifier.events([])  # answered once the delivery is on disk
        self.restart()  # the case is known; it is not opened again
        self.daemon.plugin("faithful")
        self.daemon.plugin("other")
        notifier = self.daemon.notifier()
        self.daemon.plugin("mortal")
        self.expect(notifier, "resolved", "fault.fmd.plugin.dead", "mortal")

    def test_commands_go_to_their_handler_and_are_given_up_after_it_left(self):
        """A case that lights an LED: the command comes once the bay's plugin has connected, and again after a reconnection."""
        bay = "hc://chassis=1/bay=1"
        source = self.daemon.plugin("source")
        leds = self.daemon.plugin("leds", handles=["hc://"], commands=["set_led"])
        leds.inventory([
            {"fmri": bay, "type": "bay", "properties": {"label": "SLOT 01", "led.fault": "off", "led.locate": "off"},
             "edges": [{"relation": "contains", "to": disk(1)}]}], complete=True)
        source.inventory([{"fmri": disk(1), "type": "disk", "properties": {"serial": "S1"}}], complete=True)
        source.events([event(NOW_CLASS, disk(1))])
        first = leds.command()
        self.assertEqual((first["params"]["name"], first["params"]["resource"]), ("set_led", bay))
        leds.close()
        leds = self.daemon.plugin("leds", handles=["hc://"], commands=["set_led"])
        again = leds.command()
        self.assertEqual(again["params"]["args"], {"indication": "fault", "on": True})
        leds.inventory([
            {"fmri": bay, "type": "bay", "properties": {"label": "SLOT 01", "led.fault": "on", "led.locate": "off"},
             "edges": [{"relation": "contains", "to": disk(1)}]}])
        leds.reply(again, "done")
        source.events([])
        self.assertEqual(leds.commands, [])

    def test_a_plugin_that_never_stops_talking_delays_no_deadline(self):
        notifier = self.daemon.notifier()
        self.daemon.plugin("mute", heartbeat_ms=1000)
        beat = json.dumps({"jsonrpc": "2.0", "method": "heartbeat", "params": {}}).encode() + b"\n"
        stop = threading.Event()

        def talk(plugin):
            while not stop.is_set():
                plugin.send_raw(beat * 1000)
        talkers = [threading.Thread(target=talk, args=[self.daemon.plugin(f"talker{n}")]) for n in range(2)]
        for one in talkers:
            one.start()
        try:
            refused = notifier.command(20, "deliver")  # the silence of "mute" is noticed
            notifier.reply(refused, "failed", "the mail server is away")
            again = notifier.command(30, "deliver")  # and the message is tried again
            self.assertEqual(again["params"]["args"]["key"], refused["params"]["args"]["key"])
            notifier.reply(again, "done")
        finally:
            stop.set()
            for one in talkers:
                one.join()


if __name__ == "__main__":
    main()
