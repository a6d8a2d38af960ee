// Offers names under a text box as one types. Without it the whole name is typed.
"use strict";

(() => {
  const WAIT_MS = 150;

  const offer = (box, names) => {
    box.list.replaceChildren(
      ...names.map((name) => Object.assign(document.createElement("option"), { value: name })),
    );
  };

  const ask = async (box) => {
    const typed = box.value.trim();
    const url = `${box.dataset.suggestUrl}?q=${encodeURIComponent(typed)}`;
    const response = await fetch(url, { headers: { Accept: "application/json" } });
    if (response.ok && box.value.trim() === typed) {
      offer(box, (await response.json()).names);
    }
  };

  for (const box of document.querySelectorAll("input[data-suggest-url]")) {
    const list = document.createElement("datalist");
    list.id = `${box.id}_names`;
    box.after(list);
    box.setAttribute("list", list.id);
    let waiting = 0;
    box.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => ask(box).catch(() => offer(box, [])), WAIT_MS);
    });
    box.addEventListener("focus", () => ask(box).catch(() => offer(box, [])), { once: true });
  }
})();
