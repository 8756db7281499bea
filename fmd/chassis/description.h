// Description: one chassis as in chassis/NAME.toml (fmd-chassis(5) is the reference): how to
// recognise it, its bays and their labels, how to find the disk in a bay, and how to drive the
// bay's LEDs. Pure data; read by parse.h, written by render.h.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fmd::chassis {

// Match key → value ("dmi_vendor", "ses_product", …): what a machine or an enclosure says of
// itself.
using Facts = std::map<std::string, std::string>;

// Millimetres from the view's left and upper edge; absent: not known.
struct Box {
  std::optional<double> x, y, w, h;
};

// One way to find what sits in a bay.
struct Resolver {
  std::string kind;    // "ses_slot", "ses_name", "sas_phy", "pci_slot", "ata_port", "by_path"
  std::string value;   // as in fmd-chassis(5), templates filled in
  std::string member;  // of ses_*: which enclosure; "" the shelf itself, or the only one
};

struct Led {
  // In order: "ses", "npem", "pci", "ipmi", "ledctl"; ["none"]: no LED.
  std::vector<std::string> methods;
  std::optional<bool> reads_back;  // false: what is read from it says nothing
  // Of "ipmi": the maker's own requests to the BMC, "0x30 0xd5 0x01": function, command, data.
  std::string ipmi_on = {}, ipmi_off = {};
};
struct Leds {
  std::optional<Led> fault, locate;  // absent: ses, npem, pci
};

struct Bay {
  std::string id;  // unique in the description; the slot in the FMRI of a bay without SES
  std::string label, view, orientation, form_factor;
  Box box;
  std::vector<Resolver> resolve;  // the first whose place this machine has counts
  Leds leds;
  std::string fault_domain;  // "" or the names it is in, "backplane-0,expander"
  std::string ipmi;          // of a host's: the BMC's drive-slot sensor, "Drive Slot 3"; "" none
};

struct View {
  std::string name, label;  // name: "front", "rear", "top", "inside"
  double width = 0, height = 0;
};

// A member enclosure of a host's chassis: its backplane as SES sees it.
struct Member {
  std::string name;
  Facts keys;
};

// A part that is no bay.
struct Fru {
  std::string type;  // "psu", "fan", "dimm", "cpu", "hba", "sensor"
  std::string label, view;
  Box box;
  // What it is found by: "ses_element", "ipmi", "edac", "locator", "pci_slot", "socket".
  std::map<std::string, std::string, std::less<>> keys;
  std::string member;  // of ses_element in a host's file: which enclosure; "" any

  std::string key(std::string_view name) const;  // "" none
};

struct FaultDomain {
  std::string name, label, kind, fru;
  std::vector<std::string> bays;  // ids
};

// Bays that are not told but found: of a generic description.
struct Discovery {
  std::string by;     // "ses", "ata-port", "pci-slot"
  std::string label;  // template with {n}, {name}, {at}; "" the name the system has for it
  std::string form_factor, orientation;
  Leds leds;
};

struct Description {
  std::string name;  // the file's name without ".toml"
  std::string file;
  std::string label;
  std::string applies_to;  // "host" or "shelf"
  bool generic = false;    // only where nothing else fits
  std::vector<std::string> source, quirks;
  std::string notes;
  std::vector<Facts> match;  // any of these; within one, all
  std::vector<Member> members;
  std::vector<View> views;
  std::vector<Bay> bays;
  std::vector<Fru> frus;
  std::vector<FaultDomain> domains;
  std::vector<Discovery> discover;

  bool has_quirk(std::string_view quirk) const;
};

}  // namespace fmd::chassis
