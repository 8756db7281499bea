#!/bin/bash
# quoting_test.sh fmd.bash: what completion inserts is the label as text, however the word was begun.
# shellcheck disable=SC1090,SC2034
set -u
hostile='$(touch pwned)' tick='`touch pwned`' quote="it's" double='say "so"' plain='SLOT 06'
fmtopo() {
  local label
  for label in "$hostile" "$tick" "$quote" "$plain"; do printf '    "label": "%s",\n' "$label"; done
}
fmadm() { :; }
complete() { :; }
. "$1"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
status=0
check() { # check BEGUN LABEL CLOSING
  COMP_WORDS=(fmadm locate on "$1") COMP_CWORD=3 COMPREPLY=()
  _fmd fmadm
  local found="" reply value
  for reply in "${COMPREPLY[@]}"; do
    # What readline makes of it: the quote that was begun stays, and is closed.
    if [ -n "$3" ]; then reply=$3$reply$3; fi
    eval "value=$reply"
    [ "$value" = "$2" ] && found=yes
  done
  [ -n "$found" ] || { echo "begun with <$1>: <$2> is not among: ${COMPREPLY[*]}"; status=1; }
  [ ! -e pwned ] || { echo "begun with <$1>: a label ran"; status=1; rm -f pwned; }
}
for label in "$hostile" "$tick" "$quote" "$plain"; do
  check "" "$label" ""
  check '"' "$label" '"'
  check "'" "$label" "'"
done
# Quotes within labels do not come through the JSON that is read, but the quoting holds for them too.
cur='"' cur_plain="" COMPREPLY=()
_fmd_offer_lines <<< "$double"
eval "value=\"${COMPREPLY[0]}\""
[ "$value" = "$double" ] || { echo "<$double> became <$value>"; status=1; }
exit $status
