// A server in its own process on a data directory, which a test kills.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { serverRuntime } from "./runtime.ts";

export interface KillableServer {
  url: string;
  /** The id of its process. */
  process: number;
  /** kill -9. Resolves once the process has ended. */
  kill(): Promise<void>;
}

/** Starts a server; on a free port by default. */
export async function startKillable(folder: string, port = 0): Promise<KillableServer> {
  const file = fileURLToPath(new URL("./server_process.ts", import.meta.url));
  const args = [...serverRuntime, file, folder, "primary", String(port)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  for await (const url of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
    return { url, kill, process: child.pid as number };
  throw new Error("the server did not start");
}
