#!/bin/bash
# build_packages.sh SOURCE [--quick | --again]: builds the Debian packages of that tree and has lintian judge them. Runs in the chroot
# that root.sh makes (FMD_CHROOT=packages); ./dev packages does all of it. The packages go to /build/packages.
#
# --quick: compiled with -O1, in half the time. --again: what is in /build/packages is built a second time, in another folder, time
# zone, locale and umask, with nothing from the compiler's cache, and must be the same byte for byte.
set -euo pipefail

source=$1 way=${2:-}
out=/build/packages
say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'packages: %s\n' "$*" >&2
  exit 1
}

build() { # folder, "VARIABLE=VALUE"...; how far the compiler is, on a terminal
  local log=${1%/*}/build.log began=$SECONDS pid
  (cd "$1" && exec env "${@:2}" dpkg-buildpackage --no-sign --build=binary >"$log" 2>&1 </dev/null) &
  pid=$!
  while [[ -t 1 ]] && kill -0 "$pid" 2>/dev/null; do
    printf '\r\e[K%s' "$(tail -c 20000 "$log" | grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1 || true)"
    sleep 1
  done
  wait "$pid" || {
    tail -n 60 "$log" >&2
    fail "the build failed: $log"
  }
  [[ ! -t 1 ]] || printf '\r\e[K'
  printf 'done in %d min\n' $(((SECONDS - began + 59) / 60))
}

if [[ $way == --again ]]; then
  say "Once more, elsewhere, compiled again"
  other=/build/again/$(basename "$source")
  rm -rf /build/again
  mkdir -p /build/again
  cp -a "$source" "$other"
  (cd "$other" && dpkg-buildpackage --target=clean --no-sign -d >/dev/null 2>&1) || fail "debian/rules clean failed in $other"
  (umask 077 && build "$other" CCACHE_DISABLE=1 TZ=Pacific/Auckland LC_ALL=C)
  for deb in /build/again/*.deb; do
    cmp "$deb" "$out/$(basename "$deb")" || fail "$(basename "$deb") is not the same twice"
  done
  debs=("$out"/*.deb)
  echo "${#debs[@]} packages, the same byte for byte"
  exit
fi

say "What building needs, by debian/control"
apt-get update -q >/dev/null
apt-get build-dep -y -q --no-install-recommends "$source" >/dev/null
apt-get install -y -q --no-install-recommends ccache >/dev/null

say "Building"
# debhelper gives what it runs another $HOME, whose cache would go with the build.
flags=("PATH=/usr/lib/ccache:$PATH" "CCACHE_BASEDIR=$source" CCACHE_NOHASHDIR=1 "CCACHE_DIR=$HOME/.cache/ccache")
[[ $way != --quick ]] || flags+=("DEB_CXXFLAGS_APPEND=-O1 -g1")
build "$source" "${flags[@]}"
rm -rf "$out"
mkdir -p "$out"
mv "${source%/*}"/*.{deb,changes,buildinfo} "$out"

say "lintian"
lintian --allow-root --pedantic --display-info --fail-on=pedantic,info,warning,error "$out"/*.changes
