import { chassis } from "./chassis";
import { Client } from "./client";
import { element } from "./elements";
import { ask } from "./question";
import { overview } from "./overview";
import { problem } from "./problem";
import { followStyle } from "./style";

const page = document.getElementById("page")!;
const connection = document.getElementById("connection")!;
const clock = () => new Date().toLocaleTimeString();
let reading = false;
let again = false;
let away = "";

function lost(reason: string): void {
  if (!away) away = `${reason} (since ${clock()}). The page shows what was known then.`;
  connection.textContent = away;
}

function locate(bay: string, label: string, on: boolean): void {
  const send = () => client.change("Locate", bay, on).catch((error: Error) => ask(`${label}: ${error.message}`));
  if (on) ask(`The locate LED of ${label} will blink. Nothing else changes.`, `Let ${label} blink`, send);
  else send();
}

// Cockpit's frame begins with "#/", a page alone without anything.
const placeOf = (hash: string): string => hash.replace(/^#?\/?/, "");

function content(): Promise<Node[]> {
  const place = placeOf(location.hash);
  if (place.startsWith("case/")) return problem(client, place.slice(5));
  return place === "chassis" ? chassis(client, locate) : overview(client);
}

// One read at a time; a change meanwhile starts another one. The control with the keyboard keeps it.
async function draw(): Promise<void> {
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  try {
    const place = location.hash;
    const nodes = await content();
    if (place !== location.hash) again = true;
    else {
      const key = (document.activeElement as HTMLElement | null)?.dataset.key;
      page.replaceChildren(...nodes);
      if (key) page.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
      connection.textContent = away = "";
    }
  } catch (error) {
    lost(`fmd does not answer: ${(error as Error).message}`);
    if (!page.hasChildNodes()) page.append(element("h1", {}, "Hardware"));
  }
  reading = false;
  if (again) {
    again = false;
    void draw();
  }
}

function turn(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a")) {
    if (placeOf(link.hash) === placeOf(location.hash)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  page.focus();
  void draw();
}

const client = new Client(() => void draw(), lost);
followStyle();
addEventListener("hashchange", turn);
turn();
