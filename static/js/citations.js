"use strict";

// A citation under the pointer or the focus lights its source; Escape hides the quoted words.
(() => {
  const light = (cite, on) => {
    const source = document.getElementById(cite.dataset.source);
    if (source) source.classList.toggle("is-lit", on);
  };

  for (const spot of document.querySelectorAll(".cite-spot")) {
    const cite = spot.querySelector(".cite");
    const quote = spot.querySelector(".cite-quote");
    const enter = () => {
      light(cite, true);
      // Words behind a citation in the right half open to the left, clear of the sources.
      const text = spot.closest(".answer-text").getBoundingClientRect();
      const middle = text.left + text.width / 2;
      quote.classList.toggle("cite-quote--end", spot.getBoundingClientRect().left > middle);
    };
    const leave = () => {
      light(cite, false);
      spot.classList.remove("is-closed");
    };
    spot.addEventListener("pointerenter", enter);
    spot.addEventListener("focusin", enter);
    spot.addEventListener("pointerleave", leave);
    spot.addEventListener("focusout", leave);
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const spot of document.querySelectorAll(".cite-spot")) {
      if (spot.matches(":hover, :focus-within")) spot.classList.add("is-closed");
    }
  });
})();
