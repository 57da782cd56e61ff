// What the official clients keep of a sign-in, in memory; the browser is the test's own person.
import { locationOf, openPage, sendForm } from "../support/consent_page.ts";

/** An OAuthClientProvider for either official client: both ask for the same members. */
export class Provider {
  readonly redirectUrl = "http://localhost:33419/callback";
  readonly #key: string;
  readonly #scope: string | undefined;
  readonly #kept = new Map<string, any>();
  /** Where the person was sent back to, once they were. */
  back: URL | undefined;

  constructor(key: string, scope?: string) {
    this.#key = key;
    this.#scope = scope;
  }

  get clientMetadata() {
    return {
      client_name: "official client",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(this.#scope !== undefined && { scope: this.#scope }),
    };
  }

  clientInformation = () => this.#kept.get("client");
  saveClientInformation = (client: unknown) => void this.#kept.set("client", client);
  tokens = () => this.#kept.get("tokens");
  saveTokens = (tokens: unknown) => void this.#kept.set("tokens", tokens);
  codeVerifier = () => this.#kept.get("verifier");
  saveCodeVerifier = (verifier: string) => void this.#kept.set("verifier", verifier);
  invalidateCredentials = (what: "all" | "client" | "tokens" | "verifier" | "discovery") =>
    void (what === "all" ? this.#kept.clear() : this.#kept.delete(what));
  discoveryState = () => this.#kept.get("discovery");
  saveDiscoveryState = (state: unknown) => void this.#kept.set("discovery", state);

  async redirectToAuthorization(url: URL): Promise<void> {
    const page = await openPage(url);
    this.back = locationOf(await sendForm(page, { api_key: this.#key }));
  }
}
