#!/bin/sh
# readme_picture.sh FMTRAY FILE: writes README's picture (the demo's chassis with the faulty disk) to FILE, painted by FMTRAY.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
XDG_CONFIG_HOME=$folder TZ=UTC LC_ALL=C.UTF-8 QT_QPA_PLATFORM=offscreen \
    "$1" --demo --screenshot "$folder/pictures" --size 1280x720
cp "$folder/pictures/chassis.png" "$2"
