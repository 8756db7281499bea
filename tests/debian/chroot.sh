# shellcheck shell=bash disable=SC2154
# Makes a Debian of a chosen release in a folder, from the archives of this
# host's apt. Sourced as root, under `set -euo pipefail`, by scripts in a mount
# namespace of their own, which set:
#   kind      what is made: "image", "root"
#   release   12 or 13
#   root      the folder; it does not exist yet
#   log       the file to which the tools' output is appended

cache=${FMD_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/fmd-vm}
program="Debian $release $kind"
debs=$cache/debs-$kind-$release # packages, kept for the next time

started=$SECONDS
say() { printf '[%s] %4ds %s\n' "$program" $((SECONDS - started)) "$*"; }
fail() { echo "$program: $*" >&2; exit 1; }

need_root_and() { # tool:package...
  local tool
  [[ $(id -u) = 0 ]] || fail "must run as root: it makes a chroot"
  for tool; do
    PATH=$PATH:/usr/sbin command -v "${tool%%:*}" >/dev/null || fail "${tool%%:*} is missing: apt-get install ${tool##*:}"
  done
}

suite_of() {
  case $1 in
  12) echo bookworm ;;
  13) echo trixie ;;
  *) fail "there is no Debian '$1' here: 12 or 13" ;;
  esac
}

in_root() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
    ${https_proxy:+https_proxy="$https_proxy"} chroot "$root" "$@" >>"$log" 2>&1 </dev/null
}
install() { in_root apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 "$@"; }

# --- package sources: those of this host's apt ---------------------------------

# Prints "site suite" for each of the host's Debian archives, with the wanted
# release in place of the host's.
host_archives() {
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")
  apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v name="$codename" -v suite="$(suite_of "$release")" '
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
  # An unfinished system is discarded, so dpkg need not sync. Manuals are not needed.
  cat >"$root/etc/dpkg/dpkg.cfg.d/fast" <<'END'
force-unsafe-io
path-exclude=/usr/share/man/*
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/info/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/i18n/*
END
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
  # For https archives whose certificates only this host has.
  [[ ! -d /etc/ssl/certs ]] || cp -rL /etc/ssl/certs "$root/etc/ssl/" 2>/dev/null || true
}

write_sources() {
  mkdir -p "$root/etc/apt/trusted.gpg.d"
  cp /etc/apt/trusted.gpg.d/debian-archive-* "$root/etc/apt/trusted.gpg.d/" 2>/dev/null || true
  sed 's/^\(\S*\) \(\S*\)$/deb \1 \2 main contrib/' <<<"$1" >"$root/etc/apt/sources.list"
}

# Mounts the host's devices. apt's user must be able to write to /dev/null, even if the host forbids it.
mount_dev() { # chroot
  mount --rbind /dev "$1/dev"
  mount --make-rslave "$1/dev"
  [[ $(stat -c %a /dev/null) != 666 ]] || return 0
  rm -f "$1.null"
  mknod -m 666 "$1.null" c 1 3
  mount --bind "$1.null" "$1/dev/null"
}

# --- make and leave a root folder ----------------------------------------------

# Makes the smallest system with a working apt, and mounts its /proc, /sys, /dev
# and the cached packages. unmount_root unmounts them.
make_root() {
  local suite site archives
  suite=$(suite_of "$release")
  archives=$(host_archives)
  site=$(awk -v suite="$suite" '$2 == suite { print $1; exit }' <<<"$archives")
  [[ -n $site ]] || fail "apt on this host names no archive of its Debian release"
  mkdir -p "$debs/partial"
  # In two stages: dpkg's settings must exist before the second.
  debootstrap --foreign --variant=minbase --components=main,contrib \
    --cache-dir="$debs" "$suite" "$root" "$site" >>"$log" 2>&1
  set_up_apt
  # Services must not start in the chroot.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  in_root /debootstrap/debootstrap --second-stage
  # After debootstrap, which unmounts /proc and /sys.
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount_dev "$root"
  write_sources "$archives"
  mount --bind "$debs" "$root/var/cache/apt/archives"
  in_root apt-get update -q
}

unmount_root() {
  local mounted
  for mounted in fmd var/cache/apt/archives dev sys proc; do
    ! mountpoint -q "$root/$mounted" || umount -l "$root/$mounted"
  done
}

# Only one process at a time may make this kind, or use its cached packages.
take_lock() {
  exec 9>"$cache/lock-$kind-$release"
  flock -n 9 || { say "another run is building, waiting for it"; flock 9; }
}

# For the EXIT trap: deletes the unfinished folder, and reports a failure.
clean_up() { # work folder
  local status=$?
  unmount_root
  # A folder with something still mounted in it must not be deleted.
  grep -q " $1/" /proc/self/mounts || rm -rf "$1"
  [[ $status = 0 ]] || { echo "[$program] FAILED. The end of $log:"; tail -n 40 "$log"; } || true
  exit "$status"
}

# Deletes builds that have not been used for two weeks, and unfinished ones.
forget_old() {
  find "$cache" -maxdepth 1 -name "$1-*" -mtime +14 -exec rm -rf --one-file-system {} +
  find "$cache" -maxdepth 1 -name 'building.*' -mmin +240 -exec rm -rf --one-file-system {} +
}
