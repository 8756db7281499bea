#!/bin/bash
# quoting_test.sh fmd.bash: what completion inserts is the label as text, however the word was begun; and which cases and
# classes it offers where.
# shellcheck disable=SC1090,SC2034
set -u
hostile='$(touch pwned)' tick='`touch pwned`' quote="it's" double='say "so"' plain='SLOT 06'
fmtopo() {
  local label
  for label in "$hostile" "$tick" "$quote" "$plain"; do
    printf '  {\n    "properties": {\n      "label": "%s",\n      "led.locate": "off"\n    }\n  },\n' "$label"
  done
  printf '  {\n    "properties": {\n      "label": "DARK",\n      "led.locate": "cannot-drive"\n    }\n  },\n'
  printf '  {\n    "properties": {\n      "label": "CPU"\n    }\n  }\n'
}
fmadm() {
  printf '    "uuid": "11111111-open",\n'
  case $* in *-a*) printf '    "uuid": "22222222-closed",\n' ;; esac
}
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
    # readline keeps the opening quote and closes it.
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
offered() { # what is offered after these words, in one line
  COMP_WORDS=("$@" "") COMP_CWORD=$# COMPREPLY=()
  _fmd "$1"
  echo "${COMPREPLY[*]}"
}
is() { [ "$2" = "$3" ] || { echo "$1: offered <$2>, not <$3>"; status=1; }; }
case "$(offered fmadm locate on)" in
  *DARK* | *CPU*) echo "locate offers what has no light"; status=1 ;;
  *SLOT*) ;;
  *) echo "locate offers no bay"; status=1 ;;
esac
case "$(offered fmadm history)" in *DARK*) ;; *) echo "a bay without a light has a history"; status=1 ;; esac
is "only what is open is acknowledged" "$(offered fmadm ack)" "11111111-open"
is "what is closed has a log" "$(offered fmdump -u)" "11111111-open 22222222-closed"
case "$(offered fmadm repaired)" in *closed*) echo "a closed case is offered for repair"; status=1 ;; esac
mkdir events rules
printf '[class."ereport.t.bad"]\ndescription = "x"\n' >events/t.toml
printf '[[fault]]\nclass = "fault.t.bad"\n' >rules/t.toml
_fmd_share=$folder
is "classes of the event log" "$(offered fmdump -e -c)" "ereport.t.bad"
is "classes of the case log" "$(offered fmdump --class)" "fault.t.bad"
exit $status
