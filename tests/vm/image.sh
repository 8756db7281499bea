#!/bin/bash
# Builds the root image of the test machine: Debian 12 with OpenZFS and the
# enclosure stand-in, natively in a chroot. Needs root and, from apt,
# debootstrap and e2fsprogs (and network access through apt's own settings).
#
#   image.sh            build the image unless it is there, print progress
#   image.sh --path     print the image's folder, built or not
#
# The image is kept outside the tree, in a folder named after a hash of what it
# is made from, so that a change here makes a new one and nothing else does.
# It appears under that name only when whole.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${FMD_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/fmd-vm}
suite=bookworm
stamp=$(cd "$here" && cat image.sh fakeses/* image/* | sha256sum | cut -c1-12)
image=$cache/image-$stamp

KERNEL="linux-image-amd64 linux-headers-amd64 make"
BASE="systemd systemd-sysv libpam-systemd udev dbus polkitd kmod iproute2 procps less"
STORAGE="zfsutils-linux zfs-zed smartmontools ipmitool sg3-utils"
TESTING="python3 python3-aiosmtpd snmpd snmptrapd snmp strace rsync socat sqlite3"
# What fmd and its plugins link with.
LIBRARIES="libsystemd0 libudev1 libsqlite3-0 libzstd1 libcurl4 libsnmp40 libfmt9
  libsimdjson14 libtraceevent1 libtomlplusplus3 libstdc++6 libasan8 libubsan1"

case ${1:-} in
--path) echo "$image"; exit ;;
"" | --in-namespace) ;;
*) echo "usage: image.sh [--path]" >&2; exit 2 ;;
esac

started=$SECONDS
say() { printf '[image] %4ds %s\n' $((SECONDS - started)) "$*"; }
fail() { echo "image.sh: $*" >&2; exit 1; }

if [[ ${1:-} != --in-namespace ]]; then
  [[ -e $image/complete ]] && { say "there already: $image"; exit; }
  [[ $(id -u) = 0 ]] || fail "must run as root: it makes a chroot"
  for tool in debootstrap:debootstrap mke2fs:e2fsprogs unshare:util-linux; do
    PATH=$PATH:/usr/sbin command -v "${tool%%:*}" >/dev/null || fail "${tool%%:*} is missing: apt-get install ${tool##*:}"
  done
  mkdir -p "$cache"
  # A mount namespace of our own: whatever ends this script, its mounts go too.
  exec unshare --mount --propagation private "$0" --in-namespace
fi

exec 9>"$cache/lock"
flock -n 9 || { say "another run is building, waiting for it"; flock 9; }
[[ -e $image/complete ]] && { say "built by the other run: $image"; exit; }

log=$cache/build-$stamp.log
work=$(mktemp -d "$cache/building.XXXXXX")
root=$work/rootfs
pid=
finish() {
  local code=$?
  [[ -z $pid ]] || kill "$pid" 2>/dev/null || true
  for mounted in var/cache/apt/archives dev sys proc; do
    mountpoint -q "$root/$mounted" && umount -l "$root/$mounted"
  done
  # A folder with something still mounted in it must not be deleted.
  grep -q " $work/" /proc/self/mounts || rm -rf "$work"
  if [[ $code != 0 ]]; then
    { echo "[image] FAILED. The end of $log:"; tail -n 40 "$log"; } || true
  fi
  exit $code
}
trap finish EXIT
trap 'exit 130' INT TERM
: >"$log"

in_root() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
    ${https_proxy:+https_proxy="$https_proxy"} chroot "$root" "$@" >>"$log" 2>&1 </dev/null
}
install() { in_root apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 "$@"; }

# --- where packages come from: whatever this host's own apt uses --------------

# Lines "site release", of the host's archives of its own Debian release, with
# the release's name replaced by the guest's.
host_archives() {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")
  apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v name="$codename" -v suite=$suite '
      $3 == "main" && $2 ~ "^" name "(-updates|-security)?$" {
        sub("^" name, suite, $2); if (!seen[$2]++) print $1, $2 }'
}

# apt's settings for reaching an archive (proxies, dates, certificates).
host_apt_settings() { apt-config dump | grep -E '^Acquire::(http|https|Check|Retries|Max-)' || true; }

set_up_apt() {
  mkdir -p "$root/etc/apt/apt.conf.d" "$root/etc/dpkg/dpkg.cfg.d" "$root/etc/ssl"
  host_apt_settings >"$root/etc/apt/apt.conf.d/10host"
  cat >"$root/etc/apt/apt.conf.d/20small" <<'END'
Acquire::Languages "none";
APT::Install-Recommends "false";
END
  # The image is thrown away when the power fails, so dpkg need not sync; and
  # nobody reads manuals in it.
  cat >"$root/etc/dpkg/dpkg.cfg.d/fast" <<'END'
force-unsafe-io
path-exclude=/usr/share/man/*
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/info/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/i18n/*
END
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
  # For archives reached by https through certificates only this host knows.
  [[ ! -d /etc/ssl/certs ]] || cp -rL /etc/ssl/certs "$root/etc/ssl/" 2>/dev/null || true
}

write_sources() {
  mkdir -p "$root/etc/apt/trusted.gpg.d"
  cp /etc/apt/trusted.gpg.d/debian-archive-* "$root/etc/apt/trusted.gpg.d/" 2>/dev/null || true
  sed 's/^\(\S*\) \(\S*\)$/deb \1 \2 main contrib/' <<<"$archives" >"$root/etc/apt/sources.list"
}

# --- the steps --------------------------------------------------------------

bootstrap() {
  local site
  site=$(awk -v suite=$suite '$2 == suite { print $1; exit }' <<<"$archives")
  [[ -n $site ]] || fail "apt on this host names no archive of its Debian release"
  # In two stages, so that dpkg's settings are there before the second.
  debootstrap --foreign --variant=minbase --components=main,contrib \
    --cache-dir="$cache/debs" "$suite" "$root" "$site" >>"$log" 2>&1
  set_up_apt
  # Services must not start in the chroot.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  in_root /debootstrap/debootstrap --second-stage
  # After it, because it takes away its own /proc and /sys, or ours.
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount --rbind /dev "$root/dev"
  write_sources
  mount --bind "$cache/debs" "$root/var/cache/apt/archives"
  in_root apt-get update -q
}

install_kernel() {
  # An initrd with what the root disk needs and no more: it boots faster.
  mkdir -p "$root/etc/initramfs-tools/conf.d"
  printf 'virtio_pci\nvirtio_blk\next4\n' >"$root/etc/initramfs-tools/modules.fmd"
  printf 'MODULES=list\n' >"$root/etc/initramfs-tools/conf.d/fmd"
  install initramfs-tools zstd
  cat "$root/etc/initramfs-tools/modules.fmd" >>"$root/etc/initramfs-tools/modules"
  install $KERNEL
  kernel=$(basename "$(echo "$root"/boot/vmlinuz-* | awk '{print $NF}')")
  kernel=${kernel#vmlinuz-}
}

# Building OpenZFS is most of the work, so its modules are kept: an image for
# the same kernel and the same OpenZFS takes them from there.
install_zfs() {
  local version kept modules=$root/lib/modules/$kernel/updates/dkms
  # zfs-zed insists on zfs-dkms, whose script would build at once, for kernels
  # of its choice (it looks at the host's). It is kept from that; we build.
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
    cp "$kept"/*.ko "$modules/"
  else
    say "4/8 zfs modules $version for $kernel: dkms build, the longest step"
    in_root dkms install "zfs/${version%%-*}" -k "$kernel" -j "$(nproc)" ||
      { in_root sh -c 'tail -n 200 /var/lib/dkms/zfs/*/build/make.log'; fail "the dkms build failed"; }
    rm -rf "$kept.new"
    mkdir "$kept.new"
    cp "$modules"/*.ko "$kept.new/"
    mv "$kept.new" "$kept"
  fi
  in_root depmod "$kernel"
}

build_enclosure() {
  cp -r "$here/fakeses" "$root/usr/src/fakeses"
  in_root make -C "/lib/modules/$kernel/build" M=/usr/src/fakeses modules
  install_file 644 "$root/usr/src/fakeses/fakeses.ko" "/lib/modules/$kernel/updates/fakeses.ko"
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
  # Small machine, small cache: reads should reach the disks.
  echo 'options zfs zfs_arc_max=134217728' >"$root/etc/modprobe.d/fmd-test.conf"
  in_root passwd -d root
  # Somebody without rights, for what must be refused.
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
  # Off: what the tests start themselves, or must do without, and what only
  # makes the machine's start slower.
  local unit
  for unit in zfs-zed.service snmpd.service snmptrapd.service snmptrapd.socket smartmontools.service \
    ipmievd.service rsync.service zfs-import-cache.service zfs-import-scan.service zfs-mount.service \
    zfs-share.service zfs-volume-wait.service zfs-import.target; do
    in_root systemctl disable "$unit" || true
  done
  for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer man-db.timer \
    e2scrub_all.timer e2scrub_reap.service fstrim.timer systemd-networkd-wait-online.service \
    systemd-timesyncd.service getty@tty1.service systemd-update-utmp.service logrotate.timer \
    systemd-pstore.service dev-hugepages.mount dev-mqueue.mount; do
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
  umount "$root/var/cache/apt/archives"
  umount -l "$root/dev" "$root/sys" "$root/proc"
  # Only what is used when it runs: neither sources nor package lists.
  rm -rf "$root"/usr/src/* "$root"/var/lib/dkms "$root"/var/lib/apt/lists/* "$root"/boot/*
  rm -rf "$root/etc/apt/apt.conf.d/10host" "$root/etc/apt/sources.list"
  PATH=$PATH:/usr/sbin mke2fs -q -t ext4 -d "$root" "$out/rootfs.img" 4G >>"$log" 2>&1
  cp "$log" "$out/build.log"
  echo "$kernel" >"$out/complete"
  rm -rf "$image"
  mv "$out" "$image"
}

archives=$(host_archives)
# apt in the chroot puts its cache here, and a second build finds it.
mkdir -p "$cache/debs/partial"
# Images that nothing has been booted from for two weeks, and broken-off builds.
find "$cache" -maxdepth 1 -name 'image-*' -mtime +14 -exec rm -rf {} +
find "$cache" -maxdepth 1 -name 'building.*' ! -path "$work" -mmin +240 -exec rm -rf --one-file-system {} +

say "1/8 debootstrap $suite"
bootstrap
say "2/8 base system"
install $BASE
say "3/8 kernel and headers"
install_kernel
install_zfs
say "5/8 storage tools, test services, libraries"
install $STORAGE $TESTING $LIBRARIES
say "6/8 enclosure module"
build_enclosure
say "7/8 configuration"
configure
say "8/8 file system image"
write_image
say "done: $image"
