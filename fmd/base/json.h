// nlohmann's JSON. Templates that every source would instantiate again are compiled once, in
// json.cpp.
#pragma once
#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::detail::serializer<nlohmann::json>;
extern template class nlohmann::detail::iter_impl<const nlohmann::json>;
