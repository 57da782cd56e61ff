// An MCP server on the official SDK with one tool, stateless and with JSON responses, which is its fastest
// configuration. Run with a data directory; prints its address.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { openAssembled } from "./assembled.ts";

const [folder = ""] = process.argv.slice(2);
const { authenticate, sceneBundle } = openAssembled(folder);

const http = createServer(async (req, res) => {
  const key = authenticate(req.headers.authorization);
  if (key === undefined) {
    res.writeHead(401).end();
    return;
  }
  const server = new Server({ name: "sdk", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const bundle = sceneBundle(key, Number(params.arguments?.node_id));
    if (bundle === undefined) throw new Error("not found");
    return { content: [{ type: "text", text: bundle.body }], structuredContent: JSON.parse(bundle.body) };
  });
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  res.on("close", () => void server.close());
  await server.connect(transport as never);
  await transport.handleRequest(req, res);
});
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));
