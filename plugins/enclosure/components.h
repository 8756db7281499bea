// Components: what one shelf says of its slots, power supplies, fans and temperatures, by sg_ses(8) on
// the shelf's lane: its status page, one command a look. Which elements there are and what they are
// called (two pages more) is asked once, and again when the shelf's generation code has changed. The
// kernel's attributes of the slots would be four commands a slot. Source: /dev/sgN, read only.
// Single thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/enclosure/lane.h"
#include "plugins/enclosure/ses_pages.h"

namespace fmd::enclosure {

// Pages 01h and 07h in binary; "" not read yet, or (the second) not there.
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
  // hangs: of an error, it did not answer in time.
  using Done = std::function<void(const Result<Answer>&, bool hangs)>;
  // device: path of the SCSI generic node. layout: of the answer before. done: once, from the loop;
  // not when dropped before.
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
  bool fresh_ = false;  // the layout is of this asking
};

}  // namespace fmd::enclosure
