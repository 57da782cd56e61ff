// How it stands with access, releases, file moves, the log of admins and the server: for the overview of the settings;
// and what is wrong with the server.
import type { ProductionId } from "../../../core/ids.ts";
import { one, value } from "../../../core/store/statements.ts";
import { listProductions } from "../../../graph/find_production.ts";
import { conditionsOf } from "../../health/conditions.ts";
import type { SettingState } from "../../pages/contributions.ts";
import { timeText } from "../../pages/dates.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { plural, sizeText, wordOf } from "../../pages/html_parts.ts";
import { inPageWords } from "../../pages/send.ts";
import type { Visit } from "../../pages/visit.ts";
import { listEngagements } from "../access.ts";
import { listAudit } from "../audit.ts";
import { databaseSize, freeSpace, isSaved } from "./health_view.ts";

const inside = value<{ production_id: ProductionId; now: string }, number>("count_inside");
const unreleased = value<{ production_id: ProductionId }, number>("count_unreleased");
const storageOf = one<{ production_id: ProductionId }, { filespace: string | null; moves: number; waiting: number }>(
  "get_storage_figures",
);

export const keysState: SettingState = {
  says({ context: { app, caller, now } }) {
    const { production_id } = caller;
    const count = inside(app.store, { production_id, now }) ?? 0;
    return count <= 1 ? "Nobody but this browser" : `${count} inside now`;
  },
};

export const vendorsState: SettingState = {
  async says(visit) {
    const all = await visit.ask(listEngagements, {});
    const active = all.filter((one) => one.active);
    const blind = active.filter(({ grants }) => !grants.some(({ live }) => live));
    if (all.length === 0) return "None works on this show yet";
    const names = blind.slice(0, 2).map(({ vendor }) => vendor);
    const more = blind.length > 2 ? ` and ${blind.length - 2} more` : "";
    const nothing = `; ${names.join(", ")}${more} ${blind.length === 1 ? "sees" : "see"} nothing yet`;
    return `${active.length} working${all.length > active.length ? `, ${all.length - active.length} ended` : ""}${blind.length > 0 ? nothing : ""}`;
  },
};

export const releasesState: SettingState = {
  waits({ context: { app, caller } }) {
    const count = unreleased(app.store, caller) ?? 0;
    return count === 0 ? undefined : { count, text: `${count} to look at`, tone: "warn" };
  },
  says: ({ context: { app, caller } }) =>
    (unreleased(app.store, caller) ?? 0) === 0
      ? "No asset waits for its first release"
      : "Assets with versions of which none is released",
};

export const storageState: SettingState = {
  says({ context: { app, caller } }) {
    const { filespace, moves, waiting } = storageOf(app.store, caller) ?? { filespace: null, moves: 0, waiting: 0 };
    return `${filespace ?? "No filespace yet"}, ${plural(moves, "move")}, ${waiting === 0 ? "none" : waiting} waiting`;
  },
};

export const auditState: SettingState = {
  async says(visit) {
    const [last] = await visit.ask(listAudit, { limit: 1 });
    if (last === undefined) return "No admin has changed anything yet";
    return `Last: ${wordOf(last.action.replace(".", " "))}, ${last.actor}, ${timeText(last.created_at)}`;
  },
};

/** The conditions of the server that are wrong. */
const wrongOf = async ({ ctx }: Visit) =>
  (await conditionsOf(ctx.app))().filter(({ problem }) => problem !== undefined);

export const healthState: SettingState = {
  async waits(visit) {
    const wrong = await wrongOf(visit);
    const [first] = wrong;
    if (first !== undefined) return { text: `${wordOf(first.name)}: wrong`, tone: "bad" };
    return isSaved(visit.ctx.app) ? undefined : { text: "no backup", tone: "bad" };
  },
  says: ({ ctx: { app } }) => `Database ${sizeText(databaseSize(app))}, ${sizeText(freeSpace(app))} free`,
};

/** What is wrong, with what mends it: only the admin of the machine makes a backup, which contains every production. */
export async function alarm(visit: Visit): Promise<Markup | undefined> {
  if (!visit.isAdmin) return undefined;
  const { app } = visit.ctx;
  const wrong = (await wrongOf(visit)).map(
    ({ problem, summary }) => html`<p>${inPageWords(visit.hasLink && problem !== undefined ? problem : summary)}</p>`,
  );
  const box = (title: string, body: Markup): Markup =>
    html`<section class="panel notice bad"><h2>${title}</h2>${body}</section>`;
  const broken =
    wrong.length > 0 &&
    box("Something is wrong with the server", html`${wrong}<p><a href="/settings/health">Health</a></p>`);
  if (isSaved(app)) return html`${broken}`;
  const held = visit.hasLink
    ? `This server holds ${plural(listProductions(app.store).length, "production")}, ${sizeText(databaseSize(app))}, and nothing was saved so far.`
    : "Nothing of this server was saved so far. Whoever comes by a link of its machine makes a backup here.";
  const make = postForm(visit, { to: "/settings/health", style: "row", buttons: [{ text: "Make a backup" }] });
  return html`${broken}${box("No backup yet", html`<p>${held}</p>${visit.hasLink && make}<p><a href="/settings/health">Let the server do it every night</a></p>`)}`;
}
