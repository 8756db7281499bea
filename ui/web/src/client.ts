// The connection to fmd on Cockpit's D-Bus channel. Reads need no privileges; changes use Cockpit's administrative access if the user
// has it, and polkit decides. Nothing is polled: signals of fmd start a new read.
const NAME = "org.fmd.FaultManager1";
const PATH = "/org/fmd/FaultManager1";

interface Bus {
  call(path: string, face: string, method: string, args: unknown[]): Promise<unknown[]>;
  subscribe(match: Record<string, string>, callback: () => void): unknown;
  addEventListener(name: string, callback: (event: unknown, value: unknown) => void): void;
}
interface Permission {
  allowed: boolean | null;
  addEventListener(name: "changed", callback: () => void): void;
}
declare const cockpit: {
  dbus(name: string, options?: Record<string, unknown>): Bus;
  permission(options: { admin: boolean }): Permission;
};

export class Client {
  private readonly reader = cockpit.dbus(NAME);
  private readonly writer = cockpit.dbus(NAME, { superuser: "try" });
  private readonly permission = cockpit.permission({ admin: true });
  private pending = false;

  // changed: something that fmd reports is different. lost: fmd or the connection is gone.
  constructor(private readonly changed: () => void, private readonly lost: (reason: string) => void) {
    this.permission.addEventListener("changed", () => this.soon());
    this.reader.subscribe({ interface: NAME }, () => this.soon());
    this.reader.addEventListener("owner", (_event, owner) => (owner ? this.soon() : lost("fmd is not running")));
    this.reader.addEventListener("close", () => lost("The connection to this host is lost. Reload the page to connect again"));
  }

  // Whether to offer changes. Without administrative access polkit would refuse them.
  get mayChange(): boolean {
    return this.permission.allowed === true;
  }

  // A burst of signals is one read.
  private soon(): void {
    if (this.pending) return;
    this.pending = true;
    setTimeout(() => {
      this.pending = false;
      this.changed();
    }, 40);
  }

  async read<T>(method: string, ...args: unknown[]): Promise<T> {
    const [text] = await this.reader.call(PATH, NAME, method, args);
    return JSON.parse(text as string) as T;
  }

  // The whole list, page by page: a message of D-Bus is too small for large machines.
  async list<T>(name: string, filter: Record<string, unknown>): Promise<T[]> {
    const items: T[] = [];
    let after = "";
    for (;;) {
      const page = await this.read<{ items: T[]; next: string; more: boolean }>("ListPage", name, JSON.stringify({ ...filter, after }));
      items.push(...page.items);
      if (!page.more) return items;
      after = page.next;
    }
  }

  async change(method: string, ...args: unknown[]): Promise<void> {
    await this.writer.call(PATH, NAME, method, args);
  }
}
