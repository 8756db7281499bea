// Told: what people know about a case from the messages so far, and what is new. Pure.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
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
  std::map<PromiseKey, Stand> promises;  // what is not listed was told to come
  std::string severity;
  std::string observed;   // the last observation's text
  bool relieved = false;  // that a spare holds all data of the part: it can be pulled

  Standing standing(const PromiseKey& key) const;
  // The promise does not stand as people were told.
  bool differs(const Promise& promise) const;
  // People have been told all of the case, and these promises as they stand.
  void update(const Case& c, const std::vector<Promise>& promises);
  bool operator==(const Told&) const = default;
};

// Sentences: how the case and these promises differ from what was told. grown: the diagnosis has
// news, so what was observed since is told as well.
std::vector<std::string> whats_new(const Told& told, const Case& c,
                                   const std::vector<Promise>& promises, bool grown);

// "You can pull the disk … now": its spare holds all data. "" there is no such spare. The caller checks
// that the part is still there.
std::string relief_sentence(const Case& c);

void append_json(const Told& told, std::string& out);
Told told_from_json(const nlohmann::json& doc);  // what cannot be read is left out

}  // namespace fmd
