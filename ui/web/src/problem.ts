import type { Client } from "./client";
import type { Case } from "./documents";
import { element, facts, list, section, unlessEmpty } from "./elements";

export async function problem(client: Client, uuid: string): Promise<Node[]> {
  const cases = await client.read<Case[]>("ListCases", JSON.stringify({ all: true, uuid, no_evidence: true }));
  const one = cases[0];
  if (!one) return [element("h1", {}, "This problem is not known to fmd")];
  const pull = one.say.safe_to_pull;
  return [element("h1", {}, one.say.headline),
    section("Do now", element("p", {}, one.say.do_now),
      facts([["Safe to pull", [pull.answer, pull.why].filter(Boolean).join(": ")], ["Redundancy", one.say.redundancy]])),
    ...unlessEmpty("Steps", one.say.steps, "ol"), ...unlessEmpty("Done", one.say.done), ...unlessEmpty("Next", one.say.next),
    section("About", element("p", {}, one.description), element("p", {}, one.impact),
      facts([["Message", one.code], ["Severity", one.severity], ["State", one.state]])),
    section("Timeline", list(one.timeline.map((entry) => `${new Date(entry.time / 1e6).toLocaleString()}: ${entry.text}`)))];
}
