// A receiver of webhooks in its own process, for tests that kill it: appends the id of each event to a file before it
// answers, and prints its address. Arguments: the file, the secret, the port.
import { appendFileSync } from "node:fs";
import { openReceiver } from "./receiver.ts";

const [file = "", secret = "", port = "0"] = process.argv.slice(2);
const { url, invalid } = await openReceiver({
  secrets: () => [secret],
  port: Number(port),
  answer(res, { event }) {
    appendFileSync(file, invalid.length > 0 ? "invalid\n" : `${event.id}\n`);
    res.writeHead(204).end();
  },
});
process.stdout.write(`${url}\n`);
