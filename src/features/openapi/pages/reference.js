// Runs the examples of the API reference, and shows Swagger UI when its part is opened. The typed key is only in this
// page's memory and never stored.
(() => {
  const explorer = document.getElementById("explorer");
  const frame = document.getElementById("reference");
  const key = document.getElementById("key");
  const keyStatus = document.getElementById("key-status");
  let token = "";
  let ui;
  /** In characters: what is shown of an answer. */
  const shown = 20_000;

  function authorize() {
    if (token === "") ui?.authActions.logout(["key"]);
    else ui?.preauthorizeApiKey("key", token);
  }

  document.getElementById("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    token = key.value.trim();
    authorize();
    keyStatus.textContent = token === "" ? "no key" : "key set";
  });

  /** The text of an answer: JSON with a field a line, and of other content its type and size. */
  async function textOf(response) {
    const type = response.headers.get("content-type") ?? "";
    const head = `${response.status} ${response.statusText}`;
    if (!type.includes("json")) {
      await response.body?.cancel();
      return `${head}\n${type}, ${response.headers.get("content-length") ?? "?"} bytes`;
    }
    const text = JSON.stringify(await response.json(), null, 2);
    return `${head}\n${text.length > shown ? `${text.slice(0, shown)}\n… ${text.length} characters in all` : text}`;
  }

  for (const form of document.querySelectorAll("form.run"))
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const output = form.nextElementSibling;
      output.textContent = "…";
      try {
        const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
        output.textContent = await textOf(await fetch(form.dataset.base + form.elements.path.value, { headers }));
      } catch {
        output.textContent = "The server does not answer.";
      }
    });

  function openTarget() {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches("details.operation")) target.open = true;
  }
  addEventListener("hashchange", openTarget);
  openTarget();

  /**
   * Adapts the description to this page: every call goes to the server that sent the page, and only keys authenticate.
   */
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
    ui = SwaggerUIBundle({
      spec,
      domNode: frame,
      deepLinking: false,
      docExpansion: "none",
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
      onComplete: authorize,
    });
  }

  /** Resolves when an element that loads a file has loaded it. */
  const loaded = (element) =>
    new Promise((resolve, reject) => {
      element.onload = resolve;
      element.onerror = reject;
      document.head.append(element);
    });

  async function explore() {
    const { description, style, script } = explorer.dataset;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const applyScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
    dark.addEventListener("change", applyScheme);
    applyScheme();
    try {
      const [answer] = await Promise.all([
        fetch(description).then((response) => response.json()),
        loaded(Object.assign(document.createElement("link"), { rel: "stylesheet", href: style })),
        loaded(Object.assign(document.createElement("script"), { src: script })),
      ]);
      show(adapt(answer));
    } catch {
      frame.textContent = "The description could not be loaded. Reload the page to try again.";
      frame.className = "notice";
    }
  }
  explorer.addEventListener("toggle", explore, { once: true });
})();
