// Crawl: which documents a look asks for, one after the other: the service's root, each chassis with its
// power and cooling, each system with its memory, processors and drives, each manager, and the logs. A
// document that many things link to is asked for once. (Schemas: DSP0268.) Pure.
#pragma once
#include <functional>
#include <set>
#include <string>

#include "plugins/redfish/documents.h"

namespace fmd::redfish {

struct Crawl {
  static constexpr size_t kMostDocuments = 2000;  // of a look: a service may link in circles
  static constexpr size_t kMostPages = 50;        // of one log
  // The document, or null when it cannot be had; the look ends when stop() says so.
  std::function<const nlohmann::json*(const std::string& uri)> get;
  std::function<bool()> stop;

  void run();
  std::set<std::string> logs;  // URIs of the pages that hold log entries
  std::string events;          // where events are told as they happen; "" not offered
  bool whole = true;           // nothing that was linked is missing
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
