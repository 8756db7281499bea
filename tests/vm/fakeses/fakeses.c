// SPDX-License-Identifier: GPL-2.0
/*
 * fakeses: an enclosure without hardware. A stand-in for tests only.
 *
 * The test machine's disks hang on a virtio-scsi controller, which has no SES
 * processor, so the kernel makes no /sys/class/enclosure for them. This module
 * registers one through the same enclosure_register() that the ses driver uses,
 * so that everything above it (sysfs, OpenZFS's vdev_enc_sysfs_path, fmd) meets
 * the real thing. SLOT n holds the disk of SCSI target n - 1, and follows it
 * when it is pulled or inserted.
 *
 * GPL and not the licence of the rest of the tree because the kernel exports
 * these symbols to GPL modules only.
 */
#include <linux/enclosure.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/version.h>
#include <scsi/scsi.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_driver.h>
#include <scsi/scsi_host.h>

#define MAX_SLOTS 32 /* what a mask parameter has bits for */

static unsigned int count = 8;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "number of slots (1..32)");

/* Masks: bit n - 1 stands for SLOT n. */
static unsigned int fail_leds;
module_param(fail_leds, uint, 0644);
MODULE_PARM_DESC(fail_leds, "slots whose LED writes fail with EIO");

static unsigned int ignore_leds;
module_param(ignore_leds, uint, 0644);
MODULE_PARM_DESC(ignore_leds, "slots that accept LED writes and do nothing");

static unsigned int critical;
module_param(critical, uint, 0644);
MODULE_PARM_DESC(critical, "slots that report the status 'critical'");

static unsigned int filled;
module_param(filled, uint, 0644);
MODULE_PARM_DESC(filled, "slots that hold a disk, though none answers");

struct slot {
	int fault, locate, active, power;
};

static struct slot slots[MAX_SLOTS]; /* the box's own state: LEDs outlive disks */
static struct platform_device *platform;
static struct enclosure_device *box;

static void get_status(struct enclosure_device *edev,
		       struct enclosure_component *c)
{
	if (!c->dev && !(filled & BIT(c->number)))
		c->status = ENCLOSURE_STATUS_NOT_INSTALLED;
	else if (critical & BIT(c->number))
		c->status = ENCLOSURE_STATUS_CRITICAL;
	else
		c->status = ENCLOSURE_STATUS_OK;
}

/* What a LED write really does; the kernel drops the value returned. */
static int set_led(struct enclosure_component *c, int *led, int value)
{
	if (fail_leds & BIT(c->number))
		return -EIO;
	if (!(ignore_leds & BIT(c->number)))
		*led = !!value;
	return 0;
}

#define LED(what)                                                           \
	static void get_##what(struct enclosure_device *edev,               \
			       struct enclosure_component *c)               \
	{                                                                   \
		c->what = slots[c->number].what;                            \
	}                                                                   \
	static int set_##what(struct enclosure_device *edev,                \
			      struct enclosure_component *c,                \
			      enum enclosure_component_setting value)       \
	{                                                                   \
		return set_led(c, &slots[c->number].what, value);           \
	}
LED(fault)
LED(locate)
LED(active)

static void get_power(struct enclosure_device *edev,
		      struct enclosure_component *c)
{
	c->power_status = slots[c->number].power;
}

static int set_power(struct enclosure_device *edev,
		     struct enclosure_component *c, int value)
{
	slots[c->number].power = value;
	return 0;
}

static int show_id(struct enclosure_device *edev, char *buf)
{
	return sysfs_emit(buf, "5000c500fa0e5e50\n");
}

static struct enclosure_component_callbacks callbacks = {
	.get_status = get_status,
	.get_fault = get_fault,
	.set_fault = set_fault,
	.get_locate = get_locate,
	.set_locate = set_locate,
	.get_active = get_active,
	.set_active = set_active,
	.get_power_status = get_power,
	.set_power_status = set_power,
	.show_id = show_id,
};

/* The slot number of a disk, or -1 when it is not one of ours. */
static int slot_of(struct scsi_device *sdev)
{
	const char *driver = sdev->host->hostt->proc_name;

	if (!driver || strcmp(driver, "virtio_scsi") || sdev->type != TYPE_DISK)
		return -1;
	if (sdev->channel || sdev->lun || sdev->id >= count)
		return -1;
	return sdev->id;
}

/* From Linux 6.4 on a class's callbacks are not told which interface of it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define DISK_CALLBACK(name) name(struct device *dev)
#else
#define DISK_CALLBACK(name) \
	name(struct device *dev, struct class_interface *intf)
#endif

/* Called for every disk there is when we register, then for every new one. */
static int DISK_CALLBACK(disk_added)
{
	struct scsi_device *sdev = to_scsi_device(dev->parent);
	int slot = slot_of(sdev);

	if (slot >= 0)
		enclosure_add_device(box, slot, &sdev->sdev_gendev);
	return 0;
}

static void DISK_CALLBACK(disk_removed)
{
	struct scsi_device *sdev = to_scsi_device(dev->parent);

	if (slot_of(sdev) >= 0)
		enclosure_remove_device(box, &sdev->sdev_gendev);
}

static struct class_interface disks = {
	.add_dev = disk_added,
	.remove_dev = disk_removed,
};

static int make_slots(void)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct enclosure_component *c;
		char name[16];
		int error;

		snprintf(name, sizeof(name), "SLOT %02u", i + 1);
		c = enclosure_component_alloc(
			box, i, ENCLOSURE_COMPONENT_ARRAY_DEVICE, name);
		if (IS_ERR(c))
			return PTR_ERR(c);
		c->slot = i + 1;
		slots[i].power = 1;
		error = enclosure_component_register(c);
		if (error)
			return error;
	}
	return 0;
}

static int __init fakeses_init(void)
{
	int error;

	if (count < 1 || count > MAX_SLOTS)
		return -EINVAL;
	platform = platform_device_register_simple("fakeses", -1, NULL, 0);
	if (IS_ERR(platform))
		return PTR_ERR(platform);
	box = enclosure_register(&platform->dev, "fakeses0", count, &callbacks);
	if (IS_ERR(box)) {
		error = PTR_ERR(box);
		goto no_box;
	}
	error = make_slots();
	if (!error)
		error = scsi_register_interface(&disks);
	if (!error)
		return 0;
	enclosure_unregister(box);
no_box:
	platform_device_unregister(platform);
	return error;
}

static void __exit fakeses_exit(void)
{
	scsi_unregister_interface(&disks);
	enclosure_unregister(box);
	platform_device_unregister(platform);
}

module_init(fakeses_init);
module_exit(fakeses_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Enclosure stand-in for fmd's tests");
