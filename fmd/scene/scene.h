// Scene: one chassis for a picture: its faces, their parts to scale, and the state of each part
// from the inventory and the open cases. A part that is not observed is shown as such, never as
// healthy. Computed once; all canvases paint the same. Pure data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/scene/geometry.h"

namespace fmd::scene {

enum class PartKind { bay, psu, fan, cpu, dimm, card, sensor };
// In ascending order of severity.
enum class PartState {
  empty,       // known to be empty
  ok,          // in place and watched
  spare,       // an idle spare
  unwatched,   // in place, but nothing reports its state
  unknown,     // nothing reports whether a part is in place
  rebuilding,  // data is being copied to it
  degraded,    // a minor case; or without one: out of use, or occupied without a visible disk
  faulted,     // a major or critical case
};
std::string_view state_name(PartState state);  // "faulted": for documents
// "needs attention": for people. ZFS's FAULTED and DEGRADED are states of vdevs, not of parts.
std::string_view state_word(PartState state);

enum class Light { none, off, on, unknown };

struct Part {
  std::string fmri;   // the bay, fan, …: selected by a click
  std::string holds;  // FMRI of the disk in the bay or the card in the slot; "": none known
  PartKind kind = PartKind::bay;
  PartState state = PartState::unknown;
  Rect box;
  std::string label;   // as printed, cleaned
  std::string detail;  // "4 TB HDD", "5400 rpm"; cleaned
  std::string says;    // one line of text, for tooltips and screen readers
  Light fault = Light::none, locate = Light::none;
  std::optional<double> progress;      // 0..1, of a resilver or rebuild
  std::vector<std::string> cases;      // uuids, gravest first
  PartState frame = PartState::empty;  // degraded or faulted, like its pool
  std::string trouble;                 // of that pool, cleaned: "pool tank: DEGRADED", or ""
  std::vector<std::string> domains;    // fault domains that contain it, cleaned: "HBA mpt3sas0"

  bool operator==(const Part&) const = default;
};

struct Face {
  std::string name;   // "front", "rear", "top", "inside"; "parts" for parts without a view
  std::string label;  // for people
  double width = 0, height = 0;
  bool to_scale = true;  // false: the positions are not described
  std::vector<Part> parts;

  const Part* find(std::string_view fmri) const;
  bool operator==(const Face&) const = default;
};

struct Scene {
  std::string fmri;     // of the chassis
  std::string label;    // its name
  std::string product;  // "" unknown
  std::vector<Face> faces;
  // One per pool in trouble with disks here: their bays have a frame in that colour.
  struct Note {
    PartState frame;
    std::string text;
    bool operator==(const Note&) const = default;
  };
  std::vector<Note> notes;
  std::string caution;  // the places come from a drawing that no one has verified; "" otherwise

  PartState worst() const;
  const Part* worst_part() const;  // the first that is degraded or faulted, or nullptr
  const Face* face(std::string_view name) const;
};

// FMRIs of the chassis with their own picture: a host's backplane is in the host's picture.
std::vector<std::string> pictured(const Inventory& inventory);
// Nothing if there is no such chassis.
std::optional<Scene> compose(const Inventory& inventory, const std::vector<Case>& cases,
                             std::string_view chassis);
// All pictured chassis, in that order.
std::vector<Scene> compose_all(const Inventory& inventory, const std::vector<Case>& cases);
std::vector<Scene> compose_each(const Inventory& inventory, const std::vector<const Case*>& cases);

}  // namespace fmd::scene
