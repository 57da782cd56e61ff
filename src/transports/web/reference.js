// Fills the reference in from the description. The key that is pasted stays in this page's memory: nothing stores it.
(() => {
  const frame = document.getElementById("reference");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", paint);
  paint();

  /** The description as this page uses it: every call goes to the server that the page came from, signed with a key. */
  function ownCalls(description) {
    const here = ({ url, ...rest }) => ({ ...rest, url: new URL(url, location.href).pathname });
    description.servers = description.servers.map(here);
    for (const item of Object.values(description.paths)) if (item.servers) item.servers = item.servers.map(here);
    for (const item of Object.values(description.paths))
      for (const operation of Object.values(item))
        if (operation.security) operation.security = operation.security.filter((way) => !("oauth" in way));
    delete description.components.securitySchemes.oauth;
    return description;
  }

  function show(spec) {
    const ui = SwaggerUIBundle({
      spec,
      domNode: frame,
      deepLinking: true,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
      defaultModelRendering: "model",
      displayRequestDuration: true,
      filter: true,
      persistAuthorization: false,
      queryConfigEnabled: false,
      tryItOutEnabled: false,
      validatorUrl: null,
      presets: [SwaggerUIBundle.presets.apis],
      requestSnippetsEnabled: false,
    });
    const key = document.getElementById("key");
    const signed = document.getElementById("signed");
    document.getElementById("signing").addEventListener("submit", (event) => {
      event.preventDefault();
      const token = key.value.trim();
      if (token === "") ui.authActions.logout(["key"]);
      else ui.preauthorizeApiKey("key", token);
      signed.textContent = token === "" ? "no key" : "in use";
    });
  }

  fetch(frame.dataset.description)
    .then((response) => response.json())
    .then((description) => show(ownCalls(description)))
    .catch(() => {
      frame.textContent = "The description could not be loaded. Reload the page to try again.";
      frame.className = "notice";
    });
})();
