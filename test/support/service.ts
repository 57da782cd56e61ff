// The services that the flags of `service install` describe, for tests of their units and steps.
import { parseCommandArgs } from "../../src/core/command.ts";
import { agentOf, commands, serviceOf } from "../../src/features/service/service.ts";
import type { Installed, Service } from "../../src/features/service/systemd.ts";
import { type Unit, unitText } from "../../src/features/service/units.ts";

const now = "2026-11-20T08:00:00.000Z";

function argsOf(words: string[]) {
  const command = commands.find((one) => one.words === "service install");
  const args = command && parseCommandArgs(command, words, now);
  if (args === undefined) throw new Error("these are no flags of service install");
  return args;
}

export const serviceWith = (program: string[], ...words: string[]): Service => serviceOf(argsOf(words), program);

export const agentWith = (program: string[], config: string, user: string): Promise<Installed> =>
  agentOf(argsOf(["--user", user]), config, program);

/** The text of a unit of an installation, of the first one by default. */
export const textOf = ({ units }: Installed, at = 0): string => unitText(units[at] as Unit);
