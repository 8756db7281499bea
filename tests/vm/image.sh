#!/bin/bash
# Builds the root image of the test machine in a chroot: Debian 12 or 13 with
# OpenZFS and the stand-ins. Needs root, debootstrap, e2fsprogs, and network access
# through apt's settings.
#
#   image.sh [--debian 13] [--zts]           build the image unless it exists; print progress
#   image.sh [--debian 13] [--zts] --path    print the image's folder, even if it does not exist yet
#
# --zts adds OpenZFS's test suite.
#
# The image is cached outside the tree. Its folder is named after a hash of its
# sources, so only a change of these builds a new one. The folder appears under that
# name when it is complete.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

KERNEL="linux-image-amd64 linux-headers-amd64 make"
BASE="systemd systemd-sysv libpam-systemd udev dbus polkitd kmod iproute2 procps less"
STORAGE="zfsutils-linux zfs-zed smartmontools ipmitool sg3-utils
  mdadm btrfs-progs e2fsprogs multipath-tools dmsetup"
TESTING="python3 python3-aiosmtpd snmpd snmptrapd snmp strace rsync socat sqlite3"
# The libraries of fmd and its plugins.
LIBRARIES="libsystemd0 libudev1 libsqlite3-0 libzstd1 libcairo2 libtraceevent1 libstdc++6 libasan8 libubsan1"

usage() {
  echo "usage: image.sh [--debian 12|13] [--zts] [--path]" >&2
  exit 2
}

kind=image release=12 name=image with=()
if [[ ${1:-} = --debian ]]; then
  release=${2:-}
  shift 2 || usage
fi
if [[ ${1:-} = --zts ]]; then
  shift
  name=image-zts with=(--zts)
  TESTING+=" zfs-test"
fi
# shellcheck source-path=SCRIPTDIR source=../debian/chroot.sh
. "$here/../debian/chroot.sh"

case $release in
12) LIBRARIES+=" libcurl4 libsnmp40 libfmt9 libsimdjson14 libtomlplusplus3" ;;
13) LIBRARIES+=" libcurl4t64 libsnmp40t64 libfmt10 libsimdjson25 libtomlplusplus3t64" ;;
esac
suite=$(suite_of "$release")
stamp=$(cd "$here" && cat ../debian/chroot.sh image.sh fakeses/* tespcap/* image/* | sha256sum | cut -c1-12)
image=$cache/$name-$release-$stamp

case ${1:-} in
--path) echo "$image"; exit ;;
"") ;;
*) usage ;;
esac

if [[ -z ${FMD_IN_NAMESPACE:-} ]]; then
  [[ -e $image/complete ]] && { say "there already: $image"; exit; }
  need_root_and debootstrap:debootstrap mke2fs:e2fsprogs unshare:util-linux
  mkdir -p "$cache"
  # In a mount namespace of its own, so that its mounts end with this script, even if it is killed.
  FMD_IN_NAMESPACE=yes exec unshare --mount --propagation private "$0" --debian "$release" "${with[@]}"
fi

take_lock
[[ -e $image/complete ]] && { say "built by the other run: $image"; exit; }

log=$cache/build-$release-$stamp.log
work=$(mktemp -d "$cache/building.XXXXXX")
root=$work/rootfs
trap 'clean_up "$work"' EXIT
trap 'exit 130' INT TERM
: >"$log"

# --- the steps --------------------------------------------------------------

install_kernel() {
  # Only the modules for the root disk: a small initrd boots faster.
  mkdir -p "$root/etc/initramfs-tools/conf.d"
  printf 'virtio_pci\nvirtio_blk\next4\n' >"$root/etc/initramfs-tools/modules.fmd"
  printf 'MODULES=list\n' >"$root/etc/initramfs-tools/conf.d/fmd"
  install initramfs-tools zstd
  cat "$root/etc/initramfs-tools/modules.fmd" >>"$root/etc/initramfs-tools/modules"
  install $KERNEL
  kernel=$(basename "$(echo "$root"/boot/vmlinuz-* | awk '{print $NF}')")
  kernel=${kernel#vmlinuz-}
}

# Building OpenZFS takes longest, so its modules are cached by kernel and OpenZFS
# version.
install_zfs() {
  local version kept modules=$root/lib/modules/$kernel/updates/dkms
  # zfs-zed depends on zfs-dkms, whose script would build for the host's kernel.
  # Disable it; the modules are built below.
  install dkms
  local script=$root/usr/lib/dkms/common.postinst
  mv "$script" "$script.kept"
  printf '#!/bin/sh\nexit 0\n' >"$script"
  chmod +x "$script"
  install zfs-dkms
  mv "$script.kept" "$script"
  version=$(chroot "$root" dpkg-query -W -f '${Version}' zfs-dkms)
  kept=$cache/modules-$kernel-${version//[^A-Za-z0-9.+-]/_}
  if [[ -d $kept ]]; then
    say "4/8 zfs modules $version for $kernel: from the cache"
    mkdir -p "$modules"
    cp "$kept"/* "$modules/"
  else
    say "4/8 zfs modules $version for $kernel: dkms build, the longest step"
    in_root dkms install "zfs/${version%%-*}" -k "$kernel" -j "$(nproc)" ||
      { in_root sh -c 'tail -n 200 /var/lib/dkms/zfs/*/build/make.log'; fail "the dkms build failed"; }
    rm -rf "$kept.new"
    mkdir "$kept.new"
    cp "$modules"/*.ko* "$kept.new/"   # .ko.xz on Debian 13
    mv "$kept.new" "$kept"
  fi
  in_root depmod "$kernel"
}

# Stand-ins for hardware that QEMU does not have.
build_modules() {
  local name
  for name in fakeses tespcap; do
    cp -r "$here/$name" "$root/usr/src/$name"
    in_root make -C "/lib/modules/$kernel/build" "M=/usr/src/$name" modules
    install_file 644 "$root/usr/src/$name/$name.ko" "/lib/modules/$kernel/updates/$name.ko"
  done
  in_root depmod "$kernel"
}

install_file() { # mode, file, path in the guest
  command install -D -m "$1" "$2" "$root$3"
}

configure() {
  echo fmd-vm >"$root/etc/hostname"
  echo '127.0.0.1 localhost fmd-vm' >"$root/etc/hosts"
  echo '/dev/vda / ext4 noatime 0 1' >"$root/etc/fstab"
  echo 'nameserver 127.0.0.1' >"$root/etc/resolv.conf"
  printf 'zfs\nsd_mod\nsg\nfakeses\n9pnet_virtio\n' >"$root/etc/modules-load.d/fmd-test.conf"
  # A small cache, so that reads reach the disks.
  echo 'options zfs zfs_arc_max=134217728' >"$root/etc/modprobe.d/fmd-test.conf"
  in_root passwd -d root
  # An unprivileged user, for requests that must be refused.
  in_root useradd -m -s /bin/bash visitor
  local getty=$root/etc/systemd/system/serial-getty@ttyS0.service.d
  mkdir -p "$getty"
  cat >"$getty/autologin.conf" <<'END'
[Service]
ExecStart=
ExecStart=-/sbin/agetty --autologin root --keep-baud 115200 %I $TERM
END
  install_file 755 "$here/image/fmd-test-share" /usr/local/sbin/fmd-test-share
  install_file 644 "$here/image/fmd-test-agent.service" /etc/systemd/system/fmd-test-agent.service
  in_root systemctl enable fmd-test-agent.service
  # Disable services that tests start themselves or must not have, and those that
  # only slow the boot down.
  local unit
  for unit in zfs-zed.service snmpd.service snmptrapd.service snmptrapd.socket smartmontools.service \
    ipmievd.service rsync.service zfs-import-cache.service zfs-import-scan.service zfs-mount.service \
    zfs-share.service zfs-volume-wait.service zfs-import.target multipathd.service multipathd.socket; do
    in_root systemctl disable "$unit" || true
  done
  for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer man-db.timer \
    e2scrub_all.timer e2scrub_reap.service fstrim.timer systemd-networkd-wait-online.service \
    systemd-timesyncd.service getty@tty1.service systemd-update-utmp.service logrotate.timer \
    systemd-pstore.service dev-hugepages.mount dev-mqueue.mount mdmonitor.service \
    mdmonitor-oneshot.timer mdcheck_start.timer mdcheck_continue.timer; do
    in_root systemctl mask "$unit"
  done
  rm -f "$root/usr/sbin/policy-rc.d" "$root/etc/machine-id"
  in_root systemd-machine-id-setup
  mkdir -p "$root/var/log/journal"
}

write_image() {
  local out=$work/out
  mkdir "$out"
  cp "$root/boot/vmlinuz-$kernel" "$out/vmlinuz"
  cp "$root/boot/initrd.img-$kernel" "$out/initrd"
  unmount_root
  # Sources and package lists are not needed at run time.
  rm -rf "$root"/usr/src/* "$root"/var/lib/dkms "$root"/var/lib/apt/lists/* "$root"/boot/*
  rm -rf "$root/etc/apt/apt.conf.d/10host" "$root/etc/apt/sources.list"
  PATH=$PATH:/usr/sbin mke2fs -q -t ext4 -d "$root" "$out/rootfs.img" 4G >>"$log" 2>&1
  cp "$log" "$out/build.log"
  echo "$kernel" >"$out/complete"
  rm -rf "$image"
  mv "$out" "$image"
}

forget_old image

say "1/8 debootstrap $suite"
make_root
say "2/8 base system"
install $BASE
say "3/8 kernel and headers"
install_kernel
install_zfs
say "5/8 storage tools, test services, libraries"
install $STORAGE $TESTING $LIBRARIES
say "6/8 the stand-ins' modules"
build_modules
say "7/8 configuration"
configure
say "8/8 file system image"
write_image
say "done: $image"
