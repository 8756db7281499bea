// Reader: what is asked of one host, one after the other, on one connection in a thread of its own. The
// thread is left to itself when the reader goes while the host hangs.
#pragma once
#include <functional>
#include <memory>

#include "fmd/base/result.h"
#include "ui/client/client.h"

namespace fmd::tray {

class Reader {
 public:
  // In the reader's thread: the connection, or why there is none.
  using Job = std::function<void(Result<ui::Client*>)>;

  explicit Reader(ui::Target target);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  void add(Job job);

 private:
  struct Queue;
  static void run(std::shared_ptr<Queue> queue, ui::Target target);
  std::shared_ptr<Queue> queue_;
};

}  // namespace fmd::tray
