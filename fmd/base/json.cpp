#include "fmd/base/json.h"

template class nlohmann::basic_json<>;
template class nlohmann::detail::serializer<nlohmann::json>;
template class nlohmann::detail::iter_impl<const nlohmann::json>;
