// Generates load on a loopback address and measures it: with wrk if it is installed, else with autocannon.
import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratch } from "./seed_data.ts";

export interface LoadRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Requested in turn; usually one path. */
  paths: readonly string[];
  /** If given, the path at each position is requested with the key at the same position. */
  keys?: readonly string[];
  /** Sent with POST if it is given. */
  body?: string;
  seconds: number;
  connections: number;
}

export interface LoadResult {
  /** Responses per second. */
  rate: number;
  /** Milliseconds. */
  p99: number;
}

const hasWrk = (() => {
  try {
    execFileSync("wrk", ["-v"], { stdio: "ignore" });
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ENOENT"; // wrk -v exits with 1
  }
})();

export const generator = hasWrk ? "wrk" : "autocannon";

let scripts = 0;

function wrkScript({ paths, keys, body, headers }: LoadRequest): string {
  const file = join(scratch, `${scripts++}.lua`);
  const set = (name: string, value: string) => `wrk.headers[${JSON.stringify(name)}] = [==[${value}]==]\n`;
  let text = Object.entries(headers)
    .map(([name, value]) => set(name, value))
    .join("");
  if (body !== undefined) text += `wrk.method = "POST"\nwrk.body = [==[${body}]==]\n`;
  const list = (texts: readonly string[]) => `{${texts.map((each) => JSON.stringify(each)).join(",")}}`;
  if (paths.length > 1)
    text += `local asked = {}\nlocal at = 0
init = function()
  local keys = ${list(keys ?? [])}
  for n, path in ipairs(${list(paths)}) do
    if keys[n] then wrk.headers["authorization"] = "Bearer " .. keys[n] end
    asked[n] = wrk.format(nil, path)
  end
end
request = function()
  at = at % #asked + 1
  return asked[at]
end\n`;
  writeFileSync(file, text);
  return file;
}

const milliseconds = (text: string): number => {
  const [, figure, unit] = /^([\d.]+)(us|ms|s|m)$/.exec(text) ?? [];
  return Number(figure) * { us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit as "us" | "ms" | "s" | "m"];
};

const scriptOf = new WeakMap<LoadRequest, string>();

async function loadWithWrk(request: LoadRequest): Promise<LoadResult> {
  const script = scriptOf.get(request) ?? wrkScript(request);
  scriptOf.set(request, script);
  const { url, seconds, connections, paths } = request;
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script, url + paths[0]];
  const { stdout } = await promisify(execFile)("wrk", args);
  const figure = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? "";
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`load: ${url}${paths[0]}: ${stdout}`);
  return {
    rate: Number(figure(/Requests\/sec:\s+([\d.]+)/)),
    p99: milliseconds(figure(/99%\s+(\S+)/)) || seconds * 1000,
  };
}

async function loadWithAutocannon({
  url,
  headers,
  paths,
  keys,
  body,
  seconds,
  connections,
}: LoadRequest): Promise<LoadResult> {
  const name = "autocannon"; // the package has no types
  const { default: autocannon } = await import(name);
  const requests = paths.map((path, at) => ({
    path,
    method: body === undefined ? "GET" : "POST",
    body,
    ...(keys !== undefined && { headers: { authorization: `Bearer ${keys[at]}` } }),
  }));
  const result = await autocannon({ url, headers, requests, connections, duration: seconds });
  if (result.errors > 0 || result["4xx"] > 0 || result["5xx"] > 0)
    throw new Error(`load: ${url}${paths[0]}: ${result["4xx"]} 4xx, ${result["5xx"]} 5xx, ${result.errors} errors`);
  return { rate: result.requests.total / result.duration, p99: result.latency.p99 };
}

/** Sends requests for `seconds`. Throws if a response is an error. */
export const load = hasWrk ? loadWithWrk : loadWithAutocannon;
