// The permissions of programs that tests start on Deno: those of the commands in the guides, in the tests' places.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The permissions of the command in a guide whose program is `name`, by their flags; the value of one without a list is
 * "".
 */
export function documentedPermissions(guide: string, name: string): Map<string, string> {
  const text = readFileSync(join(root, guide), "utf8").replaceAll("\\\n", " ");
  const [command = ""] = new RegExp(`\\bdeno run .* bin/tallylight\\.js ${name}\\b`).exec(text) ?? [];
  const flags = command.replaceAll("'", "").matchAll(/ (--allow-\w+)(?:=(\S+))?/g);
  return new Map([...flags].map(([, flag = "", list = ""]) => [flag, list]));
}

const placesOf = (...places: (string | undefined)[]): string =>
  places.flatMap((place) => (place !== undefined && existsSync(place) ? [realpathSync(place)] : [])).join(",");
/** The checkout, whose packages may be links, and where tests keep their files. */
const written = placesOf(tmpdir(), process.env.TEST_DISK);
const places: Readonly<Record<string, string>> = {
  "--allow-read": `${placesOf(root, join(root, "node_modules"))},${written}`,
  "--allow-write": written,
  "--allow-net": "127.0.0.1,localhost,0.0.0.0,[::1]",
  "--allow-ffi": placesOf(join(root, "node_modules/better-sqlite3")),
};
const argumentsOf = (permissions: ReadonlyMap<string, string>): string[] => [
  "--no-prompt",
  "--quiet",
  "--no-check",
  ...[...permissions].map(([flag, list]) => (list === "" ? flag : `${flag}=${places[flag] ?? list}`)),
];

const server = documentedPermissions("docs/operating.md", "serve");
const agent = documentedPermissions("docs/agent.md", "agent");

/** The arguments of Deno for a server, and for an agent. */
export const serverOnDeno: readonly string[] = argumentsOf(server);
export const agentOnDeno: readonly string[] = argumentsOf(agent);

/**
 * Of a test, in whose process servers and agents run: it may know no more of the system than they do. It reads, starts
 * and sets what tests need.
 */
export const testOnDeno: readonly string[] = [
  ...["--no-prompt", "--quiet", "--allow-read", "--allow-env", "--allow-run"],
  ...["--allow-write", "--allow-net", "--allow-ffi"].map((flag) => `${flag}=${places[flag]}`),
  `--allow-sys=${[...new Set([server, agent].flatMap((given) => (given.get("--allow-sys") ?? "").split(",")))].join(",")}`,
];
