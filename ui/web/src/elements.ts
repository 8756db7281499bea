// Elements are made from data, never from markup: text of a device cannot become HTML.
type Child = Node | string;

// Characters that are invisible or change the direction of the text around them are shown by their number.
export function visible(text: string): string {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function element(name: string, attributes: Record<string, string>, ...children: Child[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

export function section(title: string, ...children: Child[]): HTMLElement {
  return element("section", {}, element("h2", {}, title), ...children);
}

export function list(texts: string[], kind = "ul"): HTMLElement {
  return element(kind, {}, ...texts.map((text) => element("li", {}, text)));
}

// A section, unless it has nothing to say.
export function unlessEmpty(title: string, texts: string[], kind = "ul"): HTMLElement[] {
  return texts.length > 0 ? [section(title, list(texts, kind))] : [];
}

// key: names the button across redraws, so that it keeps the keyboard.
export function button(label: string, key: string, pressed: () => void): HTMLElement {
  const made = element("button", { type: "button", "data-key": key }, label);
  made.addEventListener("click", pressed);
  return made;
}

export function facts(rows: [string, string][]): HTMLElement {
  return element("dl", {}, ...rows.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}
