#!/usr/bin/python3
"""A channel that does not deliver is shown as the state of its plugin, until it delivers again."""
from daemon_bus import BusCase
from daemon_case import NOW_CLASS, disk, event, main
from process import wait_for


class Undelivered(BusCase):
    config = '[notify.snmp]\nevents = []\n[digest]\nchannels = []\n'

    def state(self):
        for plugin in self.ask("ListPlugins")[0]:
            if "outbox:mail" in plugin["handles"]:
                return plugin["state"], plugin["reason"]
        return None

    def test_the_plugin_is_degraded_while_its_messages_are_refused(self):
        notifier = self.daemon.notifier()
        self.daemon.plugin("source", transient=True).events([event(NOW_CLASS, disk(1))])
        notifier.reply(notifier.command(name="deliver"), "failed", "connection refused")
        wait_for(lambda: self.state()[0] == "degraded", 20, lambda: f"degraded: {self.state()}")
        self.assertRegex(self.state()[1], "^messages are not delivered since .*: connection refused$")
        notifier.reply(notifier.command(name="deliver"), "done")
        wait_for(lambda: self.state()[0] == "ok", 20, lambda: f"ok: {self.state()}")


if __name__ == "__main__":
    main()
