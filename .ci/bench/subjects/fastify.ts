// Fastify with better-sqlite3; the bundle is assembled in JavaScript. Run with a data directory; prints its address.
import Fastify from "fastify";
import { openAssembled } from "./assembled.ts";

const [folder = ""] = process.argv.slice(2);
const { authenticate, sceneBundle } = openAssembled(folder);
const app = Fastify();

app.get<{ Params: { node_id: string } }>("/api/v1/bundles/scene/:node_id", (request, reply) => {
  const key = authenticate(request.headers.authorization);
  if (key === undefined) return reply.code(401).send({ detail: "unauthorized" });
  const bundle = sceneBundle(key, Number(request.params.node_id));
  if (bundle === undefined) return reply.code(404).send({ detail: "not found" });
  reply.header("etag", bundle.etag).header("cache-control", "private, no-cache");
  if (request.headers["if-none-match"] === bundle.etag) return reply.code(304).send();
  return reply.type("application/json").send(bundle.body);
});

console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
