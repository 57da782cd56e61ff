// This server with everything on, its log going to the standard error it was given. Run with a data directory; "cold" makes
// every call find the state changed since the one before. Prints its address.
import { startServer } from "../../../src/server.ts";

const [data = "", ...words] = process.argv.slice(2);
const { url, app } = await startServer({ data, host: "127.0.0.1", port: 0 });
if (words.includes("cold")) {
  const { store } = app;
  const revision = store.revision;
  let calls = 0;
  store.revision = (look) => revision(look) + ++calls;
}
console.log(url);
