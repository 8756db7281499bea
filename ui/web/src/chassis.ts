import type { Client } from "./client";
import type { Case, Resource } from "./documents";
import { button, element, section } from "./elements";

const text = (value: unknown): string => (value === undefined ? "" : String(value));

// The open case of each bay, by the bay's FMRI: two shelves may both have a "SLOT 04".
function byBay(cases: Case[]): Map<string, Case> {
  const found = new Map<string, Case>();
  for (const one of cases) for (const suspect of one.suspects) if (one.state !== "UNSOLVED") found.set(suspect.bay, one);
  return found;
}

export async function chassis(client: Client, locate: (bay: string, label: string, on: boolean) => void): Promise<Node[]> {
  const [bays, disks, cases] = await Promise.all([client.list<Resource & { edges: { relation: string; to: string }[] }>("resources", { type: "bay" }),
    client.list<Resource>("resources", { type: "disk" }), client.list<Case>("cases", { no_evidence: true })]);
  const failing = byBay(cases);
  const known = new Map(disks.map((disk) => [disk.fmri, disk]));
  const items = bays.map((bay) => {
    const label = text(bay.properties.label) || bay.fmri;
    const disk = bay.edges.map((edge) => known.get(edge.to)).find((one) => one !== undefined);
    const problem = failing.get(bay.fmri);
    const lit = bay.properties["led.locate"] === "on";
    const about = disk ? [disk.properties.model, disk.properties.serial, disk.properties.path].map(text).filter(Boolean).join(", ")
      : bay.properties.occupied ? "occupied, no disk is seen" : "empty";
    const item = element("li", problem ? { class: "bad" } : {}, element("strong", {}, label), element("div", { class: "soft" }, about));
    if (problem) item.append(element("div", {}, "× ", element("a", { href: `#/case/${problem.uuid}` }, problem.say.headline)));
    if (bay.properties["led.fault"] === "on") item.append(element("div", { class: "warn" }, "Fault LED is on"));
    if (lit) item.append(element("div", { class: "warn" }, "Locate LED is on"));
    if (client.mayChange && bay.properties["led.method"]) item.append(button(`${lit ? "Stop locating" : "Locate"} ${label}`, bay.fmri, () => locate(bay.fmri, label, !lit)));
    return item;
  });
  return [element("h1", {}, "Chassis"), section("Bays", element("ul", { class: "bays" }, ...items))];
}
