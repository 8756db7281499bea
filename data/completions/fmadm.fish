# fish completion for fmadm, fmdump, fmstat and fmtopo.

# The values of one string member in the JSON that fmadm or fmtopo prints, one a line.
function __fmd_values
    sed -n "s/^ *\"$argv[1]\": \"\([^\"\\\\]*\)\".*/\1/p" | sort -u
end
function __fmd_uuids
    fmadm faulty -a --json 2>/dev/null | __fmd_values uuid
end
# What is still open: for what makes no sense of a case that is closed.
function __fmd_open_uuids
    fmadm faulty --json 2>/dev/null | __fmd_values uuid
end
function __fmd_classes
    if contains -- -e (commandline -opc); or contains -- --errors (commandline -opc)
        cat /usr/share/fmd/events/*.toml /etc/fmd/events.d/*.toml 2>/dev/null | sed -n 's/^\[class\."\(.*\)"\].*/\1/p'
    else
        cat /usr/share/fmd/rules/*.toml /etc/fmd/rules.d/*.toml 2>/dev/null | sed -n 's/^class = "\(.*\)"$/\1/p'
    end
end
# Bays and machines with a locate LED.
function __fmd_lights
    fmtopo --json 2>/dev/null | sed -n '/^  {/{h;d;}; H; /^  }/{x; /"led\.locate": "\(on\|off\)"/p;}' | __fmd_values label
end

function __fmd_messages
    fmadm explain --json 2>/dev/null | __fmd_values code
end

function __fmd_bays
    fmtopo -s hc --json 2>/dev/null | __fmd_values label
end

for command in fmadm fmdump fmstat fmtopo
    complete -c $command -l bus -x -a 'system session' -d 'Bus: system, session or an address'
    complete -c $command -s H -l host -x -a '(__fish_print_hostnames)' -d 'Another host, through ssh'
    complete -c $command -l json -d 'Print JSON'
    complete -c $command -l color -x -a 'auto always never' -d Colours
    complete -c $command -l no-pager -d 'No pager for long output'
    complete -c $command -l help -d Help
end

set -l verbs status faulty why explain resilver smart ipmi readings history actions locate ack repaired replaced acquit retire restore replace notify maintenance config dry-run reload metrics rules chassis record replay
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a status -d 'Show problems, pools and what fmd watches (default)'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a faulty -d 'List open cases and what to do about them'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a why -d 'Explain the diagnosis of a case or part'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a explain -d 'Explain a message id or fault class'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a resilver -d 'Show resilvers and scrubs: progress, time left'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a smart -d 'Show, refresh or test SMART health of disks'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a ipmi -d 'Show the BMC\'s sensors and event log state'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a readings -d 'Show measurements: temperature, wear, errors'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a history -d 'List which disk was in which bay, and when'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a actions -d 'List what fmd did and how to undo it'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a locate -d 'Switch the locate LED of a bay or the machine'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a ack -d 'Acknowledge a case: no messages unless it grows'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a repaired -d 'Report that a part was repaired in place'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a replaced -d 'Report that a part was replaced'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a acquit -d 'Report that a part is not at fault'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a retire -d 'Take a part out of service'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a restore -d 'Put a part back into service and keep it there'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a replace -d 'Replace a part by a disk in another bay'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a notify -d 'Show and test who gets which messages'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a maintenance -d 'Hold messages while a part is being serviced'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a config -d 'Show plugins and settings in force'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a dry-run -d 'Announce actions without carrying them out'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a reload -d 'Read rules and configuration again'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a metrics -d 'Print metrics for Prometheus (OpenMetrics)'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a rules -d 'Show, check or test diagnosis rules'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a chassis -d 'Show, draw, check or map machines and shelves'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a record -d 'Print events and inventory for fmadm replay'
complete -c fmadm -n "not __fish_seen_subcommand_from $verbs" -a replay -d 'Run recorded telemetry through the rules'
complete -c fmadm -f

complete -c fmadm -n '__fish_seen_subcommand_from faulty' -s a -l all -d 'Resolved ones too'
complete -c fmadm -n '__fish_seen_subcommand_from faulty' -s f -l fru -d 'By FRU'
complete -c fmadm -n '__fish_seen_subcommand_from faulty' -s r -l resource -d 'By resource'
complete -c fmadm -n '__fish_seen_subcommand_from faulty' -s s -l summary -d 'A line a case'
complete -c fmadm -n '__fish_seen_subcommand_from faulty' -s v -l verbose -d Everything
complete -c fmadm -n '__fish_seen_subcommand_from faulty' -s u -l uuid -x -a '(__fmd_uuids)' -d 'This case'
complete -c fmadm -n '__fish_seen_subcommand_from faulty' -s n -l max -x -d 'The newest N'
complete -c fmadm -n '__fish_seen_subcommand_from repaired replaced acquit' -a '(__fmd_bays; __fmd_open_uuids)'
complete -c fmadm -n '__fish_seen_subcommand_from ack' -a '(__fmd_open_uuids)'
complete -c fmadm -n '__fish_seen_subcommand_from why' -a '(__fmd_bays; __fmd_uuids)'
complete -c fmadm -n '__fish_seen_subcommand_from locate' -a 'on off (__fmd_lights)'
complete -c fmadm -n '__fish_seen_subcommand_from retire restore replace' -a '(__fmd_bays)'
complete -c fmadm -n '__fish_seen_subcommand_from retire' -l degraded -d 'Mark it degraded only'
complete -c fmadm -n '__fish_seen_subcommand_from replace' -l force -d 'Even if it is not blank or does not fit'
complete -c fmadm -n '__fish_seen_subcommand_from replaced' -l force -d 'Though it is still there'
complete -c fmadm -n '__fish_seen_subcommand_from history readings' -a '(__fmd_bays)'
complete -c fmadm -n '__fish_seen_subcommand_from readings' -s t -l since -x -d 'Not before'
complete -c fmadm -n '__fish_seen_subcommand_from readings' -s T -l until -x -d 'Not after'
complete -c fmadm -n '__fish_seen_subcommand_from readings' -s n -l max -x -d 'At most N rows'
complete -c fmadm -n '__fish_seen_subcommand_from smart; and not __fish_seen_subcommand_from show refresh test' -a 'show refresh test'
complete -c fmadm -n '__fish_seen_subcommand_from smart; and __fish_seen_subcommand_from show refresh' -a '(__fmd_bays)'
complete -c fmadm -n '__fish_seen_subcommand_from smart; and __fish_seen_subcommand_from test' -a 'short long abort (__fmd_bays)'
complete -c fmadm -n '__fish_seen_subcommand_from smart; and __fish_seen_subcommand_from test' -s f -l force -d 'During a resilver too'
complete -c fmadm -n '__fish_seen_subcommand_from notify' -a 'list test events explain'
complete -c fmadm -n '__fish_seen_subcommand_from maintenance' -a 'add list end'
complete -c fmadm -n '__fish_seen_subcommand_from maintenance' -l for -l until -l from -l reason -x
complete -c fmadm -n '__fish_seen_subcommand_from metrics' -s o -l output -r -F -d 'This file, replaced at once'
complete -c fmadm -n '__fish_seen_subcommand_from metrics' -l http -d 'Answer one request'
complete -c fmadm -n '__fish_seen_subcommand_from faulty' -l fma -d 'As on Solaris'
complete -c fmadm -n '__fish_seen_subcommand_from faulty' -a '(__fmd_bays)'
complete -c fmadm -n '__fish_seen_subcommand_from config' -l store -d 'The store'
complete -c fmadm -n '__fish_seen_subcommand_from config' -a 'check' -d 'Check each file'
complete -c fmadm -n '__fish_seen_subcommand_from config' -l config -r -d 'Folder of the files'
complete -c fmadm -n '__fish_seen_subcommand_from config' -l programs -r -d 'Folder of the programs'
complete -c fmadm -n '__fish_seen_subcommand_from explain' -a '(__fmd_messages)'
complete -c fmadm -n '__fish_seen_subcommand_from explain' -l rules -r -d 'Folder of rules'
complete -c fmadm -n '__fish_seen_subcommand_from explain' -l events -r -d 'Folder of event classes'
complete -c fmadm -n '__fish_seen_subcommand_from explain' -l pages -r -d 'Write a page per message'
complete -c fmadm -n '__fish_seen_subcommand_from locate' -l wait -d 'Until it is so'
complete -c fmadm -n '__fish_seen_subcommand_from notify; and __fish_seen_subcommand_from test' -a 'mail snmp webhook alertmanager'
complete -c fmadm -n '__fish_seen_subcommand_from dry-run' -a 'on off'
complete -c fmadm -n '__fish_seen_subcommand_from resilver' -s w -l wait -d 'Until it is finished'
complete -c fmadm -n '__fish_seen_subcommand_from rules' -F -a 'show check upgrade catalog test'
complete -c fmadm -n '__fish_seen_subcommand_from rules' -l drive-stats -r -F -d 'History of a fleet, CSV'
complete -c fmadm -n '__fish_seen_subcommand_from rules' -s n -l dry-run -d 'Change nothing'
complete -c fmadm -n '__fish_seen_subcommand_from rules replay' -l events -r -d 'Event classes'
complete -c fmadm -n '__fish_seen_subcommand_from rules replay' -l rules -r -d Rules
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -F -a 'check show draw map submit'
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -s v -l verbose -d 'Each bay'
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -s o -l output -r -d 'New file'
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -s c -l chassis -x -d 'Which one'
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -l with -x -d 'This host, with that backplane'
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -l view -x -a 'front rear top inside parts' -d 'Which side'
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -l svg -d 'A drawing'
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -l png -d Pixels
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -l dark -d 'On a dark ground'
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -l domains -d 'Outline fault domains'
complete -c fmadm -n '__fish_seen_subcommand_from chassis' -l scale -x -d 'Pixels a millimetre'
complete -c fmadm -n '__fish_seen_subcommand_from record' -s t -l since -x -d 'Not before'
complete -c fmadm -n '__fish_seen_subcommand_from record' -s T -l until -x -d 'Not after'
complete -c fmadm -n '__fish_seen_subcommand_from record' -s u -l uuid -x -a '(__fmd_uuids)' -d 'The evidence of this case'
complete -c fmadm -n '__fish_seen_subcommand_from record' -l mask -d 'Other serial numbers'
complete -c fmadm -n '__fish_seen_subcommand_from replay' -F
complete -c fmadm -n '__fish_seen_subcommand_from replay' -l run-out -x -d 'Let so much time pass at the end'
complete -c fmadm -n '__fish_seen_subcommand_from replay' -s v -l verbose -d 'With evidence and timeline'
complete -c fmadm -n '__fish_seen_subcommand_from replay' -l why -d 'The reasoning of each case'

complete -c fmdump -f
complete -c fmdump -s e -l errors -d 'The error log'
complete -c fmdump -s f -l follow -d 'Continue with what happens'
complete -c fmdump -s v -l verbose -d More
complete -c fmdump -s V -l members -d Everything
complete -c fmdump -s c -l class -x -a '(__fmd_classes)' -d 'This class'
complete -c fmdump -s r -l resource -x -d 'This resource'
complete -c fmdump -s t -l since -x -d 'Not before'
complete -c fmdump -s T -l until -x -d 'Not after'
complete -c fmdump -s u -l uuid -x -a '(__fmd_uuids)' -d 'This case'
complete -c fmdump -s n -l max -x -d 'The newest N'
complete -c fmstat -f -s s -l serd -d 'SERD engines'
complete -c fmtopo -f -a '(__fmd_bays)'
complete -c fmtopo -s a -l all -d 'Cores, threads, phys too'
complete -c fmtopo -l why -d 'What the part hangs on'
complete -c fmtopo -l graph -d 'For Graphviz'
complete -c fmtopo -s V -l properties -d 'All properties'
complete -c fmtopo -s s -l scheme -x -a 'hc dev zfs md dm btrfs fmd cpu mem' -d 'This scheme'
