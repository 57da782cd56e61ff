// Checks what goes: nothing may refer to it, and it may have nothing that is recorded. And that the title of a production is free.
import type { Slot } from "../match/matching.ts";
import type { Target } from "../match/target.ts";
import { eachReference, type Form, itemFormOf, type Raw } from "../sections/form.ts";
import { hasMoney, keyOf, kindOf, type Noun, type SectionName, sectionNames, sections } from "../sections/sections.ts";

/** What refers to things that go: the first thing of each reference. Activity about a scene or an asset does not count. */
function referrersOf(target: Target, gone: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (item: Raw, form: Form, referrer: () => string, section?: SectionName) =>
    eachReference(item, form, "", (noun, references) => {
      if ((noun === "asset" || noun === "scene") && section === "activity") return;
      for (const one of [references].flat()) if (gone.has(one) && !found.has(one)) found.set(one, referrer());
    });
  for (const section of sectionNames) {
    const form = itemFormOf(section);
    const kind = kindOf(section);
    for (const { gone, item } of form.refers ? target.slots(section) : [])
      if (!gone)
        visit(item, form, () => (hasMoney(section) ? `a ${kind}` : `${kind} "${keyOf(section, item)}"`), section);
  }
  visit(target.production.item, itemFormOf("production"), () => "the production");
  return found;
}

/** The recorded entries that a thing has, because of which it cannot be removed. */
function recordOf(section: SectionName, { item }: Slot): string | undefined {
  const count = (list: unknown) => ((list ?? []) as unknown[]).length;
  const decided = ((item.steps ?? []) as Raw[]).some(({ status = "pending" }) => status !== "pending");
  if (section === "assets" && count(item.versions) > 0) return "has versions";
  if (section === "deliveries" && count(item.submissions) > 0) return "has submissions";
  if (section === "engagements" && count(item.grants) > 0) return "has grants; end it instead";
  if (section === "approvals" && (decided || count(item.rounds) > 0)) return "has decisions";
  if (section === "storage") return "has recorded files";
  return undefined;
}

const bindingOf: Partial<Record<Noun, string>> = {
  engagement: "is bound to a key",
  person: "is bound to a key",
  episode: "has a stored draft",
  scene: "is in the stored script",
};

/** What an update depends on beside the tables of its production that documents have. */
export interface UpdateContext {
  /** Things to which rows refer that no document has. */
  bindings: readonly { noun: string; id: number }[];
  /** The production that has the title that the update sets. */
  titled: { id: number } | undefined;
  /** Another text after each change of the stored script; only where an update depends on that. */
  script?: string | undefined;
}

/** Reports a title that another production has, and things that an exact document does not have and that cannot go. */
export function checkContext(target: Target, { bindings, titled }: UpdateContext): void {
  const { production, stored } = target;
  if (titled !== undefined && titled.id !== stored.production_id)
    for (const { problems } of production.given)
      problems.add("production.title", `is taken: production ${titled.id} has it already`);
  checkRemovals(target, (noun, id) => bindings.some((one) => one.noun === noun && one.id === id));
}

function checkRemovals(target: Target, isBound: (noun: Noun, id: number) => boolean): void {
  const gone = target.touched.flatMap((section) =>
    target.slots(section).flatMap((slot) => (slot.gone ? [{ section, slot }] : [])),
  );
  const references = new Set(gone.flatMap(({ slot }) => slot.ref || []));
  const referrers = references.size > 0 ? referrersOf(target, references) : new Map<string, string>();
  for (const { section, slot } of gone) {
    const { noun } = sections[section];
    const key = keyOf(section, slot.item) as string;
    const referrer = referrers.get(slot.ref);
    const bound = noun !== undefined && isBound(noun, slot.stored?.id as number) ? bindingOf[noun] : undefined;
    const why = recordOf(section, slot) ?? (referrer === undefined ? bound : `is named by ${referrer}`);
    if (why === undefined) continue;
    const place = slot.given.at(-1);
    const hint = noun === "person" ? '; `"active": false` says that a person left' : "";
    if (place !== undefined) {
      place.source.problems.add(`${section}[${place.at}]`, `cannot be removed: it ${why}`, `it ${why}`);
      continue;
    }
    target
      .sourceOf(section)
      .problems.add(section, `must list ${kindOf(section)} "${key}", which cannot be removed: it ${why}${hint}`);
  }
}
