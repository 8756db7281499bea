# shellcheck shell=bash
# Completion of ./dev in bash. To use it: . tests/completion.bash. Commands and options are those that --help prints.
_fmd_dev() {
  local dev=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} words=
  if ((COMP_CWORD == 1)); then
    words=$("$dev" --help 2>/dev/null | sed -n -e 's/^  \([a-z][a-z-]*\) .*  [a-zA-Z].*/\1/p' -e 's/^  \([a-z][a-z, -]*\)$/\1/p' | tr -d ,)
  elif [[ $word == -* ]]; then
    words=$("$dev" "${COMP_WORDS[1]}" --help 2>/dev/null </dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u)
  else
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    --debian) words='12 13' ;;
    --sign) words=$(gpg --batch --with-colons --list-secret-keys 2>/dev/null | sed -n 's/^uid:.*<\([^>]*\)>.*/\1/p') ;;
    --trust) words=$(gpg --batch --with-colons --list-keys 2>/dev/null | sed -n 's/^uid:.*<\([^>]*\)>.*/\1/p') ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _fmd_dev dev
