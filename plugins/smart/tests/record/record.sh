#!/bin/bash
# Records a real smartctl's output for the disks that fake_disk.cpp simulates, into ../fixtures.
#   record.sh PATH-TO-SMARTCTL-7.3 PATH-TO-SMARTCTL-7.4
# Each PATH is either the program alone or, to use libraries beside it, a command that calls its loader, in which @ stands for the preloaded
# library ("/x/ld.so --preload @ --library-path /x /x/smartctl").
# Only the platform is masked.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -std=c++20 -O1 -Wall -Wextra -shared -fPIC -static-libstdc++ -static-libgcc -o "$work/fake_disk.so" fake_disk.cpp

# record SMARTCTL DISK FIXTURE OPTION...
record() {
  local smartctl=$1 disk=$2 fixture=$3 status=0 env=()
  shift 3
  [[ $smartctl == *@* ]] || env=(LD_PRELOAD="$work/fake_disk.so")
  # shellcheck disable=SC2086 # a command of several words
  env "${env[@]}" FAKE_DISK="$disk" ${smartctl//@/$work/fake_disk.so} "$@" >"$work/out" || status=$?
  sed -E -e 's/("platform_info": ").*"/\1x86_64-linux"/' -e '1s/\[x86_64-linux[^]]*]/[x86_64-linux]/' "$work/out" >"../fixtures/$fixture"
  printf '%s: exit status %d\n' "$fixture" "$status"
}

# shellcheck disable=SC2054 # "standby,3" is one word
sas=(-j -x -n standby,3 -d scsi /dev/sda)
# shellcheck disable=SC2054
less=(-j -i -H -A -l selftest -l ssd -n standby,3 -d scsi /dev/sda)
record "$1" sas sas-failing-7.3.json "${sas[@]}"
record "$1" sas-pending sas-pending-7.3.txt "${sas[@]}"
record "$1" sas-pending sas-pending-less-7.3.json "${less[@]}"
# shellcheck disable=SC2054
record "$1" sas-pending sas-pending-errors-7.3.txt -l error -n standby,3 -d scsi /dev/sda
record "$1" sas-standby sas-standby-7.3.json "${sas[@]}"
record "$1" sas-stopped sas-stopped-7.3.json "${sas[@]}"
record "$2" sas sas-failing.json "${sas[@]}"
record "$2" sas-hot sas-hot.json "${sas[@]}"
record "$2" sas-pending sas-pending.json "${sas[@]}"
record "$2" sas-environment sas-environment.json "${sas[@]}"
record "$2" nvme nvme-errors.json -j -x -d nvme /dev/nvme0
record "$2" nvme-testing nvme-testing.json -j -x -d nvme /dev/nvme0
