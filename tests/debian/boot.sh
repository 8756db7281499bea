#!/bin/bash
# boot.sh COMMAND...: runs a command on a booted machine: systemd is process 1 and runs services. The machine shuts down after the
# command, whose exit status is returned. Another call reboots the same machine. Runs inside root.sh, in its own namespaces (mounts,
# processes, control groups, IPC, host name). /sys is read-only, so there is no udev. The command's output goes to /build/output, which is
# printed at the end.
set -euo pipefail

if [[ -z ${FMD_BOOTED:-} ]]; then
  export FMD_BOOTED=yes status=0
  : >/build/output
  unshare --mount --propagation private --pid --fork --kill-child --cgroup --uts --ipc "$0" "$@" >/build/console.log 2>&1 </dev/null || status=$?
  cat /build/output
  exit "$status"
fi

umount -l /sys /dev /proc
mount -t proc proc /proc
mount -t sysfs -o ro sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mkdir -p /run/lock /run/systemd/system
# Hide the host's devices.
mkdir -p /run/dev
mount -t tmpfs tmpfs /run/dev
mkdir -p /run/dev/{pts,shm,mqueue}
for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "/run/dev/${node%:*}" c 1 "${node#*:}"; done
mknod -m 666 /run/dev/tty c 5 0
ln -s pts/ptmx /run/dev/ptmx
ln -s /proc/self/fd /run/dev/fd
: >/run/dev/console
mount --move /run/dev /dev
mount -t devpts devpts /dev/pts -o newinstance,ptmxmode=0666
hostname first-hour

printf '[Unit]\nWants=multi-user.target command.service\n' >/run/systemd/system/command.target
cat >/run/systemd/system/command.service <<END
[Unit]
After=multi-user.target
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
WorkingDirectory=/fmd
Environment=HOME=/root LANG=C.UTF-8
ExecStart=$*
StandardOutput=append:/build/output
StandardError=append:/build/output
END
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console --unit=command.target
