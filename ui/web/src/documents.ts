// The members of the daemon's documents (schemas/documents.schema.json) that the page shows.
export interface Say {
  headline: string;
  do_now: string;
  redundancy: string;
  safe_to_pull: { answer: string; why: string };
  steps: string[];
  done: string[];
  next: string[];
}

export interface Suspect {
  bay: string;
  location: string;
  serial: string;
}

export interface Case {
  uuid: string;
  code: string;
  severity: string;
  state: string;
  description: string;
  impact: string;
  opened: number;
  suspects: Suspect[];
  timeline: { time: number; text: string }[];
  say: Say;
}

export interface Resource {
  fmri: string;
  type: string;
  present: boolean;
  properties: Record<string, unknown>;
}

export interface Pool {
  name: string;
  state: string;
  redundancy: string;
  scan: string;
  well: boolean;
}

export interface Named {
  name: string;
  text: string;
}

export interface Status {
  pools: Pool[];
  held?: Named[];
  unanswering?: Named[];
  maintenance?: { text: string; end: string };
}

export interface Config {
  dry_run: boolean;
}

export interface Plugin {
  name: string;
  connected: boolean;
  state?: string;
}
