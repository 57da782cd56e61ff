// An in-memory OAuthClientProvider for the official clients; it plays the person at the browser itself.
import { locationOf, openPage, sendForm } from "../support/consent_page.ts";

/** Works with either official client: both need the same members. */
export class Provider {
  readonly redirectUrl = "http://localhost:33419/callback";
  readonly #key: string;
  readonly #scope: string | undefined;
  readonly #saved = new Map<string, any>();
  /** The address that the person was redirected to after the sign-in. */
  back: URL | undefined;
  /** The address of the consent page. */
  asked: URL | undefined;

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

  clientInformation = () => this.#saved.get("client");
  saveClientInformation = (client: unknown) => void this.#saved.set("client", client);
  tokens = () => this.#saved.get("tokens");
  saveTokens = (tokens: unknown) => void this.#saved.set("tokens", tokens);
  codeVerifier = () => this.#saved.get("verifier");
  saveCodeVerifier = (verifier: string) => void this.#saved.set("verifier", verifier);
  invalidateCredentials = (what: "all" | "client" | "tokens" | "verifier" | "discovery") =>
    void (what === "all" ? this.#saved.clear() : this.#saved.delete(what));
  discoveryState = () => this.#saved.get("discovery");
  saveDiscoveryState = (state: unknown) => void this.#saved.set("discovery", state);

  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked = url;
    const page = await openPage(url);
    this.back = locationOf(await sendForm(page, { api_key: this.#key }));
  }
}
