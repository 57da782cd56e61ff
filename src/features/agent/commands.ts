// tallylight agent, agent status: the storage agent, for the machine that mounts the filespace. It uses no data
// directory.
import type { Summary } from "../../agent/agent.ts";
import type { AgentOptions } from "../../agent/components.ts";
import type { Command, Flag, Output, ParsedArgs } from "../../core/command.ts";
import { CliError, UsageError } from "../../core/errors.ts";
import { untilStopped } from "../../core/program.ts";
import { plural } from "../../core/wording.ts";

const stateFlag: Flag = { value: "DIR", summary: "the directory of the agent's state; ./agent by default" };
const configFlag: Flag = { value: "FILE", summary: "settings as JSON; see docs/agent.md" };

/** Turns the agent's errors into errors of the command line. The agent's modules are loaded only when they are used. */
async function withAgent<T>(work: () => Promise<T>): Promise<T> {
  const { AgentError, AgentMisuse } = await import("../../agent/errors.ts");
  try {
    return await work();
  } catch (error) {
    if (error instanceof AgentMisuse) throw new UsageError(error.message);
    throw error instanceof AgentError ? new CliError(error.message) : error;
  }
}

const settingsFrom = (given: ParsedArgs) => {
  const names = ["url", "key", "filespace", "root", "state", "config"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (given.text(name) === undefined ? [] : [[name, given.text(name)]])),
  );
};

/** A line about names that no path says; none if there are none. */
const notUtf8Lines = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${plural(count, "name")} cannot be reported, because ${count === 1 ? "it is" : "they are"} not UTF-8; \`LC_ALL=C find ROOT | LC_ALL=C.UTF-8 grep -avx '.*'\` lists them`,
      ];

async function showRehearsal(options: AgentOptions): Promise<Output> {
  const { rehearse } = await import("../../agent/rehearsal.ts");
  const document = await rehearse(options);
  const { files, create, modify, delete: gone, held, not_utf8 } = document;
  return {
    document,
    lines: [`${files} files: would report ${create} as created, ${modify} as modified, ${gone} as deleted`],
    notes: [...notUtf8Lines(not_utf8), ...(held === null ? [] : [`would report no deletes, because ${held}`])],
  };
}

const outputOf = (summary: Summary): Output => {
  const { files, created, modified, deleted, refused, stand_ins, moves, held, not_utf8 } = summary;
  return {
    document: summary,
    lines: [
      `${files} files: ${created} created, ${modified} modified, ${deleted} deleted, ${refused} refused`,
      `${stand_ins.made} stand-ins made, ${moves.done} files moved, ${moves.failed} moves failed`,
    ],
    notes: [
      ...notUtf8Lines(not_utf8),
      ...(held === null ? [] : [`no deletes were reported, because ${held.reason}; --confirm-deletes reports them`]),
    ],
  };
};

async function run(given: ParsedArgs, signal: AbortSignal): Promise<Output | undefined> {
  const { agentSettingsOf } = await import("../../agent/settings.ts");
  const { openLog } = await import("../../agent/log.ts");
  const settings = agentSettingsOf(settingsFrom(given), process.env);
  const log = openLog((line) => void process.stderr.write(line));
  const [once, confirmDeletes] = [given.has("once"), given.has("confirm-deletes")];
  const noStandIns = given.has("no-proxies");
  const options: AgentOptions = { settings, log, signal, once, confirmDeletes, noStandIns };
  if (given.has("dry-run")) return showRehearsal(options);
  const { runAgent } = await import("../../agent/agent.ts");
  const summary = await runAgent(options);
  if (!once) return undefined;
  if (summary === undefined) throw new CliError("stopped before the pass was complete; the next run continues it");
  return outputOf(summary);
}

async function showStatus(given: ParsedArgs): Promise<Output> {
  const { readStatus } = await import("../../agent/status.ts");
  const { isRunning } = await import("../../agent/state.ts");
  const { stateFolderOf } = await import("../../agent/settings.ts");
  const state = stateFolderOf(settingsFrom(given));
  const document = { state, running: isRunning(state), ...readStatus(state) };
  const { away, held, events, stand_ins, moves, refusals } = document;
  return {
    document,
    lines: [
      `${document.filespace} at ${document.root}, reported to ${document.url}: ${document.running ? "running" : "not running"}`,
      `last contact: ${document.last_contact ?? "none"}${away === null ? "" : `; server unavailable: ${away}`}`,
      `source of changes: ${document.source ?? "-"}; last full pass: ${document.last_full_pass ?? "none"}`,
      `files present: ${document.files}; paths to check: ${document.spool}`,
      `events: ${events.accepted} accepted, ${events.duplicates} duplicates, ${events.refused} refused`,
      `stand-ins: ${stand_ins.made} made, ${stand_ins.impossible} not possible; moves: ${moves.done} done, ${moves.failed} failed`,
      ...notUtf8Lines(document.not_utf8 ?? 0), // the state of an older agent has none
      ...(held === null ? [] : [`deletes have not been reported since ${held.since}: ${held.reason}`]),
      ...refusals.map(({ time, path, reason }) => `refused ${time} ${path}: ${reason}`),
    ],
  };
}

export const commands: readonly Command[] = [
  {
    words: "agent",
    summary: "runs the storage agent",
    details: "Reports a filespace's files to a server and carries out approved moves.",
    example: "tallylight agent --url http://127.0.0.1:8787 --filespace show-main --root /mnt/show",
    flags: {
      url: { value: "URL", summary: "the server's address" },
      key: { value: "KEY", summary: "a production-wide key with the write scope; $TALLYLIGHT_KEY by default" },
      filespace: { value: "NAME", summary: "the name of the filespace that is installed in the production" },
      root: { value: "DIR", summary: "where the filespace is mounted" },
      state: stateFlag,
      config: configFlag,
      once: { summary: "makes one full pass, delivers its results, then exits" },
      "no-proxies": { summary: "makes no pictures; a later run without this flag makes them" },
      "dry-run": { summary: "makes one full pass, logs what it would report and move, and changes nothing" },
      "confirm-deletes": { summary: "reports missing files as deleted, even if the whole tree is missing" },
    },
    run: (given) => withAgent(() => untilStopped((signal) => run(given, signal))),
  },
  {
    words: "agent status",
    summary: "shows what the agent did and waits for",
    details: "The agent on this machine.",
    example: "tallylight agent status --state ./agent",
    flags: { state: stateFlag, config: configFlag },
    run: (given) => withAgent(() => showStatus(given)),
  },
];
