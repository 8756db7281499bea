#!/bin/bash
# build_packages.sh SOURCE [--quick | --again]: builds the Debian packages of that tree and runs lintian. Runs in the chroot made by
# root.sh (FMD_CHROOT=packages); ./dev packages does all of it. The packages go to /build/packages.
#
# --quick: compile with -O1, in half the time. --again: build the packages in /build/packages a second time, with another folder, time
# zone, locale and umask and without the compiler cache; the result must be identical byte for byte.
set -euo pipefail

source=$1 way=${2:-}
out=/build/packages
say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'packages: %s\n' "$*" >&2
  exit 1
}

build() { # folder, "VARIABLE=VALUE"...; shows the compiler's progress on a terminal
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
# debhelper sets another $HOME, whose cache would be deleted with the build.
flags=("PATH=/usr/lib/ccache:$PATH" "CCACHE_BASEDIR=$source" CCACHE_NOHASHDIR=1 "CCACHE_DIR=$HOME/.cache/ccache")
[[ $way != --quick ]] || flags+=("DEB_CXXFLAGS_APPEND=-O1 -g1")
build "$source" "${flags[@]}"
rm -rf "$out"
mkdir -p "$out"
mv "${source%/*}"/*.{deb,changes,buildinfo} "$out"

say "lintian"
lintian --allow-root --pedantic --display-info --fail-on=pedantic,info,warning,error "$out"/*.changes
