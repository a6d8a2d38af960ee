"use strict";

// Keys that work on every page: "/" goes to the box, Escape closes what is open.
(() => {
  const isWriting = (target) =>
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select"));

  const closeOpenPanel = () => {
    const open = [...document.querySelectorAll("details.panel[open]")].pop();
    if (!open) return false;
    open.open = false;
    open.querySelector("summary").focus();
    return true;
  };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && closeOpenPanel()) {
      event.preventDefault();
      return;
    }
    if (event.key === "/" && !isWriting(event.target)) {
      const box = document.querySelector("[data-box]");
      if (!box) return;
      event.preventDefault();
      box.focus();
      box.select();
    }
  });

  document.addEventListener("click", (event) => {
    for (const account of document.querySelectorAll("details.account[open]")) {
      if (!account.contains(event.target)) account.open = false;
    }
  });
})();
