#!/bin/sh
# check-manual.sh FILE: groff and mandoc format a manual page without a warning; it has examples and fits 80 columns.
set -eu
warnings=$(mandoc -T lint -W warning "$1" 2>&1) || {
  printf '%s\n' "$warnings"
  exit 1
}
warnings=$(LC_ALL=C.UTF-8 groff -mandoc -Tutf8 -ww -b -rLL=78n "$1" 2>&1 >/dev/null)
if [ -n "$warnings" ]; then
  printf '%s\n' "$warnings"
  exit 1
fi
if ! grep -q '^\.Sh EXAMPLES' "$1"; then
  echo "$1: no EXAMPLES"
  exit 1
fi
# Examples show the output of a command, or a file. The desktop program (section 1) prints nothing.
case $1 in
*.1) ;;
*)
  if ! sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$1" | grep -q '^\.Bd -literal'; then
    echo "$1: EXAMPLES without output"
    exit 1
  fi
  ;;
esac
# ".Dq a , Dq b" and ".Qq a , Qq b" quote the rest of the line. Outside literal text, two straight quotes after a word show it.
if LC_ALL=C.UTF-8 groff -mandoc -Tutf8 -P-cbou -rLL=78n "$1" | LC_ALL=C.UTF-8 grep -n '””\|“[^”]*“\|[^[:space:]=]""'; then
  echo "$1: quotes within quotes; write: Qo a Qc , Qo b Qc"
  exit 1
fi
# groff prints "BSD" for .Os without an argument.
if grep -n '^\.Os$' "$1"; then
  echo "$1: .Os without a name"
  exit 1
fi
width=$(LC_ALL=C.UTF-8 groff -mandoc -Tutf8 -P-cbou -rLL=78n "$1" | LC_ALL=C.UTF-8 wc -L)
if [ "$width" -gt 80 ]; then
  echo "$1: a line of $width columns"
  exit 1
fi
