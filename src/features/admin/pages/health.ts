// /settings/health: the state of the server and its data directory, and a backup for the admin of this server.
import { forbidden } from "../../../core/errors.ts";
import { release } from "../../../core/program.ts";
import { adminOf } from "../../../graph/admin.ts";
import { recordAction } from "../../../graph/audit.ts";
import { backupStateOf } from "../../backup/scheduled_backups.ts";
import { makeBackup } from "../../backup/server_backups.ts";
import type { ClockState } from "../../clock/settled_clock.ts";
import { conditionsOf } from "../../health/conditions.ts";
import { timeOf } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { fieldProblem, lines, panel, plural, sizeText } from "../../pages/html_parts.ts";
import type { PageAnswer } from "../../pages/page.ts";
import { inPageWords, sendDownload } from "../../pages/send.ts";
import type { Visit } from "../../pages/visit.ts";
import { healthOf } from "./health_view.ts";

type Finding = NonNullable<Awaited<ReturnType<typeof healthOf>>["findings"]>[number];

const findingItem = ({ check, ok, detail, items }: Finding): Markup => html`<li>
<strong>${check.replaceAll("_", " ")}</strong> <span class="chip ${ok ? "good" : "bad"}">${ok ? "sound" : "wrong"}</span> <span class="under">${inPageWords(detail)}</span>
${items.length > 0 && html`<ul>${items.slice(0, 20).map((item) => html`<li class="under">${item}</li>`)}</ul>`}
</li>`;

/** A backup contains every production, so a key of one of them does not get it. */
const backupPanel = (visit: Visit): Markup =>
  panel(
    "Backup",
    visit.hasLink
      ? html`<p>One file with the database and the media of every production on this server, without its settings and secrets.</p>
<form method="post" class="row">${visit.proof}<button${visit.refused && html` aria-describedby="problem"`}>Download a backup</button></form>
${fieldProblem("problem", visit.refused?.problem)}
<p class="under">With much media, let the server make backups in a folder by itself: the guide “Operating” says how.</p>`
      : html`<p>A backup contains every production of this server, so a key of one of them does not download it. Who opens these pages by a link of the server's machine downloads one here.</p>`,
  );

/** The backups that the server makes itself. */
function folderPanel(visit: Visit): Markup | false {
  const state = backupStateOf(visit.ctx.app);
  if (state === undefined) return false;
  const { folder, newest, age, problem, verified } = state;
  const hours = age === undefined ? undefined : Math.floor(age / 3600);
  return panel(
    "Backups on this server",
    html`<dl>${visit.hasLink && html`<dt>Folder</dt><dd>${folder}</dd>`}<dt>Newest</dt><dd>${newest === undefined ? "none yet" : html`${newest.name}, ${hours === 0 ? "less than an hour old" : `${hours} h old`}`}</dd>${newest?.bytes && html`<dt>Size</dt><dd>${sizeText(newest.bytes)}</dd>`}<dt>Read again</dt><dd>${verified === undefined ? "not yet" : timeOf(verified.at)}</dd></dl>
<p><span class="chip ${problem === undefined ? "good" : "bad"}">${problem === undefined ? "sound" : "wrong"}</span>${visit.hasLink && html` <span class="under">${problem}</span>`}</p>`,
  );
}

/** What may be wrong with the server, and what is; only the admin of the machine sees its paths. */
async function conditionsPanel(visit: Visit): Promise<Markup> {
  const conditions = (await conditionsOf(visit.ctx.app))();
  return panel(
    "Now",
    lines(
      conditions.map(
        ({ name, problem, summary }) =>
          html`<li><strong>${name.replaceAll("_", " ")}</strong> <span class="chip ${problem === undefined ? "good" : "bad"}">${problem === undefined ? "sound" : "wrong"}</span> <span class="under">${problem !== undefined && inPageWords(visit.hasLink ? problem : summary)}</span></li>`,
      ),
    ),
  );
}

/** A time in seconds, in its two largest units. */
function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  if (days > 0) return `${plural(days, "day")} ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

function clockText({ jumps, lead, problem }: ClockState): Markup {
  const held =
    lead >= 300 &&
    html`; old entries and uploads are kept longer, because it is ${Math.round(lead / 60)} min ahead of the time that this server ran`;
  const seen = jumps === 0 ? "no jump since the start" : plural(jumps, "jump");
  if (problem === undefined) return html`${seen}${held}`;
  return html`<span class="chip bad">check it</span> <span class="under">${problem}; ${seen}${held}</span>`;
}

export async function showHealth(visit: Visit): Promise<Markup> {
  const { database_size, free_space, clock, uptime, backed_up_at, findings } = await healthOf(visit.ctx.app);
  const { base_url } = visit.ctx.app.addresses;
  const server = html`<dl><dt>Address</dt><dd>${base_url}</dd><dt>Database</dt><dd>${sizeText(database_size)}</dd><dt>Free space</dt><dd>${sizeText(free_space)}</dd><dt>Clock</dt><dd>${clockText(clock)}</dd><dt>Version</dt><dd>${release}</dd><dt>Running for</dt><dd>${durationText(uptime)}</dd><dt>Last backup</dt><dd>${backed_up_at === null ? "none yet" : timeOf(backed_up_at)}</dd></dl>`;
  const checks =
    findings === undefined
      ? html`<p>The database is too large to be checked while it is served. It is checked on the server's machine: the guide “Operating” says how.</p>`
      : lines(findings.map(findingItem));
  return html`<div class="grid"><div class="flow">${panel("Server", server)}${await conditionsPanel(visit)}${folderPanel(visit)}${backupPanel(visit)}</div>${panel("Checks", checks)}</div>`;
}

export async function downloadBackup(visit: Visit): Promise<PageAnswer> {
  if (!visit.hasLink)
    throw forbidden(
      "a backup contains every production of this server: only who came by a link of its machine downloads one",
    );
  const { app } = visit.ctx;
  const backup = await makeBackup(app);
  const { size, created_at, discard } = backup;
  try {
    await visit.context.write((context) =>
      recordAction(
        { ...adminOf(context), now: created_at },
        { action: "data.backed_up", production_id: null, detail: { bytes: size } },
      ),
    );
  } catch (error) {
    await discard();
    throw error;
  }
  const name = `tallylight-${created_at.slice(0, 19).replaceAll(":", "-")}.tar`;
  return async () => {
    try {
      await sendDownload(visit.ctx, backup.file, { name, type: "application/x-tar", size });
    } finally {
      await discard();
    }
  };
}
