// Replies to callers on the bus, and the limit of unread ones. All functions return what an sd-bus
// method handler returns. Single thread.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/bus/manager.h"
#include "fmd/bus/sd_handles.h"

namespace fmd::bus {

int reply_error(sd_bus_message* message, const char* name, const std::string& text);
int reply_text(sd_bus_message* message, const Result<std::string>& result);
int reply_list(sd_bus_message* message, const std::vector<std::string>& list);
int reply_done(sd_bus_message* message, const Result<void>& result);

// Runs the query once the caller's uid is known, it is that user's turn (turns: one of the
// manager's), and the user has read enough of the earlier replies.
int answer_query(Manager& manager, Turns& turns, sd_bus_message* message,
                 std::function<void(Control::Ordered)> query);
// A filter for all calls: checks that there is room for a reply, also for those that sd-bus
// generates itself (properties, introspection, managed objects). userdata: the Manager.
int on_call(sd_bus_message* message, void* userdata, sd_bus_error* error);

}  // namespace fmd::bus
