// What `tallylight doctor` says about the next start of this version.
import { CliError } from "../../core/errors.ts";
import type { Finding } from "../../core/feature.ts";
import { checkUpgrade, type UpgradeCheck, upgradeSentences } from "./store_upgrade.ts";

/** Tells what the start would do to the database. A database that cannot be read has a finding of its own. */
export function checkData(data: string): Finding[] {
  let upgrade: UpgradeCheck;
  try {
    upgrade = checkUpgrade(data);
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
  const { fits } = upgrade;
  const [detail = "", ...further] = upgradeSentences(upgrade);
  if (fits) return [{ check: "upgrade", ok: true, detail: [detail, ...further].join("; "), items: [] }];
  return [{ check: "upgrade", ok: false, detail, items: further }];
}
