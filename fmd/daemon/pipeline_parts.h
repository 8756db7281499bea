// Shared by the sources of the pipeline. Internal.
#pragma once
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "fmd/control/changes.h"

namespace fmd::pipeline {

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

inline bool is_due(const std::optional<int64_t>& deadline, int64_t now_ns) {
  return deadline && *deadline <= now_ns;
}

void merge(Changes& into, Changes from);

}  // namespace fmd::pipeline
