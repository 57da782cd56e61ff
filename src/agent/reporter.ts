// Reports changes to the server: compares each look with the journal, collects batches, sends one at a time, and
// records the answers. Looks must come in the order in which they were made.
import { join } from "node:path";
import * as v from "valibot";
import type { Components } from "./components.ts";
import { AgentError } from "./errors.ts";
import { statsOf } from "./file_state.ts";
import { isPicture } from "./pictures/ffmpeg.ts";
import { entryOf, type Facts, type JournalEntry, type Report, type ReportSource, reportOf, wireOf } from "./report.ts";

/** The server's limits are 1,000 events and 8 MiB; a proxy in between may have lower ones. */
const mostEvents = 1000;
const mostBytes = 2 << 20;

const outcome = v.object({
  accepted: v.number(),
  duplicates: v.number(),
  refused: v.optional(v.array(v.object({ index: v.pipe(v.number(), v.integer()), reason: v.string() })), []),
});
type Outcome = v.InferOutput<typeof outcome>;

/** Whether a path is that of a file in another Unicode form, which is the same file to the server. */
async function isInOtherForm(root: string, path: string): Promise<boolean> {
  for (const form of [path.normalize("NFC"), path.normalize("NFD")])
    if (form !== path && (await statsOf(join(root, form)))?.isFile() === true) return true;
  return false;
}

export class EventReporter {
  readonly #parts: Components;
  #filling: Report[] = [];
  #bytes = 0;
  /** What the batch that fills makes of its paths. */
  #filled = new Map<string, JournalEntry>();
  readonly counts = { create: 0, modify: 0, delete: 0 };

  constructor(parts: Components) {
    this.#parts = parts;
  }

  /** Sends the batch that a crash left without an answer. */
  async resume(): Promise<void> {
    const { pending } = this.#parts.journal;
    if (pending !== undefined) await this.#send(pending);
  }

  /** Takes a look at a path; undefined facts say that no file is there. Sends a full batch. */
  async look(path: string, facts: Facts | undefined, source: ReportSource): Promise<void> {
    const { journal, clock, settings, root } = this.#parts;
    const known = this.#filled.get(path) ?? journal.get(path);
    const pictured = facts !== undefined && settings.stand_ins && isPicture(path);
    const sight = { path, facts, source, detected_at: clock.stamp(), pictured };
    const report = reportOf(sight, known, journal.floor);
    if (report === undefined) return;
    // no delete: the server has one file
    if (facts === undefined && (await isInOtherForm(root, path))) return journal.put(entryOf(report, false));
    this.#filling.push(report);
    this.#filled.set(path, entryOf(report, false));
    this.#bytes += path.length + 300;
    if (this.#filling.length >= mostEvents || this.#bytes >= mostBytes) await this.drain();
  }

  /** Sends what was looked at, and waits for the answer. */
  async drain(): Promise<void> {
    const batch = await this.#believed(this.#filling);
    this.#filling = [];
    this.#filled = new Map();
    this.#bytes = 0;
    if (batch.length === 0) return;
    this.#parts.journal.begin(batch);
    await this.#send(batch);
  }

  /** The reports, without deletes if deletes cannot be trusted. */
  async #believed(reports: Report[]): Promise<Report[]> {
    if (reports.every(({ facts }) => facts !== null)) return reports;
    const { reconciler } = this.#parts;
    const doubt = await reconciler.doubt(); // read after the deletes were seen and before they are sent
    if (doubt === undefined) return reports;
    reconciler.hold(doubt);
    return reports.filter(({ facts }) => facts !== null);
  }

  async #send(batch: readonly Report[]): Promise<void> {
    const { journal, log, status, reconciler, standIns } = this.#parts;
    const started = performance.now();
    const { accepted, duplicates, refused } = await this.#post(batch);
    journal.settle(refused.map(({ index }) => index));
    for (const { event_type } of batch) this.counts[event_type]++;
    const counts = { accepted, duplicates, refused: refused.length };
    status.count("events", counts);
    status.change({ files: journal.present });
    const milliseconds = Math.round(performance.now() - started);
    const sources = [...new Set(batch.map(({ source }) => source))];
    log("batch", { events: batch.length, sources, ...counts, ms: milliseconds });
    const refusedAt = new Set(refused.map(({ index }) => index));
    for (const { index, reason } of refused) this.#refuse(batch[index], reason);
    const entries = batch.map((report, index) => entryOf(report, refusedAt.has(index)));
    reconciler.delivered(entries);
    standIns.delivered(entries);
  }

  #refuse(report: Report | undefined, reason: string): void {
    if (report === undefined) return;
    this.#parts.log("refused", { path: report.path, event_type: report.event_type, reason });
    this.#parts.status.refuse(report.path, reason);
  }

  /** Posts events; a batch that is too large for a proxy in front of the server is sent in halves. */
  async #post(batch: readonly Report[]): Promise<Outcome> {
    const { client, settings } = this.#parts;
    const { filespace } = settings;
    const body = `{"filespace":${JSON.stringify(filespace)},"events":[${batch.map(wireOf).join(",")}]}`;
    const { status, body: answer } = await client.call("/storage/events", body);
    if (status === 413 && batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      const [first, second] = [await this.#post(batch.slice(0, half)), await this.#post(batch.slice(half))];
      const behind = second.refused.map(({ index, reason }) => ({ index: index + half, reason }));
      return {
        accepted: first.accepted + second.accepted,
        duplicates: first.duplicates + second.duplicates,
        refused: [...first.refused, ...behind],
      };
    }
    if (status !== 200) throw new AgentError(`the server refuses the events of ${filespace}: ${answer.detail}`);
    const { success, output } = v.safeParse(outcome, answer);
    if (!success) throw new AgentError("the server's answer to the events is not valid");
    return output;
  }
}
