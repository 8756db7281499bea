// nlohmann's JSON. Its templates are compiled once, in json.cpp, instead of in every source file.
#pragma once
#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::detail::serializer<nlohmann::json>;
extern template class nlohmann::detail::iter_impl<const nlohmann::json>;
