#include "ui/cli/help.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fmd::cli {
namespace {

using CommandHelp = std::pair<std::string_view, std::string_view>;

constexpr std::string_view kLook = "Look", kAct = "Act on a problem", kTell = "Messages",
                           kSettings = "Settings", kFiles = "Rules, chassis, recordings";

constexpr std::array kGroups{
    CommandHelp{"fmadm status", kLook},     CommandHelp{"fmadm faulty", kLook},
    CommandHelp{"fmadm why", kLook},        CommandHelp{"fmadm explain", kLook},
    CommandHelp{"fmadm resilver", kLook},   CommandHelp{"fmadm smart", kLook},
    CommandHelp{"fmadm ipmi", kLook},       CommandHelp{"fmadm readings", kLook},
    CommandHelp{"fmadm history", kLook},    CommandHelp{"fmadm actions", kLook},
    CommandHelp{"fmadm locate", kAct},      CommandHelp{"fmadm ack", kAct},
    CommandHelp{"fmadm repaired", kAct},    CommandHelp{"fmadm replaced", kAct},
    CommandHelp{"fmadm acquit", kAct},      CommandHelp{"fmadm retire", kAct},
    CommandHelp{"fmadm restore", kAct},     CommandHelp{"fmadm replace", kAct},
    CommandHelp{"fmadm notify", kTell},     CommandHelp{"fmadm maintenance", kTell},
    CommandHelp{"fmadm config", kSettings}, CommandHelp{"fmadm dry-run", kSettings},
    CommandHelp{"fmadm reload", kSettings}, CommandHelp{"fmadm metrics", kSettings},
    CommandHelp{"fmadm rules", kFiles},     CommandHelp{"fmadm chassis", kFiles},
    CommandHelp{"fmadm record", kFiles},    CommandHelp{"fmadm replay", kFiles},
};

constexpr std::array kExamples{
    CommandHelp{"fmadm",
                "  fmadm                          show whether all is well\n"
                "  fmadm faulty                   list open cases and what to do\n"
                "  fmadm locate on SLOT 06        make that bay blink\n"
                "  fmadm resilver -w              follow a resilver until it is finished\n"
                "  fmadm repaired SLOT 06         report that it is repaired\n"
                "  fmadm -H root@store1 faulty    query another host\n"},
    CommandHelp{"fmadm status",
                "  fmadm status                   show problems, pools and what is watched\n"
                "  fmadm status --json            print the same for a program\n"},
    CommandHelp{"fmadm faulty",
                "  fmadm faulty                   list open cases\n"
                "  fmadm faulty SLOT 04           list open cases about that bay\n"
                "  fmadm faulty -v -u 9e858a21    print one case with its evidence\n"
                "  fmadm faulty -a -s             list all cases ever, in short\n"},
    CommandHelp{"fmadm why",
                "  fmadm why 9e858a21             explain that case\n"
                "  fmadm why SLOT 03              what may have caused its errors\n"},
    CommandHelp{"fmadm explain",
                "  fmadm explain ZFS-8000-GH      explain the message with that id\n"
                "  fmadm explain 'fault.io.disk.*'   explain these fault classes\n"},
    CommandHelp{"fmadm resilver",
                "  fmadm resilver                 show the progress once\n"
                "  fmadm resilver -w              follow it until it is finished\n"},
    CommandHelp{"fmadm smart",
                "  fmadm smart                    show the health of all disks\n"
                "  fmadm smart test long SLOT 04  start a long self-test\n"},
    CommandHelp{"fmadm smart show",
                "  fmadm smart show               show all disks\n"
                "  fmadm smart show SLOT 04       show the disk in that bay\n"},
    CommandHelp{"fmadm smart refresh",
                "  fmadm smart refresh            query all disks now\n"
                "  fmadm smart refresh SLOT 04    query the disk in that bay now\n"},
    CommandHelp{"fmadm smart test",
                "  fmadm smart test short SLOT 04   start a short self-test\n"
                "  fmadm smart test abort SLOT 04   end the running one\n"},
    CommandHelp{"fmadm ipmi", "  fmadm ipmi                     show the BMC's sensors\n"},
    CommandHelp{"fmadm readings",
                "  fmadm readings \"SLOT 04\"       summarize the last 7 days\n"
                "  fmadm readings sdf temperature_celsius -t 30d   one value over time\n"},
    CommandHelp{"fmadm history",
                "  fmadm history                  list the disks of all bays\n"
                "  fmadm history SLOT 04          list the disks of that bay\n"},
    CommandHelp{"fmadm actions",
                "  fmadm actions                  list what is in force and how to undo it\n"},
    CommandHelp{"fmadm locate",
                "  fmadm locate on SLOT 04        make that bay blink\n"
                "  fmadm locate off SLOT 04       stop it\n"},
    CommandHelp{"fmadm ack", "  fmadm ack 9e858a21 disk is on order\n"},
    CommandHelp{"fmadm repaired",
                "  fmadm repaired SLOT 04         the cable of that bay was reseated\n"},
    CommandHelp{"fmadm replaced",
                "  fmadm replaced SLOT 04         the disk in that bay was replaced\n"
                "  fmadm replaced 9e858a21        all suspects of that case were replaced\n"},
    CommandHelp{"fmadm acquit", "  fmadm acquit SLOT 04           that disk is not at fault\n"},
    CommandHelp{"fmadm retire",
                "  fmadm retire SLOT 04           take that disk out of service\n"
                "  fmadm retire --degraded sdf    only mark it degraded\n"},
    CommandHelp{"fmadm restore",
                "  fmadm restore SLOT 04          put that disk back into service\n"},
    CommandHelp{"fmadm replace",
                "  fmadm replace SLOT 04 SLOT 11  let the disk in SLOT 11 replace it\n"
                "  fmadm replace --force \"SLOT 04\" sdk   even if sdk is not blank\n"},
    CommandHelp{"fmadm notify",
                "  fmadm notify                   list who gets which messages\n"
                "  fmadm notify test              send a test through all channels\n"},
    CommandHelp{"fmadm notify list",
                "  fmadm notify list              list the rules and reminders\n"},
    CommandHelp{"fmadm notify test", "  fmadm notify test mail         send a test by mail only\n"},
    CommandHelp{"fmadm notify events",
                "  fmadm notify events            list the last 500 events\n"},
    CommandHelp{"fmadm notify explain",
                "  fmadm notify explain 9e858a21  show who got messages about that case\n"},
    CommandHelp{"fmadm maintenance",
                "  fmadm maintenance add --for 2h --reason \"new fans\"\n"
                "  fmadm maintenance              list the windows\n"},
    CommandHelp{"fmadm maintenance add",
                "  fmadm maintenance add --for 2h --reason \"new fans\"\n"
                "  fmadm maintenance add tank --until 18:00 --reason \"new disks\"\n"},
    CommandHelp{"fmadm maintenance list", "  fmadm maintenance list         list the windows\n"},
    CommandHelp{"fmadm maintenance end", "  fmadm maintenance end 3        end window 3\n"},
    CommandHelp{"fmadm config",
                "  fmadm config                   show what differs from the defaults\n"
                "  fmadm config check             before 'fmadm reload' or a restart\n"},
    CommandHelp{"fmadm config check",
                "  fmadm config check             before 'fmadm reload' or a restart\n"},
    CommandHelp{"fmadm dry-run",
                "  fmadm dry-run                  is it on?\n"
                "  fmadm dry-run on               announce actions only\n"
                "  fmadm dry-run off              let fmd act again\n"},
    CommandHelp{"fmadm reload", "  fmadm reload                   after a change in /etc/fmd\n"},
    CommandHelp{"fmadm metrics",
                "  fmadm metrics                  print all metrics\n"
                "  fmadm metrics -o /var/lib/prometheus/node-exporter/fmd.prom\n"},
    CommandHelp{"fmadm rules",
                "  fmadm rules show zfs-checksum  show a rule and where its values are from\n"
                "  fmadm rules check              before 'fmadm reload'\n"},
    CommandHelp{"fmadm rules show",
                "  fmadm rules show               list all rules\n"
                "  fmadm rules show zfs-checksum  show that one\n"},
    CommandHelp{"fmadm rules check", "  fmadm rules check              before 'fmadm reload'\n"},
    CommandHelp{"fmadm rules upgrade",
                "  fmadm rules upgrade -n         show what it would change\n"
                "  fmadm rules upgrade            change the files in /etc/fmd/rules.d\n"},
    CommandHelp{"fmadm rules test",
                "  fmadm rules test ./my-rules    run ./my-rules/tests/*.jsonl\n"},
    CommandHelp{"fmadm rules catalog",
                "  fmadm rules catalog /etc/fmd/rules.d > fmd-local.catalog\n"},
    CommandHelp{"fmadm chassis",
                "  fmadm chassis                  list each chassis\n"
                "  fmadm chassis draw box.png     draw it as it is now\n"},
    CommandHelp{"fmadm chassis show", "  fmadm chassis show -v          also list each bay\n"},
    CommandHelp{"fmadm chassis check", "  fmadm chassis check own-chassis.toml\n"},
    CommandHelp{"fmadm chassis draw",
                "  fmadm chassis draw box.png     draw it as PNG\n"
                "  fmadm chassis draw --view front > front.svg\n"},
    CommandHelp{"fmadm chassis submit",
                "  fmadm chassis submit -c 5000c500fa0e5e50 -o shelf.json\n"},
    CommandHelp{"fmadm chassis map",
                "  fmadm chassis map              ask for each bay, write own-chassis.toml\n"},
    CommandHelp{"fmadm record",
                "  fmadm record -t 2d --mask > report.jsonl\n"
                "  fmadm record -u 9e858a21 > case.jsonl\n"},
    CommandHelp{"fmadm replay",
                "  fmadm replay report.jsonl      print the cases it gives\n"
                "  fmadm replay --rules ./my-rules --why report.jsonl\n"},
    CommandHelp{"fmdump",
                "  fmdump                         list what was diagnosed\n"
                "  fmdump -e -t 1h -v             list the events of the last hour\n"
                "  fmdump -f                      keep printing new diagnoses\n"
                "  fmdump -e -u 9e858a21 -V       print the evidence of one case in full\n"},
    CommandHelp{"fmstat",
                "  fmstat                         print the plugins' counters once\n"
                "  fmstat -s                      list what is being counted\n"
                "  fmstat 5 12                    every 5 seconds, 12 times\n"},
    CommandHelp{"fmtopo",
                "  fmtopo -V \"SLOT 06\"            show everything known about that bay\n"
                "  fmtopo 5000c500fa0e5e50/bay-3  bay 3 of that shelf, when several have one\n"
                "  fmtopo -s zfs                  show pools and vdevs only\n"
                "  fmtopo --why sdc               show what that disk depends on\n"
                "  fmtopo --graph | dot -Tsvg > topology.svg\n"},
    CommandHelp{"check_fmd",
                "  check_fmd                      report the problems of this host\n"
                "  check_fmd -H nagios@store1     report those of another host\n"},
};

template <size_t N>
std::string_view find_in(const std::array<CommandHelp, N>& entries, std::string_view command) {
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [&](const CommandHelp& e) { return e.first == command; });
  return at == entries.end() ? std::string_view() : at->second;
}

}  // namespace

std::string_view group_of(std::string_view command) {
  return find_in(kGroups, command);
}

std::string_view examples_of(std::string_view command) {
  return find_in(kExamples, command);
}

}  // namespace fmd::cli
