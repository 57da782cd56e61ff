// tallylight demo: imports two productions, mints demo keys, prints commands to try, and serves.
import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command, ParsedArgs } from "../../core/command.ts";
import { makeData } from "../../core/data_directory.ts";
import { CliError } from "../../core/errors.ts";
import type { EngagementId, NodeId, ProductionId } from "../../core/ids.ts";
import { commandText, typedCommand } from "../../core/program.ts";
import { addressFlags, serveUntilStopped } from "../../core/serve_command.ts";
import type { RunningServer } from "../../core/server.ts";
import { closing } from "../../core/store/files.ts";
import { isServed } from "../../core/store/lock.ts";
import { one } from "../../core/store/statements.ts";
import { causeOf } from "../../core/system_errors.ts";
import { day } from "../../core/times.ts";
import type { Admin } from "../../graph/admin.ts";
import { asAdmin } from "../../graph/data_command.ts";
import { listProductions } from "../../graph/find_production.ts";
import { listKeys, mintKey, revokeKey } from "../../graph/keys.ts";
import { importAll } from "../documents/commands/import_command.ts";
import { noFlags } from "../documents/import_flags.ts";
import { readInputFile } from "../documents/importers.ts";
import { updateFromFiles } from "../documents/production_update.ts";
import { textOf } from "../documents/read/json.ts";
import { readDocument } from "../documents/read/whole.ts";
import { openCommand } from "../pages/first_visit.ts";
import { createAdminLink } from "../pages/session_list.ts";
import { movedDates } from "./moved_dates.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/", import.meta.url));
/** An engagement that may submit work, and a scene that it reads, for the commands that `npm start` prints. */
interface SampleVendor {
  production_id: ProductionId;
  engagement_id: EngagementId;
  vendor: string;
  node_id: NodeId;
}

/** The vendor that the demo shows. */
const sampleVendor = one<{ now: string; first: string }, SampleVendor>("find_demo_vendor");
/** The production that the demo opens: it is being shot, and has most to decide. */
const first = "The Silver Button";

/** The scripts of both productions, which agree with their documents: scenes get their text, and nothing changes. */
const scripts: readonly { title: string; file: string; episode?: string }[] = [
  { title: first, file: "the-silver-button.fountain" },
  ...["101", "102", "103"].map((episode) => ({
    title: "The Saknussemm Cipher",
    file: `the-saknussemm-cipher-${episode}.fountain`,
    episode,
  })),
];

const labels = { production: "demo key of the production", vendor: "demo key of the vendor" } as const;

interface DemoKeys extends SampleVendor {
  production: string;
  production_token: string;
  vendor_token: string;
}

/** The vendor that the demo shows, and its production. Throws CliError if there is none. */
function requireSample({ store, now }: Admin) {
  const vendor = sampleVendor(store, { now, first });
  const production = listProductions(store).find(({ id }) => id === vendor?.production_id);
  if (vendor === undefined || production === undefined)
    throw new CliError(
      `this directory contains no vendor's engagement for the demo; ${commandText("serve")} serves it`,
    );
  return { vendor, production };
}

/**
 * Replaces the demo keys: only once this process is the server, so that a start that is refused leaves those of the
 * running one.
 */
function mintDemoKeys(admin: Admin): DemoKeys {
  const { store, now } = admin;
  const { vendor, production } = requireSample(admin);
  return store.writeSync(() => {
    const ours: readonly string[] = Object.values(labels);
    for (const { id, label, live } of listKeys(store, {}, now))
      if (live && ours.includes(label)) revokeKey(admin, { key: String(id) });
    const { production_id, engagement_id } = vendor;
    const wide = mintKey(admin, { production_id, label: labels.production });
    const scopes = ["read", "submit:turnover", "read:money"];
    const bound = mintKey(admin, { production_id, engagement_id, label: labels.vendor, scopes });
    return { ...vendor, production: production.title, production_token: wide.token, vendor_token: bound.token };
  });
}

/** What is said of a demo whose dates are of an earlier week; undefined for one that was imported within a week. */
function ageOf({ store, now }: Admin, data: string): string | undefined {
  const ours: readonly string[] = Object.values(labels);
  const times = listKeys(store, {}, now).flatMap(({ label, created_at }) => (ours.includes(label) ? [created_at] : []));
  const imported = times.toSorted()[0];
  if (imported === undefined || Date.parse(now) - Date.parse(imported) < 7 * day) return undefined;
  return `this demo shoots in the week of ${imported.slice(0, 10)}; stop it and add --again, which keeps ${data} under another name and imports one of this week`;
}

/** Stores the text of the scenes of both productions. */
const importScripts = (args: ParsedArgs): Promise<void> =>
  asAdmin(args, async (admin, blobs, write) => {
    const productions = listProductions(admin.store);
    for (const { title, file, episode } of scripts) {
      const production = productions.find((one) => one.title === title);
      if (production === undefined) continue;
      const path = join(fixtures, "paperwork", file);
      const given = [await readInputFile(path, { file, folder: undefined, as: undefined })];
      const flags = { ...noFlags, episode };
      await updateFromFiles(admin, blobs, { given, flags }, { production_id: production.id }, write);
    }
  });

/**
 * Keeps the folder of an earlier demo under a name with the day, so that the demo begins again. Throws CliError if it
 * is served, or cannot be renamed.
 */
function setAside(folder: string, now: string): void {
  const aside = `${folder.replace(/[/\\]$/, "")}-until-${now.slice(0, 10)}`;
  if (isServed(folder)) throw new CliError(`a Tallylight server is using ${folder}; stop it first`);
  if (existsSync(aside)) throw new CliError(`${aside} is there from an earlier --again of this day; remove it first`);
  try {
    renameSync(folder, aside);
  } catch (error) {
    throw new CliError(`${folder} cannot be renamed to ${aside}: ${causeOf(error)}`);
  }
  process.stderr.write(`the former demo is in ${aside}\n`);
}

/** Imports the demo if the directory is empty. Returns whether it was. Throws CliError if it has no demo. */
async function prepare(args: ParsedArgs): Promise<boolean> {
  let titles = closing(await makeData(args.data), ({ store }) => listProductions(store).map(({ title }) => title));
  const files = readdirSync(fixtures).filter((name) => name.endsWith(".json"));
  const reads = files.sort().map((name) => {
    const file = join(fixtures, name);
    const text = textOf(file);
    return readDocument(file, args.has("as-written") ? text : movedDates(text, args.now));
  });
  if (titles.length > 0 && !reads.some(({ title }) => titles.includes(title)))
    throw new CliError(
      `${args.data} contains other productions; ${commandText("serve")} serves them, or use another --data directory for the demo`,
    );
  if (titles.length > 0 && args.has("again")) {
    setAside(args.data, args.now);
    titles = [];
  }
  const fresh = titles.length === 0;
  if (fresh) {
    await importAll(reads, args, false);
    await importScripts(args);
  }
  await asAdmin(args, requireSample);
  return fresh;
}

/** What fits on a screen: 24 lines of 80 characters. */
function demoLines(
  { url, app }: RunningServer,
  keys: DemoKeys,
  { link, ...typed }: { link: string; again: string; config: string },
): string[] {
  const { production, vendor, node_id, production_token, vendor_token } = keys;
  const { base_url, mcp_url } = app.addresses;
  const ask = (token: string, path: string) => `curl -H 'Authorization: Bearer ${token}' ${base_url}/api/v1${path}`;
  return [
    url,
    "",
    `Open in a browser, as the admin (once; \`${typed.again}\` prints another):`,
    link,
    "",
    `${production_token}  ${production}`,
    `${vendor_token}  its vendor ${vendor}`,
    "",
    ask(production_token, "/production"),
    ask(production_token, "/scenes"),
    ask(vendor_token, `/bundles/scene/${node_id}`),
    "",
    `MCP at ${mcp_url}/mcp; \`${typed.config}\` prints the settings of a client`,
  ];
}

export const commands: readonly Command[] = [
  {
    words: "demo",
    summary: "serves two demo productions",
    details: "Imports them into an empty data directory, with the dates of this week, and makes keys.",
    example: "tallylight demo --port 8080",
    flags: {
      ...addressFlags,
      again: { summary: "begins again: keeps the folder of an earlier demo under another name, and imports anew" },
      "as-written": { summary: "keeps the dates of the fixtures; by default the demo shoots this week" },
    },
    async run(args) {
      const note = (await prepare(args))
        ? "imported the demo"
        : "the demo is already imported; its former demo keys are revoked, and these are new ones";
      const log = args.text("log") ?? (process.stderr.isTTY ? join(args.data, "requests.log") : undefined);
      const started = async (server: RunningServer): Promise<void> => {
        const { url, app } = server;
        const { keys, link, age, again } = await asAdmin(args, (admin) => {
          const keys = mintDemoKeys(admin);
          const { link } = createAdminLink(admin, app.addresses.base_url, String(keys.production_id));
          const age = ageOf(admin, args.data);
          return { keys, link, age, again: openCommand(admin.store, keys.production_id) };
        });
        process.stderr.write(`${args.data}: ${note}\n`);
        if (age !== undefined) process.stderr.write(`${age}\n`);
        if (log !== undefined) process.stderr.write(`requests are logged to ${log}\n`);
        process.stdout.write(
          args.json
            ? `${JSON.stringify({ url, link, ...keys })}\n`
            : `${demoLines(server, keys, { link, again, config: typedCommand("mcp-config", args.data) }).join("\n")}\n`,
        );
      };
      await serveUntilStopped(args, started, log);
      return undefined;
    },
  },
];
