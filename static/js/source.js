"use strict";

// The marked words: shown in the middle of the window, given the focus, copied on request.
(() => {
  const mark = document.getElementById("mark");
  if (mark) {
    // At once, however far down: the way there tells nothing.
    mark.scrollIntoView({ block: "center", behavior: "instant" });
    mark.focus({ preventScroll: true });
  }

  const copy = document.querySelector("[data-copy]");
  if (!copy || !navigator.clipboard) return;
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const said = document.querySelector("[data-copied]");
    try {
      await navigator.clipboard.writeText(copy.dataset.copy);
      said.textContent = "Copied.";
    } catch {
      said.textContent = "The browser did not allow copying.";
    }
  });
})();
