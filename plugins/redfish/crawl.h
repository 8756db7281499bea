// Crawl: reads the documents of one poll in turn: the service's root, each chassis with its power
// and cooling, each system with its memory, processors and drives, each manager, and the logs. Each
// document is requested only once. (Schemas: DSP0268.) Pure.
#pragma once
#include <functional>
#include <set>
#include <string>

#include "plugins/redfish/documents.h"

namespace fmd::redfish {

struct Crawl {
  static constexpr size_t kMostDocuments = 2000;  // per poll: a service's links may form circles
  static constexpr size_t kMostPages = 50;        // of one log
  // Returns the document, or null if not available; the poll ends once stop() returns true.
  std::function<const nlohmann::json*(const std::string& uri)> get;
  std::function<bool()> stop;

  void run();
  std::set<std::string> logs;  // URIs of the pages with log entries
  std::string events;          // URI of the event stream; "" not offered
  bool whole = true;           // no linked document is missing
  bool too_many = false;       // more than kMostDocuments are linked

 private:
  const nlohmann::json* take(const std::string& uri);
  void members(const std::string& collection,
               const std::function<void(const nlohmann::json&)>& each);
  void chassis(const nlohmann::json& doc);
  void system(const nlohmann::json& doc);
  void log_services(const nlohmann::json& doc);
  void event_service(const nlohmann::json& doc);
  void entries(std::string uri);

  std::set<std::string> taken_;
};

}  // namespace fmd::redfish
