// SPDX-License-Identifier: GPL-2.0
/*
 * tespcap: MCG_CAP[11] of a real Intel processor. A stand-in for tests only.
 *
 * MCG_TES_P says that a processor gives the threshold-based error status, green
 * or yellow, in MCi_STATUS[54:53] (Intel SDM volume 3B, "IA32_MCG_CAP MSR").
 * QEMU takes those two bits into a bank as any others, but none of its
 * processors has that capability, so they mean nothing there. This module sets
 * the bit in each record of a machine check, and nothing else: status, address,
 * processor and vendor are what the kernel has read from the machine.
 *
 * The kernel hands a record down its decode chain by priority; the tracepoint
 * mce_record is emitted at MCE_PRIO_EARLY. MCE_PRIO_CEC is the one priority
 * above that, the collector's own (6.12), which decides by other fields. A
 * notifier gets a struct mce, from Linux 6.13 on as the first member of a
 * struct mce_hw_err.
 *
 * GPL and not the licence of the rest of the tree because the kernel exports
 * these symbols to GPL modules only.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <asm/mce.h>

#define MCG_TES_P BIT_ULL(11)

static int give_capability(struct notifier_block *nb, unsigned long value,
			   void *data)
{
	struct mce *record = data;

	if (record)
		record->mcgcap |= MCG_TES_P;
	return NOTIFY_DONE;
}

static struct notifier_block before_trace = {
	.notifier_call = give_capability,
	.priority = MCE_PRIO_CEC,
};

static int __init tespcap_init(void)
{
	mce_register_decode_chain(&before_trace);
	return 0;
}

static void __exit tespcap_exit(void)
{
	mce_unregister_decode_chain(&before_trace);
}

module_init(tespcap_init);
module_exit(tespcap_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MCG_CAP[11] stand-in for fmd's tests");
