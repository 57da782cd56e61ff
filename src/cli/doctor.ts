// tallylight doctor: looks a data directory over and says what is not well. Writes nothing unless asked to repair.
import { type Config, readConfig } from "../config.ts";
import { CommandRefusal } from "../errors.ts";
import { openProviders } from "../providers/providers.ts";
import { type Finding, inspectData } from "../store/inspection.ts";
import { repairData } from "../store/repair.ts";
import { showing } from "./backup.ts";
import { requireData } from "./data.ts";
import type { Command, Given } from "./front.ts";

/** The settings, and with `online` whether the configured providers answer. */
async function checkDeployment(given: Given, online: boolean): Promise<Finding[]> {
  try {
    const config = readConfig(given.data, process.env);
    const settings = { check: "settings", ok: true, detail: "every setting is good", items: [] };
    return online ? [settings, ...(await checkProviders(config))] : [settings];
  } catch (error) {
    if (!(error instanceof CommandRefusal)) throw error;
    return [
      { check: "settings", ok: false, detail: "a server would not start", items: [error.message, ...error.lines] },
    ];
  }
}

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
    repair: { summary: "repairs what can be repaired without losing anything; no server may run" },
    online: { summary: "asks the configured providers whether they answer" },
  },
  async run(given) {
    requireData(given.data);
    const { progress, done } = showing("checksums");
    const options = { deep: given.has("deep"), now: Date.parse(given.now), progress };
    const look = () => inspectData(given.data, options).finally(done);
    let findings = await look();
    const repaired = given.has("repair") ? repairData(given.data, findings) : [];
    if (repaired.length > 0) findings = await look();
    findings.push(...(await checkDeployment(given, given.has("online"))));
    const clean = findings.every(({ ok }) => ok);
    return {
      document: { clean, findings, repaired },
      lines: [...repaired.map((deed) => `repaired: ${deed}`), ...findings.flatMap(linesOf)],
      failed: !clean,
    };
  },
};
