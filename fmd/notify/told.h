// Told: what people know about a case from earlier messages, and what is new. Pure.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/notify/promise.h"

namespace fmd {

struct Told {
  struct Part {
    std::string fault_class, part;  // part_key
    SuspectStatus status = SuspectStatus::faulty;
    std::string serial, location;
    bool operator==(const Part&) const = default;
  };
  struct Stand {
    Standing standing = Standing::coming;
    std::string detail;
    bool operator==(const Stand&) const = default;
  };

  std::vector<Part> parts;
  std::map<PromiseKey, Stand> promises;  // missing ones were announced as coming
  std::string severity;
  std::string observed;    // text of the last observation
  std::string failing;     // how many parts fail together: "6 of 7"; "" the case is about one
  bool undecided = false;  // reported: fmd has doubts that the part itself is at fault
  std::set<std::string, std::less<>> superseded = {};  // cases that were said to be superseded
  bool relieved = false;  // reported: a spare holds all data of the part, which can be pulled

  Standing standing(const PromiseKey& key) const;
  // Whether the promise's state differs from that in the last message.
  bool differs(const Promise& promise) const;
  // Records a message about the case with this state of its promises.
  void update(const Case& c, const std::vector<Promise>& promises);
  bool operator==(const Told&) const = default;
};

// Sentences: how the case and these promises differ from the last message. grown: the diagnosis has
// news, so new observations are included.
std::vector<std::string> whats_new(const Told& told, const Case& c,
                                   const std::vector<Promise>& promises, bool grown);

// "You can pull the disk … now": its spare holds all data. "" if there is no such spare. The caller
// checks that the part is still there.
std::string relief_sentence(const Case& c);
// fmd doubts that the part itself is at fault, for a reason that people can check.
bool is_doubted(const Case& c);
// Whether the part itself is at fault has become doubtful since the last message, or is decided; ""
// if neither.
std::string doubt_sentence(const Told& told, const Case& c);

// "Do not replace SLOT 04 (case 9e858a21) and SLOT 05 (case 12ab34cd) for what this case explains."; ""
// if it supersedes none, except these. Names of parts are ready for display.
std::string superseded_sentence(const Case& c,
                                const std::set<std::string, std::less<>>& except = {});

void append_json(const Told& told, std::string& out);
Told told_from_json(const nlohmann::json& doc);  // skips what cannot be read

}  // namespace fmd
