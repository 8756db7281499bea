#include "plugins/redfish/https.h"

#include <fstream>

namespace fmd::redfish {

void set_trust(CURL* easy, const Options& options) {
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https");
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  if (!options.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  if (options.public_key.empty()) return;
  curl_easy_setopt(easy, CURLOPT_PINNEDPUBLICKEY, options.public_key.c_str());
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
}

std::pair<std::string, std::string> read_session(const std::string& file, const Options& options) {
  std::ifstream in(file);
  std::string service, token, session;
  if (!std::getline(in, service) || service != options.service) return {};
  std::getline(in, token);
  std::getline(in, session);
  return {token, session};
}

}  // namespace fmd::redfish
