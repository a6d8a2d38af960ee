"use strict";

// Filters that are not used stay out of the link.
(() => {
  const form = document.querySelector("[data-filters]");
  if (!form) return;
  form.addEventListener("formdata", (event) => {
    for (const [name, value] of [...event.formData]) {
      if (value === "") event.formData.delete(name);
    }
  });
})();
