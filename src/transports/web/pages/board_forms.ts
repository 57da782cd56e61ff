// The forms of the board: a strip to another day or place, two days swapped, and days moved to later or earlier dates.
import type * as v from "valibot";
import { adminOf } from "../../../admin/admin.ts";
import { listHistory } from "../../../admin/operations/history.ts";
import type { MadeChange, StoredSection } from "../../../admin/things.ts";
import { itemSchemaOf, type Raw } from "../../../document/sections/form.ts";
import { sceneName } from "../../../document/sections/names.ts";
import { getScene } from "../../../operations/scenes.ts";
import type { getSchedule } from "../../../operations/schedule.ts";
import type { SubmittedForm } from "../form.ts";
import { html, type Markup } from "../html.ts";
import type { Redirect } from "../page.ts";
import { dateText, fieldProblem, options, timeText, wordOf } from "../parts.ts";
import { save, savedAddress } from "../save.ts";
import type { Visit } from "../visit.ts";
import { addressWith } from "../windows.ts";

type ShootDay = v.InferOutput<(typeof getSchedule)["output"]>[number];

/** What a form asks for, as partial shoot days; or why it cannot be done. */
type Asked = { days: Raw[]; to?: number } | { problem: string };

const dayMilliseconds = 86_400_000;
const isWeekend = (date: Date): boolean => date.getUTCDay() === 0 || date.getUTCDay() === 6;

/** The date some days later, or earlier for a negative number. Weekends that are passed over are not counted. */
export function shiftedDate(date: string, days: number, skipWeekends: boolean): string {
  let moved = new Date(`${date}T00:00:00Z`);
  const step = Math.sign(days);
  for (let left = Math.abs(days); left > 0; ) {
    moved = new Date(moved.getTime() + step * dayMilliseconds);
    if (!skipWeekends || !isWeekend(moved)) left--;
  }
  return moved.toISOString().slice(0, 10);
}

/** How many days a conflict names. */
const namedDays = 5;
const verbs = { add: "added", change: "changed", remove: "removed" } as const;

const scenesOf = ({ scenes = [] }: Raw): string[] => scenes as string[]; // the form of a shoot day
const dayName = ({ day_number }: Raw): string => `day ${String(day_number)}`;

class Board {
  readonly #visit: Visit;
  readonly #form: SubmittedForm;
  readonly #stored: StoredSection;

  constructor(visit: Visit, form: SubmittedForm, stored: StoredSection) {
    this.#visit = visit;
    this.#form = form;
    this.#stored = stored;
  }

  #day(field: string): { id: number; raw: Raw } | undefined {
    return this.#stored.items.find(({ id }) => String(id) === this.#form.text(field));
  }

  /** The name of the scene that a field gives by its id, or by its number. */
  async #scene(field: string): Promise<string | undefined> {
    const node_id = Number(this.#form.text(`${field}_id`));
    if (Number.isSafeInteger(node_id) && node_id > 0) {
      const { number, episode_code } = await this.#visit.ask(getScene, { node_id });
      return sceneName(number, episode_code);
    }
    const given = this.#form.text(field).toLowerCase();
    return given === "" ? undefined : this.#stored.names("scene").find((name) => name.toLowerCase() === given);
  }

  /** Who took a scene from a day since the form was shown, or put it on one. */
  async #conflict(scene: string, day: { id: number; raw: Raw }, what: string): Promise<Asked> {
    const { lastChange } = await import("../../../admin/things.ts");
    const found = lastChange(adminOf(this.#visit.context), "schedule", day.id, "scenes");
    const by = found === undefined ? "" : `: ${found.actor} changed that day at ${timeText(found.at)}`;
    return { problem: `Scene ${scene} is ${what} ${dayName(day.raw)}${by}. Nothing was moved.` };
  }

  /** What others changed since the form was shown, as a refusal; undefined if nothing that counts. */
  async #meanwhile(counts: (change: MadeChange["change"]) => boolean): Promise<Asked | undefined> {
    const { changesOf } = await import("../../../admin/things.ts");
    const seen = Number(this.#form.optional("seen") ?? Number.NaN);
    const found = [...changesOf(adminOf(this.#visit.context), "schedule", seen)].filter(({ change }) => counts(change));
    const [newest] = found;
    if (newest === undefined) return undefined;
    const days = new Map(found.toReversed().map((one) => [one.change.id, one])).values();
    const sentences = [...days].slice(0, namedDays).map(({ actor, at, change: { key, action, fields } }) => {
      const what = action === "change" ? `its ${Object.keys(fields).map(wordOf).join(", ")}` : "it";
      return `Day ${key}: ${actor} ${verbs[action]} ${what} at ${timeText(at)}.`;
    });
    const advice = "Nothing was moved; look at the days and send it again.";
    return { problem: `The days were changed meanwhile. ${sentences.join(" ")} ${advice}` };
  }

  async move(): Promise<Asked> {
    const scene = await this.#scene("scene");
    if (scene === undefined) return { problem: "There is no scene with this number." };
    const on = this.#stored.items.filter(({ raw }) => scenesOf(raw).includes(scene));
    const [given, from] = [this.#form.optional("day"), this.#day("day")];
    if (from !== undefined && !on.includes(from)) return this.#conflict(scene, from, "not any more on");
    if (given === "0" && on[0] !== undefined) return this.#conflict(scene, on[0], "meanwhile on");
    if (given === undefined && on.length > 1)
      return {
        problem: `Scene ${scene} is on ${on.map(({ raw }) => dayName(raw)).join(" and ")}. Use the handle of its strip.`,
      };
    const source = from ?? (given === undefined ? on[0] : undefined);
    const target = this.#day("to");
    if (target === undefined && this.#form.text("to") !== "0")
      return { problem: "There is no such shoot day any more." };
    if (target !== undefined && target !== source && on.includes(target))
      return { problem: `Scene ${scene} is on ${dayName(target.raw)} already.` };
    const before = await this.#scene("before");
    const days: Raw[] = [];
    if (source !== undefined && source !== target) days.push(without(source.raw, scene));
    if (target !== undefined) {
      const others = scenesOf(target.raw).filter((name) => name !== scene);
      const at = before === undefined ? -1 : others.indexOf(before);
      days.push({ day_number: target.raw.day_number, scenes: others.toSpliced(at < 0 ? others.length : at, 0, scene) });
    }
    return { days, ...((target ?? source) ? { to: (target ?? source)?.id as number } : {}) };
  }

  /** Everything of two days but their numbers and dates changes places. */
  async swap(): Promise<Asked> {
    const [one, other] = [this.#day("one"), this.#day("other")];
    if (one === undefined || other === undefined || one === other) return { problem: "Choose two different days." };
    const changed = await this.#meanwhile(({ id }) => id === one.id || id === other.id);
    if (changed !== undefined) return changed;
    const fields = Object.keys((itemSchemaOf("schedule") as unknown as { entries: object }).entries).filter(
      (field) => field !== "day_number" && field !== "date",
    );
    const taken = (own: Raw, from: Raw): Raw => ({
      day_number: own.day_number,
      ...Object.fromEntries(fields.map((field) => [field, from[field] ?? null])),
    });
    return { days: [taken(one.raw, other.raw), taken(other.raw, one.raw)], to: one.id };
  }

  /** The day and all that are later get dates by some days later or earlier, in their order. */
  async shift(): Promise<Asked> {
    const first = this.#day("first");
    const by = Number(this.#form.text("by"));
    if (first === undefined || !Number.isSafeInteger(by) || by === 0 || Math.abs(by) > 366)
      return { problem: "Give the first day, and by how many days from -366 to 366." };
    const skip = this.#form.text("weekends") !== "shoot";
    const start = String(first.raw.date);
    const changed = await this.#meanwhile(({ action, fields: { date } }) => action !== "change" || date !== undefined);
    if (changed !== undefined) return changed;
    const later = this.#stored.items
      .filter(({ raw }) => String(raw.date) >= start)
      .sort((a, b) => String(a.raw.date).localeCompare(String(b.raw.date)));
    const days: Raw[] = [];
    let [former, last] = ["", ""];
    for (const { raw } of later) {
      const date = String(raw.date);
      let next = shiftedDate(date, by, skip);
      if (date === former) next = last;
      else if (last !== "" && next <= last) next = shiftedDate(last, 1, skip);
      [former, last] = [date, next];
      days.push({ day_number: raw.day_number, date: next });
    }
    return { days, to: first.id };
  }
}

/** A day without a scene. A banner before it stands before the next one. */
function without(raw: Raw, scene: string): Raw {
  const scenes = scenesOf(raw);
  const next = scenes[scenes.indexOf(scene) + 1] ?? null;
  const banners = (raw.banners ?? []) as { before?: string; text: string }[]; // the form of a shoot day
  return {
    day_number: raw.day_number,
    scenes: scenes.filter((name) => name !== scene),
    ...(banners.some(({ before }) => before === scene) && {
      banners: banners.map((banner) => (banner.before === scene ? { ...banner, before: next } : banner)),
    }),
  };
}

/** How often the change is made again, because something else of the production has changed meanwhile. */
const tries = 3;

/** Does what a form of the board asks for. Returns why it was refused, or where the browser goes. */
export async function changeBoard(
  visit: Visit,
  form: SubmittedForm,
): Promise<Redirect | { problem: string; status: number }> {
  const { storedSection } = await import("../../../admin/things.ts"); // it reads documents, which most pages do not need
  for (let attempt = 1; ; attempt++) {
    const stored = storedSection(adminOf(visit.context), "schedule");
    const board = new Board(visit, form, stored);
    const action = form.text("action");
    const asked = await (action === "swap" ? board.swap() : action === "shift" ? board.shift() : board.move());
    if ("problem" in asked) return { ...asked, status: 409 };
    const saved = await save(visit, { schedule: asked.days }, stored.revision);
    if (!("problem" in saved)) {
      const part = /^(?:all|\d{1,7})$/.test(form.text("window")) ? `?from=${form.text("window")}` : "";
      const address = `/schedule${part}${asked.to === undefined ? "" : `#day-${asked.to}`}`;
      return { location: savedAddress(address, saved.change_set) };
    }
    if (saved.status !== 409 || attempt === tries) return saved;
  }
}

const dayNames = (days: readonly ShootDay[]) =>
  days.map(({ id, day_number, date }) => [String(id), `Day ${day_number}, ${dateText(date)}`] as const);

const weekends = [
  ["skip", "are passed over"],
  ["shoot", "count as other days"],
] as const;

const field = (id: string, label: string, input: Markup): Markup =>
  html`<div class="field"><label for="${id}">${label}</label>${input}</div>`;

/** The forms, open where one was refused or a strip's handle was used. The script of the page fills in the first. */
export async function boardForms(
  visit: Visit,
  days: readonly ShootDay[],
  tried: { form: SubmittedForm; problem: string } | undefined,
): Promise<Markup> {
  const [newest] = await visit.ask(listHistory, { limit: 1 });
  const given = (name: string) => tried?.form.text(name) ?? visit.query.get(name) ?? "";
  const action = tried?.form.text("action") ?? visit.query.get("form") ?? (visit.query.has("scene") ? "move" : "");
  const problemOf = (own: string) => fieldProblem(`problem-${own}`, action === own ? tried?.problem : undefined);
  const frame = (own: string, title: string, fields: Markup, button: string) =>
    html`<details class="panel"${action === own && html` open`}><summary>${title}</summary>
<form method="post" action="/schedule" class="fields bare" id="${own}">${visit.proof}<input type="hidden" name="action" value="${own}"><input type="hidden" name="window" value="${visit.query.get("from")}"><input type="hidden" name="seen" value="${newest?.id ?? 0}">${problemOf(own)}
${fields}<button>${button}</button></form></details>`;
  // Each menu of days has two nodes for a day, so these forms are shown when they are asked for.
  const asked = (own: string, title: string, fields: () => Markup, button: string) =>
    action === own
      ? frame(own, title, fields(), button)
      : html`<p class="panel"><a href="${addressWith(visit, "form", own)}#${own}">${title}</a></p>`;
  return html`<div class="board-forms">${frame(
    "move",
    "Move a scene",
    html`<input type="hidden" name="scene_id" value="${given("scene_id")}"><input type="hidden" name="day" value="${given("day")}"><input type="hidden" name="before_id" value="">
${field("scene", "Scene", html`<input id="scene" name="scene" required maxlength="60" autocomplete="off" value="${given("scene")}">`)}
${field("to", "To", html`<select id="to" name="to">${options([...dayNames(days), ["0", "not scheduled"]], given("to"))}</select>`)}
${field("before", "Before scene, otherwise last", html`<input id="before" name="before" maxlength="60" autocomplete="off" value="${given("before")}">`)}`,
    "Move",
  )}${asked(
    "swap",
    "Swap two days",
    () => html`${field("one", "What is shot on", html`<select id="one" name="one">${options(dayNames(days), given("one"))}</select>`)}
${field("other", "Changes places with", html`<select id="other" name="other">${options(dayNames(days), given("other"))}</select>`)}`,
    "Swap",
  )}${asked(
    "shift",
    "Move days",
    () => html`${field("first", "From", html`<select id="first" name="first">${options(dayNames(days), given("first"))}</select>`)}
${field("by", "By how many days", html`<input id="by" name="by" type="number" min="-366" max="366" required value="${given("by") || "1"}">`)}
${field("weekends", "Weekends", html`<select id="weekends" name="weekends">${options(weekends, given("weekends"))}</select>`)}`,
    "Move the days",
  )}</div>`;
}
