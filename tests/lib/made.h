// Builds a resource in one expression, for tests.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd::test {

// A resource that is present.
inline Resource made(std::string fmri, std::string type, Properties properties,
                     std::vector<Edge> edges = {}) {
  Resource r;
  r.fmri = std::move(fmri);
  r.type = std::move(type);
  r.properties = std::move(properties);
  r.edges = std::move(edges);
  return r;
}

}  // namespace fmd::test
