// Shows the API reference from the OpenAPI description. The pasted key is only in this page's memory and never stored.
(() => {
  const frame = document.getElementById("reference");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const applyScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", applyScheme);
  applyScheme();

  /** Adapts the description to this page: every call goes to the server that sent the page, and only keys authenticate. */
  function adapt(description) {
    const atThisServer = ({ url, ...rest }) => ({ ...rest, url: new URL(url, location.href).pathname });
    description.servers = description.servers.map(atThisServer);
    for (const item of Object.values(description.paths))
      if (item.servers) item.servers = item.servers.map(atThisServer);
    for (const item of Object.values(description.paths))
      for (const operation of Object.values(item))
        if (operation.security) operation.security = operation.security.filter((scheme) => !("oauth" in scheme));
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
    const keyStatus = document.getElementById("key-status");
    document.getElementById("key-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const token = key.value.trim();
      if (token === "") ui.authActions.logout(["key"]);
      else ui.preauthorizeApiKey("key", token);
      keyStatus.textContent = token === "" ? "no key" : "key set";
    });
  }

  fetch(frame.dataset.description)
    .then((response) => response.json())
    .then((description) => show(adapt(description)))
    .catch(() => {
      frame.textContent = "The description could not be loaded. Reload the page to try again.";
      frame.className = "notice";
    });
})();
