import type { Client } from "./client";
import type { Case, Plugin, Status } from "./documents";
import { element, facts, section } from "./elements";

function problem(one: Case): HTMLElement {
  const link = element("a", { href: `#/case/${one.uuid}`, "data-key": one.uuid }, one.say.headline);
  const pull = one.say.safe_to_pull;
  return element("section", {}, element("h2", {}, link),
    facts([["Do now", one.say.do_now], ["Safe to pull", [pull.answer, pull.why].filter(Boolean).join(": ")],
      ["Redundancy", one.say.redundancy], ["Next", one.say.next.join(" ")]]));
}

export async function overview(client: Client): Promise<Node[]> {
  const [cases, status, plugins] = await Promise.all([client.list<Case>("cases", { no_evidence: true }), client.read<Status>("GetStatus"),
    client.read<Plugin[]>("ListPlugins")]);
  const open = cases.filter((one) => one.state !== "UNSOLVED");
  const blind = plugins.filter((one) => !one.connected);
  const verdict = open.length > 0 ? `Open problems: ${open.length}` : blind.length > 0 ? "No problem is known; not everything is watched" : "No problem is known";
  const pools = status.pools.map((pool) => element("li", { class: pool.well ? "good" : "bad" },
    [pool.name, pool.state, pool.redundancy, pool.scan].filter(Boolean).join(", ")));
  return [element("h1", {}, verdict), ...open.map(problem), section("Pools", element("ul", {}, ...pools)),
    section("Watched by", element("ul", {}, ...plugins.map((one) => element("li", { class: one.connected ? "good" : "bad" },
      `${one.name}: ${one.connected ? one.state ?? "" : "not running"}`))))];
}
