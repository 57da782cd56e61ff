// Generates requests from a seed: some have the form that the endpoints expect with unusual values, some are random
// bytes. The same seed gives the same requests.
import { mcpPaths, oauthPaths } from "../../src/features/addresses/paths.ts";
import { type Operation, table } from "../support/operations.ts";
import { randomOf } from "../support/random.ts";

export interface Fuzzed {
  /** The bytes of one request. */
  bytes: Buffer;
  method: string;
  /** Malformed bytes for a connection of their own: only a response, if there is one, must be well-formed. */
  wild: boolean;
}

const oddTexts = [
  "",
  " ",
  "0",
  "-1",
  "1.5",
  "1e309",
  "NaN",
  "null",
  "true",
  "[]",
  "{}",
  "__proto__",
  "constructor",
  "%00",
  "%",
  "%zz",
  "%ff%fe",
  "../..",
  "..%2f..%2f",
  "\u0000",
  "\ud800",
  "💡".repeat(40),
  "'; DROP TABLE nodes; --",
  "x".repeat(3000),
  "9007199254740993",
  "9".repeat(60),
  "<script>",
  "a\r\nb: c",
  "١٢",
];
const methods = [
  "GET",
  "GET",
  "GET",
  "GET",
  "POST",
  "POST",
  "HEAD",
  "PUT",
  "DELETE",
  "PATCH",
  "OPTIONS",
  "TRACE",
  "QUERY",
];
const contentTypes = [
  "application/json",
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "multipart/form-data; boundary=XX",
  "",
  'a/b; c="',
  "APPLICATION/JSON",
];
const rpcMethods = [
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "notifications/initialized",
  "nope",
  "__proto__",
  "",
];
const pages = [
  "/",
  "/docs",
  "/docs/",
  "/healthz",
  "/favicon.ico",
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-authorization-server",
  "/.well-known/x",
  "/api/v1/openapi.json",
  "/media/",
  "/metrics",
  "//",
  "*",
  "http://x/api/v1/production",
  "http://",
];

/** Generates requests with `tokens`, of which the first two are valid. */
export class Generator {
  readonly #random: () => number;
  readonly #tokens: readonly string[];

  constructor(seed: number, tokens: readonly string[]) {
    this.#random = randomOf(seed);
    this.#tokens = tokens;
  }

  #below = (most: number): number => Math.floor(this.#random() * most);
  #chance = (share: number): boolean => this.#random() < share;
  #one = <T>(list: readonly T[]): T => list[this.#below(list.length)] as T;
  #text = (): string =>
    this.#chance(0.3)
      ? this.#one(oddTexts)
      : String.fromCodePoint(...Array.from({ length: this.#below(12) }, () => 32 + this.#below(300)));

  #value(depth = 0): unknown {
    const kind = this.#below(depth > 3 ? 6 : 9);
    if (kind < 2) return this.#text();
    if (kind === 2) return this.#below(300);
    if (kind === 3) return this.#one([0, -1, 1.5, 2 ** 53, -(2 ** 63), 1e308]);
    if (kind === 4) return this.#chance(0.5);
    if (kind === 5) return null;
    if (kind < 8) return Array.from({ length: this.#below(4) }, () => this.#value(depth + 1));
    return Object.fromEntries(Array.from({ length: this.#below(4) }, () => [this.#text(), this.#value(depth + 1)]));
  }

  /** A value for a field, usually of the right type. */
  #field(name: string): unknown {
    if (this.#chance(0.25)) return this.#value();
    if (/_id$|^id$|limit/.test(name)) return 1 + this.#below(260);
    if (name === "verb") return this.#one(["read", "submit", "read:own_po", "x"]);
    if (name === "scopes") return [this.#one(["read", "write", "admin", "read:money", "x"])];
    if (name === "expires") return this.#one(["2035-12-31", "2020-01-01", "tomorrow", "2035-12-31T00:00:00Z"]);
    if (name === "status") return this.#one(["planned", "active", "pending", "approved", "all", "x"]);
    if (name === "filespace") return this.#one(["/x", "main", "set"]);
    if (name === "events")
      return Array.from({ length: this.#below(4) }, () => ({
        event_type: this.#one(["create", "modify", "delete", "x"]),
        path: this.#text(),
        source: "audit_tail",
        dedupe_key: this.#text(),
        detected_at: this.#one(["2026-11-20T10:00:00Z", "x", 5]),
        mtime_ns: this.#value(),
      }));
    return this.#text();
  }

  #target(text: string): string {
    return this.#chance(0.9) ? encodeURIComponent(text.toWellFormed()) : text.replace(/[^\x21-\x7e]/g, "%");
  }

  #head(method: string, target: string, headers: string[], body: Buffer): Fuzzed {
    const lines = [`${method} ${target} HTTP/1.1`, "Host: fuzz.example"];
    if (this.#chance(0.93))
      lines.push(
        `${this.#one(["Authorization", "authorization"])}: ${this.#one(["Bearer", "Bearer", "Bearer", "Bearer", "bearer", "Basic", ""])} ${this.#chance(0.85) ? this.#tokens[this.#below(3)] : this.#one(this.#tokens)}`,
      );
    if (this.#chance(0.1))
      lines.push(
        `${this.#one(["If-None-Match", "Range", "If-Range", "Origin", "Accept", "Content-Encoding", "Idempotency-Key", "MCP-Protocol-Version", "X-Forwarded-For", "Cookie", "Accept-Encoding"])}: ${this.#one(["*", 'W/"x"', "bytes=0-", "bytes=5-2", "bytes=-0,1-2", "null", "https://evil.example", "gzip", '"', "2025-06-18", "x".repeat(500), "\u00ff\u00fe", ",,,"])}`,
      );
    lines.push(...headers);
    if (body.length > 0 || method === "POST") lines.push(`Content-Length: ${body.length}`);
    return {
      bytes: Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]),
      method,
      wild: false,
    };
  }

  #json(document: unknown): Buffer {
    if (this.#chance(0.001)) return Buffer.from(JSON.stringify({ pad: "x".repeat(1_100_000) }));
    const text = JSON.stringify(document) ?? "";
    if (this.#chance(0.9)) return Buffer.from(text);
    const cut = Buffer.from(text);
    if (this.#chance(0.5)) return cut.subarray(0, this.#below(cut.length + 1));
    if (cut.length > 0) cut[this.#below(cut.length)] = this.#below(256);
    return cut;
  }

  #form(fields: Record<string, unknown>): Buffer {
    const parts = Object.entries(fields).map(([name, value]) => {
      const file =
        /^(files?|bytes)$/.test(name) || this.#chance(0.2)
          ? `; filename="${this.#text().replace(/["\r\n]/g, "_")}"`
          : "";
      return `--XX\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${this.#chance(0.1) ? `Content-Transfer-Encoding: ${this.#one(["7bit", "base64", "x"])}\r\n` : ""}\r\n${String(value)}\r\n`;
    });
    return Buffer.from(`${parts.join("")}${this.#chance(0.9) ? "--XX--\r\n" : this.#text()}`);
  }

  #rest(): Fuzzed {
    const row: Operation = this.#one(table);
    const names = Object.keys(row.input.entries);
    const fields = Object.fromEntries(names.filter(() => this.#chance(0.8)).map((name) => [name, this.#field(name)]));
    const path = row.path.replace(/:(\w+)/g, (_, name: string) => this.#target(String(this.#field(name))));
    const query =
      row.method === "GET" && this.#chance(0.5)
        ? `?${names.map((name) => `${name}=${this.#target(String(this.#field(name)))}`).join("&")}`
        : "";
    const method = this.#chance(0.93) ? row.method : this.#one(methods);
    if (row.method === "GET") return this.#head(method, `/api/v1${path}${query}`, [], Buffer.alloc(0));
    if (row.body?.includes("multipart") && this.#chance(0.7))
      return this.#head(
        method,
        `/api/v1${path}`,
        ["Content-Type: multipart/form-data; boundary=XX"],
        this.#form(fields),
      );
    const type = this.#chance(0.85) ? "application/json" : this.#one(contentTypes);
    return this.#head(
      method,
      `/api/v1${path}`,
      [`Content-Type: ${type}`],
      this.#json(this.#chance(0.9) ? fields : this.#value()),
    );
  }

  #mcp(): Fuzzed {
    const name = this.#chance(0.9) ? this.#one(table).name : this.#text();
    const row = table.find((one) => one.name === name);
    const given = Object.fromEntries(Object.keys(row?.input.entries ?? {}).map((field) => [field, this.#field(field)]));
    const params = this.#chance(0.8)
      ? {
          name,
          arguments: this.#chance(0.9) ? given : this.#value(),
          uri: this.#one(["service://production", "service://x", this.#text()]),
        }
      : this.#value();
    const message: Record<string, unknown> = {
      jsonrpc: "2.0",
      id: this.#chance(0.8) ? this.#below(1000) : this.#value(),
      method: this.#one(rpcMethods),
      params,
    };
    if (this.#chance(0.1)) delete message[this.#one(Object.keys(message))];
    const type = this.#chance(0.93) ? "application/json" : this.#one(contentTypes);
    return this.#head(
      this.#chance(0.95) ? "POST" : this.#one(methods),
      this.#one(mcpPaths),
      [`Content-Type: ${type}`],
      this.#json(this.#chance(0.95) ? message : [message]),
    );
  }

  #oauth(): Fuzzed {
    const path = this.#one(Object.values<string>(oauthPaths));
    const fields = [
      "client_id",
      "redirect_uri",
      "response_type",
      "code_challenge",
      "code_challenge_method",
      "scope",
      "state",
      "resource",
      "grant_type",
      "code",
      "code_verifier",
      "refresh_token",
      "token",
    ];
    const text = fields
      .filter(() => this.#chance(0.6))
      .map(
        (name) =>
          `${name}=${this.#target(this.#chance(0.5) ? this.#one(["code", "S256", "read", "https://x.example/cb", "authorization_code", "refresh_token"]) : this.#text())}`,
      )
      .join("&");
    if (path === oauthPaths.authorize && this.#chance(0.6))
      return this.#head("GET", `${path}?${text}`, [], Buffer.alloc(0));
    const json = path === oauthPaths.register;
    const body = json
      ? this.#json({
          client_name: this.#value(),
          redirect_uris: this.#chance(0.5) ? [this.#text(), "https://x.example/cb"] : this.#value(),
        })
      : Buffer.from(text);
    return this.#head(
      "POST",
      path,
      [`Content-Type: ${json ? "application/json" : "application/x-www-form-urlencoded"}`],
      body,
    );
  }

  #elsewhere(): Fuzzed {
    const path = this.#chance(0.5)
      ? this.#one(pages)
      : `/media/${this.#target(this.#text())}?t=${this.#target(this.#text())}`;
    return this.#head(this.#one(methods), path, [], Buffer.alloc(0));
  }

  /** A valid request with changed bytes, or random bytes. */
  #wild(): Fuzzed {
    const { bytes, method } = this.#one([() => this.#rest(), () => this.#mcp()])();
    const count = 1 + this.#below(6);
    if (this.#chance(0.2))
      return {
        bytes: Buffer.from(Array.from({ length: this.#below(400) }, () => this.#below(256))),
        method: "",
        wild: true,
      };
    const changed = Buffer.from(bytes);
    for (let at = 0; at < count; at++)
      changed[this.#below(Math.min(changed.length, 200))] = this.#chance(0.5)
        ? this.#below(256)
        : this.#one([0, 9, 10, 13, 32, 58, 44, 59, 255]);
    return {
      bytes: this.#chance(0.2) ? changed.subarray(0, this.#below(changed.length)) : changed,
      method,
      wild: true,
    };
  }

  next(): Fuzzed {
    const kind = this.#random();
    if (kind < 0.5) return this.#rest();
    if (kind < 0.75) return this.#mcp();
    if (kind < 0.83) return this.#oauth();
    if (kind < 0.92) return this.#elsewhere();
    return this.#wild();
  }
}
