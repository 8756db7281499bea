// fmadm record: what plugins have told, cut out of the journal together with the inventory, in the
// form that fmadm replay takes.
#pragma once

namespace fmd::cli {

class Program;
void add_record(Program& program);

}  // namespace fmd::cli
