import type { Client } from "./client";
import type { Case, Config, Named, Plugin, Status } from "./documents";
import { element, facts, section, unlessEmpty } from "./elements";

function problem(one: Case): HTMLElement {
  const link = element("a", { href: `#/case/${one.uuid}`, "data-key": one.uuid }, one.say.headline);
  const pull = one.say.safe_to_pull;
  return element("section", {}, element("h2", {}, link),
    facts([["Do now", one.say.do_now], ["Safe to pull", [pull.answer, pull.why].filter(Boolean).join(": ")],
      ["Redundancy", one.say.redundancy], ["Next", one.say.next.join(" ")]]));
}

const named = (one: Named): string => `${one.name}: ${one.text}`;

function verdict(open: Case[], status: Status, plugins: Plugin[]): string {
  if (open.length > 0) return `Open problems: ${open.length}`;
  const doubtful = status.pools.some((one) => !one.well) || (status.unanswering ?? []).length > 0 || (status.held ?? []).length > 0;
  if (doubtful) return "No problem is known yet";
  return plugins.some((one) => !one.connected) ? "No problem is known; not everything is watched" : "No problem is known";
}

export async function overview(client: Client): Promise<Node[]> {
  const [cases, status, config, plugins] = await Promise.all([client.list<Case>("cases", { no_evidence: true }), client.read<Status>("GetStatus"),
    client.read<Config>("GetConfig"), client.read<Plugin[]>("ListPlugins")]);
  const open = cases.filter((one) => one.state !== "UNSOLVED");
  const pools = status.pools.map((pool) => element("li", { class: pool.well ? "good" : "bad" },
    [pool.name, pool.state, pool.redundancy, pool.scan].filter(Boolean).join(", ")));
  const limits = [...(config.dry_run ? ["Dry run: fmd only watches. It changes nothing and lights no LED."] : []),
    ...(status.maintenance ? [`${status.maintenance.text}. End it with: ${status.maintenance.end}`] : [])];
  return [element("h1", {}, verdict(open, status, plugins)), ...unlessEmpty("What fmd does not do now", limits),
    ...unlessEmpty("Does not answer", (status.unanswering ?? []).map(named)), ...open.map(problem),
    ...unlessEmpty("Suspected, not decided yet", (status.held ?? []).map(named)),
    ...(pools.length > 0 ? [section("Pools", element("ul", {}, ...pools))] : []),
    section("Watched by", element("ul", {}, ...plugins.map((one) => element("li", { class: one.connected ? "good" : "bad" },
      `${one.name}: ${one.connected ? one.state ?? "" : "not running"}`))))];
}
