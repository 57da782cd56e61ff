// A parameter that the description shows as an array takes its values repeated or with commas.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { mint, one, openTestServer } from "../support/app.ts";

type Json = Record<string, any>;

const server = await openTestServer();
const { store } = server;
const production_id = one(store, "SELECT id FROM productions WHERE format = 'episodic'");
const key = mint(store, { production_id, scopes });
const ids = store.database
  .prepare("SELECT id FROM episodes WHERE production_id = ? LIMIT 2")
  .pluck()
  .all(production_id);
const { paths } = (await (await server.ask(undefined, "/api/v1/openapi.json")).json()) as Json;

const arrays = suite("arrays in queries");

for (const [path, { get }] of Object.entries<Json>(paths))
  for (const { name, in: place, schema } of get?.parameters ?? []) {
    if (place !== "query" || schema.type !== "array" || path === "/events") continue;
    arrays(`${path} takes ${name} repeated and with commas`, async () => {
      const values: unknown[] = schema.items.type === "integer" ? ids : schema.items.enum.slice(0, 2);
      const at = `/api/v1${path.replace(/\{\w+\}/g, "1")}?${path === "/search" ? "q=the&" : ""}`;
      const ask = (query: string) => server.ask(key, at + query);
      const repeated = await ask(values.map((value) => `${name}=${value}`).join("&"));
      const together = await ask(`${name}=${values.join(",")}`);
      assert.is(together.status, repeated.status);
      assert.is(await together.text(), await repeated.text());
      if (path.includes("{")) return; // there may be no such thing
      assert.is(repeated.status, 200);
      if (schema.items.type === "integer") assert.is((await ask(`${name}=${ids[0]},x`)).status, 422);
    });
  }

arrays.after(() => server.stop());
arrays.run();
