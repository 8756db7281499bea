# bash completion for fmadm, fmdump, fmstat and fmtopo. Installed once per command.

# The values of one string member in the JSON that fmadm or fmtopo prints, one a line.
_fmd_values() {
  sed -n "s/^ *\"$1\": \"\([^\"\\\\]*\)\".*/\1/p" | sort -u
}

_fmd_uuids() { fmadm faulty -a --json 2>/dev/null | _fmd_values uuid; }
# What is still open: for what makes no sense of a case that is closed.
_fmd_open_uuids() { fmadm faulty --json 2>/dev/null | _fmd_values uuid; }
_fmd_share=/usr/share/fmd
_fmd_event_classes() { sed -n 's/^\[class\."\(.*\)"\].*/\1/p' "$_fmd_share"/events/*.toml /etc/fmd/events.d/*.toml 2>/dev/null; }
_fmd_fault_classes() { sed -n 's/^class = "\(.*\)"$/\1/p' "$_fmd_share"/rules/*.toml /etc/fmd/rules.d/*.toml 2>/dev/null; }
_fmd_bays() { fmtopo -s hc --json 2>/dev/null | _fmd_values label; }

# Bays and machines with a locate LED. In fmtopo's JSON properties are in the order of their names.
_fmd_lights() {
  fmtopo --json 2>/dev/null | sed -n '/^  {/{h;d;}; H; /^  }/{x; /"led\.locate": "\(on\|off\)"/p;}' | _fmd_values label
}
_fmd_message_ids() { fmadm explain --json 2>/dev/null | _fmd_values code; }

# Offers whole lines, blanks and all ("SLOT 06"), quoted for where they go: what stands on a label is text, and must not
# become a command on Enter. Between double quotes a ! cannot be written so that it stays one.
_fmd_offer_lines() {
  local line
  while IFS= read -r line; do
    [[ -n $line && $line == "$cur_plain"* ]] || continue
    case $cur in
      \'*) COMPREPLY+=("${line//\'/\'\\\'\'}") ;;
      \"*)
        [[ $line == *!* ]] && continue
        line=${line//\\/\\\\}
        line=${line//\$/\\\$}
        line=${line//\`/\\\`}
        COMPREPLY+=("${line//\"/\\\"}")
        ;;
      *) COMPREPLY+=("$(printf '%q' "$line")") ;;
    esac
  done
}

# Options where one was begun, else what these functions print.
_fmd_offer_parts() {
  local list=$1
  shift
  if [[ $cur == -* ]]; then _fmd_offer "$list"; else _fmd_offer_lines < <(for print; do "$print"; done); fi
}

_fmd_offer() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }

_fmadm() {
  local verb=$1 verbs="status faulty why explain resilver smart ipmi readings history actions locate ack repaired replaced acquit retire restore replace notify maintenance config dry-run reload metrics rules chassis record replay"
  case $verb in
    "") _fmd_offer "$verbs --bus --host --json --color --no-pager --help --version" ;;
    status) _fmd_offer "--json --help" ;;
    faulty)
      case $prev in
        -u | --uuid) _fmd_offer_lines < <(_fmd_uuids) ;;
        *) _fmd_offer "-a --all -f --fru -r --resource -s --summary -u --uuid -v --verbose -n --max --fma --json --help" ;;
      esac
      ;;
    repaired | acquit) _fmd_offer_parts "--json --help" _fmd_bays _fmd_open_uuids ;;
    replaced) _fmd_offer_parts "--force --json --help" _fmd_bays _fmd_open_uuids ;;
    ack) _fmd_offer_lines < <(_fmd_open_uuids) ;;
    why) _fmd_offer_parts "--json --help" _fmd_bays _fmd_uuids ;;
    locate)
      case $prev in
        locate) _fmd_offer "on off --wait --json --help" ;;
        *) _fmd_offer_lines < <(_fmd_lights) ;;
      esac
      ;;
    retire) _fmd_offer_parts "--degraded --json --help" _fmd_bays ;;
    restore) _fmd_offer_parts "--json --help" _fmd_bays ;;
    replace) _fmd_offer_parts "--force --json --help" _fmd_bays ;;
    ipmi) _fmd_offer "--json --help" ;;
    resilver) _fmd_offer "-w --wait --json --help" ;;
    history) _fmd_offer_parts "--json --help" _fmd_bays ;;
    readings) _fmd_offer_parts "-t --since -T --until -n --max --json --help" _fmd_bays ;;
    smart)
      case $prev in
        smart) _fmd_offer "show refresh test --help" ;;
        test) _fmd_offer "short long abort --force --json --help" ;;
        *)
          case $cur in
            -*) _fmd_offer "-f --force --json --help" ;;
            *) _fmd_offer_lines < <(_fmd_bays) ;;
          esac
          ;;
      esac
      ;;
    metrics) _fmd_offer "-o --output --http --help" ;;
    notify)
      case $prev in
        notify) _fmd_offer "list test events explain --json --help" ;;
        explain) _fmd_offer_lines < <(_fmd_uuids) ;;
        test) _fmd_offer "mail snmp webhook alertmanager --json --help" ;;
      esac
      ;;
    maintenance)
      case $prev in
        maintenance) _fmd_offer "add list end --help" ;;
        *)
          case $cur in
            -*) _fmd_offer "--for --until --from --reason --json --help" ;;
            *) _fmd_offer_lines < <(_fmd_bays) ;;
          esac
          ;;
      esac
      ;;
    dry-run) _fmd_offer "on off --help" ;;
    actions) _fmd_offer "--json --help" ;;
    config) _fmd_offer "check --store --config --programs --json --help" ;;
    explain) _fmd_offer_parts "--rules --events --pages --json --help" _fmd_message_ids _fmd_fault_classes ;;
    reload) _fmd_offer "--help" ;;
    rules)
      case $prev in
        rules) _fmd_offer "show check upgrade catalog test --help" ;;
        *)
          case $cur in
            -*) _fmd_offer "--dry-run --drive-stats --rules --events --json --help" ;;
            *) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
          esac
          ;;
      esac
      ;;
    chassis)
      case $prev in
        chassis) _fmd_offer "check show draw map submit --help" ;;
        --view) _fmd_offer "front rear top inside parts" ;;
        *)
          case $cur in
            -*) _fmd_offer "-v --verbose -o --output -c --chassis --with --view --svg --png --dark --domains --scale --json --help" ;;
            *) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
          esac
          ;;
      esac
      ;;
    record)
      case $prev in
        -u | --uuid) _fmd_offer_lines < <(_fmd_uuids) ;;
        *) _fmd_offer "-t --since -T --until -u --uuid --mask --help" ;;
      esac
      ;;
    replay)
      case $cur in
        -*) _fmd_offer "--rules --events --run-out --why -v --verbose --json --help" ;;
        *) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
      esac
      ;;
  esac
}

_fmd() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb="" i
  local cur_plain=${cur#[\"\']}
  cur_plain=${cur_plain//\\/}
  COMPREPLY=()
  case $prev in
    --bus)
      _fmd_offer "system session"
      return
      ;;
    -H | --host)
      mapfile -t COMPREPLY < <(compgen -A hostname -- "$cur")
      return
      ;;
  esac
  case $1 in
    *fmadm)
      for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
          --bus | --host | -H) ((i++)) ;;
          -*) ;;
          *)
            verb=${COMP_WORDS[i]}
            break
            ;;
        esac
      done
      _fmadm "$verb"
      ;;
    *fmdump)
      case $prev in
        -u | --uuid) _fmd_offer_lines < <(_fmd_uuids) ;;
        -c | --class)
          if [[ " ${COMP_WORDS[*]} " =~ \ (-e|--errors)\  ]]; then
            _fmd_offer_lines < <(_fmd_event_classes)
          else
            _fmd_offer_lines < <(_fmd_fault_classes)
          fi
          ;;
        *) _fmd_offer "-e -f -v -V -c -r -t -T -u -n --errors --follow --verbose --members --class --resource --since --until --uuid --max --bus --host --json --help" ;;
      esac
      ;;
    *fmstat) _fmd_offer "-s --serd --bus --host --json --help" ;;
    *fmtopo)
      case $prev in
        -s | --scheme) _fmd_offer "hc dev zfs md dm btrfs fmd cpu mem" ;;
        *)
          if [[ $cur == -* ]]; then
            _fmd_offer "-a --all -V --properties -s --scheme --why --graph --bus --host --json --help"
          else
            _fmd_offer_lines < <(_fmd_bays)
          fi
          ;;
      esac
      ;;
  esac
}

complete -F _fmd fmadm fmdump fmstat fmtopo
