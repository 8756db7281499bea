#!/bin/bash
# Builds and tests on another Debian release than the host's, in a chroot that has
# only the packages that `./dev setup` installs on a clean machine. With
# FMD_CHROOT=packages it has the tools for Debian packages instead, and installs
# Build-Depends. With FMD_CHROOT=clean it has neither, and changes are discarded.
# Needs root, debootstrap, and network access through apt's settings.
#
#   root.sh 13                 make the chroot unless it exists; print progress
#   root.sh 13 COMMAND...      run a command in it, with FMD_BUILDS=/build; return its exit status
#   root.sh 13 --built         print the folder that is /build in it
#
# The command runs as root in /fmd, which is this tree, read-only. It builds into
# /build, which is kept between runs, like the compiler's cache. All its processes
# end with it. Everything is in the cache's folder ($FMD_VM_CACHE), outside the tree.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
kind=${FMD_CHROOT:-root} release=${1:-}
# shellcheck source-path=SCRIPTDIR source=chroot.sh
. "$here/chroot.sh"

[[ -n $release ]] || fail "say which release: 12 or 13"
suite=$(suite_of "$release")
wanted() { "$tree/dev" setup --list | if [[ $kind == root ]]; then cat; else grep "^$kind " || true; fi; }
stamp=$({ cat "$here/chroot.sh" "$here/root.sh"; wanted; } | sha256sum | cut -c1-12)
made=$cache/$kind-$release-$stamp
# One per tree: builds of different trees cannot be shared.
built=$cache/built-$kind-$release-$(sha256sum <<<"$tree" | cut -c1-12)
[[ ${2:-} != --built ]] || { echo "$built"; exit; }

if [[ -z ${FMD_IN_NAMESPACE:-} ]]; then
  need_root_and debootstrap:debootstrap unshare:util-linux
  mkdir -p "$cache"
  # In namespaces of its own, so that its mounts and processes end with this script, even if it is killed.
  FMD_IN_NAMESPACE=yes exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$@"
fi
shift

set_up() {
  local whom=(packages)
  [[ $kind != root ]] || whom=(build demo desktop test)
  say "2/2 ./dev setup ${whom[*]}, as on a clean machine"
  mount --bind -o ro "$tree" "$root/fmd"
  in_root /fmd/dev setup "${whom[@]}"
  umount "$root/fmd"
}

make_it() {
  log=$cache/build-$kind-$release-$stamp.log
  : >"$log"
  work=$(mktemp -d "$cache/building.XXXXXX")
  root=$work/root
  trap 'clean_up "$work"' EXIT
  trap 'exit 130' INT TERM
  forget_old "$kind"
  say "1/2 debootstrap $suite"
  make_root
  mkdir -p "$root/fmd" "$root/build"
  [[ $kind == clean ]] || set_up
  unmount_root
  mv "$root" "$made"
  say "done: $made"
}

if [[ ! -d $made ]]; then
  (
    take_lock
    [[ -d $made ]] || make_it
  )
fi
(($#)) || { say "there: $made"; exit; }
touch "$made"

mkdir -p "$built" "$cache/ccache-$release"
exec 8>"$built.lock"
flock -n 8 || { say "another run is testing this tree, waiting for it"; flock 8; }
if [[ $kind == clean ]]; then
  mkdir -p "$built/run"
  mount -t tmpfs tmpfs "$built/run"
  mkdir "$built"/run/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=$made,upperdir=$built/run/upper,workdir=$built/run/work" "$built/run/root"
  made=$built/run/root
fi
mkdir -p "$made"/{fmd,build,root/.cache/ccache}
mount --bind "$tree" "$made/fmd"
mount -o remount,bind,ro "$made/fmd"
mount --bind "$built" "$made/build"
mount --bind "$cache/ccache-$release" "$made/root/.cache/ccache"
mount -t proc proc "$made/proc"
mount --rbind /sys "$made/sys"
mount_dev "$made"
mount -t tmpfs tmpfs "$made/tmp"
mount -t tmpfs tmpfs "$made/run"
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" PYTHONDONTWRITEBYTECODE=1 FMD_BUILDS=/build \
  ${CI:+CI="$CI"} chroot "$made" /bin/bash -c 'cd /fmd && exec "$@"' bash "$@" 8>&-
