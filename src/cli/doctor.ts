// tallylight doctor: looks a data directory over and says what is not well. Writes nothing unless asked to repair.
import { type Config, readConfig } from "../config.ts";
import { CliError } from "../errors.ts";
import { openProviders } from "../providers/providers.ts";
import { type Finding, inspectData } from "../store/inspection.ts";
import { repairData } from "../store/repair.ts";
import type { Command, ParsedArgs } from "./arguments.ts";
import { showing } from "./backup.ts";
import { requireData } from "./data.ts";

/** Whether the settings are good; undefined in their place where they are not. */
function checkSettings(args: ParsedArgs): { config: Config | undefined; finding: Finding } {
  try {
    const config = readConfig(args.data, process.env);
    return { config, finding: { check: "settings", ok: true, detail: "every setting is good", items: [] } };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const items = [error.message, ...error.lines];
    return { config: undefined, finding: { check: "settings", ok: false, detail: "a server would not start", items } };
  }
}

/** Whether the configured providers answer. */
async function checkProviders(config: Config): Promise<Finding[]> {
  const providers = openProviders(config);
  try {
    return (await providers.check()).map(({ name, configured, answers, detail }) => {
      const ok = answers || !configured;
      return { check: name, ok, detail: ok ? detail : "does not answer as it should", items: ok ? [] : [detail] };
    });
  } finally {
    providers.close();
  }
}

function findingLines({ check, ok, detail, items }: Finding): string[] {
  return [`${ok ? "ok " : "NOT"} ${check}: ${detail}`, ...items.map((item) => `      ${item}`)];
}

export const doctorCommand: Command = {
  words: "doctor",
  summary: "looks the data directory over; exits with 1 where something is not well",
  flags: {
    deep: { summary: "reads every medium and holds it against its checksum" },
    repair: { summary: "repairs what loses nothing, and removes orphaned rows after a copy; no server may run" },
    online: { summary: "asks the configured providers whether they answer" },
  },
  async run(args) {
    requireData(args.data);
    const { progress, done } = showing("checksums");
    const { config, finding } = checkSettings(args);
    const options = { deep: args.has("deep"), now: Date.parse(args.now), reserve: config?.disk_reserve, progress };
    const look = () => inspectData(args.data, options).finally(done);
    let findings = await look();
    const repaired = args.has("repair") ? repairData(args.data, findings) : [];
    if (repaired.length > 0) findings = await look();
    findings.push(finding, ...(config !== undefined && args.has("online") ? await checkProviders(config) : []));
    const clean = findings.every(({ ok }) => ok);
    return {
      document: { clean, findings, repaired },
      lines: [...repaired.map((deed) => `repaired: ${deed}`), ...findings.flatMap(findingLines)],
      failed: !clean,
    };
  },
};
