#include "plugins/disk/ereport.h"

namespace fmd::disk {

Ereport ereport_of(const Finding& finding, bool several) {
  const Indication& said = finding.said;
  Ereport out;
  // An unspecific error blames the disk only if it has a single path: with several, an error on one
  // of them does not accuse the disk.
  out.of_disk = said.cause == Cause::medium || said.cause == Cause::hardware ||
                ((said.cause == Cause::unspecific || said.cause == Cause::gave_up) && !several);
  // The drive works by another of its controllers.
  const Cause cause = said.cause == Cause::gave_up && several ? Cause::reset : said.cause;
  out.event_class =
      (out.of_disk ? "ereport.disk.io." : "ereport.disk.path.") + std::string(cause_name(cause));
  if (!said.operation.empty()) out.payload["operation"] = said.operation;
  if (said.sector) out.payload["sector"] = *said.sector;
  if (said.sense) {
    out.payload["sense_key"] = said.sense->key;
    out.payload["asc"] = said.sense->asc;
    out.payload["ascq"] = said.sense->ascq;
  }
  if (!said.text.empty()) out.payload["text"] = said.text;
  out.payload["times"] = finding.count;
  return out;
}

}  // namespace fmd::disk
