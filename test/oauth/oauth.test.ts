// Signing in for MCP: discovery, registration, the consent page, and redirects.
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer, revoke } from "../support/app.ts";
import { locationOf, openPage, sendForm, signIn } from "../support/consent_page.ts";
import { sampling } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { callback, challenge, code_verifier } from "../support/sign_in.ts";

let now = Date.parse("2026-11-20T09:00:00Z");
const server = await openTestServer({ clock: () => now });
const { store, url } = server;
const seedData = seedDataOf(store);
const minutes = (count: number) => {
  now += count * 60_000;
};

/** Checks an error response: the fields of RFC 6749 and our `detail`. */
async function assertError(response: Response, status: number, error: string, detail?: RegExp): Promise<void> {
  const text = await response.text();
  assert.is(response.status, status, text);
  assert.is(response.headers.get("cache-control"), "no-store");
  const body = JSON.parse(text);
  assert.is(body.error, error, text);
  assert.type(body.error_description, "string");
  assert.match(body.detail, detail ?? /./);
}

const register = (metadata: unknown) =>
  server.ask(undefined, "/register", {
    method: "POST",
    body: typeof metadata === "string" ? metadata : JSON.stringify(metadata),
    headers: { "content-type": "application/json" },
  });

async function registered(
  redirect_uris: readonly string[] = [callback],
  client_name = "Board <b>bot</b>",
): Promise<any> {
  minutes(1); // so that the rate limit does not apply
  const response = await register({ client_name, redirect_uris });
  assert.is(response.status, 201, await response.clone().text());
  return response.json();
}

function authorizeUrl(client_id: string, changed: Record<string, string | undefined> = {}): string {
  const parameters: Record<string, string | undefined> = {
    client_id,
    redirect_uri: callback,
    response_type: "code",
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "a state & more",
    ...changed,
  };
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${url}/authorize?${new URLSearchParams(given)}`;
}

/** Completes a sign-in for the client. */
async function completeSignIn(client_id: string): Promise<void> {
  const back = await signIn(authorizeUrl(client_id), mint(store));
  const code = back.searchParams.get("code") as string;
  const grant = { grant_type: "authorization_code", client_id, redirect_uri: callback, code, code_verifier };
  const response = await server.ask(undefined, "/token", { method: "POST", body: new URLSearchParams(grant) });
  assert.is(response.status, 200, await response.text());
}

/** Invalid parameters of a request with a valid client and redirect address, and the error codes. */
const invalidParameters = [
  [{ response_type: "token" }, "unsupported_response_type"],
  [{ response_type: undefined }, "invalid_request"],
  [{ code_challenge: undefined }, "invalid_request"],
  [{ code_challenge: "short" }, "invalid_request"],
  [{ code_challenge_method: "plain" }, "invalid_request"],
  [{ code_challenge_method: undefined }, "invalid_request"],
  [{ resource: "https://elsewhere.example/mcp" }, "invalid_target"],
  [{ resource: `${url}/api/v1` }, "invalid_target"],
] as const;

const discovery = suite("/.well-known");

discovery(
  "describes the protected resource at the root and at the path forms of both addresses, without a key",
  async () => {
    for (const [path, resource] of [
      ["", "/mcp"],
      ["/mcp", "/mcp"],
      ["/api/v1/mcp", "/api/v1/mcp"],
    ]) {
      const response = await server.ask(undefined, `/.well-known/oauth-protected-resource${path}`);
      assert.is(response.status, 200);
      const document: any = await response.json();
      assert.is(document.resource, `${url}${resource}`);
      assert.equal(document.authorization_servers, [url]);
      assert.equal(document.bearer_methods_supported, ["header"]);
    }
  },
);

discovery("the authorization server metadata names the endpoints, PKCE with S256 only, and the issuer", async () => {
  const document: any = await (await server.ask(undefined, "/.well-known/oauth-authorization-server")).json();
  assert.is(document.issuer, url);
  for (const [field, path] of Object.entries({
    authorization_endpoint: "/authorize",
    token_endpoint: "/token",
    registration_endpoint: "/register",
    revocation_endpoint: "/revoke",
  }))
    assert.is(document[field], url + path);
  assert.equal(document.code_challenge_methods_supported, ["S256"]);
  assert.equal(document.token_endpoint_auth_methods_supported, ["none"]);
  assert.is(document.authorization_response_iss_parameter_supported, true);
});

discovery("contains the configured public addresses", async () => {
  const addresses = { mcp_url: "https://mcp.example", auth_url: "https://auth.example" };
  const other = await openTestServer({ addresses });
  const resource: any = await (await other.ask(undefined, "/.well-known/oauth-protected-resource")).json();
  assert.is(resource.resource, "https://mcp.example/mcp");
  assert.equal(resource.authorization_servers, ["https://auth.example"]);
  const issuer: any = await (await other.ask(undefined, "/.well-known/oauth-authorization-server")).json();
  assert.is(issuer.issuer, "https://auth.example");
  await other.stop();
});

discovery("returns 404 for other documents and 405 for other methods", async () => {
  for (const path of ["openid-configuration", "oauth-authorization-server/mcp", "oauth-protected-resource/other", ""])
    await assertRefused(await server.ask(undefined, `/.well-known/${path}`), 404);
  const response = await server.ask(undefined, "/.well-known/oauth-protected-resource", { method: "POST" });
  assert.is(response.headers.get("allow"), "GET, HEAD");
  await assertRefused(response, 405);
});

discovery.run();

/** What clients of MCP register, and the redirect addresses of it that are kept. */
const registrationsOfClients: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
    {
      client_name: "Cursor",
      redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    {
      client_name: "Visual Studio Code",
      client_uri: "https://code.visualstudio.com",
      redirect_uris: [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://127.0.0.1/",
        "http://127.0.0.1:33418/",
      ],
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    { client_name: "VS Code", redirect_uris: ["vscode://vscode.github-authentication", "vscode-insiders://x/cb"] },
    {
      client_name: "Claude",
      redirect_uris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
      scope: "claudeai",
    },
    { client_name: "Claude Code (tallylight)", redirect_uris: ["http://localhost:54212/callback"], logo_uri: null },
    { client_name: "Others", redirect_uris: ["windsurf://x/cb", "claude://x/cb", "zed://x/cb"] },
  ].map((given) => [JSON.stringify(given), given.redirect_uris] as const),
);
const partlyAllowed = { redirect_uris: ["intent://x", "vscode://x/cb", "http://app.example/cb", "zed://cb#part"] };
Object.assign(registrationsOfClients, { [JSON.stringify(partlyAllowed)]: ["vscode://x/cb"] });

const registration = suite("POST /register");

registration("returns 201 with a public client, whatever client type the request asks for", async () => {
  const response = await register({
    client_name: "Dailies",
    redirect_uris: [callback],
    token_endpoint_auth_method: "client_secret_post",
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    software_id: "unknown fields are passed over",
  });
  assert.is(response.status, 201);
  assert.is(response.headers.get("cache-control"), "no-store");
  const client: any = await response.json();
  assert.match(client.client_id, /^[\w-]{22}$/);
  assert.is(client.client_id_issued_at, now / 1000);
  assert.is(client.client_name, "Dailies");
  assert.equal(client.redirect_uris, [callback]);
  assert.equal(client.grant_types, ["authorization_code", "refresh_token"]);
  assert.is(client.token_endpoint_auth_method, "none");
  assert.is(client.client_secret, undefined);
});

registration("accepts https, http on loopback, and private-use schemes", async () => {
  await registered([
    "https://app.example/cb?x=1",
    "http://localhost/cb",
    "http://127.0.0.1:9000/",
    "http://[::1]:9000/cb",
    "com.example.app:/oauth/callback",
    "com.example.app:/cb",
  ]);
});

registration("takes what Cursor, VS Code and Claude register, and keeps the addresses that are allowed", async () => {
  for (const [given, kept] of Object.entries(registrationsOfClients)) {
    minutes(1);
    const { redirect_uris, ...more } = JSON.parse(given);
    const response = await register({ ...more, redirect_uris });
    assert.is(response.status, 201, given);
    const { client_id, redirect_uris: stored }: any = await response.json();
    assert.equal(stored, kept);
    for (const redirect_uri of stored)
      assert.is((await openPage(authorizeUrl(client_id, { redirect_uri }))).response.status, 200, redirect_uri);
  }
});

registration("null stands for what is absent", async () => {
  const nothing = { client_name: null, grant_types: null, response_types: null, scope: null };
  const response = await register({ redirect_uris: [callback], ...nothing, token_endpoint_auth_method: null });
  assert.is(response.status, 201);
  await assertError(await register({ redirect_uris: null }), 400, "invalid_redirect_uri");
});

registration("takes the schemes of the setting oauth_redirect_schemes", async () => {
  const other = await openTestServer({ config: { ...server.app.config, oauth_redirect_schemes: ["exampleapp"] } });
  const sent = (uri: string) =>
    fetch(`${other.url}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [uri] }),
    });
  assert.equal([(await sent("exampleapp://cb")).status, (await sent("otherapp://cb")).status], [201, 400]);
  assert.is((await sent("exampleapp://cb#x")).status, 400, "none with a fragment");
  await other.stop();
});

registration("refuses every other redirect address with invalid_redirect_uri", async () => {
  for (const uri of [
    "http://app.example/cb",
    "http://localhost.evil.example/cb",
    "http://127.0.0.1.evil.example/",
    "http://localhost@evil.example/",
    "https://user:pass@app.example/",
    "https://@app.example/cb",
    "http://@localhost/cb",
    "https:/app.example/cb",
    "https:app.example/cb",
    "https:///app.example/cb",
    "http:/127.0.0.1/cb",
    "https://app.example/cb#fragment",
    "https://app.example/ cb",
    "https://app.example;frame-ancestors/cb",
    "https://*.example/cb",
    "https://ä.example/cb",
    "javascript:alert(1)",
    ...[
      "intent",
      "ms-msdt",
      "jar",
      "search-ms",
      "ms-word",
      "shell",
      "file",
      "tel",
      "about",
      "steam",
      "a",
      "x-apple",
    ].map((scheme) => `${scheme}://x/cb`),
    "intent:#Intent;end",
    "INTENT:x",
    "ms-msdt:/id",
    "jar:https://app.example!/x",
    "dot.:x",
    "a..b:x",
    "1.b:x",
    "data:text/html,x",
    "file:///etc/passwd",
    "/cb",
    "",
    `https://app.example/${"x".repeat(2000)}`,
  ]) {
    minutes(1);
    await assertError(
      await register({ redirect_uris: [uri] }),
      400,
      "invalid_redirect_uri",
      /^redirect_uris\[0\] must/,
    );
  }
  for (const redirect_uris of [[], undefined, callback, Array(11).fill(callback), [7]])
    await assertError(await register({ redirect_uris }), 400, "invalid_redirect_uri");
});

registration("refuses invalid metadata, and bodies over 16 KiB", async () => {
  minutes(1);
  for (const body of ["{", "[]", "1", '"x"']) await assertError(await register(body), 400, "invalid_client_metadata");
  await assertError(await register({ redirect_uris: [callback], client_name: 7 }), 400, "invalid_client_metadata");
  await assertRefused(await register({ redirect_uris: [callback], client_uri: "x".repeat(17_000) }), 413);
});

registration("is limited to thirty per minute from one address", async () => {
  minutes(2);
  const statuses: number[] = [];
  for (let n = 0; n < 31; n++) statuses.push((await register({ redirect_uris: [callback] })).status);
  assert.equal(statuses, [...Array(30).fill(201), 429]);
  const response = await register({ redirect_uris: [callback] });
  assert.is(response.headers.get("retry-after"), "2"); // thirty per minute is one every two seconds
  await assertRefused(response, 429);
  minutes(1);
  assert.is((await register({ redirect_uris: [callback] })).status, 201);
});

registration("a client that never completed a sign-in is unknown after a day, and its row is removed", async () => {
  const { client_id } = await registered();
  assert.is((await openPage(authorizeUrl(client_id))).response.status, 200);
  minutes(24 * 60);
  assert.is((await openPage(authorizeUrl(client_id))).response.status, 400);
  await registered();
  assert.is(one(store, "SELECT count(*) FROM oauth_clients WHERE client_id = ?", client_id), 0);
});

registration("keeps the newest thousand of the clients that never completed a sign-in", async () => {
  const { client_id } = await registered();
  store.writeSync(() => {
    for (let n = 0; n < 1000; n++)
      store.statement("create_oauth_client").run({
        client_id: `c${n}`,
        name: "x",
        redirect_uris: "[]",
        now: new Date(now).toISOString(),
      });
  });
  await registered();
  assert.is(one(store, "SELECT count(*) FROM oauth_clients WHERE used_at IS NULL"), 1000);
  assert.is((await openPage(authorizeUrl(client_id))).response.status, 400);
});

registration.run();

const authorization = suite("/authorize");

authorization(
  "shows an error page, or JSON to programs, and never redirects without a valid client and address",
  async () => {
    const { client_id } = await registered();
    for (const [changed, error, detail] of [
      [{ client_id: undefined }, "invalid_request", /client_id is required/],
      [{ client_id: "nobody" }, "invalid_client", /client/],
      [{ redirect_uri: undefined }, "invalid_request", /redirect_uri is required/],
      [{ redirect_uri: "http://127.0.0.1:33418/other" }, "invalid_request", /redirect_uri/],
      [{ redirect_uri: "http://localhost:33418/callback" }, "invalid_request", /redirect_uri/],
      [{ redirect_uri: `${callback}?x=1` }, "invalid_request", /redirect_uri/],
      [{ redirect_uri: "http://127.0.0.1:33418@evil.example/callback" }, "invalid_request", /redirect_uri/],
      [{ redirect_uri: "https://evil.example/callback" }, "invalid_request", /redirect_uri/],
    ] as const) {
      const target = authorizeUrl(client_id, changed);
      await assertError(await fetch(target, { redirect: "manual" }), 400, error, detail);
      const { response, text } = await openPage(target);
      assert.is(response.status, 400);
      assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
      assert.match(text, new RegExp(detail.source, "i")); // on the page it begins with a capital letter
    }
  },
);

authorization("refuses a redirect scheme without a dot that a former version registered", async () => {
  for (const uri of ["intent:#Intent;end", "ms-msdt:/id", "jar:https://app.example!/x", "steam://x/cb"]) {
    const { client_id } = await registered();
    store.writeSync(() =>
      store.database
        .prepare("UPDATE oauth_clients SET redirect_uris = ? WHERE client_id = ?")
        .run(JSON.stringify([uri, callback]), client_id),
    );
    const refused = await fetch(authorizeUrl(client_id, { redirect_uri: uri }), { redirect: "manual" });
    await assertError(refused, 400, "invalid_request", /redirect_uri is not registered/);
    assert.is((await openPage(authorizeUrl(client_id))).response.status, 200, "its other address is good");
  }
});

authorization("refuses a request whose signature has other characters than its own", async () => {
  for (const signature of [`${"a".repeat(42)}é`, "é".repeat(43), "", "€"])
    for (const payload of ["x", ""]) {
      const response = await fetch(`${url}/authorize`, {
        method: "POST",
        body: new URLSearchParams({ request: `${payload}.${signature}`, step: "review" }),
      });
      await assertRefused(response, 400, /expired or was already used/);
    }
});

authorization("matches loopback addresses on any port, others exactly", async () => {
  const { client_id } = await registered(["http://localhost/cb", "https://app.example/cb"]);
  for (const [redirect_uri, status] of [
    ["http://localhost:51234/cb", 200],
    ["http://localhost/cb", 200],
    ["http://localhost:99999/cb", 400],
    ["http://localhost:51234/cb/", 400],
    ["https://app.example/cb", 200],
    ["https://app.example:444/cb", 400],
  ] as const)
    assert.is((await openPage(authorizeUrl(client_id, { redirect_uri }))).response.status, status, redirect_uri);
});

authorization("shows request errors here and does not redirect until the client has completed a sign-in", async () => {
  const { client_id } = await registered();
  await signIn(authorizeUrl(client_id), mint(store)); // consent without a token request does not complete it
  for (const [changed, error] of invalidParameters) {
    const target = authorizeUrl(client_id, changed);
    await assertError(await fetch(target, { redirect: "manual" }), 400, error);
    const { response, text } = await openPage(target);
    assert.is(response.status, 400);
    assert.is(response.headers.get("location"), null);
    assert.match(text, "Board &lt;b&gt;bot&lt;/b&gt;</strong>, as the app calls itself");
    const [, link = ""] = /<a href="([^"]+)" rel="noreferrer">go back to an app on this device/.exec(text) ?? [];
    assert.match(link, `${callback}?error=${error}&amp;`);
    assert.not.match(text, /http-equiv|<script/i);
  }
});

authorization(
  "redirects request errors to a client that has completed a sign-in, with code, state and issuer",
  async () => {
    const { client_id } = await registered();
    await completeSignIn(client_id);
    for (const [changed, error] of invalidParameters) {
      const back = locationOf(await openPage(authorizeUrl(client_id, changed)));
      assert.is(back.origin + back.pathname, callback);
      assert.is(back.searchParams.get("error"), error);
      assert.is(back.searchParams.get("state"), "a state & more");
      assert.is(back.searchParams.get("iss"), url);
      assert.is(back.searchParams.get("code"), null);
    }
    const twice = locationOf(await openPage(`${authorizeUrl(client_id)}&scope=read&scope=write`));
    assert.is(twice.searchParams.get("error"), "invalid_request");
  },
);

authorization(
  "never redirects a GET or HEAD to a client that has not completed a sign-in, whatever the parameters are",
  async () => {
    const { client_id } = await registered([callback, "https://evil.example/cb"]);
    const names = ["response_type", "code_challenge", "code_challenge_method", "resource", "scope", "state", "prompt"];
    const values = ["code", "token", "none", "S256", "plain", challenge, "", `${url}/mcp`, "https://evil.example/"];
    const parameter = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values));
    const redirect_uri = fc.constantFrom(callback, "https://evil.example/cb");
    const asked = fc.record({ redirect_uri, parameters: fc.array(parameter), method: fc.constantFrom("GET", "HEAD") });
    await fc.assert(
      fc.asyncProperty(asked, async ({ redirect_uri, parameters, method }) => {
        const query = new URLSearchParams([["client_id", client_id], ["redirect_uri", redirect_uri], ...parameters]);
        for (const accept of ["text/html", "*/*"]) {
          const response = await fetch(`${url}/authorize?${query}`, {
            method,
            redirect: "manual",
            headers: { accept },
          });
          assert.ok([200, 400].includes(response.status), String(response.status));
          assert.is(response.headers.get("location") ?? response.headers.get("refresh"), null);
          await response.text();
        }
      }),
      sampling(200),
    );
  },
);

authorization("accepts both MCP addresses as the resource", async () => {
  const { client_id } = await registered();
  for (const resource of [`${url}/mcp`, `${url}/mcp/`, `${url}/api/v1/mcp`, undefined])
    assert.is((await openPage(authorizeUrl(client_id, { resource }))).response.status, 200);
});

authorization("the page shows the app and its address, escaped, loads nothing foreign and forbids frames", async () => {
  const { client_id } = await registered();
  const { response, text } = await openPage(authorizeUrl(client_id, { scope: "read openid" }));
  assert.is(response.status, 200);
  assert.match(text, "Board &lt;b&gt;bot&lt;/b&gt;");
  assert.not.match(text, "<b>bot");
  assert.match(text, "127.0.0.1:33418");
  assert.match(text, /<code>read<\/code>/);
  assert.not.match(text, /<code>write<\/code>/);
  assert.not.match(text, /<script|javascript:|onload=/i);
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]) assert.match(policy, part);
  assert.match(policy, "form-action 'self' https: http://127.0.0.1:33418");
  assert.not.match(policy, /unsafe|script-src/);
  assert.is(response.headers.get("x-frame-options"), "DENY");
  assert.is(response.headers.get("cache-control"), "no-store");
});

authorization(
  "shows the production, the key and the app's scopes after a key is entered, and asks for consent",
  async () => {
    const { client_id } = await registered();
    const engagement_id = seedData.submitter;
    const scopes = ["read", "submit:turnover"] as const;
    const key = mint(store, { production_id: seedData.production, engagement_id, scopes, label: "Comp & roto" });
    const page = await openPage(authorizeUrl(client_id, { scope: "read write" }));
    const { response, text } = await sendForm(page, { api_key: ` ${key}\n`, step: "review" });
    assert.is(response.status, 200);
    assert.match(text, one<string>(store, "SELECT title FROM productions WHERE id = ?", seedData.production));
    assert.match(text, "Comp &amp; roto");
    assert.match(text, /<code>read<\/code>/);
    assert.not.match(text, /<code>(?:write|submit:turnover)<\/code>/);
    assert.not.match(text, key);
  },
);

authorization(
  "redirects with a code, the state and the issuer after consent, with or without the review step",
  async () => {
    const { client_id } = await registered();
    const key = mint(store);
    const reviewed = await signIn(authorizeUrl(client_id), key);
    const atOnce = locationOf(await sendForm(await openPage(authorizeUrl(client_id)), { api_key: key }));
    for (const back of [reviewed, atOnce]) {
      assert.equal([...back.searchParams.keys()], ["code", "state", "iss"]);
      assert.is(back.searchParams.get("state"), "a state & more");
      assert.is(back.searchParams.get("iss"), url);
    }
    assert.is.not(reviewed.searchParams.get("code"), atOnce.searchParams.get("code"));
  },
);

authorization("keeps the query of a redirect address and a private-use scheme", async () => {
  const { client_id } = await registered(["https://app.example/cb?tenant=1", "com.cursor.app://x/cb"]);
  const key = mint(store);
  const web = await signIn(authorizeUrl(client_id, { redirect_uri: "https://app.example/cb?tenant=1" }), key);
  assert.match(web.href, /^https:\/\/app\.example\/cb\?tenant=1&code=/);
  const app = await signIn(authorizeUrl(client_id, { redirect_uri: "com.cursor.app://x/cb", state: undefined }), key);
  assert.match(app.href, /^com\.cursor\.app:\/\/x\/cb\?code=[\w-]{43}&iss=/);
});

authorization("redirects with access_denied after Cancel", async () => {
  const { client_id } = await registered();
  const back = locationOf(await sendForm(await openPage(authorizeUrl(client_id)), { step: "deny" }));
  assert.is(back.searchParams.get("error"), "access_denied");
  assert.is(back.searchParams.get("state"), "a state & more");
});

authorization("the page says where Cancel leads", async () => {
  const { client_id } = await registered(["https://app.example/cb"]);
  const { text } = await openPage(authorizeUrl(client_id, { redirect_uri: "https://app.example/cb" }));
  assert.match(text, "Cancel also returns you to app.example.");
});

authorization(
  "shows the page again with a message and 401 for a wrong, revoked, expired or missing key, and for a token",
  async () => {
    const { client_id } = await registered();
    const revoked = mint(store, { label: "revoked" });
    revoke(store, "revoked");
    const expired = mint(store, { expires_at: new Date(now - 1).toISOString() });
    for (const api_key of ["tl_wrong", revoked, expired, "", "tlo_token"])
      for (const step of ["review", "allow"]) {
        const page = await sendForm(await openPage(authorizeUrl(client_id)), { api_key, step });
        assert.is(page.response.status, 401);
        assert.match(page.text, "This API key is unknown, ended or expired.");
        assert.is(
          locationOf(await sendForm(page, { api_key: mint(store), step: "allow" })).searchParams.has("code"),
          true,
        );
      }
  },
);

authorization("limits the number of wrong keys", async () => {
  const { client_id } = await registered();
  const page = await openPage(authorizeUrl(client_id));
  let last = 0;
  for (let n = 0; n < 21; n++) last = (await sendForm(page, { api_key: "tl_guess" })).response.status;
  assert.is(last, 429);
  minutes(1);
  assert.is((await sendForm(page, { api_key: "tl_guess" })).response.status, 401);
});

authorization("refuses a form that was used, changed, forged or is too old, and a form from another site", async () => {
  const { client_id } = await registered();
  const key = mint(store);
  const page = await openPage(authorizeUrl(client_id));
  const request = page.hidden.request as string;
  const [payload = "", signature = ""] = request.split(".");
  const altered = JSON.parse(Buffer.from(payload, "base64url").toString());
  const sealed = (fields: object) => Buffer.from(JSON.stringify({ ...altered, ...fields })).toString("base64url");
  const forged = [
    "",
    "x.y",
    payload,
    `${sealed({ redirect_uri: "https://evil.example/" })}.${signature}`,
    `${sealed({ key_id: 1 })}.${signature}`,
  ];
  for (const text of forged) {
    const answer = await sendForm({ ...page, hidden: { request: text } }, { api_key: key });
    assert.is(answer.response.status, 400);
    assert.match(answer.text, /has expired or was already used/);
  }
  const foreign = await sendForm(page, { api_key: key }, { origin: "https://evil.example" });
  assert.is(foreign.response.status, 403);
  locationOf(await sendForm(page, { api_key: key }));
  assert.is((await sendForm(page, { api_key: key })).response.status, 400);
  const late = await openPage(authorizeUrl(client_id));
  minutes(10);
  assert.is((await sendForm(late, { api_key: key })).response.status, 400);
});

authorization("asks for another key if the key is revoked between review and consent", async () => {
  const { client_id } = await registered();
  const key = mint(store, { label: "between" });
  const review = await sendForm(await openPage(authorizeUrl(client_id)), { api_key: key, step: "review" });
  revoke(store, "between");
  assert.is((await sendForm(review, { step: "allow" })).response.status, 401);
});

authorization("endpoints accept only their own methods, content type and body size", async () => {
  for (const [path, allow] of [
    ["/register", "POST"],
    ["/token", "POST"],
    ["/revoke", "POST"],
    ["/authorize", "GET, HEAD, POST"],
  ] as const) {
    const response = await server.ask(undefined, path, { method: "PUT" });
    assert.is(response.headers.get("allow"), allow);
    await assertRefused(response, 405);
  }
  for (const path of ["/token", "/revoke", "/authorize"]) {
    const headers = { "content-type": "application/json" };
    await assertRefused(await server.ask(undefined, path, { method: "POST", body: "{}", headers }), 415);
    const large = new URLSearchParams({ x: "x".repeat(70_000) });
    await assertRefused(await server.ask(undefined, path, { method: "POST", body: large }), 413);
  }
});

authorization.after(() => server.stop());
authorization.run();
