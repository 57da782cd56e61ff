// What the forms of the board do: strips go to another day or place, two days are swapped, and days get later or
// earlier dates.
import { forbidden } from "../../../core/errors.ts";
import { day } from "../../../core/times.ts";
import { sameName } from "../../../core/wording.ts";
import { adminOf } from "../../../graph/admin.ts";
import { getScene } from "../../../graph/scenes.ts";
import { dayText } from "../../../graph/units.ts";
import { timeText } from "../../pages/dates.ts";
import { wordOf } from "../../pages/html_parts.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import type { Visit } from "../../pages/visit.ts";
import type { MadeChange } from "../recording.ts";
import { itemSchemaOf, type Raw } from "../sections/form.ts";
import { namingOf, sceneName, unitDayOf } from "../sections/sections.ts";
import type { StoredSection } from "../things.ts";
import { saveAnew } from "./save.ts";

/** What a form asks for, as partial shoot days, and the day that is shown then. */
interface BoardRequest {
  days: Raw[];
  to?: number | undefined;
}

/** A scene that is moved, and the day that it is taken from, if it is on one. */
interface Taken {
  scene: string;
  from: StoredSection["items"][number] | undefined;
}

const refusal = (text: string) => new FormRefusal(409, text);

const isWeekend = (date: Date): boolean => date.getUTCDay() === 0 || date.getUTCDay() === 6;

/** The date some days later, or earlier for a negative number. Weekends that are passed over are not counted. */
export function shiftedDate(date: string, days: number, skipWeekends: boolean): string {
  let moved = new Date(`${date}T00:00:00Z`);
  const step = Math.sign(days);
  for (let left = Math.abs(days); left > 0; ) {
    moved = new Date(moved.getTime() + step * day);
    if (!skipWeekends || !isWeekend(moved)) left--;
  }
  return moved.toISOString().slice(0, 10);
}

/** How many days a conflict names. */
const namedDays = 5;
const verbs = { add: "added", change: "changed", remove: "removed" } as const;

const scenesOf = ({ scenes = [] }: Raw): string[] => scenes as string[]; // the form of a shoot day
const dayName = (raw: Raw): string => dayText(unitDayOf(raw));

/** What a form of the board asks of the stored days. Each of its requests throws why it is refused. */
class BoardForm {
  readonly #visit: Visit;
  readonly #form: SubmittedForm;
  readonly #stored: StoredSection;

  constructor(visit: Visit, form: SubmittedForm, stored: StoredSection) {
    this.#visit = visit;
    this.#form = form;
    this.#stored = stored;
  }

  #dayOf(field: string) {
    return this.#stored.items.find(({ id }) => String(id) === this.#form.text(field));
  }

  /** Whether the form is about the strip whose handle was used, and not about another scene that was typed instead. */
  get #isOfHandle(): boolean {
    return (this.#form.optional("handle") ?? this.#form.text("scene")) === this.#form.text("scene");
  }

  /** The name of the scene that a field gives by its id, or by its number. */
  async #sceneOf(field: string): Promise<string | undefined> {
    const node_id = this.#isOfHandle ? Number(this.#form.text(`${field}_id`)) : 0;
    if (Number.isSafeInteger(node_id) && node_id > 0) {
      const { number, episode_code } = await this.#visit.ask(getScene, { node_id });
      return sceneName(number, episode_code);
    }
    const given = sameName(this.#form.text(field));
    return given === "" ? undefined : this.#stored.names("scene").find((name) => sameName(name) === given);
  }

  /** Throws who took a scene from a day since the form was shown, or put it on one. */
  async #refuse(scene: string, day: { id: number; raw: Raw }, what: string): Promise<never> {
    const { lastChange } = await import("../recording.ts");
    const found = await lastChange(adminOf(this.#visit.context), "schedule", day.id, "scenes");
    const by = found === undefined ? "" : `: ${found.actor} changed that day at ${timeText(found.at)}`;
    throw refusal(`Scene ${scene} is ${what} ${dayName(day.raw)}${by}. Nothing was moved.`);
  }

  /** Throws what others changed since the form was shown, if it counts. */
  async #checkSeen(counts: (change: MadeChange["change"]) => boolean): Promise<void> {
    const { changesOf } = await import("../recording.ts");
    const seen = Number(this.#form.optional("seen") ?? Number.NaN);
    const found = [...(await changesOf(adminOf(this.#visit.context), "schedule", seen))].filter(({ change }) =>
      counts(change),
    );
    if (found.length === 0) return;
    const days = new Map(found.toReversed().map((one) => [one.change.id, one])).values();
    const sentences = [...days].slice(0, namedDays).map(({ actor, at, change: { key, action, fields } }) => {
      const what = action === "change" ? `its ${Object.keys(fields).map(wordOf).join(", ")}` : "it";
      return `${/^\d+$/.test(key) ? "Day " : ""}${key}: ${actor} ${verbs[action]} ${what} at ${timeText(at)}.`;
    });
    const advice = "Nothing was moved; look at the days and send it again.";
    throw refusal(`The days were changed meanwhile. ${sentences.join(" ")} ${advice}`);
  }

  /** The strips that were chosen, each with the day that had it when the form was shown. */
  async #chosenStrips(): Promise<Taken[]> {
    if (this.#form.text("scene") !== "") throw refusal("Either choose strips, or give the number of a scene.");
    const taken: Taken[] = [];
    for (const [day = "", id = ""] of this.#form.texts("strips").map((text) => text.split(":"))) {
      const { number, episode_code } = await this.#visit.ask(getScene, { node_id: Number(id) });
      const scene = sceneName(number, episode_code);
      taken.push({ scene, from: await this.#seenOn(scene, day) });
    }
    return taken;
  }

  #daysWith(scene: string) {
    return this.#stored.items.filter(({ raw }) => scenesOf(raw).includes(scene));
  }

  /**
   * The day that had a scene when the form was shown; undefined for "0", which is none. Throws if it does not have it
   * any more.
   */
  async #seenOn(scene: string, day: string) {
    const [on, from] = [this.#daysWith(scene), this.#stored.items.find(({ id }) => String(id) === day)];
    if (from !== undefined && !on.includes(from)) await this.#refuse(scene, from, "no longer on");
    if (day === "0" && on[0] !== undefined) await this.#refuse(scene, on[0], "meanwhile on");
    return from;
  }

  /** The scene of the form's handle, or the one whose number was given. */
  async #givenScene(): Promise<Taken> {
    if (this.#form.text("scene") === "" && this.#form.text("scene_id") === "")
      throw refusal("Choose the strips that move, or give the number of a scene.");
    const scene = await this.#sceneOf("scene");
    if (scene === undefined) throw refusal("There is no scene with this number.");
    const given = this.#isOfHandle ? this.#form.optional("day") : undefined;
    if (given !== undefined) return { scene, from: await this.#seenOn(scene, given) };
    const on = this.#daysWith(scene);
    const names = on.map(({ raw }) => dayName(raw)).join(" and ");
    if (on.length > 1) throw refusal(`Scene ${scene} is on ${names}. Use the handle of its strip.`);
    return { scene, from: on[0] };
  }

  async move(): Promise<BoardRequest> {
    const taken = this.#form.texts("strips").length > 0 ? await this.#chosenStrips() : [await this.#givenScene()];
    const target = this.#dayOf("to");
    if (target === undefined && this.#form.text("to") !== "0") throw refusal("There is no such shoot day any more.");
    const moved = [...new Set(taken.map(({ scene }) => scene))];
    const isTaken = (scene: string) => taken.some((one) => one.scene === scene && one.from === target);
    const twice = moved.find((scene) => target && scenesOf(target.raw).includes(scene) && !isTaken(scene));
    if (twice !== undefined && target !== undefined)
      throw refusal(`Scene ${twice} is on ${dayName(target.raw)} already.`);
    const before = await this.#sceneOf("before");
    const days = new Map<Taken["from"], Raw>();
    for (const { scene, from } of taken)
      if (from !== undefined && from !== target) {
        const raw = { ...from.raw, ...days.get(from) };
        days.set(from, { ...days.get(from), ...without(raw, scene) });
      }
    if (target !== undefined) {
      const parts = taken.flatMap(({ scene, from }) =>
        from && from !== target ? partsOf(from.raw).filter((part) => part.scene === scene) : [],
      );
      const others = scenesOf(target.raw).filter((name) => !moved.includes(name));
      const found = before === undefined ? -1 : others.indexOf(before);
      const at = found < 0 ? others.length : found;
      const scenes = [...others.slice(0, at), ...moved, ...others.slice(at)];
      days.set(target, {
        ...namingOf("schedule", target.raw),
        scenes,
        ...(parts.length > 0 && {
          parts: [...partsOf(target.raw).filter((part) => scenes.includes(part.scene)), ...parts],
        }),
      });
    }
    return { days: [...days.values()], to: (target ?? taken[0]?.from)?.id };
  }

  /** Everything of two days but their numbers and dates changes places. */
  async swap(): Promise<BoardRequest> {
    const [one, other] = [this.#dayOf("one"), this.#dayOf("other")];
    if (one === undefined || other === undefined || one === other) throw refusal("Choose two different days.");
    await this.#checkSeen(({ id }) => id === one.id || id === other.id);
    const fields = Object.keys(itemSchemaOf("schedule").entries ?? {}).filter(
      (field) => field !== "day_number" && field !== "unit" && field !== "date",
    );
    const taken = (own: Raw, from: Raw): Raw => ({
      ...namingOf("schedule", own),
      ...Object.fromEntries(fields.map((field) => [field, from[field] ?? null])),
    });
    return { days: [taken(one.raw, other.raw), taken(other.raw, one.raw)], to: one.id };
  }

  /** The day and all that are later get dates by some days later or earlier, in their order. */
  async shift(): Promise<BoardRequest> {
    const first = this.#dayOf("first");
    const by = Number(this.#form.text("by"));
    if (first === undefined || !Number.isSafeInteger(by) || by === 0 || Math.abs(by) > 366)
      throw refusal("Give the first day, and by how many days from -366 to 366.");
    const skip = this.#form.text("weekends") !== "shoot";
    const start = String(first.raw.date);
    await this.#checkSeen(({ action, fields: { date } }) => action !== "change" || date !== undefined);
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
      days.push({ ...namingOf("schedule", raw), date: next });
    }
    return { days, to: first.id };
  }
}

/** The parts of scenes that a day has. */
// the form of a shoot day
const partsOf = (raw: Raw) => (raw.parts ?? []) as { scene: string; text: string; pages?: string }[];

/** A day without a scene. A banner before it stands before the next one. */
function without(raw: Raw, scene: string): Raw {
  const scenes = scenesOf(raw);
  const next = scenes[scenes.indexOf(scene) + 1] ?? null;
  const banners = (raw.banners ?? []) as { before?: string; text: string }[]; // the form of a shoot day
  return {
    ...namingOf("schedule", raw),
    scenes: scenes.filter((name) => name !== scene),
    ...(partsOf(raw).some((part) => part.scene === scene) && {
      parts: partsOf(raw).filter((part) => part.scene !== scene),
    }),
    ...(banners.some(({ before }) => before === scene) && {
      banners: banners.map((banner) => (banner.before === scene ? { ...banner, before: next } : banner)),
    }),
  };
}

/** Does what a form of the board asks for. */
export async function changeBoard(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  if (!visit.mayEdit) throw forbidden("key does not have the `edit` scope");
  const { storedSection } = await import("../things.ts"); // it reads documents, which most pages do not need
  return saveAnew(visit, async () => {
    const admin = adminOf(visit.context);
    const stored = storedSection(admin, "schedule");
    const board = new BoardForm(visit, form, stored);
    const action = form.text("action");
    const { days, to } = await (action === "swap" ? board.swap() : action === "shift" ? board.shift() : board.move());
    const part = /^(?:all|\d{1,7})$/.test(form.text("window")) ? `?from=${form.text("window")}` : "";
    const address = `/schedule${part}${to === undefined ? "" : `#day-${to}`}`;
    return { document: { schedule: days }, address };
  });
}
