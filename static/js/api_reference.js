// Shows the API's description with Swagger UI, and lets a signed-in browser try it.
// Started from a file, so that the content policy needs no inline script.

"use strict";

(function () {
  const place = document.getElementById("reference");
  const csrf = document.querySelector("#csrf input[name=csrfmiddlewaretoken]").value;

  SwaggerUIBundle({
    url: place.dataset.schema,
    domNode: place,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    deepLinking: true,
    // The online validator would send the description to another host.
    validatorUrl: null,
    requestInterceptor(request) {
      if (new URL(request.url, document.baseURI).origin === location.origin && request.method !== "GET") {
        request.headers["X-CSRFToken"] = csrf;
      }
      return request;
    },
  });
})();
