"""The simulated host: a folder with a sysfs tree, disks as sparse files, and a pool that behaves like OpenZFS 2.1.

machine.py     the folder, its state and its clock; everything begins here
hardware.py    disks and bays: sysfs, /dev, the enclosure
blocks.py      content of a disk (partition table, ZFS label)
vdevs.py       the tree of a pool: names, states, redundancy
events.py      the kernel's ZFS events, and the output of `zpool events`
faults.py      bad blocks, read errors, removals
scans.py       scrub and resilver
zpool.py       the verbs of zpool(8) that change something
status.py      `zpool status`
listing.py     `zpool list` and `zpool get`
zpool_cli.py   zpool's command line
smart.py       smartctl's documents
bmc.py         the machine's BMC
md.py          md arrays and mdadm(8)
cpu.py         processors with a trace of their errors

shelves.py     another kind of host: shelves with hundreds of disks, no pools and no time
sas.py         its adapters, expanders and phys
box.py         its processors, memory, PCI devices and sensors
tree.py        creates many files quickly
tools.py       the fake programs in the host's own bin/
"""
