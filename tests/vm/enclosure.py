"""The simulated enclosure of the test machine (module fakeses)."""

BOX = "/sys/class/enclosure/fakeses0"
PARAMETERS = "/sys/module/fakeses/parameters"


class Enclosure:
    ID = "5000c500fa0e5e50"

    def __init__(self, machine):
        self.m = machine

    def read(self, slot, what):
        """An attribute of a slot: status, fault, locate, active, ..."""
        return self.m.sh(f"cat '{BOX}/SLOT {slot:02}/{what}'").strip()

    def led(self, slot, which="fault"):
        """Whether the LED "fault" or "locate" of a slot is lit."""
        return self.read(slot, which) == "1"

    def lit(self, which="fault"):
        """The set of slots whose LED is lit."""
        # One command for all slots: each one takes CPU time from the guest, which is being measured.
        found = {}
        for line in self.m.sh(f"cd {BOX} && grep -H . SLOT*/slot SLOT*/{which}").splitlines():
            name, _, value = line.partition(":")
            bay, _, what = name.rpartition("/")
            found.setdefault(bay, {})[what] = value
        return {int(bay["slot"]) for bay in found.values() if bay[which] == "1"}

    def set_led(self, slot, on, which="fault"):
        """Writes an LED as an administrator with a root shell would."""
        self.m.sh(f"echo {int(on)} > '{BOX}/SLOT {slot:02}/{which}'")

    def serial(self, slot):
        """The serial of the disk linked to the slot, or None."""
        out = self.m.run(f"udevadm info -q property --property ID_SCSI_SERIAL --value "
                         f"/sys/block/$(ls '{BOX}/SLOT {slot:02}/device/block')").out.strip()
        return out or None

    def _mask(self, name, slots):
        mask = sum(1 << (slot - 1) for slot in slots)
        self.m.sh(f"echo {mask} > {PARAMETERS}/{name}")

    def fail_leds(self, *slots):
        """Makes the driver fail LED writes to these slots, and no others."""
        self._mask("fail_leds", slots)

    def ignore_leds(self, *slots):
        """Makes LED writes to these slots, and no others, have no effect."""
        self._mask("ignore_leds", slots)

    def critical(self, *slots):
        """Makes these slots, and no others, report the status "critical"."""
        self._mask("critical", slots)

    def filled(self, *slots):
        """Makes these slots, and no others, report a disk although none responds."""
        self._mask("filled", slots)

    def reset(self):
        """Turns all LEDs off and removes all faults."""
        for name in ("fail_leds", "ignore_leds", "critical", "filled"):
            self._mask(name, ())
        self.m.sh(f"for f in {BOX}/SLOT*/fault {BOX}/SLOT*/locate; do echo 0 > \"$f\"; done")
