"use strict";

// The box: Enter sends, Shift+Enter makes a line, an input method's Enter does neither; the date
// says when it is not today; an error or a stop leaves the question where it was.
(() => {
  const start = (form) => {
    const box = form.querySelector("[data-box]");
    const send = form.querySelector("button[type=submit]");
    const stop = form.querySelector("[data-stop]");
    const status = form.querySelector("[data-status]");
    const errors = form.querySelector("[data-errors]");
    let flight = null;

    const showErrors = (messages) => {
      errors.replaceChildren(
        ...messages.map((message) => {
          const line = document.createElement("p");
          line.textContent = message;
          return line;
        }),
      );
    };

    const rest = (message) => {
      flight = null;
      send.disabled = false;
      stop.hidden = true;
      form.classList.remove("ask--busy");
      status.textContent = message;
      box.focus();
    };

    const ask = async () => {
      flight = new AbortController();
      send.disabled = true;
      stop.hidden = false;
      form.classList.add("ask--busy");
      showErrors([]);
      status.textContent = "Reading what you may read…";
      try {
        const response = await fetch(form.action, {
          method: "POST",
          body: new FormData(form),
          headers: { Accept: "application/json" },
          signal: flight.signal,
        });
        const reply = await response.json();
        if (response.ok) {
          location.assign(reply.url);
          return;
        }
        showErrors([reply.message]);
        rest("");
      } catch (error) {
        if (error.name !== "AbortError") {
          showErrors(["No answer came back. Your question is still here: send it again."]);
        }
        rest(error.name === "AbortError" ? "Stopped. Your question is still here." : "");
      }
    };

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (flight === null && form.reportValidity()) ask();
    });

    stop.addEventListener("click", () => flight && flight.abort());

    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && flight) flight.abort();
      // 229 is what browsers send for a key that an input method has taken.
      if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
      if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      form.requestSubmit();
    });

    // A page kept by the browser and shown again must not stay busy.
    addEventListener("pageshow", (event) => event.persisted && rest(""));
  };

  const startDate = (control) => {
    const input = control.querySelector("input");
    const button = control.querySelector("[data-today]");
    const show = () => {
      const changed = input.value !== "" && input.value !== control.dataset.asOf;
      control.classList.toggle("as-of--changed", changed);
      button.hidden = !changed;
    };
    input.addEventListener("input", show);
    button.addEventListener("click", () => {
      input.value = control.dataset.asOf;
      show();
      input.focus();
    });
    show();
  };

  document.querySelectorAll("[data-ask]").forEach(start);
  document.querySelectorAll("[data-as-of]").forEach(startDate);
})();
