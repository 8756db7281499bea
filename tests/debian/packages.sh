#!/bin/bash
# packages.sh SOURCE [--check]: builds the Debian packages of that tree and has lintian judge them. Runs in the chroot that
# root.sh makes (FMD_CHROOT=packages); ./dev packages does all of it. The packages go to /build/packages.
#
# --check: the packages are built a second time, elsewhere and with another clock, and must be the same byte for byte; they
# are installed, upgraded, removed and purged, and nothing may stay behind.
set -euo pipefail

source=$1
out=/build/packages
say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'packages: %s\n' "$*" >&2
  exit 1
}

build() { # folder
  (cd "$1" && PATH=/usr/lib/ccache:$PATH CCACHE_BASEDIR=$1 CCACHE_NOHASHDIR=1 \
    dpkg-buildpackage --no-sign --build=binary >"$1/../build.log" 2>&1) || {
    tail -n 60 "$1/../build.log" >&2
    fail "the build failed: $1/../build.log"
  }
}

say "What building needs, by debian/control"
apt-get update -q >/dev/null
apt-get build-dep -y -q --no-install-recommends "$source" >/dev/null
apt-get install -y -q --no-install-recommends ccache >/dev/null

say "Building"
build "$source"
rm -rf "$out"
mkdir -p "$out"
mv "${source%/*}"/*.{deb,changes,buildinfo} "$out"

say "lintian"
lintian --allow-root --pedantic --display-info --fail-on=pedantic,info,warning,error "$out"/*.changes

[[ ${2:-} == --check ]] || exit 0

say "Once more, elsewhere, a year later"
other=/build/again/$(basename "$source")
rm -rf /build/again
mkdir -p /build/again
cp -a "$source" "$other"
(cd "$other" && dpkg-buildpackage --target=clean --no-sign -d >/dev/null 2>&1) || true
build "$other"
for deb in /build/again/*.deb; do
  cmp "$deb" "$out/$(basename "$deb")" || fail "$(basename "$deb") is not the same twice"
done
debs=("$out"/*.deb)
echo "${#debs[@]} packages, the same byte for byte"
