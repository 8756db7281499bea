// Scene: one chassis as in a picture: its faces, their parts to scale, and the state of each part
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
// Ordered: a later one is worse to find.
enum class PartState {
  empty,       // seen to be empty
  ok,          // in place and watched
  spare,       // an idle spare
  unwatched,   // in place, but nothing tells how it is
  unknown,     // nothing tells whether something is in place
  rebuilding,  // being filled
  degraded,    // a minor case; or out of use, or filled and silent, without one
  faulted,     // a major or critical case
};
std::string_view state_name(PartState state);  // "faulted": of documents
// "needs attention": for people. ZFS's FAULTED and DEGRADED are states of a vdev, not of a part.
std::string_view state_word(PartState state);

enum class Light { none, off, on, unknown };

struct Part {
  std::string fmri;   // the bay, fan, ...: what a click selects
  std::string holds;  // FMRI of the disk in the bay, of the card in the slot; "" none known
  PartKind kind = PartKind::bay;
  PartState state = PartState::unknown;
  Rect box;
  std::string label;   // as printed, cleaned
  std::string detail;  // "4 TB HDD", "5400 rpm"; cleaned
  std::string says;    // one line that needs no picture: for hovering and screen readers
  Light fault = Light::none, locate = Light::none;
  std::optional<double> progress;      // 0..1, of what it is rebuilt by
  std::vector<std::string> cases;      // uuids, gravest first
  PartState frame = PartState::empty;  // degraded, faulted: its pool is so
  std::string trouble;                 // of that pool, cleaned: "pool tank: DEGRADED"; "" none
  std::vector<std::string> domains;    // what takes it down with others, cleaned: "HBA mpt3sas0"

  bool operator==(const Part&) const = default;
};

struct Face {
  std::string name;   // "front", "rear", "top", "inside"; "parts" of what no view has a place for
  std::string label;  // for people
  double width = 0, height = 0;
  bool to_scale = true;  // false: nobody has described where its parts are
  std::vector<Part> parts;

  const Part* find(std::string_view fmri) const;
  bool operator==(const Face&) const = default;
};

struct Scene {
  std::string fmri;     // of the chassis
  std::string label;    // what it is called
  std::string product;  // "" unknown
  std::vector<Face> faces;
  // A line for each pool in trouble whose disks are here: those bays have a frame in that colour.
  struct Note {
    PartState frame;
    std::string text;
    bool operator==(const Note&) const = default;
  };
  std::vector<Note> notes;

  PartState worst() const;
  const Part* worst_part() const;  // the first that is degraded or faulted; nullptr: none is
  const Face* face(std::string_view name) const;
};

// FMRIs of the chassis that have a picture of their own: a host's backplane is in the host's.
std::vector<std::string> pictured(const Inventory& inventory);
// Nothing: there is no such chassis.
std::optional<Scene> compose(const Inventory& inventory, const std::vector<Case>& cases,
                             std::string_view chassis);
// Of each that is pictured, in that order.
std::vector<Scene> compose_all(const Inventory& inventory, const std::vector<Case>& cases);
std::vector<Scene> compose_each(const Inventory& inventory, const std::vector<const Case*>& cases);

}  // namespace fmd::scene
