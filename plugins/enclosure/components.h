// Components: asks a shelf for its power supplies, fans and temperatures by sg_ses(8), three pages
// one after the other on the shelf's lane. Source: /dev/sgN, read only. Single thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/enclosure/lane.h"
#include "plugins/enclosure/ses_pages.h"

namespace fmd::enclosure {

class Components : public std::enable_shared_from_this<Components> {
 public:
  using Done = std::function<void(const Result<std::vector<Element>>&)>;
  // device: path of the SCSI generic node. done: once, from the loop; not when dropped before.
  static std::shared_ptr<Components> ask(std::shared_ptr<Lane> lane, std::string device, Done done);

 private:
  Components(std::shared_ptr<Lane> lane, std::string device, Done done)
      : lane_(std::move(lane)), device_(std::move(device)), done_(std::move(done)) {}
  void next();

  std::shared_ptr<Lane> lane_;
  std::string device_;
  Done done_;
  std::vector<std::string> pages_;
};

}  // namespace fmd::enclosure
