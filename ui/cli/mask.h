// Mask: replaces serial numbers, WWNs, ids of pools and machines and the host's name, consistently
// throughout a recording, wherever they occur: as values, in FMRIs, in texts and device ids. Times,
// counts and sizes stay unchanged.
//
// Names that people gave to pools, volumes, mount points and files may be ordinary words ("data"),
// so they are replaced only where such names occur. Pure, single thread.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd::cli {

class Mask {
 public:
  // Collect the secrets with learn…(), then settle(), then hide().
  void learn(const Resource& part);
  void learn_fmri(std::string_view fmri);
  void learn_event(const nlohmann::json& event);
  void learn_host(const std::string& name);
  void learn_config(const nlohmann::json& config);  // GetConfig: the host's name
  void learn_serial(const std::string& serial);
  void settle();

  nlohmann::json hide(nlohmann::json doc) const;

 private:
  struct Word {
    std::string secret, shown;
    bool alone;  // short: must not match within a longer word
  };
  void add(const std::string& secret, const std::string& shown, bool alone);
  void learn_name(const std::string& name);
  std::string hide_names(std::string_view text) const;
  const Word* found_at(std::string_view text, size_t at) const;
  std::string hide_in(std::string_view text) const;

  std::set<std::string> secrets_;
  std::map<std::string, std::string, std::less<>> names_;  // name → replacement
  std::string host_;
  std::unordered_map<uint32_t, std::vector<Word>>
      words_;  // by their first four letters, longest first
};

}  // namespace fmd::cli
