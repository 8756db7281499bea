// Reader: runs the queries to one host one after the other, on one connection in its own thread.
// The thread is detached, so that destroying the reader does not wait for a host that hangs.
#pragma once
#include <functional>
#include <memory>

#include "fmd/base/result.h"
#include "ui/client/client.h"

namespace fmd::tray {

class Reader {
 public:
  // Called in the reader's thread, with the connection or its error.
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
