// Components: reads the slots, power supplies, fans and temperatures of one shelf with sg_ses(8) on
// the shelf's lane: one command per poll, for the status page. The list and the names of elements
// (two more pages) are read once, and again when the shelf's generation code has changed. The
// kernel's slot attributes would be four commands per slot. Source: /dev/sgN, read only. Single
// thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/enclosure/lane.h"
#include "plugins/enclosure/ses_pages.h"

namespace fmd::enclosure {

// Pages 01h and 07h in binary; "": not read yet or, for the second, not supported.
struct SesLayout {
  std::string configuration, descriptors;
};

class Components : public std::enable_shared_from_this<Components> {
 public:
  struct Answer {
    SesLayout layout;
    std::vector<Element> elements;
    std::vector<Slot> slots;
  };
  // hangs: for an error: the shelf did not answer in time.
  using Done = std::function<void(const Result<Answer>&, bool hangs)>;
  // device: path of the SCSI generic node. layout: from the previous answer. done: once, from the
  // loop; never if the object is dropped first.
  static std::shared_ptr<Components> ask(std::shared_ptr<Lane> lane, std::string device,
                                         SesLayout layout, Done done);

 private:
  Components(std::shared_ptr<Lane> lane, std::string device, SesLayout layout, Done done)
      : lane_(std::move(lane)),
        device_(std::move(device)),
        layout_(std::move(layout)),
        done_(std::move(done)) {}
  void ask_layout();
  void ask_status();
  void answered(const std::string& status);
  using Page = std::function<void(const sdk::CommandOutput&)>;
  void page(const char* number, Page then);

  std::shared_ptr<Lane> lane_;
  std::string device_;
  SesLayout layout_;
  Done done_;
  bool fresh_ = false;  // this query has read the layout
};

}  // namespace fmd::enclosure
