# shellcheck shell=bash disable=SC2154
# A Debian of a chosen release in a folder, made from the archives that this
# host's own apt uses. Sourced by scripts that make one: as root, under
# `set -euo pipefail`, in a mount namespace of their own. They set
#   kind      what they make: "image", "root"
#   release   12 or 13
#   root      the folder; it does not exist yet
#   log       a file that the tools' output is added to

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

# --- where packages come from: whatever this host's own apt uses --------------

# Lines "site suite", of the host's archives of its own Debian release, with the
# release's name replaced by the wanted one's.
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
  # It is thrown away when the power fails, so dpkg need not sync; and nobody
  # reads manuals in it.
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
  sed 's/^\(\S*\) \(\S*\)$/deb \1 \2 main contrib/' <<<"$1" >"$root/etc/apt/sources.list"
}

# The host's devices. apt's own user must be able to write to /dev/null, on a host where it cannot, too.
mount_dev() { # chroot
  mount --rbind /dev "$1/dev"
  mount --make-rslave "$1/dev"
  [[ $(stat -c %a /dev/null) != 666 ]] || return 0
  rm -f "$1.null"
  mknod -m 666 "$1.null" c 1 3
  mount --bind "$1.null" "$1/dev/null"
}

# --- making it, and leaving it -------------------------------------------------

# The smallest system with a working apt. Its /proc, /sys and /dev are mounted,
# and the kept packages; unmount_root takes them away again.
make_root() {
  local suite site archives
  suite=$(suite_of "$release")
  archives=$(host_archives)
  site=$(awk -v suite="$suite" '$2 == suite { print $1; exit }' <<<"$archives")
  [[ -n $site ]] || fail "apt on this host names no archive of its Debian release"
  mkdir -p "$debs/partial"
  # In two stages, so that dpkg's settings are there before the second.
  debootstrap --foreign --variant=minbase --components=main,contrib \
    --cache-dir="$debs" "$suite" "$root" "$site" >>"$log" 2>&1
  set_up_apt
  # Services must not start in the chroot.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  in_root /debootstrap/debootstrap --second-stage
  # After it, because it takes away its own /proc and /sys, or ours.
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

# One at a time: whoever makes the same, with the packages it keeps.
take_lock() {
  exec 9>"$cache/lock-$kind-$release"
  flock -n 9 || { say "another run is building, waiting for it"; flock 9; }
}

# For the EXIT trap: what is half made, in that folder, goes; a failure is told.
clean_up() { # work folder
  local status=$?
  unmount_root
  # A folder with something still mounted in it must not be deleted.
  grep -q " $1/" /proc/self/mounts || rm -rf "$1"
  [[ $status = 0 ]] || { echo "[$program] FAILED. The end of $log:"; tail -n 40 "$log"; } || true
  exit "$status"
}

# What nobody has used for two weeks, and broken-off builds.
forget_old() {
  find "$cache" -maxdepth 1 -name "$1-*" -mtime +14 -exec rm -rf --one-file-system {} +
  find "$cache" -maxdepth 1 -name 'building.*' -mmin +240 -exec rm -rf --one-file-system {} +
}
