// Forwards TCP connections to a server whose port may change, and breaks connections after a number of bytes from the
// client.
import { connect, createServer, type Socket } from "node:net";

export interface BreakingProxy {
  port: number;
  /** How many connections were broken on purpose. */
  broken: number;
  close(): void;
}

/** `targetOf` returns the server's port; `bytesOf` the number of bytes after which the next connection breaks. */
export async function openBreakingProxy(
  targetOf: () => number,
  bytesOf: (broken: number) => number = () => Number.POSITIVE_INFINITY,
): Promise<BreakingProxy> {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(targetOf(), "127.0.0.1");
    const end = (): void => {
      for (const socket of [client, upstream]) socket.destroy();
      sockets.delete(client);
    };
    sockets.add(client);
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    let left = bytesOf(state.broken);
    client.on("data", (chunk) => {
      if (left < chunk.length) {
        client.removeAllListeners("data");
        state.broken++;
        upstream.write(chunk.subarray(0, left), end);
      } else if (!upstream.write(chunk)) {
        client.pause();
        upstream.once("drain", () => client.resume());
      }
      left -= chunk.length;
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  };
  const state: BreakingProxy = { port: (proxy.address() as { port: number }).port, broken: 0, close };
  return state;
}
