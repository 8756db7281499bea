// Description: one chassis as in chassis/NAME.toml (reference: fmd-chassis(5)): how to recognise
// it, its bays and their labels, how to find the disk in a bay, and how to drive the bay's LEDs.
// Pure data; read by parse.h, written by render.h.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fmd::chassis {

// Match key → value ("dmi_vendor", "ses_product", …), as reported by a machine or enclosure.
using Facts = std::map<std::string, std::string>;

// Millimetres from the view's left and upper edge; absent: unknown.
struct Box {
  std::optional<double> x, y, w, h;
};

// One way to find the disk in a bay.
struct Resolver {
  std::string kind;    // "ses_slot", "ses_name", "sas_phy", "pci_slot", "ata_port", "by_path"
  std::string value;   // as in fmd-chassis(5), with templates filled in
  std::string member;  // for ses_*: which enclosure; "": the shelf itself, or the only one
};

struct Led {
  // In order of preference: "ses", "npem", "pci", "ipmi", "ledctl"; ["none"]: no LED.
  std::vector<std::string> methods;
  std::optional<bool> reads_back;  // false: its read value is meaningless
  // For "ipmi": vendor requests to the BMC, "0x30 0xd5 0x01": function, command, data.
  std::string ipmi_on = {}, ipmi_off = {};
};
struct Leds {
  std::optional<Led> fault, locate;  // absent: ses, npem, pci
};

struct Bay {
  std::string id;  // unique in the description; the slot in the FMRI of a bay without SES
  std::string label, view, orientation, form_factor;
  Box box;
  std::vector<Resolver> resolve;  // the first one that exists on this machine is used
  Leds leds;
  std::string fault_domain;  // "" or names of its fault domains, "backplane-0,expander"
  std::string ipmi;          // for a host: the BMC's drive-slot sensor, "Drive Slot 3", or ""
  std::string verified;      // the description's
};

struct View {
  std::string name, label;  // name: "front", "rear", "top", "inside"
  double width = 0, height = 0;
};

// A member enclosure of a host's chassis, such as its backplane, as SES reports it.
struct Member {
  std::string name;
  Facts keys;
};

// A part other than a bay.
struct Fru {
  std::string type;  // "psu", "fan", "dimm", "cpu", "hba", "sensor"
  std::string label, view;
  Box box;
  // How to find it: "ses_element", "ipmi", "edac", "locator", "pci_slot", "socket".
  std::map<std::string, std::string, std::less<>> keys;
  std::string member;  // for ses_element of a host: which enclosure; "": any

  std::string key(std::string_view name) const;  // "" if absent
};

struct FaultDomain {
  std::string name, label, kind, fru;
  std::vector<std::string> bays;  // ids
};

// For generic descriptions: bays that are discovered.
struct Discovery {
  std::string by;     // "ses", "ata-port", "pci-slot"
  std::string label;  // template with {n}, {name}, {at}; "": the system's name
  std::string form_factor, orientation;
  Leds leds;
};

struct Description {
  std::string name;  // the file's name without ".toml"
  std::string file;
  std::string label;
  std::string applies_to;  // "host" or "shelf"
  bool generic = false;    // used only if no other matches
  std::string verified;    // "by SES descriptors", "by a person", "drawing only"; generic: ""
  std::vector<std::string> source, quirks;
  std::string notes;
  std::vector<Facts> match;  // one of these must match, with all its keys
  std::vector<Member> members;
  std::vector<View> views;
  std::vector<Bay> bays;
  std::vector<Fru> frus;
  std::vector<FaultDomain> domains;
  std::vector<Discovery> discover;

  bool has_quirk(std::string_view quirk) const;
};

}  // namespace fmd::chassis
