// A line to a server that can be cut: nothing passes then, in either direction, and nobody is told.
import { connect, createServer, type Socket } from "node:net";

export interface CutLine {
  url: string;
  /** Lets nothing pass any more. */
  cut(): void;
  /** Lets new connections pass; those that were cut are reset, as by a router that has forgotten them. */
  mend(): void;
  close(): void;
}

export async function openCutLine(port: number): Promise<CutLine> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const line = createServer((client) => {
    sockets.add(client);
    client.on("error", () => {}).on("close", () => sockets.delete(client));
    if (isCut) return;
    const server = connect(port, "127.0.0.1");
    sockets.add(server);
    server.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.on("close", () => server.destroy());
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => line.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(line.address() as { port: number }).port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend() {
      isCut = false;
      for (const socket of sockets) socket.destroy();
    },
    close() {
      line.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
