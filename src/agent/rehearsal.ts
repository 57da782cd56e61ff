// The dry run: finds out what an agent would do, and changes nothing. Reads the state if there is one.
import { probeServer, rootOf } from "./agent.ts";
import { Client } from "./client.ts";
import { Clock } from "./clock.ts";
import { type AgentOptions, clientOptions } from "./components.ts";
import { isGone } from "./file_state.ts";
import { Ignore } from "./ignore.ts";
import { Journal } from "./journal/journal.ts";
import { rehearseTasks } from "./moves/tasks.ts";
import { runPass } from "./pass.ts";
import { isPicture } from "./pictures/ffmpeg.ts";
import { type Facts, reportOf } from "./report.ts";
import { reasonNotToTrustRoot, rootStateOf } from "./root_state.ts";
import { readState } from "./state.ts";
import { throttleOf } from "./throttle.ts";

export interface Rehearsal {
  dry_run: true;
  files: number;
  create: number;
  modify: number;
  delete: number;
  stand_ins: number;
  /** Why deletes would wait to be confirmed. */
  /** Names that could not be reported, because they are not UTF-8. */
  not_utf8: number;
  held: string | null;
}

/** Logs each event and move that a run would make; answers their counts. Throws AgentError as runAgent does. */
export async function rehearse(options: AgentOptions): Promise<Rehearsal> {
  const { settings, log, signal } = options;
  const root = rootOf(settings);
  const client = new Client(clientOptions({ ...options, once: true }));
  await probeServer(client, settings.filespace);
  const ignore = new Ignore(settings.ignore);
  const database = readState(settings.state, settings.filespace);
  const journal = new Journal(database);
  const clock = new Clock(journal.clock);
  const counts = { create: 0, modify: 0, delete: 0, stand_ins: 0 };
  const look = (path: string, facts: Facts | undefined): void => {
    const pictured = settings.stand_ins && facts !== undefined && isPicture(path);
    const sight = { path, facts, source: "reconciler" as const, detected_at: clock.stamp(), pictured };
    const report = reportOf(sight, journal.get(path), journal.floor);
    if (report === undefined) return;
    counts[report.event_type]++;
    if (report.pictured) counts.stand_ins++;
    log("would_report", { event_type: report.event_type, path, ...report.facts });
  };
  try {
    const throttle = await throttleOf(root, settings.files_per_second);
    const outcome = await runPass(
      { root, ignore, throttle, signal, journal },
      {
        folder: "",
        async changed(files) {
          for (const { path, size, mtime_ns } of files) look(path, { size, mtime_ns });
        },
      },
    );
    const rootState = await rootStateOf(root, ignore);
    const doubt = options.confirmDeletes
      ? undefined
      : reasonNotToTrustRoot(rootState, journal.root, journal.present, outcome);
    if (doubt === undefined) for (const path of outcome.missing) if (await isGone(root, path)) look(path, undefined);
    await rehearseTasks({ root, ignore, client, log });
    return { dry_run: true, files: outcome.files, ...counts, not_utf8: outcome.not_utf8, held: doubt ?? null };
  } finally {
    database.close();
  }
}
