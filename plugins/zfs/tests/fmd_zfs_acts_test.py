#!/usr/bin/python3
"""Attribution: fmd-zfs finds out whether fmd, a person, ZED or the kernel did something. Argument or FMD_ZFS: the program."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from acts_case import ActsCase  # noqa: E402  (the path has to be set before)
from zfs_case import main  # noqa: E402
from host import zpool  # noqa: E402

CLEAR, ONLINE = "sysevent.fs.zfs.vdev_clear", "sysevent.fs.zfs.vdev_online"


class Causes(ActsCase):
    def test_a_person_and_zed(self):
        self.ready()
        for bay, who in ((2, self.host.person), (3, self.host.zed)):
            self.host.zed(bay, "degrade")
            who(bay, "clear")
        self.assertEqual(self.by(CLEAR, 2), ["administrator", "unknown"])
        self.host.person(2, "offline")
        self.host.person(2, "online")
        disk = self.host.pull(4)
        self.wait(lambda: self.core.of_class("resource.fs.zfs.removed"), "the removal")
        self.host.insert(4, disk=disk)
        self.host.zed(4, "online")
        self.assertEqual(self.by(ONLINE, 2), ["administrator", "unknown"])

    def test_a_late_record_and_a_clear_of_the_whole_pool(self):
        self.ready()
        with self.host.change() as state:
            state.data["speed"]["log"] = 1
            pool = state.data["pools"]["tank"]
            zpool.set_leaf_state(state, pool, str(pool["root"]["children"][0]["children"][1]["guid"]), "degrade")
            zpool.clear(state, pool)
            zpool.log_command(state, pool, ["clear", "tank"])
        self.assertEqual(self.by(CLEAR), ["administrator"])

    def test_a_clear_of_what_is_online_posts_no_event(self):
        def errors(bay):
            self.host.corrupt(bay, 1)
            self.host.read()
            self.wait(lambda: self.state(bay, "checksum_errors"), f"errors in bay {bay}")
            self.assertEqual(self.state(bay, "state"), "ONLINE")

        def cleared():
            return [(e["resource"], e["payload"]["by"], e["payload"].get("seen_by")) for e in self.core.of_class(CLEAR)]

        self.ready()
        errors(2)
        self.host.zed(2, "clear")  # not a repair by an administrator
        self.wait(lambda: self.state(2, "checksum_errors") == 0, "no errors any more")
        errors(3)
        self.host.person(3, "clear")
        self.wait(cleared, "the clear")
        errors(4)
        self.plugin.kill()  # also while fmd-zfs is not running
        self.core.disconnect()
        self.host.person(4, "clear")
        self.plugin.start()
        self.wait(lambda: len(cleared()) > 1, "the clear while fmd-zfs did not run")
        self.assertNotIn(CLEAR, self.host.events())
        self.assertEqual(cleared(), [(self.vdev(bay)["fmri"], "administrator", "counters") for bay in (3, 4)])

    def test_a_state_is_told_after_who_made_it_so(self):
        self.ready()
        with self.host.change() as state:
            state.data["speed"]["log"] = 0.7  # seconds until a command is in the pool's history
        self.host.zed(3, "degrade")
        self.wait(lambda: self.state(3, "state") == "DEGRADED", "the degraded disk")
        self.host.person(3, "clear")
        self.wait(lambda: self.state(3, "state") == "ONLINE", "the disk in service")
        self.assertEqual([e["payload"]["by"] for e in self.core.of_class(CLEAR)], ["administrator"])

    def test_what_comes_after_waits_and_order_stays(self):
        self.ready()
        self.host.zed(3, "degrade")
        self.host.zed(3, "clear")
        self.host.scrub()
        self.assertEqual(self.by(CLEAR), ["unknown"])
        self.wait(lambda: self.core.of_class("sysevent.fs.zfs.scrub_finish"), "the scrub's end")
        seen = [event["payload"]["eid"] for event in self.core.events]
        self.assertEqual(seen, sorted(set(seen)))
        names = [event["class"].rsplit(".", 1)[1] for event in self.core.events]
        self.assertLess(names.index("vdev_clear"), names.index("scrub_start"))

    def test_killed_while_it_waits(self):
        self.ready()
        with self.host.change() as state:
            state.data["speed"]["log"] = 3
        self.host.zed(3, "degrade")
        self.wait(lambda: self.core.of_class("resource.fs.zfs.statechange"), "the change before")
        self.host.person(3, "clear")
        self.host.scrub()
        self.assertEqual(self.core.command("refresh", "zfs://")["status"], "done")
        self.assertFalse(self.core.of_class(CLEAR), "not before it is known")
        self.assertFalse(self.core.of_class("sysevent.fs.zfs.scrub_start"), "nor what came after it")
        self.plugin.kill()
        with self.host.change() as state:
            state.advance(state.now_ns + 3_000_000_000)
        self.restart()
        self.assertEqual(self.by(CLEAR), ["administrator"])
        self.wait(lambda: self.core.of_class("sysevent.fs.zfs.scrub_start"), "what came after it")
        seen = [event["payload"]["eid"] for event in self.core.events]
        self.assertEqual(seen, sorted(set(seen)))

    def test_fmds_own_commands_are_no_persons(self):
        self.ready()
        self.retire(3, "degraded", "k1")
        self.assertEqual(self.act("restore", 3, key="k1")["status"], "done")
        self.core.command("refresh", "zfs://")  # events within milliseconds count as echoes
        self.host.zed(3, "degrade")
        self.host.zed(3, "clear")
        self.assertEqual(self.by(CLEAR), ["unknown"], "fmd's own clear stands in the history just before it")
        self.assertIn("zpool clear tank", str(self.host.pool()["history"][-1]))


class Silent(ActsCase):
    def environment(self):
        with open(self.path("zfs.toml"), "w", encoding="ascii") as file:
            file.write('poll = "1s"\nzpool_deadline = "5s"\n')
        return super().environment()

    def test_a_history_that_does_not_come(self):
        self.ready()
        self.hold("history")
        self.host.zed(3, "degrade")
        self.host.person(3, "clear")
        self.assertEqual(self.by(CLEAR), ["unknown"])
        self.retire(4, "out-of-service", "k1")
        reply = self.act("restore", 4, key="k1")
        self.assertEqual(reply["status"], "failed", "who else has changed it cannot be told")
        self.assertEqual(self.host.vdev(4)["state"], "FAULTED")


class Retired(ActsCase):
    def test_the_key_lasts_as_long_as_the_state(self):
        self.ready()
        self.retire(4, "degraded", "k1")
        self.assertEqual(self.state(4, "retired_by"), "k1", "in the inventory before the reply")
        self.assertEqual(self.retire(4, "degraded", "k2")["detail"], {"already": True})
        self.assertEqual(self.state(4, "retired_by"), "k1")
        self.assertEqual(self.retire(4, "out-of-service", "k3")["detail"], {})
        self.assertEqual(self.state(4, "retired_by"), "k3")
        self.restart()
        self.core.resources = {}
        self.waits(4, "retired_by", "k3")
        self.assertEqual((self.state(4, "state"), self.state(4, "state_by")), ("FAULTED", "fmd"))
        self.host.person(4, "clear")
        self.waits(4, "retired_by", None)
        self.host.person(4, "offline")
        self.waits(4, "service", "out-of-service")
        self.assertEqual((self.state(4, "retired_by"), self.state(4, "state_by")), (None, "administrator"))
        reply = self.act("restore", 4, key="k3")
        self.assertEqual(reply["status"], "refused")
        self.assertIn("not fmd's doing", reply["reason"])
        self.assertEqual(self.host.vdev(4)["state"], "OFFLINE")
        self.assertEqual(self.act("restore", 4, by="person")["status"], "done")
        self.assertEqual(self.act("restore", 4, key="k3")["detail"], {"already": True})

    def two_levels(self, bay=4):
        self.retire(bay, "degraded", f"k1.{bay}")
        self.retire(bay, "out-of-service", f"k2.{bay}")
        self.assertEqual(self.state(bay, "retired_by"), f"k2.{bay}")

    def test_online_takes_nothing_back_and_clear_all_of_it(self):
        self.ready()
        self.two_levels()
        self.host.person(4, "online")
        self.assertEqual(self.core.command("refresh", "zfs://")["status"], "done")
        self.assertEqual((self.state(4, "state"), self.state(4, "retired_by")), ("FAULTED", "k2.4"))
        self.host.person(4, "clear")
        self.assertEqual(self.by(CLEAR), ["administrator"])
        self.waits(4, "state", "ONLINE")
        self.assertIsNone(self.state(4, "retired_by"))

    def test_over_a_restart(self):
        self.ready()
        for bay in (4, 5):
            self.two_levels(bay)
        self.plugin.kill()
        self.host.person(5, "clear")
        self.host.zed(5, "fault")
        self.restart()
        for bay, key, by in ((4, "k2.4", "fmd"), (5, None, "zfs")):
            self.waits(bay, "state", "FAULTED")
            self.waits(bay, "retired_by", key)
            self.assertEqual(self.state(bay, "state_by"), by)

    def test_over_a_boot(self):
        self.ready()
        self.two_levels()
        self.host.fault(5)
        self.waits(5, "state_by", "zfs")
        self.plugin.kill()
        self.host.reboot()
        self.restart()
        self.core.resources = {}
        self.waits(4, "state", "FAULTED")
        self.assertEqual(self.state(4, "retired_by"), "k2.4")
        self.assertEqual(self.state(5, "state"), "ONLINE", "the kernel forgets its own")

    def test_both_levels_are_given_back_at_once(self):
        self.ready()
        self.two_levels()
        self.assertEqual(self.act("restore", 4, key="k2.4")["status"], "done")
        self.assertEqual((self.host.vdev(4)["state"], self.state(4, "retired_by")), ("ONLINE", None))

    def test_without_the_helper_zpool_does_it(self):
        self.ready()
        os.unlink(self.host.path("bin/fmd-zfs-vdev"))
        with open(self.host.path("bin/fmd-zfs-vdev"), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho 'fmd-zfs-vdev: no libzfs found' >&2; exit 3\n")
        os.chmod(self.host.path("bin/fmd-zfs-vdev"), 0o755)
        self.assertEqual(self.act("retire", 4, to="degraded")["status"], "failed")
        self.retire(4, "out-of-service", "k1")
        self.assertEqual((self.state(4, "state"), self.state(4, "retired_by")), ("FAULTED", "k1"))
        self.assertEqual(self.act("restore", 4, key="k1")["status"], "done", "its zpool offline -f is no person's")

    def test_whose_command_is_in_the_pools_history(self):
        self.ready()
        self.host.person(2, "offline -f")
        self.wait(lambda: "zpool offline -f tank wwn-0x5000c500a0000002" in (self.state(2, "state_record") or ""), "the person's record")
        self.host.zed(3, "degrade")
        self.wait(lambda: self.state(3, "state_record") == "nobody", "that nobody is named")
        self.retire(4, "degraded", "k1")
        self.assertEqual(self.state(4, "state_record"), None)
        self.plugin.kill()
        os.unlink(self.path("state", "zfs-memory.json"))
        self.restart()
        self.wait(lambda: "fmd-zfs-vdev degrade tank" in (self.state(4, "state_record") or ""), "the helper's record")

    def test_what_zed_did_is_not_fmds(self):
        self.ready()
        self.host.zed(4, "degrade")
        self.waits(4, "service", "degraded")
        self.assertEqual(self.retire(4, "degraded", "k1")["detail"], {"already": True})
        self.assertIsNone(self.state(4, "retired_by"))
        self.assertEqual(self.act("restore", 4, key="k1")["status"], "refused")
        self.assertEqual(self.act("restore", 4)["status"], "failed", "whose is not said")

    def test_zed_was_a_moment_faster(self):
        """The previous look did not show it, and the kernel accepts a second degrade: only its event gives the time. Here the
        host's clock stands still, so the change is older than the command."""
        self.ready()
        self.host.freeze()
        self.core.command("refresh", "zfs://")
        self.retire(4, "degraded", "k1")
        self.wait(lambda: self.core.of_class("resource.fs.zfs.statechange"), "the change")
        self.core.command("refresh", "zfs://")
        self.assertEqual((self.state(4, "service"), self.state(4, "retired_by")), ("degraded", None))

    def test_the_kernel_faults_it(self):
        self.ready()
        self.retire(4, "degraded", "k1")
        self.host.fault(4)
        self.waits(4, "state", "FAULTED")
        self.assertEqual((self.state(4, "retired_by"), self.state(4, "state_by")), (None, "zfs"))
        self.assertEqual(self.act("restore", 4, key="k1")["status"], "refused")
        self.assertEqual(self.host.vdev(4)["state"], "FAULTED")
        self.assertEqual(self.act("restore", 4, by="person")["status"], "done")
        self.assertEqual(self.host.vdev(4)["state"], "ONLINE")

    def test_the_kernel_faults_it_as_it_comes_back(self):
        self.ready()
        self.retire(4, "out-of-service", "k1")
        fmsim = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../simulator/fmsim")
        self.instead("clear", f'$real "$@" && {fmsim} fault {self.host.folder} 4; exit 0')
        reply = self.act("restore", 4, key="k1")
        self.assertEqual((reply["status"], self.host.vdev(4)["state"]), ("failed", "FAULTED"), reply)
        self.assertEqual(self.act("restore", 4, key="k1")["status"], "refused", "it is ZFS's by now")

    def test_a_person_confirms_it(self):
        """A person who offlines a disk that is already out wants it to stay out, though nothing changes."""
        self.ready()
        self.retire(4, "out-of-service", "k1")
        self.host.person(4, "offline")
        reply = self.act("restore", 4, key="k1")
        self.assertEqual((reply["status"], self.host.vdev(4)["state"]), ("refused", "FAULTED"))

    def test_a_disk_that_is_not_there_is_not_put_back(self):
        self.ready()
        self.retire(4, "out-of-service", "k1")
        fmri, disk = self.vdev(4)["fmri"], self.host.pull(4)
        for args in ({"key": "k1"}, {"by": "person"}):
            reply = self.core.command("restore", fmri, **args)
            self.assertEqual(reply["status"], "refused")
            self.assertIn("its disk is not there", reply["reason"])
        self.host.insert(4, disk=disk)
        self.assertEqual(self.host.vdev(4)["state"], "FAULTED")
        self.assertEqual(self.act("restore", 4, key="k1")["status"], "done")
        self.assertEqual(self.core.of_class("ereport.fs.zfs.vdev.open_failed"), [])

    def test_another_key_and_a_boot(self):
        self.ready()
        self.retire(4, "degraded", "k1")
        reply = self.act("restore", 4, key="k0")
        self.assertEqual(reply["status"], "refused")
        self.assertIn("changed by somebody else since", reply["reason"])
        self.plugin.kill()
        self.host.reboot()
        self.restart()
        self.core.resources = {}
        self.waits(4, "state", "DEGRADED")
        self.assertEqual(self.state(4, "retired_by"), "k1")

    def test_spares(self):
        self.ready()
        self.retire(4, "degraded", "k1")
        reply = self.act("spare_in", 4, call="s1")
        self.assertEqual((reply["status"], self.state(4, "spare_key")), ("done", "s1"))
        self.assertTrue(self.act("spare_in", 4)["detail"]["already"])
        self.assertEqual(self.act("restore", 4, key="k1")["status"], "done")
        self.waits(4, "spare", "active")
        self.assertEqual(self.act("spare_out", 4)["status"], "failed", "whose is not said")
        self.assertIn("changed by somebody else since", self.act("spare_out", 4, key="s0")["reason"])
        self.assertEqual(self.act("spare_out", 4, key="s1")["status"], "done")
        self.assertIsNone(self.state(4, "spare_key"))
        self.host.zed(4, "spare")
        self.waits(4, "spare", "active")
        self.assertIsNone(self.state(4, "spare_key"))
        self.assertTrue(self.act("spare_in", 4, call="s2")["detail"]["already"])
        self.assertEqual(self.act("spare_out", 4, key="s1")["status"], "refused")
        self.assertEqual(self.act("spare_out", 4, by="person")["status"], "done")


class Late(ActsCase):
    def begin(self, call="k1", deadline_ms=30000):
        self.ready()
        self.hold_helper()
        number = self.core.send_command("retire", self.vdev(4)["fmri"], call=call, deadline_ms=deadline_ms, to="out-of-service")
        self.wait(self.asked, "the command")
        return number

    def timed_out(self):
        number = self.begin(deadline_ms=1000)
        self.wait(lambda: number in self.core.replies, "the answer")
        self.assertEqual(self.core.replies[number]["status"], "failed")

    def test_it_takes_effect_after_all(self):
        self.timed_out()
        self.restart()
        self.ready()
        self.at_last()
        self.waits(4, "retired_by", "k1")
        self.assertEqual(self.act("restore", 4, key="k1")["status"], "done")

    def test_or_a_person_did_it(self):
        self.timed_out()
        self.host.person(4, "offline -f")
        self.waits(4, "service", "out-of-service")
        self.wait(lambda: not self.remembered()["retired"]["intents"], "the history's answer")
        self.assertEqual(self.core.command("refresh", "zfs://")["status"], "done")
        self.assertIsNone(self.state(4, "retired_by"))
        reply = self.act("restore", 4, key="k1")
        self.assertEqual((reply["status"], self.host.vdev(4)["state"]), ("refused", "FAULTED"))

    def test_killed_in_the_midst(self):
        self.begin()
        self.restart()
        self.ready()
        again = self.core.send_command("retire", self.vdev(4)["fmri"], call="k1", to="out-of-service")
        twice = self.core.send_command("retire", self.vdev(4)["fmri"], call="k1", to="out-of-service")
        self.at_last()
        self.wait(lambda: again in self.core.replies and twice in self.core.replies, "both answers")
        self.assertEqual([self.core.replies[n]["status"] for n in (again, twice)], ["done", "done"])
        self.assertEqual(len(self.asked()), 1, "not done twice")
        self.waits(4, "retired_by", "k1")

    def test_killed_in_the_midst_and_without_effect(self):
        self.begin()
        self.restart()
        self.ready()
        reply = self.act("retire", 4, call="k1", to="out-of-service")
        self.assertEqual(reply["status"], "failed")
        self.assertIn("restarted while it did this", reply["reason"])
        self.assertEqual(len(self.asked()), 1)

    def test_an_answer_outlives_the_plugin(self):
        self.ready()
        first = self.retire(4, "out-of-service", "k1")
        self.host.person(4, "clear")
        self.waits(4, "service", "in-service")
        self.restart()
        self.ready()
        self.assertEqual(self.act("retire", 4, call="k1", to="out-of-service"), first)
        self.assertEqual(self.host.vdev(4)["state"], "ONLINE", "not done twice")


if __name__ == "__main__":
    main()
