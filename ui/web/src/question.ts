import { button, element } from "./elements";

// A question with one action, or a message to be closed.
export function ask(text: string, action = "", act: () => void = () => undefined): void {
  const dialog = document.getElementById("question") as HTMLDialogElement;
  const close = button(action ? "Cancel" : "Close", "close", () => dialog.close());
  const go = button(action, "act", () => {
    dialog.close();
    act();
  });
  dialog.replaceChildren(element("p", { id: "question-text" }, text), ...(action ? [go] : []), close);
  if (!dialog.open) dialog.showModal();
}
