// Finds a port of 127.0.0.1 on which nothing listens. It is none of those that the system gives to connections and to
// servers that name no port: nobody else takes it before the test listens, or while the test's server is down.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** The system's own range begins at 32,768. */
const [first, last] = [10_240, 32_000];

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) =>
    server
      .once("listening", () => resolve(true))
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1"),
  );
  if (listens) await new Promise((resolve) => server.close(resolve));
  return listens;
}

/** Returns the first of `count` free ports that follow one another. */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const port = randomInt(first, last);
    let free = 0;
    while (free < count && (await isFree(port + free))) free++;
    if (free === count) return port;
  }
}
