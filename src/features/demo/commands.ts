// tallylight demo: imports two productions, mints demo keys, prints commands to try, and serves.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command, ParsedArgs } from "../../core/command.ts";
import { makeData } from "../../core/data_directory.ts";
import { CliError } from "../../core/errors.ts";
import type { EngagementId, NodeId, ProductionId } from "../../core/ids.ts";
import { typedCommand } from "../../core/program.ts";
import { addressFlags, serveUntilStopped } from "../../core/serve_command.ts";
import type { RunningServer } from "../../core/server.ts";
import { closing } from "../../core/store/files.ts";
import { one } from "../../core/store/statements.ts";
import type { Admin } from "../../graph/admin.ts";
import { asAdmin } from "../../graph/data_command.ts";
import { listProductions } from "../../graph/find_production.ts";
import { listKeys, mintKey, revokeKey } from "../../graph/keys.ts";
import { readDocument } from "../documents/apply/create.ts";
import { importAll } from "../documents/commands/import_command.ts";
import { createAdminLink, openCommand } from "../pages/session_list.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/", import.meta.url));
/** An engagement that may submit work, and a scene that it reads, for the commands that `npm start` prints. */
interface SampleVendor {
  production_id: ProductionId;
  engagement_id: EngagementId;
  vendor: string;
  node_id: NodeId;
}

/** The vendor that the demo shows. */
const sampleVendor = one<{ now: string }, SampleVendor>("find_demo_vendor");

const labels = { production: "demo key of the production", vendor: "demo key of the vendor" } as const;

interface DemoKeys extends SampleVendor {
  production: string;
  production_token: string;
  vendor_token: string;
}

/** The vendor that the demo shows, and its production. Throws CliError if there is none. */
function requireSample({ store, now }: Admin) {
  const vendor = sampleVendor(store, { now });
  const production = listProductions(store).find(({ id }) => id === vendor?.production_id);
  if (vendor === undefined || production === undefined)
    throw new CliError("this directory contains no vendor's engagement for the demo; `tallylight serve` serves it");
  return { vendor, production };
}

/** Replaces the demo keys: only once this process is the server, so that a start that is refused leaves those of the running one. */
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

/** Imports the demo if the directory is empty. Returns whether it was. Throws CliError if it has no demo. */
async function prepare(args: ParsedArgs): Promise<boolean> {
  const titles = closing(await makeData(args.data), ({ store }) => listProductions(store).map(({ title }) => title));
  const reads = readdirSync(fixtures)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => readDocument(join(fixtures, name)));
  const fresh = titles.length === 0;
  if (fresh) await importAll(reads, args, false);
  else if (!reads.some(({ title }) => titles.includes(title)))
    throw new CliError(
      `${args.data} contains other productions; \`tallylight serve\` serves them, or use another --data directory for the demo`,
    );
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
    details: "Imports them into an empty data directory and mints keys.",
    example: "tallylight demo --port 8080",
    flags: addressFlags,
    async run(args) {
      const note = (await prepare(args))
        ? "imported the demo"
        : "the demo is already imported; its former demo keys are revoked, and these are new ones";
      await serveUntilStopped(args, async (server) => {
        const { url, app } = server;
        const { keys, link, again } = await asAdmin(args, (admin) => {
          const keys = mintDemoKeys(admin);
          const { link } = createAdminLink(admin, app.addresses.base_url, String(keys.production_id));
          return { keys, link, again: openCommand(admin.store, keys.production_id) };
        });
        process.stderr.write(`${args.data}: ${note}\n`);
        process.stdout.write(
          args.json
            ? `${JSON.stringify({ url, link, ...keys })}\n`
            : `${demoLines(server, keys, { link, again, config: typedCommand("mcp-config", args.data) }).join("\n")}\n`,
        );
      });
      return undefined;
    },
  },
];
