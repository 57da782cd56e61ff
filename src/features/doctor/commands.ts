// tallylight doctor: checks a data directory and prints what is wrong. Changes nothing without --repair.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, ParsedArgs } from "../../core/command.ts";
import { type Config, configName, readConfig } from "../../core/config.ts";
import { requireData } from "../../core/data_directory.ts";
import { CliError, UsageError } from "../../core/errors.ts";
import type { Finding } from "../../core/feature.ts";
import { features } from "../../core/features.ts";
import { parseJson, RepeatedKey } from "../../core/json.ts";
import { refuseReplica } from "../../core/store/directory_records.ts";
import { openSecrets } from "../../graph/tickets.ts";
import { showing } from "../work/progress.ts";
import { inspectData } from "./inspection.ts";
import { compactData, repairData } from "./repair.ts";

/** A sentence about a setting that stands twice in config.json, or a part of one; undefined if there is none. */
function repeatedSetting(folder: string): string | undefined {
  const file = join(folder, configName);
  if (!existsSync(file)) return undefined;
  try {
    parseJson(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    if (error instanceof RepeatedKey) return `${configName}: ${error.message}`;
  }
  return undefined; // any other fault is one of reading it
}

/** Checks the settings. `config` is undefined if they are invalid. */
function checkSettings(args: ParsedArgs): { config: Config | undefined; finding: Finding } {
  try {
    const config = readConfig(args.data, process.env);
    const repeated = repeatedSetting(args.data);
    const [ok, items] = [repeated === undefined, repeated === undefined ? [] : [repeated]];
    return {
      config,
      finding: { check: "settings", ok, detail: ok ? "all settings are valid" : "only the last value counts", items },
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const items = [error.message, ...error.lines];
    return {
      config: undefined,
      finding: { check: "settings", ok: false, detail: "the server would not start", items },
    };
  }
}

/** Checks whether the server can read its secrets: it does not start with a damaged file. */
function checkSecrets(folder: string): Finding {
  try {
    openSecrets(folder, false);
    return { check: "secrets", ok: true, detail: "secrets.json is valid, or is made at the next start", items: [] };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { check: "secrets", ok: false, detail: "the server would not start", items: [error.message] };
  }
}

/** The findings of the features: of those that ask other servers, or of the others. */
async function featureFindings(data: string, config: Config | undefined, online: boolean): Promise<Finding[]> {
  const found: Finding[][] = [];
  for (const { checks } of features()) {
    if (checks === undefined || (checks.online ?? false) !== online) continue;
    const { checkData } = await checks.load();
    found.push(await checkData(data, config));
  }
  return found.flat();
}

function findingLines({ check, ok, detail, items }: Finding): string[] {
  return [`${ok ? "ok   " : "ERROR"} ${check}: ${detail}`, ...items.map((item) => `        ${item}`)];
}

export const commands: readonly Command[] = [
  {
    words: "doctor",
    summary: "checks the data directory",
    details: "Exits with status 1 if something is wrong.",
    example: "tallylight doctor --deep",
    flags: {
      deep: { summary: "reads every media file and verifies its checksum" },
      repair: {
        summary:
          "repairs what can be repaired without loss, and removes orphaned rows after copying the database; no server may be running",
      },
      from: {
        value: "FOLDER",
        summary:
          "with --repair: also brings back missing and damaged media, by their hash, from a folder of backups or any other; reads every media file",
      },
      compact: { summary: "gives the space of removed rows back to the disk; no server may be running" },
      online: { summary: "checks whether the configured providers respond" },
    },
    async run(args) {
      requireData(args.data);
      for (const flag of ["repair", "compact"]) if (args.has(flag)) refuseReplica(args.data, `doctor --${flag}`);
      const { progress, done } = showing("checksums");
      const { config, finding } = checkSettings(args);
      const reserve = config?.disk_reserve;
      const from = args.text("from");
      if (from !== undefined && !args.has("repair")) throw new UsageError("--from is used with --repair");
      const options = { deep: args.has("deep") || from !== undefined, now: Date.parse(args.now), reserve, progress };
      const inspect = () => inspectData(args.data, options).finally(done);
      let findings = await inspect();
      const repaired = args.has("repair") ? await repairData(args.data, findings, from) : [];
      if (repaired.length > 0) findings = await inspect();
      const compacted = args.has("compact") ? compactData(args.data, findings, options.now) : [];
      findings = [
        ...findings,
        ...(await featureFindings(args.data, config, false)),
        finding,
        checkSecrets(args.data),
        ...(config !== undefined && args.has("online") ? await featureFindings(args.data, config, true) : []),
      ];
      const clean = findings.every(({ ok }) => ok);
      return {
        document: { clean, findings, repaired, ...(args.has("compact") && { compacted }) },
        lines: [
          `data directory ${args.data}`,
          ...repaired.map((repair) => `repaired: ${repair}`),
          ...compacted,
          ...findings.flatMap(findingLines),
        ],
        failed: !clean,
      };
    },
  },
];
