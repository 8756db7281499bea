// Common to all requests to a Redfish service: the trusted certificates, and the session file.
#pragma once
#include <curl/curl.h>

#include <string>
#include <utility>

#include "plugins/redfish/options.h"

namespace fmd::redfish {

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};

// HTTPS only, with public_key or ca_file as trust, no proxy. `options` must live as long as the request.
void set_trust(CURL* easy, const Options& options);

// Token and address of the open session with this service; both "" if there is none.
std::pair<std::string, std::string> read_session(const std::string& file, const Options& options);

}  // namespace fmd::redfish
