// tallylight doctor: looks a data directory over and says what is not well. Writes nothing unless asked to repair.
import { type Config, readConfig } from "../config.ts";
import { CommandRefusal } from "../errors.ts";
import { openProviders } from "../providers/providers.ts";
import { type Finding, inspectData } from "../store/inspection.ts";
import { repairData } from "../store/repair.ts";
import { showing } from "./backup.ts";
import { requireData } from "./data.ts";
import type { Command, Given } from "./front.ts";

/** Whether the settings are good; undefined in their place where they are not. */
function checkSettings(given: Given): { config: Config | undefined; finding: Finding } {
  try {
    const config = readConfig(given.data, process.env);
    return { config, finding: { check: "settings", ok: true, detail: "every setting is good", items: [] } };
  } catch (error) {
    if (!(error instanceof CommandRefusal)) throw error;
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

function linesOf({ check, ok, detail, items }: Finding): string[] {
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
  async run(given) {
    requireData(given.data);
    const { progress, done } = showing("checksums");
    const { config, finding } = checkSettings(given);
    const options = { deep: given.has("deep"), now: Date.parse(given.now), reserve: config?.disk_reserve, progress };
    const look = () => inspectData(given.data, options).finally(done);
    let findings = await look();
    const repaired = given.has("repair") ? repairData(given.data, findings) : [];
    if (repaired.length > 0) findings = await look();
    findings.push(finding, ...(config !== undefined && given.has("online") ? await checkProviders(config) : []));
    const clean = findings.every(({ ok }) => ok);
    return {
      document: { clean, findings, repaired },
      lines: [...repaired.map((deed) => `repaired: ${deed}`), ...findings.flatMap(linesOf)],
      failed: !clean,
    };
  },
};
