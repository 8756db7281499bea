// Light or dark, as the user chose in Cockpit's menu; "auto" is the browser's preference.
export function followStyle(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = (chosen: string | null) => document.documentElement.classList.toggle("dark", chosen === "dark" || (chosen !== "light" && dark.matches));
  const stored = () => apply(localStorage.getItem("shell:style"));
  dark.addEventListener("change", stored);
  addEventListener("storage", stored);
  addEventListener("cockpit-style", (event) => apply((event as CustomEvent<{ style: string }>).detail.style));
  stored();
}
