// Hono with better-sqlite3; the bundle is assembled in JavaScript. Run with a data directory; prints its address.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { openAssembled } from "./assembled.ts";

const [folder = ""] = process.argv.slice(2);
const { authenticate, sceneBundle } = openAssembled(folder);
const app = new Hono();

app.get("/api/v1/bundles/scene/:node_id", (c) => {
  const key = authenticate(c.req.header("authorization"));
  if (key === undefined) return c.json({ detail: "unauthorized" }, 401);
  const bundle = sceneBundle(key, Number(c.req.param("node_id")));
  if (bundle === undefined) return c.json({ detail: "not found" }, 404);
  c.header("etag", bundle.etag);
  c.header("cache-control", "private, no-cache");
  if (c.req.header("if-none-match") === bundle.etag) return c.body(null, 304);
  c.header("content-type", "application/json");
  return c.body(bundle.body);
});

// On Deno a team would use Deno's own server, which Hono supports.
const deno = (globalThis as { Deno?: { serve(options: object, handler: typeof app.fetch): unknown } }).Deno;
const ready = ({ port }: { port: number }) => console.log(`http://127.0.0.1:${port}`);
if (deno === undefined) serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ready);
else deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ready }, app.fetch);
