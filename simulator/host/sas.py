"""Serial Attached SCSI in sysfs (Documentation/ABI/testing/sysfs-class-* has little about it; the layout is that of
drivers/scsi/scsi_transport_sas.c with mpt3sas): phys and ports below the adapter, an expander below the port that leads to
it, its own phys and ports below the expander, an end device below its port, the SCSI target below the end device.

    host1/port-1:0/expander-1:0/port-1:0:7/end_device-1:0:7/target1:0:7/1:0:7:0
"""
RATE = "12.0 Gbit"
WIDTH = 4  # phys per cable between adapters and expanders


def phys_of_expander(bays):
    """One per bay, one inside for the enclosure's processor, and one cable up and one down."""
    return bays + 1 + 2 * WIDTH


class Adapter:
    """A host bus adapter with two external connectors of four phys each."""

    def __init__(self, tree, number, pci, address):
        self.tree, self.number, self.address = tree, number, address
        above = f"{int(pci[5:7], 16) - 1:02x}"  # the root port's bus
        self.path = f"sys/devices/pci0000:{above}/0000:{above}:00.0/{pci}/host{number}"
        self.pci = pci
        self.expanders = self.targets = self.ports = 0
        scsi = tree.in_class("scsi_host", self.path)
        tree.put(scsi, {"proc_name": "mpt3sas", "host_sas_address": f"0x{address}", "version_fw": "16.00.12.00",
                        "board_name": "SAS9400-8e", "board_assembly": "H3-50016-01A", "state": "running"})
        tree.in_class("sas_host", self.path)
        for phy in range(2 * WIDTH):
            _phy(tree, self.path, f"phy-{number}:{phy}", phy, address, "end device")

    def port(self, first_phy):
        """Creates a wide port of the adapter; returns its path."""
        name = f"port-{self.number}:{self.ports}"
        self.ports += 1
        return _port(self.tree, self.path, name, [f"phy-{self.number}:{first_phy + i}" for i in range(WIDTH)])

    def target(self):
        self.targets += 1
        return self.targets - 1


class Expander:
    """An expander of a shelf."""

    def __init__(self, adapter, port, address, enclosure, bays):
        self.adapter, self.tree, self.bays, self.address = adapter, adapter.tree, bays, address
        self.number = adapter.expanders
        adapter.expanders += 1
        self.name = f"expander-{adapter.number}:{self.number}"
        self.path = f"{port}/{self.name}"
        self.ports = 0
        tree = self.tree
        tree.put(tree.in_class("sas_expander", self.path), {
            "vendor_id": "FMSIM   ", "product_id": "JBOD-EXP        ", "product_rev": "0304", "component_vendor_id": "FMSIM   ",
            "component_id": "569", "component_revision_id": "5", "level": self.path.count("/expander-") - 1})
        tree.put(tree.in_class("sas_device", self.path), _remote(address, "edge expander", "smp", 0, enclosure, 0))
        for phy in range(phys_of_expander(bays)):
            _phy(tree, self.path, self._phy_name(phy), phy, address, "edge expander")

    def _phy_name(self, phy):
        return f"phy-{self.adapter.number}:{self.number}:{phy}"

    def _next_port(self, phys):
        name = f"port-{self.adapter.number}:{self.number}:{self.ports}"
        self.ports += 1
        return name, _port(self.tree, self.path, name, [self._phy_name(phy) for phy in phys])

    def down(self):
        """The port to which the next expander is cabled."""
        first = self.bays + 1 + WIDTH
        return self._next_port(range(first, first + WIDTH))[1]

    def end_device(self, phy, address, enclosure, bay):
        """A device on its own phy; returns (path of its SCSI device, its H:C:T:L)."""
        name, port = self._next_port([phy])
        end = f"{port}/end_device-{name.removeprefix('port-')}"
        target = self.adapter.target()
        self.tree.in_class("sas_end_device", end)
        self.tree.put(self.tree.in_class("sas_device", end), _remote(address, "end device", "ssp", phy, enclosure, bay, target))
        address_of = f"{self.adapter.number}:0:{target}"
        return f"{end}/target{address_of}/{address_of}:0", f"{address_of}:0"


def _remote(address, kind, protocol, phy, enclosure, bay, target=None):
    return {"device_type": kind, "sas_address": f"0x{address}", "phy_identifier": phy, "initiator_port_protocols": "none",
            "target_port_protocols": protocol, "enclosure_identifier": f"0x{enclosure}", "bay_identifier": bay,
            "scsi_target_id": -1 if target is None else target}


def _phy(tree, parent, name, number, address, kind):
    tree.put(tree.in_class("sas_phy", f"{parent}/{name}"), {
        "device_type": kind, "sas_address": f"0x{address}", "phy_identifier": number, "negotiated_linkrate": RATE,
        "minimum_linkrate": "3.0 Gbit", "maximum_linkrate": RATE, "invalid_dword_count": 0,
        "running_disparity_error_count": 0, "loss_of_dword_sync_count": 0, "phy_reset_problem_count": 0, "enable": 1})


def _port(tree, parent, name, phys):
    port = f"{parent}/{name}"
    tree.put(tree.in_class("sas_port", port), {"num_phys": len(phys)})
    for phy in phys:
        tree.link(f"{parent}/{phy}", f"{port}/{phy}")
        tree.link(port, f"{parent}/{phy}/port")
    return port
