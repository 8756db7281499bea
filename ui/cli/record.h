// fmadm record: extracts plugin messages from the journal, with the inventory, in the format of
// fmadm replay.
#pragma once

namespace fmd::cli {

class Program;
void add_record(Program& program);

}  // namespace fmd::cli
